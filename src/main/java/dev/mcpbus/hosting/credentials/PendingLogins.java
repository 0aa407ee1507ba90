package dev.mcpbus.hosting.credentials;

import dev.mcpbus.bus.ConnectionId;
import io.vertx.core.Vertx;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import io.vertx.core.shareddata.LocalMap;
import io.vertx.core.shareddata.Shareable;
import java.net.URI;
import java.time.Duration;
import java.time.Instant;
import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.Supplier;

/**
 * The logins of one Vert.x that wait for a person now: at most {@value #MAX}; the oldest makes
 * room. A login is of the servers that share its tokens. Who opens a page decides for whom mcpbus
 * acts, so only admins get it. Any thread may call.
 */
public final class PendingLogins implements Shareable {

  static final int MAX = 100;

  private static final String KEY = "dev.mcpbus.logins";

  private record PendingLogin(Supplier<? extends Collection<String>> servers, Instant until) {}

  private final Map<URI, PendingLogin> byPage = new LinkedHashMap<>();

  PendingLogins() {}

  public static PendingLogins of(Vertx vertx) {
    LocalMap<String, PendingLogins> map = vertx.sharedData().getLocalMap(KEY);
    return map.computeIfAbsent(KEY, absent -> new PendingLogins());
  }

  /**
   * Notes a login until {@link #remove}, or until its time is over.
   *
   * @param servers the ids of the servers that use its token; asked each time, because entries
   *     change while a login waits
   */
  synchronized void add(
      Supplier<? extends Collection<String>> servers, URI page, Duration within, Instant now) {
    byPage.put(page, new PendingLogin(servers, now.plus(within)));
    if (byPage.size() > MAX) {
      byPage.remove(byPage.keySet().iterator().next());
    }
  }

  synchronized void remove(URI page) {
    byPage.remove(page);
  }

  /**
   * {@code {logins: [{server, page, until}]}}, an entry for each server whose login waits.
   *
   * @param known the servers that there are; logins of others are left out
   */
  public synchronized JsonObject toJson(Instant now, Collection<ConnectionId> known) {
    byPage.values().removeIf(login -> !login.until().isAfter(now));
    Map<String, JsonArray> byServer = new HashMap<>();
    byPage.forEach(
        (page, login) ->
            login
                .servers()
                .get() // once: it looks at each server that there is
                .forEach(
                    server ->
                        byServer
                            .computeIfAbsent(server, first -> new JsonArray())
                            .add(
                                new JsonObject()
                                    .put("server", server)
                                    .put("page", page.toString())
                                    .put("until", login.until().toString()))));
    JsonArray logins = new JsonArray();
    for (ConnectionId server : known) {
      JsonArray own = byServer.get(server.value());
      if (own != null) {
        logins.addAll(own);
      }
    }
    return new JsonObject().put("logins", logins);
  }
}
