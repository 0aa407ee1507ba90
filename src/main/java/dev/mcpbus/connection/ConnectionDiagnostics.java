package dev.mcpbus.connection;

import dev.mcpbus.bus.Addresses;
import dev.mcpbus.connection.session.CallLog;
import dev.mcpbus.connection.session.CallReference;
import dev.mcpbus.transport.Transport;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.json.JsonObject;
import java.util.List;
import java.util.function.Predicate;

/**
 * Answers what operators ask about a connection, with and without a session: endings, output and
 * calls; and shows its messages to them. {@link Mailbox} registers the addresses. Owner: the
 * connection's context.
 *
 * @param cancel cancels a call; false where it does not wait
 */
record ConnectionDiagnostics(
    Vertx vertx,
    Transport transport,
    ConnectionStateHolder connection,
    CallLog calls,
    Predicate<CallReference> cancel) {

  static final List<String> SUFFIXES =
      List.of(
          Addresses.HISTORY,
          Addresses.LOGS,
          Addresses.CALLS,
          Addresses.CALLS_CANCEL,
          Addresses.ACTIVITY,
          Addresses.RPCLOG);

  /**
   * The reply of one of {@link #SUFFIXES}.
   *
   * @throws dev.mcpbus.bus.McpFailure {@code BAD_REQUEST}
   */
  Future<JsonObject> answer(String suffix, JsonObject body) {
    return switch (suffix) {
      case Addresses.HISTORY -> Future.succeededFuture(connection.history().toJson());
      case Addresses.LOGS -> logs(body);
      case Addresses.CALLS -> Future.succeededFuture(calls.toJson(limit(body)));
      case Addresses.RPCLOG -> Future.succeededFuture(connection.rpcLog().set(body));
      case Addresses.ACTIVITY -> Future.succeededFuture(calls.activity());
      case Addresses.CALLS_CANCEL -> {
        boolean found = cancel.test(CallReference.ofOperator(CallLog.number(body)));
        yield Future.succeededFuture(new JsonObject().put("cancelled", found));
      }
      default -> throw new IllegalArgumentException(suffix);
    };
  }

  private static int limit(JsonObject body) {
    return body.getValue("limit") instanceof Integer limit && limit > 0 ? limit : Integer.MAX_VALUE;
  }

  /** A worker reads them: masking takes long where there are many secrets. */
  private Future<JsonObject> logs(JsonObject body) {
    String none =
        "a server of type "
            + transport.type()
            + " has no output that mcpbus could see; look at the server's own log";
    return vertx
        .executeBlocking(() -> connection.output().read(body, transport.redactor()), false)
        .map(reply -> transport.hasOutput() ? reply : reply.put("reason", none));
  }
}
