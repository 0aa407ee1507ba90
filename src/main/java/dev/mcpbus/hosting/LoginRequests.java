package dev.mcpbus.hosting;

import dev.mcpbus.bus.Addresses;
import dev.mcpbus.bus.CallerLogins;
import dev.mcpbus.bus.CallerLogins.CallerLogin;
import dev.mcpbus.bus.PeerRequests;
import dev.mcpbus.bus.Requester;
import dev.mcpbus.hosting.credentials.PendingLogins;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.time.Duration;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * Serves {@code mcp.servers.logins}. Who opens a page decides for whom mcpbus acts, so each page is
 * for one reader: that of a principal for this principal, that of mcpbus itself for an admin. Used
 * on the context of {@link ServersVerticle}.
 */
record LoginRequests(Vertx vertx, ServerHosting hosting) {

  private static final String LOGINS = "logins";
  private static final String REQUESTER = "requester";

  /**
   * The logins that a requester may see, on all nodes.
   *
   * @param requester null for a program on the bus, which sees what an admin sees
   */
  Future<JsonObject> list(@Nullable Requester requester) {
    JsonObject all =
        requester == null || requester.admin()
            ? PendingLogins.of(vertx).toJson(Instant.now(), hosting.ids())
            : new JsonObject().put(LOGINS, new JsonArray());
    JsonObject wish = new JsonObject().put(REQUESTER, requester == null ? null : requester.text());
    return listHere(wish)
        .compose(
            here ->
                new PeerRequests(vertx, Addresses.SERVERS_LOGINS)
                    .ask(wish, Duration.ofMillis(ServerStatuses.MILLIS))
                    .map(
                        others -> {
                          JsonArray logins = all.getJsonArray(LOGINS);
                          logins.addAll(here.getJsonArray(LOGINS));
                          others.values().forEach(one -> logins.addAll(one.getJsonArray(LOGINS)));
                          return all;
                        }));
  }

  /** Those of principals that wait on this node: {@code {requester?}}. */
  Future<JsonObject> listHere(JsonObject wish) {
    Requester requester = Requester.parse(wish.getString(REQUESTER));
    CallerLogins known = CallerLogins.of(vertx);
    JsonArray logins = new JsonArray();
    for (CallerLogin login : known.all()) {
      if (Requester.sees(requester, login.principal())) {
        JsonObject shown =
            new JsonObject()
                .put("server", login.server().value())
                .put("principal", login.principal())
                .put("until", login.until().toString());
        boolean own = requester != null && requester.name().equals(login.principal());
        String page = own ? known.link(login) : null;
        logins.add(page == null ? shown : shown.put("page", page));
      }
    }
    return Future.succeededFuture(new JsonObject().put(LOGINS, logins));
  }
}
