package dev.mcpbus.hosting.credentials;

import io.vertx.core.Vertx;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import io.vertx.core.shareddata.LocalMap;
import io.vertx.core.shareddata.Shareable;
import java.net.URI;
import java.time.Duration;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * The login pages of one Vert.x that wait for a person: at most {@value #MAX}, one for each server;
 * the oldest makes room. A page is here until its time is over, also after the login. Who opens a
 * page decides for whom mcpbus acts, so only admins get it. Any thread may call.
 */
public final class PendingLogins implements Shareable {

  static final int MAX = 100;

  private static final String KEY = "dev.mcpbus.logins";

  private record PendingLogin(URI page, Instant until) {}

  private final Map<String, PendingLogin> byServer = new LinkedHashMap<>();

  PendingLogins() {}

  public static PendingLogins of(Vertx vertx) {
    LocalMap<String, PendingLogins> map = vertx.sharedData().getLocalMap(KEY);
    return map.computeIfAbsent(KEY, absent -> new PendingLogins());
  }

  /**
   * Notes a page, in place of an earlier one for this server.
   *
   * @param server the origin of its URL
   */
  synchronized void add(String server, URI page, Duration within, Instant now) {
    byServer.remove(server);
    byServer.put(server, new PendingLogin(page, now.plus(within)));
    if (byServer.size() > MAX) {
      byServer.remove(byServer.keySet().iterator().next());
    }
  }

  /** {@code {logins: [{server, page, until}]}}, without those whose time is over. */
  public synchronized JsonObject toJson(Instant now) {
    byServer.values().removeIf(login -> !login.until().isAfter(now));
    JsonArray logins = new JsonArray();
    byServer.forEach(
        (server, login) ->
            logins.add(
                new JsonObject()
                    .put("server", server)
                    .put("page", login.page().toString())
                    .put("until", login.until().toString())));
    return new JsonObject().put("logins", logins);
  }
}
