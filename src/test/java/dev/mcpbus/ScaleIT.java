package dev.mcpbus;

import static dev.mcpbus.testing.TestBus.address;
import static org.assertj.core.api.Assertions.assertThat;

import dev.mcpbus.bus.Addresses;
import dev.mcpbus.bus.Events;
import dev.mcpbus.supervisor.SupervisorOptions;
import dev.mcpbus.testing.EchoServer;
import dev.mcpbus.testing.TestBus;
import io.vertx.core.Future;
import io.vertx.core.eventbus.DeliveryOptions;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.lang.management.ManagementFactory;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Many connections in one JVM: what they cost, and that they come up in order. */
@Tag("release")
class ScaleIT {

  private static final int FEW = 10;
  private static final int CHILDREN = 500;
  private static final int REMOTE = 1_000;

  /** Measured: 48 KB with a GET stream and 39 without; a pooled TCP connection adds 10. */
  private static final long MAX_BYTES_PER_CONNECTION = 60 * 1024;

  private static final long MAX_MORE_THREADS = 4;

  @Test
  void five_hundred_children_start_in_turn_cost_no_thread_each_and_are_gone_afterwards() {
    Set<Long> pids = new HashSet<>();
    try (TestBus bus = TestBus.start(servers("few", FEW, EchoServer.shell()))) {
      awaitReady(bus, FEW);
      callAll(bus, "few", FEW);
      int threads = threads();
      bus.events().clear();

      long from = System.nanoTime();
      addAll(bus, "child", CHILDREN - FEW, EchoServer.shell());
      awaitReady(bus, CHILDREN - FEW);
      report("%d children ready after %d ms", CHILDREN, millisSince(from));
      assertThat(mostStartingAtOnce(bus.events()))
          .isBetween(2, SupervisorOptions.DEFAULT.startConcurrency());

      from = System.nanoTime();
      pids.addAll(callAll(bus, "few", FEW));
      pids.addAll(callAll(bus, "child", CHILDREN - FEW));
      report("one call of each of %d children: %d ms", CHILDREN, millisSince(from));
      assertThat(pids).hasSize(CHILDREN).allMatch(ScaleIT::lives);
      report("threads with %d children: %d, with %d: %d", FEW, threads, CHILDREN, threads());
      assertThat(threads() - threads).isLessThanOrEqualTo((int) MAX_MORE_THREADS);
    }
    assertThat(pids).noneMatch(ScaleIT::lives);
  }

  @Test
  void a_thousand_http_connections_cost_no_thread_and_little_memory_each() {
    try (EchoServer server = EchoServer.overHttp(Duration.ofSeconds(3))) {
      measureHttp(server, true);
      measureHttp(server, false);
    }
  }

  private static void measureHttp(EchoServer server, boolean listen) {
    try (TestBus bus = TestBus.start(servers("few", FEW, server.http(listen)))) {
      awaitReady(bus, FEW);
      callAll(bus, "few", FEW);
      awaitStreams(bus, listen ? FEW : 0);
      bus.events().clear();
      int threads = threads();
      Awaitility.await("the first TCP connections to be idle")
          .atMost(Duration.ofSeconds(60))
          .until(() -> server.connections() == (listen ? FEW : 0));
      long heap = usedHeap();

      long from = System.nanoTime();
      addAll(bus, "remote", REMOTE, server.http(listen));
      awaitReady(bus, REMOTE);
      report("%d HTTP connections ready after %d ms", REMOTE, millisSince(from));
      assertThat(mostStartingAtOnce(bus.events()))
          .isLessThanOrEqualTo(SupervisorOptions.DEFAULT.startConcurrency());
      bus.events().clear();
      awaitStreams(bus, listen ? FEW + REMOTE : 0);

      long fresh = (usedHeap() - heap) / REMOTE;
      Awaitility.await("TCP connections for POST to be closed when they are idle")
          .atMost(Duration.ofSeconds(60))
          .until(() -> server.connections() == (listen ? FEW + REMOTE : 0));
      long bytes = (usedHeap() - heap) / REMOTE;
      report(
          "an HTTP connection, %s GET stream: %.1f KB of heap after the handshake, %.1f KB idle",
          listen ? "with" : "without", fresh / 1024.0, bytes / 1024.0);
      assertThat(bytes).isLessThanOrEqualTo(MAX_BYTES_PER_CONNECTION);

      from = System.nanoTime();
      callAll(bus, "remote", 1);
      report("a call among %d: %d us", REMOTE, (System.nanoTime() - from) / 1_000);
      callAll(bus, "remote", REMOTE);
      report("threads with %d connections: %d, with %d: %d", FEW, threads, REMOTE, threads());
      assertThat(threads() - threads).isLessThanOrEqualTo((int) MAX_MORE_THREADS);
    }
  }

