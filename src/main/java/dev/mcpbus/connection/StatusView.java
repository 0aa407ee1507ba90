package dev.mcpbus.connection;

import dev.mcpbus.bus.ConnectionState;
import dev.mcpbus.bus.FailureCode;
import dev.mcpbus.bus.McpFailure;
import dev.mcpbus.connection.options.ConnectionOptions;
import dev.mcpbus.connection.options.ConnectionSpec;
import dev.mcpbus.connection.options.Ownership;
import dev.mcpbus.connection.session.ConnectionFailures;
import dev.mcpbus.connection.session.Session;
import dev.mcpbus.connection.tools.DriftWatch;
import dev.mcpbus.connection.tools.ToolTable;
import dev.mcpbus.protocol.ProtocolVersion;
import dev.mcpbus.protocol.ServerDescription;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What {@code mcp.<id>.status} shows beside the state: restarts, the next attempt, the last error.
 * Owner: the connection's context.
 */
final class StatusView {

  private int restarts;
  private int attempt;
  private long nextAttempt = -1;
  private @Nullable McpFailure lastError;
  private @Nullable Instant lastErrorAt;
  private @Nullable Instant since;

  void starting(int restartsSoFar) {
    restarts = restartsSoFar;
    nextAttempt = -1;
  }

  void ready() {
    since = Instant.now();
    attempt = 0;
  }

  void error(McpFailure failure) {
    lastError = failure;
    lastErrorAt = Instant.now();
  }

  /** Keeps the supervisor's reason if no session has failed with a reason of its own. */
  void gaveUp(String why) {
    if (lastError == null && !why.isEmpty()) {
      error(McpFailure.notSent(FailureCode.UNAVAILABLE, why));
    }
  }

  /**
   * Notes when the supervisor starts the connection again.
   *
   * @param at on the connection's clock, -1 for never
   */
  void nextAttempt(long at, int number) {
    nextAttempt = at;
    attempt = number;
  }

  /** Milliseconds until the next start; -1 where none is planned. */
  long millisToNextAttempt(long now) {
    return nextAttempt < 0 ? -1 : Math.max(0, nextAttempt - now);
  }

  /** {@code UNAVAILABLE}; the code of the last error where another attempt cannot succeed. */
  FailureCode codeWhileDown(ConnectionState state) {
    McpFailure error = lastError;
    return state == ConnectionState.FAILED
            && error != null
            && !ConnectionFailures.isRetryable(error)
        ? error.code()
        : FailureCode.UNAVAILABLE;
  }

  String lastErrorText() {
    return lastError == null
        ? ""
        : "; last error " + lastError.code() + ": " + lastError.getMessage();
  }

  /** {@code {"lastError": {code, message, time}}}, null where there was no error. */
  @Nullable JsonObject lastErrorAsData() {
    return lastError == null ? null : new JsonObject().put("lastError", describe(lastError));
  }

  private JsonObject describe(McpFailure failure) {
    return new JsonObject()
        .put("code", failure.code().name())
        .put("message", failure.getMessage())
        .put("time", String.valueOf(lastErrorAt));
  }

  /** The members of the event {@code connected}. */
  JsonObject connected(ReadySession readySession) {
    JsonObject connected = new JsonObject();
    if (!readySession.session().behind().isEmpty()) {
      connected.put("via", new JsonArray(List.copyOf(readySession.session().behind())));
    }
    return connected
        .put("era", readySession.session().era().era().name())
        .put("protocolVersion", wire(readySession.session().version()))
        .put("server", readySession.server().shownInfo().toJson());
  }

  JsonObject toJson(
      ConnectionSpec spec, ConnectionStateHolder connection, DriftWatch drift, long now) {
    ConnectionState state = connection.state();
    ReadySession readySession = connection.ready();
    Session session = connection.session();
    JsonObject json =
        new JsonObject()
            .put("id", spec.id().value())
            .put("state", state.name())
            .put("status", status(connection))
            .put("epoch", connection.epoch())
            .put("restarts", restarts);
    if (readySession == null && session != null && session.isInstalling()) {
      json.put("installing", spec.transport().installer())
          .put("installingMillis", now - connection.startedAt());
    }
    if (spec.options().shared()) {
      json.put("shared", true);
    }
    SharedUse use = connection.use();
    if (use != null && use.isResting() && state == ConnectionState.IDLE) {
      json.put("resting", true);
    }
    if (connection.isDisconnected()) {
      json.put("disconnected", true);
    }
    if (spec.options().repeat() == ConnectionOptions.Repeat.NEVER) {
      json.put("repeat", "never");
    }
    if (connection.rpcLog().isTemporary()) {
      json.put("rpcLog", connection.rpcLog().toJson());
    }
    Ownership ownership = spec.ownership();
    if (ownership != null) {
      json.put("node", ownership.node());
    }
    if (readySession != null) {
      ToolTable tools = readySession.tools().table();
      json.mergeIn(connected(readySession))
          .put("tools", tools == null ? 0 : tools.size())
          .put("connectMillis", readySession.connectMillis())
          .put("since", String.valueOf(since))
          .put("capabilities", readySession.server().shownCapabilities().copy())
          .put("instructions", ServerDescription.shown(readySession.server().instructions()));
      if (tools != null) {
        json.put("toolsListed", true);
      }
      if (tools != null && !tools.duplicates().isEmpty()) {
        json.put("duplicateTools", String.join(", ", tools.duplicates()));
      }
      if (tools != null && !tools.leftOut().isEmpty()) {
        json.put("leftOutTools", tools.leftOut().copy());
      }
    }
    json.mergeIn(drift.status());
    json.put("lastError", lastError == null ? null : describe(lastError));
    long wait = millisToNextAttempt(now);
    json.put("nextAttempt", wait < 0 ? null : Instant.now().plusMillis(wait).toString())
        .put("attempt", attempt);
    JsonObject transport =
        new JsonObject()
            .put("type", spec.transport().type())
            .put("target", spec.transport().target());
    if (session != null) {
      transport.mergeIn(session.diagnostics());
      json.put("sessionId", transport.getValue("sessionId"));
    }
    return json.put("transport", transport);
  }

  /** A server that has never been ready is not reconnected: it connects, or it is disconnected. */
  private static String status(ConnectionStateHolder connection) {
    ConnectionState state = connection.state();
    boolean first = state == ConnectionState.RECONNECTING && !connection.wasEverReady();
    ConnectionState shown =
        !first
            ? state
            : connection.session() == null ? ConnectionState.IDLE : ConnectionState.CONNECTING;
    return shown.status();
  }

  static @Nullable String wire(@Nullable ProtocolVersion version) {
    return version == null ? null : version.wire();
  }
}
