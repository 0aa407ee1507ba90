package dev.mcpbus.bus;

import dev.mcpbus.protocol.RawJson;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.eventbus.EventBus;
import io.vertx.core.json.JsonObject;
import io.vertx.core.shareddata.LocalMap;
import io.vertx.core.shareddata.Shareable;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The logins that wait on this node for a principal, at servers of callers: at most one for each
 * principal and server. Also the URL of this mcpbus, under which a person finds the page of a
 * login. One instance for each Vert.x; any thread may call.
 */
public final class CallerLogins implements Shareable {

  /** By which a server of 2025-11-25, or mcpbus, reports that the user is done at a URL. */
  public static final String COMPLETE = "notifications/elicitation/complete";

  /** The path of the links, before the ticket. */
  public static final String PATH = "/login/";

  /** The path to which the authorization server sends the browser back. */
  public static final String CALLBACK = PATH + "callback";

  /**
   * A login that waits.
   *
   * @param id names it on the bus: {@link Addresses#login}; no secret
   * @param ticket makes the part of the link that is a secret of the principal: another one after
   *     the last one was used
   * @param until the end of its time
   * @param outcome completes when the login has succeeded, or fails
   */
  public record CallerLogin(
      String id,
      ConnectionId server,
      String principal,
      Supplier<String> ticket,
      Instant until,
      Future<Void> outcome) {

    /** Names the server; the ticket is a secret. */
    @Override
    public String toString() {
      return "login at " + server;
    }
  }

  private record Whose(ConnectionId server, String principal) {}

  private final Map<Whose, CallerLogin> waiting = new ConcurrentHashMap<>();
  private volatile @Nullable String url;

  private CallerLogins() {}

  public static CallerLogins of(Vertx vertx) {
    LocalMap<String, CallerLogins> all = vertx.sharedData().getLocalMap("dev.mcpbus.callerLogins");
    return all.computeIfAbsent("", absent -> new CallerLogins());
  }

  // ---- where people find it

  /**
   * Notes the origin under which browsers reach this mcpbus, such as {@code https://bus.example};
   * null where none is known.
   */
  public void reachedAt(@Nullable String origin) {
    url = origin;
  }

  /** The origin under which browsers reach this mcpbus; null where none is known. */
  public @Nullable String url() {
    return url;
  }

  // ---- what waits

  /** A login begins to wait; takes the place of another one of the same principal. */
  public void add(CallerLogin login) {
    waiting.put(new Whose(login.server(), login.principal()), login);
  }

  /** A login has ended. */
  public void remove(CallerLogin login) {
    waiting.remove(new Whose(login.server(), login.principal()), login);
  }

  /** The login of a principal that waits at a server; null for none. */
  public @Nullable CallerLogin of(ConnectionId server, String principal) {
    return waiting.get(new Whose(server, principal));
  }

  /** All that wait. */
  public List<CallerLogin> all() {
    return new ArrayList<>(waiting.values());
  }

  /**
   * Tells the principal of a login, on each node, that it has succeeded: what the server lists to
   * it has changed, and the page that its clients were asked to open is done (MCP, Elicitation).
   */
  public static void announce(EventBus bus, CallerLogin login) {
    String server = login.server().value();
    for (String type :
        List.of(Events.TOOLS_CHANGED, Events.RESOURCES_CHANGED, Events.PROMPTS_CHANGED)) {
      JsonObject event =
          new JsonObject()
              .put("type", type)
              .put("id", server)
              .put("time", Instant.now().toString())
              .put("principal", login.principal());
      bus.publish(Addresses.of(login.server(), Addresses.EVENTS), event);
      bus.publish(Addresses.ALL_EVENTS, event);
    }
    new ServerNotice(
            server,
            Events.NOTIFICATION,
            COMPLETE,
            RawJson.of(new JsonObject().put("elicitationId", login.id())),
            null,
            login.principal())
        .publish(bus);
  }

  /** The page of a login, for its principal alone; null where mcpbus has no URL any more. */
  public @Nullable String link(CallerLogin login) {
    String origin = url;
    return origin == null ? null : origin + PATH + login.ticket().get();
  }
}
