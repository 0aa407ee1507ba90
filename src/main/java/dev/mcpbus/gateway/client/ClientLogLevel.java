package dev.mcpbus.gateway.client;

import dev.mcpbus.bus.Addresses;
import dev.mcpbus.bus.ConnectionId;
import dev.mcpbus.bus.FailureCode;
import dev.mcpbus.bus.McpFailure;
import dev.mcpbus.protocol.ProgressToken;
import dev.mcpbus.protocol.RawJson;
import io.vertx.core.Future;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.eventbus.EventBus;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * The log level that one client has set, at each of its private connections. Confined to the host's
 * context.
 */
final class ClientLogLevel {

  /** How long a call waits for the log level that it wants. */
  private static final long PATIENCE_MILLIS = 2_000;

  private static final String UNSET = "";

  private final EventBus bus;

  /** What each present connection was told last. */
  private final Map<String, String> told = new HashMap<>();

  private @Nullable String level;

  /** The client's own request for that level; null where another message has set it. */
  private @Nullable RawJson request;

  ClientLogLevel(EventBus bus) {
    this.bus = bus;
  }

  /** The level of all connections; null until the client has set one. */
  @Nullable String get() {
    return level;
  }

  /** A new connection gets the client's level. */
  void begun(ConnectionId own) {
    told.put(own.value(), UNSET);
    if (level != null) {
      tell(own, level, request);
    }
  }

  void ended(String connection) {
    told.remove(connection);
  }

  /** Sets the level of the present and the later connections. */
  void want(String wanted) {
    level = wanted;
    request = null;
    tellEach(wanted, null);
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
      answer = send(new ConnectionId(own), asked);
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
              tellEach(wanted, asked); // others were opened meanwhile
            });
  }

  private void tellEach(String wanted, @Nullable RawJson params) {
    List.copyOf(told.keySet()).forEach(own -> tell(new ConnectionId(own), wanted, params));
  }

  /**
   * Sets the level of one connection, unless it has that level.
   *
   * @return completes when the server has answered, whatever it says, or does not for 2 s
   */
  Future<Void> tell(ConnectionId own, String wanted) {
    return tell(own, wanted, null);
  }

  private Future<Void> tell(ConnectionId own, String wanted, @Nullable RawJson params) {
    String before = told.replace(own.value(), wanted);
    if (before == null || before.equals(wanted)) {
      return Future.succeededFuture();
    }
    RawJson sent =
        params == null ? RawJson.EMPTY_OBJECT.with("level", RawJson.string(wanted)) : params;
    return send(own, sent)
        .<Void>mapEmpty()
        .timeout(PATIENCE_MILLIS, TimeUnit.MILLISECONDS)
        .otherwiseEmpty();
  }

  /** The server's result. */
  private Future<RawJson> send(ConnectionId connection, RawJson params) {
    return bus.<Buffer>request(Addresses.of(connection, Addresses.LOGLEVEL), params.toBuffer())
        .map(answer -> RawJson.of(answer.body()));
  }
}
