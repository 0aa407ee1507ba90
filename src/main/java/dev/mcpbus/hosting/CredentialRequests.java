package dev.mcpbus.hosting;

import dev.mcpbus.bus.ConnectionId;
import dev.mcpbus.bus.FailureCode;
import dev.mcpbus.bus.McpFailure;
import dev.mcpbus.bus.Requester;
import dev.mcpbus.hosting.credentials.CallerCredentials;
import dev.mcpbus.protocol.Sensitive;
import io.vertx.core.Future;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.util.HashSet;
import java.util.Set;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Serves {@code mcp.credentials.list}, {@code .set} and {@code .remove}. What a message is about
 * belongs to the principal of its header. An admin may name another {@code principal} to list and
 * remove; a program on the bus, which has no principal, always names one. Stateless; used on the
 * context of {@link ServersVerticle}.
 *
 * @param known whether there is a server
 * @param tokens reads what a principal has at a server, to take it back there
 */
record CredentialRequests(
    CallerCredentials credentials, Predicate<ConnectionId> known, StoredTokens tokens) {

  private static final Logger LOG = LoggerFactory.getLogger(CredentialRequests.class);

  /** Tokens that are about to be removed. */
  @FunctionalInterface
  interface StoredTokens {

    /** Completes with what takes them back, to be run when they are removed. */
    Future<Runnable> of(String principal, ConnectionId server);
  }

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

  /**
   * {@code {id?, principal?}} gives {@code {removed}}: how many; without an id all. Their
   * authorization servers are asked to take tokens back, also where no connection uses them.
   */
  Future<JsonObject> remove(@Nullable Requester requester, JsonObject body) {
    String principal = principal(requester, body, true);
    ConnectionId server = body.containsKey("id") ? id(body) : null;
    Future<Set<ConnectionId>> servers =
        server == null
            ? credentials.list(principal).map(CredentialRequests::servers)
            : Future.succeededFuture(Set.of(server));
    return servers
        .compose(all -> Future.all(all.stream().map(one -> read(principal, one)).toList()))
        .compose(
            read ->
                (server == null
                        ? credentials.removeAll(principal)
                        : credentials.remove(principal, server).map(there -> there ? 1 : 0))
                    .onSuccess(removed -> read.<Runnable>list().forEach(Runnable::run)))
        .map(number -> new JsonObject().put("removed", number));
  }

  private static Set<ConnectionId> servers(JsonArray listed) {
    Set<ConnectionId> servers = new HashSet<>();
    listed.forEach(one -> servers.add(new ConnectionId(((JsonObject) one).getString("server"))));
    return servers;
  }

  /**
   * What cannot be read, as where the server has no such entry any more, is removed all the same.
   */
  private Future<Runnable> read(String principal, ConnectionId server) {
    return tokens
        .of(principal, server)
        .recover(
            why -> {
              LOG.warn(
                  "tokens of a login at {} are removed, and not taken back there: {}",
                  server,
                  McpFailure.of(why).code());
              return Future.succeededFuture(() -> {});
            });
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
