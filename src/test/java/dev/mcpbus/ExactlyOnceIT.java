package dev.mcpbus;

import static dev.mcpbus.testing.TestBus.address;
import static org.assertj.core.api.Assertions.assertThat;

import dev.mcpbus.bus.Addresses;
import dev.mcpbus.bus.Events;
import dev.mcpbus.bus.Headers;
import dev.mcpbus.bus.McpFailure;
import dev.mcpbus.testing.EchoServer;
import dev.mcpbus.testing.PipeWitness;
import dev.mcpbus.testing.TestBus;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.eventbus.DeliveryOptions;
import io.vertx.core.json.JsonObject;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import java.util.stream.IntStream;
import org.awaitility.Awaitility;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Chaos, with a seed: children are killed, frozen, restarted, removed and added while calls are
 * made, cancelled and run out of time. The servers write down what they execute.
 *
 * <p>{@code -Dmcpbus.chaos.seed=n} repeats the choices of a run, though not its timing.
 */
class ExactlyOnceIT {

  private static final int SERVERS = 20;
  private static final int CALLS = 20_000;
  private static final int IN_FLIGHT = 300;

  /** A call may be late by this, and by what lines of the witness lay in its pipe. */
  private static final long SLACK_MILLIS = 500;

  private final Random random = new Random(seed());
  private final Map<Integer, Ending> endings = new ConcurrentHashMap<>();
  private final Map<String, AtomicInteger> replies = new ConcurrentHashMap<>();
  private final Semaphore window = new Semaphore(IN_FLIGHT);
  private long slack = SLACK_MILLIS;
  private final long bootOffset = uptimeMillis() - monotonicMillis();

  @TempDir Path folder;

  /** How a call ended: with a text, or a failure. */
  private record Ending(@Nullable String text, @Nullable McpFailure failure) {}

  private record Execution(String call, long lateMillis) {}

  private static long seed() {
    long seed = Long.getLong("mcpbus.chaos.seed", System.nanoTime());
    System.out.println("chaos: -Dmcpbus.chaos.seed=" + seed);
    return seed;
  }

  @Test
  void every_call_ends_once_and_runs_at_most_once_whatever_happens() throws Exception {
    JsonObject servers = new JsonObject();
    IntStream.range(0, SERVERS).forEach(i -> servers.put("s-" + i, entry(i)));
    try (TestBus bus = TestBus.start(servers)) {
      countReplies(bus);
      servers.fieldNames().forEach(id -> bus.awaitState(id, "READY"));
      long from = monotonicMillis();
      try (PipeWitness witness = PipeWitness.start(folder, ExactlyOnceIT::uptimeMillis)) {
        disturbedCalls(bus);
        slack += witness.endAndTellLatest();
      }
      report(monotonicMillis() - from);

      servers.fieldNames().forEach(id -> bus.awaitState(id, "READY"));
      Awaitility.await("one child for each connection")
          .atMost(Duration.ofSeconds(60))
          .untilAsserted(() -> assertThat(children()).isEqualTo(SERVERS));
      epochsRise(bus);
    }
    assertThat(children()).isZero();
    assertThat(replies.values()).allMatch(count -> count.get() == 1);
    checkExecutions();
  }

  private void disturbedCalls(TestBus bus) throws Exception {
    for (int n = 0; n < CALLS; n++) {
      if (!window.tryAcquire(30, TimeUnit.SECONDS)) {
        throw new AssertionError("calls do not end: only " + endings.size() + " did");
      }
      call(bus, n);
      if (n % 40 == 0) {
        disturb(bus, random.nextInt(SERVERS));
      }
    }
    Awaitility.await("all calls to end")
        .atMost(Duration.ofSeconds(60))
        .until(() -> endings.size() == CALLS);
  }

  private JsonObject entry(int i) {
    JsonObject backoff = new JsonObject().put("initial", 10).put("max", 100);
    JsonObject intensity = new JsonObject().put("restarts", 100_000).put("period", "1m");
    return EchoServer.shell(folder.resolve("s-" + i + ".log").toString())
        .put("restart", new JsonObject().put("backoff", backoff).put("intensity", intensity))
        .put("drain", 100)
        .put("closeGrace", 100);
  }

  /** Every reply of the bus has an address of its own: two to one would be two endings. */
  private void countReplies(TestBus bus) {
    bus.vertx()
        .eventBus()
        .addOutboundInterceptor(
            delivery -> {
              String to = delivery.message().address();
              if (to.startsWith("__vertx.reply")) {
                replies.computeIfAbsent(to, key -> new AtomicInteger()).incrementAndGet();
              }
              delivery.next();
            });
  }

  private void call(TestBus bus, int n) {
    int dice = random.nextInt(1_000);
    String tool = dice < 920 ? "echo" : dice < 960 ? "slow" : dice < 998 ? "hang" : "exit";
    long budget =
        tool.equals("hang")
            ? 50 + random.nextInt(200)
            : random.nextInt(20) == 0 ? 1 + random.nextInt(20) : 3_000;
    long deadline = (monotonicMillis() + bootOffset + budget) / 10;
    Buffer params =
        Buffer.buffer(
            String.format(
                Locale.ROOT,
                "{\"name\":\"%s\",\"arguments\":{\"call\":\"c%d\",\"deadline\":%d}}",
                tool,
                n,
                deadline));
    String id = "s-" + random.nextInt(SERVERS);
    DeliveryOptions options =
        new DeliveryOptions()
            .setSendTimeout(20_000)
            .addHeader(Headers.DEADLINE, Long.toString(budget))
            .addHeader(Headers.CALL_ID, "c" + n);
    bus.<Buffer>send(address(id, Addresses.TOOLS_CALL), params, options)
        .onComplete(
            (result, failure) -> {
              Ending before = endings.put(n, ending(result, failure));
              if (before != null) {
                endings.put(-n, before);
              }
              window.release();
            });
    if (random.nextInt(30) == 0) {
      JsonObject cancel = new JsonObject().put("callId", "c" + n);
      bus.vertx().eventBus().send(address(id, Addresses.CANCEL), cancel);
    }
  }

