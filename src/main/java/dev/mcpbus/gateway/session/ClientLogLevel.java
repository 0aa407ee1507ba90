package dev.mcpbus.gateway.session;

import dev.mcpbus.bus.ConnectionId;
import dev.mcpbus.bus.FailureCode;
import dev.mcpbus.bus.McpFailure;
import dev.mcpbus.protocol.ProgressToken;
import dev.mcpbus.protocol.RawJson;
import io.vertx.core.Future;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * The lowest level of log messages that one client wants, at each of its private connections.
 * Confined to the host's context.
 */
final class ClientLogLevel {

  /** How long a call waits for the log level that it wants. */
  private static final long PATIENCE_MILLIS = 2_000;

  private static final String UNSET = "";

  private final PrivateConnections connections;

  /** What each present connection was told last. */
  private final Map<String, String> told = new HashMap<>();

  private @Nullable String level;

  /** The client's own request for that level; null where another message has set it. */
  private @Nullable RawJson request;

  ClientLogLevel(PrivateConnections connections) {
    this.connections = connections;
  }

  /** A new connection gets the client's level, if it has one. */
  void begun(ConnectionId own) {
    told.put(own.value(), UNSET);
    if (level != null) {
      set(own, level, request);
    }
  }

  void ended(String connection) {
    told.remove(connection);
  }

  /** Sets the level of the present and the later connections. */
  void want(String wanted) {
    level = wanted;
    request = null;
    each(wanted, null);
  }

  /**
   * Sets the level of the present and the later connections of a client of one server. A level that
   * the server refuses changes nothing.
   *
   * @param params of the client's request
   * @return the server's result; an empty object if there is no connection, whose next session
   *     begins with this request
   */
  Future<RawJson> ask(String wanted, RawJson params) {
    RawJson asked = ProgressToken.removedFrom(params);
    List<String> present = List.copyOf(told.keySet());
    Future<RawJson> answer = Future.succeededFuture(RawJson.EMPTY_OBJECT);
    for (String own : present) {
      answer = connections.level(new ConnectionId(own), asked);
    }
    return answer
        .recover(
            failure ->
                McpFailure.of(failure).code() == FailureCode.UPSTREAM_ERROR
                    ? Future.failedFuture(failure)
                    : Future.succeededFuture(RawJson.EMPTY_OBJECT))
        .onSuccess(
            accepted -> {
              level = wanted;
              request = asked;
              present.forEach(own -> told.computeIfPresent(own, (same, before) -> wanted));
              each(wanted, asked); // others were opened meanwhile
            });
  }

  private void each(String wanted, @Nullable RawJson params) {
    List.copyOf(told.keySet()).forEach(own -> set(new ConnectionId(own), wanted, params));
  }

  /**
   * Sets the level of one connection, unless it has that level.
   *
   * @return completes when the server has answered, whatever it says, or does not for 2 s
   */
  Future<Void> set(ConnectionId own, String wanted) {
    return set(own, wanted, null);
  }

  private Future<Void> set(ConnectionId own, String wanted, @Nullable RawJson params) {
    String before = told.replace(own.value(), wanted);
    if (before == null || before.equals(wanted)) {
      return Future.succeededFuture();
    }
    RawJson sent =
        params == null ? RawJson.EMPTY_OBJECT.with("level", RawJson.string(wanted)) : params;
    return connections
        .level(own, sent)
        .<Void>mapEmpty()
        .timeout(PATIENCE_MILLIS, TimeUnit.MILLISECONDS)
        .otherwiseEmpty();
  }
}
