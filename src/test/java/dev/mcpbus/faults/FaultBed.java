package dev.mcpbus.faults;

import static org.assertj.core.api.Assertions.assertThat;

import dev.mcpbus.bus.Addresses;
import dev.mcpbus.bus.Events;
import dev.mcpbus.bus.FailureCode;
import dev.mcpbus.bus.Headers;
import dev.mcpbus.bus.McpFailure;
import dev.mcpbus.bus.McpFailure.Sent;
import dev.mcpbus.hosting.FilePinStore;
import dev.mcpbus.input.InputOptions;
import dev.mcpbus.testing.ScriptedServer;
import dev.mcpbus.testing.TestBus;
import io.vertx.core.Future;
import io.vertx.core.eventbus.DeliveryOptions;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;
import org.awaitility.Awaitility;
import org.awaitility.core.ConditionFactory;

/**
 * A bus with a {@code victim} and a healthy {@code neighbour}. What holds for every fault is
 * asserted here: while a call to the victim is under way the neighbour answers, no request gets two
 * replies, and at the end the neighbour is in its first session and no process is left.
 */
final class FaultBed implements AutoCloseable {

  static final String VICTIM = "victim";
  static final String MARK = "MCPBUS_FAULT_BED";

  /** What a healthy connection may need on a machine that builds other things meanwhile. */
  private static final long NEIGHBOURLY_MILLIS = 10_000;

  private static final String NEIGHBOUR = "neighbour";
  private static final String REPLY_PREFIX = "__vertx.reply.";

  private final String mark = UUID.randomUUID().toString();
  private final Map<String, AtomicInteger> replies = new ConcurrentHashMap<>();
  private final TestBus bus;

  private FaultBed(JsonObject servers) {
    this(servers, TestBus::start);
  }

  private FaultBed(JsonObject servers, Function<JsonObject, TestBus> launch) {
    servers.put(NEIGHBOUR, ShServer.good());
    servers.forEach(entry -> mark((JsonObject) entry.getValue()));
    bus = launch.apply(servers);
    bus.vertx()
        .eventBus()
        .addOutboundInterceptor(
            delivery -> {
              String address = delivery.message().address();
              if (address.startsWith(REPLY_PREFIX)) {
                replies.computeIfAbsent(address, first -> new AtomicInteger()).incrementAndGet();
              }
              delivery.next();
            });
  }

  /** The victim as the configuration has it; nothing is waited for. */
  static FaultBed start(JsonObject victim) {
    return new FaultBed(TestBus.server(VICTIM, victim));
  }

  /** The same, with questions that wait so long. */
  static FaultBed start(JsonObject victim, InputOptions input) {
    return start(victim, servers -> TestBus.start(servers, input));
  }

  /** The victim's pins outlive the bed. */
  static FaultBed start(JsonObject victim, Path pins) {
    return start(
        victim.copy(),
        servers -> TestBus.startPinned(servers, vertx -> FilePinStore.of(vertx, pins)));
  }

  /**
   * The same, on a bus of the test's own making.
   *
   * @param launch gets the servers
   */
  static FaultBed start(JsonObject victim, Function<JsonObject, TestBus> launch) {
    return new FaultBed(TestBus.server(VICTIM, victim), launch);
  }

  /** Several servers, all marked; nothing is waited for. */
  static FaultBed startAll(JsonObject servers) {
    return new FaultBed(servers);
  }

  /** The same, once the victim is ready. */
  static FaultBed ready(JsonObject victim) {
    return ready(victim, InputOptions.DEFAULT);
  }

  static FaultBed ready(JsonObject victim, InputOptions input) {
    FaultBed bed = start(victim, input);
    try {
      bed.awaitReady(1);
      return bed;
    } catch (Throwable failure) {
      bed.bus.close();
      throw failure;
    }
  }

  /** A {@link ScriptedServer} that starts fast. */
  static JsonObject scripted(String behaviour) {
    return scripted(behaviour, 64);
  }

  static JsonObject scripted(String behaviour, int heapMegabytes) {
    List<String> command = ScriptedServer.command(behaviour);
    JsonArray args = new JsonArray();
    command.stream()
        .skip(1)
        .map(arg -> arg.startsWith("-Xmx") ? "-Xmx" + heapMegabytes + "m" : arg)
        .forEach(args::add);
    return new JsonObject().put("command", command.get(0)).put("args", args);
  }

  /** Marks every process of the entry, if it has any, and lets it end quickly. */
  JsonObject mark(JsonObject entry) {
    if (entry.containsKey("command")) {
      entry.put("env", entry.getJsonObject("env", new JsonObject()).put(MARK, mark));
    }
    if (entry.containsKey("command") && !entry.containsKey("closeGrace")) {
      entry.put("closeGrace", 100);
    }
    if (!entry.containsKey("drain")) {
      entry.put("drain", 100);
    }
    return entry;
  }

  TestBus bus() {
    return bus;
  }

  static ConditionFactory until(String what) {
    return Awaitility.await(what).atMost(Duration.ofSeconds(60)).pollInterval(Duration.ofMillis(5));
  }

