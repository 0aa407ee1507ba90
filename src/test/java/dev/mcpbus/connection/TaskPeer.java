package dev.mcpbus.connection;

import dev.mcpbus.bus.Addresses;
import dev.mcpbus.bus.ConnectionId;
import dev.mcpbus.bus.McpFailure;
import dev.mcpbus.connection.options.ConnectionOptions;
import dev.mcpbus.protocol.Methods;
import dev.mcpbus.testing.ScriptedPeer;
import dev.mcpbus.testing.TestBus;
import io.vertx.core.Future;
import io.vertx.core.eventbus.DeliveryOptions;
import io.vertx.core.json.JsonObject;
import java.time.Duration;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedDeque;
import java.util.concurrent.CopyOnWriteArrayList;
import org.awaitility.Awaitility;
import org.jspecify.annotations.Nullable;

/**
 * A server with tasks, of either era, whose answers a test lays out. Each method answers what was
 * laid out for it in turn, and the last of it for ever; nothing laid out is silence.
 */
final class TaskPeer {

  static final String ID = "t-1";

  private static final String TOOLS =
      "\"result\":{\"tools\":[{\"name\":\"needs\",\"execution\":{\"taskSupport\":\"required\"}},"
          + "{\"name\":\"may\",\"execution\":{\"taskSupport\":\"optional\"}},"
          + "{\"name\":\"never\",\"execution\":{\"taskSupport\":\"forbidden\"}},"
          + "{\"name\":\"plain\"}]}";

  private final TestBus bus;
  private final ScriptedPeer peer;
  private final Map<String, Deque<String>> answers = new ConcurrentHashMap<>();
  private final List<Long> asked = new CopyOnWriteArrayList<>();

  private TaskPeer(TestBus bus, String opening, String opened) {
    this.bus = bus;
    this.peer =
        new ScriptedPeer(
            bus.vertx(),
            (method, params, connection) -> {
              if (method.equals(Methods.TASKS_GET)) {
                asked.add(System.nanoTime());
              }
              String next = next(method);
              if (next != null) {
                return next.equals("silence") ? null : next;
              }
              return method.equals(opening)
                  ? opened
                  : method.equals(Methods.TOOLS_LIST)
                      ? TOOLS
                      : method.equals(Methods.DISCOVER)
                          ? ScriptedPeer.error(-32601, "no such method")
                          : null;
            });
  }

  /** A server of the discover era with the tasks extension. */
  static TaskPeer discover(TestBus bus) {
    return new TaskPeer(
        bus,
        Methods.DISCOVER,
        ScriptedPeer.DISCOVERED.replace(
            "\"logging\":{}",
            "\"logging\":{},\"extensions\":{\"io.modelcontextprotocol/tasks\":{}}"));
  }

  /** A server of the discover era without the tasks extension. */
  static TaskPeer discoverWithout(TestBus bus) {
    return new TaskPeer(bus, Methods.DISCOVER, ScriptedPeer.DISCOVERED);
  }

  /**
   * Of 2025-11-25.
   *
   * @param tasks the capability, such as {@code {"list":{}}}; empty for none
   */
  static TaskPeer initialize(TestBus bus, String tasks) {
    String capability = tasks.isEmpty() ? "" : ",\"tasks\":" + tasks;
    return new TaskPeer(
        bus,
        Methods.INITIALIZE,
        ScriptedPeer.INITIALIZED.replace("\"tools\":{}", "\"tools\":{}" + capability));
  }

  private @Nullable String next(String method) {
    Deque<String> laidOut = answers.get(method);
    return laidOut == null ? null : laidOut.size() > 1 ? laidOut.poll() : laidOut.peek();
  }

  /** Lays out whole members, such as {@link #result} gives; replaces what was laid out. */
  TaskPeer on(String method, String... members) {
    answers.put(method, new ConcurrentLinkedDeque<>(List.of(members)));
    return this;
  }

  TaskPeer connect() {
    return connect(ConnectionOptions.DEFAULT);
  }

  TaskPeer connect(ConnectionOptions options) {
    return connect(options, Duration.ofSeconds(5));
  }

  /**
   * @param drain how long calls in flight have when the connection is taken down
   */
  TaskPeer connect(ConnectionOptions options, Duration drain) {
    bus.add("peer", peer.transport(), options, drain);
    bus.awaitState("peer", "READY");
    Awaitility.await().until(() -> bus.status("peer").getBoolean("toolsListed", false));
    return this;
  }

  static String result(String object) {
    return "\"result\":" + object;
  }

  /** A task of the discover era as the answer to a call. */
  static String created(long pollMillis) {
    return result(task("working", pollMillis, ",\"resultType\":\"task\""));
  }

  /** The answer to {@code tasks/get} in the discover era. */
  static String state(String status, String more) {
    return result(task(status, 50, more));
  }

  static String completed(String text) {
    return state("completed", ",\"result\":" + content(text));
  }

  static String content(String text) {
    return "{\"content\":[{\"type\":\"text\",\"text\":\"" + text + "\"}]}";
  }

  private static String task(String status, long pollMillis, String more) {
    return "{\"taskId\":\"t-1\",\"status\":\""
        + status
        + "\",\"createdAt\":\"2026-01-01T00:00:00Z\",\"lastUpdatedAt\":\"2026-01-01T00:00:00Z\","
        + "\"ttlMs\":60000,\"pollIntervalMs\":"
        + pollMillis
        + more
        + "}";
  }

  /** A task of 2025-11-25. */
  static String initializeTask(String status, long pollMillis) {
    return "{\"taskId\":\"t-1\",\"status\":\""
        + status
        + "\",\"createdAt\":\"2026-01-01T00:00:00Z\",\"lastUpdatedAt\":\"2026-01-01T00:00:00Z\","
        + "\"ttl\":60000,\"pollInterval\":"
        + pollMillis
        + "}";
  }

  static String initializeCreated() {
    return result("{\"task\":" + initializeTask("working", 50) + "}");
  }

  ScriptedPeer peer() {
    return peer;
  }

  /** When {@code tasks/get} came, in nanoseconds. */
  List<Long> asked() {
    return asked;
  }

  List<JsonObject> params(String method) {
    return peer.received(method).stream()
        .map(message -> message.getJsonObject("params", new JsonObject()))
        .toList();
  }

  void await(String method) {
    Awaitility.await(method).until(() -> !peer.received(method).isEmpty());
  }

  static String address(String suffix) {
    return Addresses.of(new ConnectionId("peer"), suffix);
  }

  static DeliveryOptions with(String header, String value) {
    return new DeliveryOptions().addHeader(header, value);
  }

  /** Calls a tool and does not wait. */
  Future<JsonObject> call(String tool, DeliveryOptions options) {
    return bus.send(
        address(Addresses.TOOLS_CALL), TestBus.toolCall(tool, new JsonObject()), options);
  }

  JsonObject call(String tool) {
    return TestBus.await(call(tool, new DeliveryOptions()));
  }

  McpFailure failedCall(String tool, DeliveryOptions options) {
    return bus.failure(
        address(Addresses.TOOLS_CALL), TestBus.toolCall(tool, new JsonObject()), options);
  }

  JsonObject ask(String suffix) {
    return bus.request(address(suffix), named());
  }

  McpFailure refused(String suffix, JsonObject body) {
    return bus.failure(address(suffix), body);
  }

  static JsonObject named() {
    return new JsonObject().put("taskId", ID);
  }
}