  private static Ending ending(Buffer result, @Nullable Throwable failure) {
    return failure == null
        ? new Ending(
            new JsonObject(result).getJsonArray("content").getJsonObject(0).getString("text"), null)
        : new Ending(null, McpFailure.of(failure));
  }

  private void disturb(TestBus bus, int server) {
    String id = "s-" + server;
    switch (random.nextInt(6)) {
      case 0, 1, 2 -> signal(bus, id, ProcessHandle::destroyForcibly);
      case 3 -> signal(bus, id, this::freeze);
      case 4 -> bus.vertx().eventBus().send(address(id, Addresses.RESTART), new JsonObject());
      default -> {
        JsonObject removal = new JsonObject().put("id", id);
        JsonObject addition = new JsonObject().put("name", id).put("config", entry(server));
        DeliveryOptions patient = new DeliveryOptions().setSendTimeout(20_000);
        bus.<JsonObject>send(Addresses.SERVERS_REMOVE, removal, patient)
            .onSuccess(removed -> bus.<JsonObject>send(Addresses.SERVERS_ADD, addition, patient));
      }
    }
  }

  private static void signal(TestBus bus, String id, Consumer<ProcessHandle> action) {
    bus.<JsonObject>send(address(id, Addresses.STATUS), new JsonObject(), new DeliveryOptions())
        .onSuccess(
            status -> {
              Long pid = status.getJsonObject("transport").getLong("pid");
              if (pid != null) {
                ProcessHandle.of(pid).ifPresent(action);
              }
            });
  }

  /** Hears and says nothing more; the test kills it then, as a health check would much later. */
  private void freeze(ProcessHandle child) {
    try {
      new ProcessBuilder("sh", "-c", "kill -STOP $0; sleep 0.4; kill -KILL $0", "" + child.pid())
          .start();
    } catch (IOException e) {
      throw new IllegalStateException(e);
    }
  }

  private long children() {
    return ProcessHandle.current()
        .descendants()
        .filter(child -> child.info().commandLine().orElse("").contains(folder.toString()))
        .count();
  }

  private static void epochsRise(TestBus bus) {
    Map<String, Long> last = new HashMap<>();
    int restarts = 0;
    for (JsonObject event : bus.events()) {
      String id = event.getString("id");
      if (event.getString("type").equals(Events.SERVER_REMOVED)) {
        last.remove(id);
      } else if (event.getString("type").equals(Events.CONNECTED)) {
        Long before = last.put(id, event.getLong("epoch"));
        if (before != null) {
          assertThat(event.getLong("epoch")).as(id).isGreaterThan(before);
          restarts++;
        }
      }
    }
    assertThat(restarts).isGreaterThan(50);
  }

  private void checkExecutions() throws IOException {
    assertThat(endings.keySet()).noneMatch(n -> n < 0);
    Map<String, List<Execution>> executed = new HashMap<>();
    for (int i = 0; i < SERVERS; i++) {
      for (String line : Files.readAllLines(folder.resolve("s-" + i + ".log"))) {
        String[] parts = line.split(" ", -1);
        long late = (Long.parseLong(parts[2]) - Long.parseLong(parts[1])) * 10;
        executed
            .computeIfAbsent(parts[0], key -> new ArrayList<>())
            .add(new Execution(parts[0], late));
      }
    }
    assertThat(executed.values().stream().filter(runs -> runs.size() > 1))
        .as("calls that were executed twice")
        .isEmpty();
    assertThat(executed.values().stream().filter(runs -> runs.get(0).lateMillis() > slack))
        .as("calls that were executed after their deadline")
        .isEmpty();
    endings.forEach(
        (n, ending) -> {
          McpFailure failure = ending.failure();
          if (failure == null) {
            assertThat(ending.text()).startsWith("c" + n + " ");
            assertThat(executed).containsKey("c" + n);
          } else {
            assertThat(failure).hasMessageNotContaining("no answer from mcp.");
            if (failure.sent() == McpFailure.Sent.NO) {
              assertThat(executed).as("%s", failure).doesNotContainKey("c" + n);
            }
          }
        });
    assertThat(endings.values().stream().filter(ending -> ending.failure() == null).count())
        .as("answered")
        .isGreaterThan(CALLS / 2);
  }

  private void report(long millis) {
    Map<String, Integer> kinds = new TreeMap<>();
    for (Ending ending : endings.values()) {
      McpFailure failure = ending.failure();
      String kind = failure == null ? "answered" : failure.code() + "/" + failure.sent();
      kinds.merge(kind, 1, Integer::sum);
    }
    System.out.println("chaos: " + CALLS + " calls in " + millis + " ms: " + kinds);
  }

  private static long monotonicMillis() {
    return System.nanoTime() / 1_000_000;
  }

  /** The clock that the servers read. */
  private static long uptimeMillis() {
    try {
      String text = Files.readString(Path.of("/proc/uptime"));
      return (long) (Double.parseDouble(text.substring(0, text.indexOf(' '))) * 1_000);
    } catch (IOException e) {
      throw new IllegalStateException(e);
    }
  }
}
