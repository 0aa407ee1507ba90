package dev.mcpbus.connection;

import dev.mcpbus.bus.McpFailure;
import dev.mcpbus.protocol.Redactor;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.Deque;

/**
 * The last endings of a connection's sessions, failed starts included: {@code mcp.<id>.history}. It
 * outlives sessions. Owner: the connection's context.
 */
final class SessionHistory {

  private static final int MAX_ENDINGS = 20;
  private static final int MAX_LINES = 10;

  /** Characters: the message may be the text of a server. */
  private static final int MAX_MESSAGE = 2_000;

  private final OutputLog output;
  private final Redactor redactor;
  private final Deque<JsonObject> endings = new ArrayDeque<>(1);
  private long firstLine;
  private long startedAt;

  SessionHistory(OutputLog output, Redactor redactor) {
    this.output = output;
    this.redactor = redactor;
  }

  /**
   * A session is being opened: the lines of output from now on belong to it.
   *
   * @param now on the connection's clock
   */
  void starting(long now) {
    firstLine = output.last();
    startedAt = now;
  }

  /**
   * The session has ended.
   *
   * @param wasReady false if its start has failed
   * @param now on the connection's clock
   */
  void ended(long epoch, boolean wasReady, McpFailure reason, long now) {
    String message = String.valueOf(reason.getMessage());
    endings.addFirst(
        new JsonObject()
            .put("time", Instant.now().toString())
            .put("epoch", epoch)
            .put("wasReady", wasReady)
            .put("lastedMillis", Math.max(0, now - startedAt))
            .put("code", reason.code().name())
            .put("message", message.substring(0, Math.min(MAX_MESSAGE, message.length())))
            .put("output", output.tailAfter(firstLine, MAX_LINES, redactor)));
    if (endings.size() > MAX_ENDINGS) {
      endings.removeLast();
    }
  }

  /** {@code {endings: [{time, epoch, wasReady, lastedMillis, code, message, output}]}}. */
  JsonObject toJson() {
    JsonArray all = new JsonArray();
    endings.forEach(ending -> all.add(ending.copy()));
    return new JsonObject().put("endings", all);
  }
}
