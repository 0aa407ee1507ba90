package dev.mcpbus.client;

import dev.mcpbus.bus.Addresses;
import dev.mcpbus.protocol.PublicApi;
import io.vertx.core.Future;
import io.vertx.core.json.JsonObject;
import org.jspecify.annotations.Nullable;

/**
 * What an operator asks about one server: why its sessions ended, what its process said, which
 * calls are in flight. All of it is there with and without a connection. Immutable; any thread may
 * call, and futures complete on the caller's context. They fail with {@code McpFailure}: {@code
 * UNKNOWN_CONNECTION} if there is no such server.
 *
 * <pre>{@code
 * ServerDiagnostics git = ServerDiagnostics.of(bus.server("git"));
 * git.history().onSuccess(history -> show(history));
 * }</pre>
 */
@PublicApi
public final class ServerDiagnostics {

  private final McpServerClient server;

  private ServerDiagnostics(McpServerClient server) {
    this.server = server;
  }

  public static ServerDiagnostics of(McpServerClient server) {
    return new ServerDiagnostics(server);
  }

  /**
   * The last 20 endings of sessions and of starts that failed, the newest first.
   *
   * @return {@code {endings: [{time, epoch, wasReady, lastedMillis, code, message, output}]}}, with
   *     {@code output} as {@link #logs} has its lines
   */
  public Future<JsonObject> history() {
    return ask(Addresses.HISTORY, new JsonObject());
  }

  /**
   * The last lines, at most 100, that the server's process wrote to stderr, and to stdout beside
   * its messages.
   *
   * @return {@code {lines: [{number, time, from, text}], next, lost, reason?}}
   */
  public Future<JsonObject> logs() {
    return ask(Addresses.LOGS, new JsonObject());
  }

  /**
   * The lines that came after a line.
   *
   * @param after {@code next} of the last reply; 0 for all that are kept
   * @param limit at most so many lines, 1 to 500
   */
  public Future<JsonObject> logs(long after, int limit) {
    return ask(Addresses.LOGS, new JsonObject().put("after", after).put("limit", limit));
  }

  /**
   * The calls in flight, and the last 100 that ended, of the connection that all callers share. The
   * address {@code mcp.servers.calls} also has those on private connections of clients.
   *
   * @return {@code {inFlight: [{call, method, name?, who?, hasCallId, ageMillis, deadlineMillis}],
   *     recent: [{call, method, name?, who?, hasCallId, time, millis, outcome}]}}
   */
  public Future<JsonObject> calls() {
    return ask(Addresses.CALLS, new JsonObject());
  }

  /**
   * The calls of callers that ended in each of the last 60 minutes, on the connection that all
   * share; {@code mcp.servers.activity} adds private connections.
   *
   * @return {@code {calls, failed, millis, longest}}: 60 numbers each, the present minute last
   */
  public Future<JsonObject> activity() {
    return ask(Addresses.ACTIVITY, new JsonObject());
  }

  /**
   * Cancels any caller's call, which fails with {@code CANCELLED}.
   *
   * @param call its number from {@link #calls}
   * @return false if the call does not wait any more
   */
  public Future<Boolean> cancel(long call) {
    return ask(Addresses.CALLS_CANCEL, new JsonObject().put("call", call))
        .map(reply -> reply.getBoolean("cancelled", false));
  }

  /**
   * Says where the JSON-RPC messages of the connection that all callers share are shown from now
   * on, through restarts of its session; {@code mcp.servers.rpclog} also covers private
   * connections. Afterwards the mode of the configuration comes back.
   *
   * @param mode {@code off}, {@code on} for the log, or {@code bus} for {@code mcp.rpc}; null for
   *     that of the configuration
   * @param seconds 1 to 86400
   * @return {@code {mode, until?}}
   */
  public Future<JsonObject> rpcLog(@Nullable String mode, int seconds) {
    return ask(Addresses.RPCLOG, new JsonObject().put("mode", mode).put("seconds", seconds));
  }

  private Future<JsonObject> ask(String suffix, JsonObject body) {
    return server.send(suffix, body, CallOptions.DEFAULT);
  }
}
