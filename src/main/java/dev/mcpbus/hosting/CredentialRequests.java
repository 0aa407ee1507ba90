package dev.mcpbus.hosting;

import dev.mcpbus.bus.ConnectionId;
import dev.mcpbus.bus.FailureCode;
import dev.mcpbus.bus.McpFailure;
import dev.mcpbus.bus.Requester;
import dev.mcpbus.hosting.credentials.CallerCredentials;
import dev.mcpbus.protocol.Sensitive;
import io.vertx.core.Future;
import io.vertx.core.json.JsonObject;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * Serves {@code mcp.credentials.list}, {@code .set} and {@code .remove}. What a message is about
 * belongs to the principal of its header. An admin may name another {@code principal} to list and
 * remove; a program on the bus, which has no principal, always names one. Stateless; used on the
 * context of {@link ServersVerticle}.
 *
 * @param known whether there is a server
 */
record CredentialRequests(CallerCredentials credentials, Predicate<ConnectionId> known) {

  /** {@code {principal?}} gives {@code {principal, credentials: [{server, kind, since?}]}}. */
  Future<JsonObject> list(@Nullable Requester requester, JsonObject body) {
    String principal = principal(requester, body, true);
    return credentials
        .list(principal)
        .map(all -> new JsonObject().put("principal", principal).put("credentials", all));
  }

  /** {@code {id, secret}} gives {@code {server, kind, since}}. */
  Future<JsonObject> set(@Nullable Requester requester, JsonObject body) {
    ConnectionId server = id(body);
    if (!known.test(server)) {
      throw McpFailure.notSent(
          FailureCode.UNKNOWN_CONNECTION, "there is no server '" + server + "'");
    }
    if (!(body.getValue("secret") instanceof String secret)) {
      throw McpFailure.badRequest("secret: must be a text");
    }
    return credentials.set(principal(requester, body, false), server, Sensitive.of(secret));
  }

  /** {@code {id?, principal?}} gives {@code {removed}}: how many; without an id all. */
  Future<JsonObject> remove(@Nullable Requester requester, JsonObject body) {
    String principal = principal(requester, body, true);
    Future<Integer> removed =
        body.containsKey("id")
            ? credentials.remove(principal, id(body)).map(there -> there ? 1 : 0)
            : credentials.removeAll(principal);
    return removed.map(number -> new JsonObject().put("removed", number));
  }

  /**
   * @param byAdmin whether an admin may do it for another principal
   */
  private static String principal(@Nullable Requester requester, JsonObject body, boolean byAdmin) {
    Object named = body.getValue("principal");
    if (named != null && !(named instanceof String)) {
      throw McpFailure.badRequest("principal: must be a text");
    }
    if (requester == null) {
      if (named instanceof String text && !text.isEmpty()) {
        return text;
      }
      throw McpFailure.badRequest("principal: must name whose credentials are meant");
    }
    if (named == null || named.equals(requester.name())) {
      return requester.name();
    }
    if (byAdmin && requester.admin()) {
      return (String) named;
    }
    throw McpFailure.notSent(
        FailureCode.FORBIDDEN,
        byAdmin
            ? "the credentials of another principal need the admin right"
            : "each principal sets its own credentials alone");
  }

  private static ConnectionId id(JsonObject body) {
    if (!(body.getValue("id") instanceof String id)) {
      throw McpFailure.badRequest("id: must name a server");
    }
    return ConnectionId.named(id)
        .orElseThrow(() -> McpFailure.badRequest("id: " + ConnectionId.problem(id)));
  }
}