  @Test
  void three_hostile_servers_among_a_thousand_disturb_no_other_server() {
    JsonObject hang = shell("exec sleep 1000").put("handshakeTimeout", 2_000);
    JsonObject crashLoop = shell("exit 3");
    JsonObject flood =
        shell(
                "read -r line; echo"
                    + " '{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{\"protocolVersion\":\"2025-11-25\","
                    + "\"capabilities\":{},\"serverInfo\":{\"name\":\"flood\",\"version\":\"1\"}}}';"
                    + " while :; do echo"
                    + " '{\"jsonrpc\":\"2.0\",\"method\":\"notifications/message\","
                    + "\"params\":{\"level\":\"info\",\"data\":\"flood\"}}'; done")
            .put("protocolVersion", "2025-11-25");
    JsonObject hostile =
        new JsonObject().put("hang", hang).put("crash-loop", crashLoop).put("flood", flood);
    // An idle connection that closes as a call goes out would be a fourth disturbance.
    try (EchoServer server = EchoServer.overHttp(Duration.ofMinutes(10));
        TestBus bus = TestBus.start(hostile)) {
      addAll(bus, "remote", REMOTE - hostile.size(), server.http(false));
      bus.awaitState("remote-" + (REMOTE - hostile.size() - 1), "READY");
      long from = System.nanoTime();
      List<Future<JsonObject>> calls =
          IntStream.range(0, 300).mapToObj(i -> call(bus, "remote-" + i * 3)).toList();
      TestBus.await(Future.join(calls));
      report(
          "300 calls beside three hostile servers: %d ms, %d events of the flood",
          millisSince(from), bus.events(Events.LOG).size());
      bus.awaitState("crash-loop", "RECONNECTING", "FAILED");
      bus.awaitState("hang", "RECONNECTING", "CONNECTING", "FAILED");
    }
  }

  private static JsonObject shell(String command) {
    return new JsonObject()
        .put("command", "sh")
        .put("args", new JsonArray().add("-c").add(command));
  }

  private static JsonObject servers(String prefix, int count, JsonObject entry) {
    JsonObject servers = new JsonObject();
    IntStream.range(0, count).forEach(i -> servers.put(prefix + "-" + i, entry));
    return servers;
  }

  private static void addAll(TestBus bus, String prefix, int count, JsonObject entry) {
    List<Future<JsonObject>> added = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      JsonObject body = new JsonObject().put("name", prefix + "-" + i).put("config", entry);
      added.add(bus.send(Addresses.SERVERS_ADD, body, new DeliveryOptions()));
    }
    TestBus.await(Future.join(added));
  }

  private static void awaitReady(TestBus bus, int count) {
    Awaitility.await(count + " connections to be ready")
        .atMost(Duration.ofSeconds(60))
        .until(() -> bus.events(Events.TOOLS_CHANGED).size() == count);
  }

  private static void awaitStreams(TestBus bus, int count) {
    Awaitility.await(count + " GET streams")
        .atMost(Duration.ofSeconds(60))
        .until(() -> openStreams(bus) == count);
  }

  private static long openStreams(TestBus bus) {
    JsonObject list = bus.request(Addresses.SERVERS_LIST, new JsonObject());
    return list.getJsonArray("servers").stream()
        .map(server -> ((JsonObject) server).getJsonObject("transport"))
        .filter(transport -> transport.getBoolean("listening"))
        .count();
  }

  /** Between the event that a connection starts and the one that it is ready. */
  private static int mostStartingAtOnce(List<JsonObject> events) {
    Set<String> starting = new HashSet<>();
    int most = 0;
    for (JsonObject event : events) {
      if (event.getString("type").equals(Events.STATE_CHANGED)) {
        if (event.getString("to").equals("CONNECTING")) {
          starting.add(event.getString("id"));
        } else {
          starting.remove(event.getString("id"));
        }
        most = Math.max(most, starting.size());
      }
    }
    return most;
  }

  private static Future<JsonObject> call(TestBus bus, String id) {
    return bus.send(
        address(id, Addresses.TOOLS_CALL),
        TestBus.toolCall("echo", new JsonObject().put("call", id)),
        new DeliveryOptions());
  }

  /** Calls each once; gives the pids that answered. */
  private static Set<Long> callAll(TestBus bus, String prefix, int count) {
    List<Future<JsonObject>> calls =
        IntStream.range(0, count).mapToObj(i -> call(bus, prefix + "-" + i)).toList();
    TestBus.await(Future.join(calls));
    List<String[]> answers =
        calls.stream()
            .map(answer -> answer.result().getJsonArray("content").getJsonObject(0))
            .map(content -> content.getString("text").split(" ", 2))
            .toList();
    for (int i = 0; i < count; i++) {
      assertThat(answers.get(i)[0]).isEqualTo(prefix + "-" + i);
    }
    return answers.stream().map(answer -> Long.parseLong(answer[1])).collect(Collectors.toSet());
  }

  private static boolean lives(long pid) {
    return ProcessHandle.of(pid).isPresent();
  }

  private static int threads() {
    return ManagementFactory.getThreadMXBean().getThreadCount();
  }

  /** What is left once collecting frees nothing more. */
  private static long usedHeap() {
    long least = Long.MAX_VALUE;
    for (int rounds = 0; rounds < 3; rounds++) {
      long used = collect();
      if (used < least - 64 * 1024) {
        rounds = 0;
      }
      least = Math.min(least, used);
    }
    return least;
  }

  private static long collect() {
    System.gc();
    return ManagementFactory.getMemoryMXBean().getHeapMemoryUsage().getUsed();
  }

  private static long millisSince(long nanos) {
    return Duration.ofNanos(System.nanoTime() - nanos).toMillis();
  }

  private static void report(String format, Object... values) {
    System.out.println("scale: " + String.format(Locale.ROOT, format, values));
  }
}