  // ---- calls

  Future<Ending> send(String id, String suffix, Object body, DeliveryOptions options) {
    long sentAt = System.nanoTime();
    return bus.<JsonObject>send(TestBus.address(id, suffix), body, options)
        .transform(
            reply ->
                Future.succeededFuture(
                    new Ending(
                        reply.succeeded() ? reply.result() : null,
                        reply.failed() ? McpFailure.of(reply.cause()) : null,
                        sentAt,
                        System.nanoTime())));
  }

  Future<Ending> sendTool(String tool, JsonObject arguments, DeliveryOptions options) {
    return send(VICTIM, Addresses.TOOLS_CALL, TestBus.toolCall(tool, arguments), options);
  }

  Future<Ending> sendTool(String tool) {
    return sendTool(tool, new JsonObject(), new DeliveryOptions());
  }

  static DeliveryOptions within(long millis) {
    return new DeliveryOptions().addHeader(Headers.DEADLINE, Long.toString(millis));
  }

  /** Calls the victim's tool; the neighbour must answer meanwhile. */
  Ending call(String tool) {
    return ending(sendTool(tool));
  }

  Ending call(String tool, JsonObject arguments, DeliveryOptions options) {
    return ending(sendTool(tool, arguments, options));
  }

  Ending ending(Future<Ending> sent) {
    askNeighbour();
    return TestBus.await(sent);
  }

  McpFailure failure(String tool, FailureCode code, Sent sent) {
    return call(tool).failure(code, sent);
  }

  String text(String tool) {
    return call(tool).text();
  }

  private void askNeighbour() {
    Ending answer =
        TestBus.await(
            send(
                NEIGHBOUR,
                Addresses.TOOLS_CALL,
                TestBus.toolCall("echo", new JsonObject()),
                new DeliveryOptions()));
    assertThat(answer.text()).as("the neighbour's answer").isNotEmpty();
    assertThat(answer.millis()).as("the neighbour's time").isLessThan(NEIGHBOURLY_MILLIS);
  }

  // ---- the victim

  JsonObject status() {
    return bus.status(VICTIM);
  }

  long pid() {
    return status().getJsonObject("transport").getLong("pid");
  }

  /** Waits for a session of at least this epoch; gives the status. */
  JsonObject awaitReady(long epoch) {
    return until("session " + epoch)
        .until(
            this::status,
            status ->
                "READY".equals(status.getString("state")) && status.getLong("epoch") >= epoch);
  }

  JsonObject awaitState(String state) {
    return bus.awaitState(VICTIM, state);
  }

  /** So many calls are with the server, and none waits for its list of tools. */
  void awaitInFlight(int calls) {
    until(calls + " in flight")
        .until(
            this::status,
            status ->
                status.getBoolean("toolsListed", false)
                    && status.getJsonObject("transport").getInteger("pending") == calls);
  }

  JsonObject lastError() {
    // Null, not absent, where there was none.
    return Objects.requireNonNullElseGet(status().getJsonObject("lastError"), JsonObject::new);
  }

  static Instant nextAttempt(JsonObject status) {
    return Instant.parse(status.getString("nextAttempt"));
  }

  /** The victim has come back: a fresh session serves, the old process is gone. */
  void assertBack(long oldPid, FailureCode why) {
    JsonObject status = awaitReady(2);
    assertThat(status.getInteger("restarts")).isEqualTo(1);
    assertThat(status.getJsonObject("lastError").getString("code")).isEqualTo(why.name());
    assertThat(status.getValue("nextAttempt")).isNull();
    assertThat(Processes.running(oldPid)).as("old process %d", oldPid).isFalse();
    assertThat(call("echo").text()).isNotNull();
    assertThat(events(Events.DISCONNECTED))
        .singleElement()
        .satisfies(event -> assertThat(event.getString("code")).isEqualTo(why.name()));
  }

  /** The victim never noticed: still its first session. */
  void assertUndisturbed() {
    JsonObject status = status();
    assertThat(status.getString("state")).isEqualTo("READY");
    assertThat(status.getLong("epoch")).isEqualTo(1);
    assertThat(status.getInteger("restarts")).isZero();
    assertThat(status.getValue("lastError")).isNull();
  }

  List<JsonObject> events(String type) {
    return bus.events(type).stream().filter(e -> VICTIM.equals(e.getString("id"))).toList();
  }

  /** Pids of all processes that this bed started and their offspring. */
  List<Long> processes() {
    return Processes.marked(MARK, mark);
  }

  @Override
  public void close() {
    askNeighbour();
    JsonObject neighbour = bus.status(NEIGHBOUR);
    bus.close();
    assertThat(processes()).as("processes left").isEmpty();
    assertThat(neighbour.getString("state")).isEqualTo("READY");
    assertThat(neighbour.getLong("epoch")).isEqualTo(1);
    assertThat(neighbour.getValue("lastError")).isNull();
    assertThat(replies).isNotEmpty().allSatisfy((to, n) -> assertThat(n.get()).isEqualTo(1));
  }
}
