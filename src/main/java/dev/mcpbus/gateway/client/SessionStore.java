package dev.mcpbus.gateway.client;

import dev.mcpbus.bus.ClusterMap;
import dev.mcpbus.bus.FailureCode;
import dev.mcpbus.bus.McpFailure;
import dev.mcpbus.protocol.RawJson;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.json.JsonObject;
import io.vertx.core.shareddata.AsyncMap;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/**
 * The facts of sessions in a map of the cluster, so that another node can take over the session of
 * a lost node: the params of {@code initialize}, the log level, the subscriptions. A session that
 * has sent a request over a private connection which is not renewable is not in the map, because
 * what the server keeps for it ends with its node. Without a cluster the store does nothing.
 * Confined to the host's context.
 */
final class SessionStore {

  /** Clients wait at most so long for a map that the cluster is repairing. */
  private static final long PATIENCE_MILLIS = 3_000;

  static final String HOST = "host";
  static final String VIEW = "view";
  static final String PRINCIPAL = "principal";

  /** The params of {@code initialize}, for nodes of an older version. */
  private static final String INITIALIZE = "initialize";

  /** The same as text, in which numbers and escapes stay as the client wrote them. */
  private static final String INITIALIZE_TEXT = "initializeText";

  static final String LEVEL = "level";
  static final String URIS = "uris";

  private final Vertx vertx;
  private final boolean clustered;
  private final String host;
  private final long idleNanos;
  private final long ttlMillis;

  private static final class Page {
    private JsonObject facts;
    private long written = System.nanoTime();

    Page(JsonObject facts) {
      this.facts = facts;
    }
  }

  private final Map<String, Page> own = new HashMap<>();

  /**
   * @param host whose sessions these are
   * @param idle after which an idle session ends; its entry lasts twice as long
   */
  SessionStore(Vertx vertx, String host, Duration idle) {
    this.vertx = vertx;
    this.clustered = vertx.isClustered();
    this.host = host;
    this.idleNanos = idle.toNanos();
    this.ttlMillis = 2 * idle.toMillis() + 60_000;
  }

  private Future<AsyncMap<String, String>> map() {
    return ClusterMap.SESSIONS.of(vertx);
  }

  /**
   * What another node needs to take a new session over.
   *
   * @param initialize the params of {@code initialize}
   */
  static JsonObject facts(String view, String principal, RawJson initialize) {
    return new JsonObject()
        .put(VIEW, view)
        .put(PRINCIPAL, principal)
        .put(INITIALIZE, initialize.toJsonObject())
        .put(INITIALIZE_TEXT, initialize.toString());
  }

  /** The params of {@code initialize} in the facts of a session. */
  static RawJson initialize(JsonObject facts) {
    return facts.getValue(INITIALIZE_TEXT) instanceof String text
        ? RawJson.of(text)
        : RawJson.of(facts.getJsonObject(INITIALIZE, new JsonObject()));
  }

  /** Never fails: if the entry cannot be written, no node can take the session over. */
  Future<Void> begin(String session, JsonObject facts) {
    if (!clustered) {
      return Future.succeededFuture();
    }
    Page page = new Page(facts.put(HOST, host));
    own.put(session, page);
    return write(session, page).timeout(PATIENCE_MILLIS, TimeUnit.MILLISECONDS).otherwiseEmpty();
  }

  private Future<Void> write(String session, Page page) {
    page.written = System.nanoTime();
    String text = page.facts.encode();
    return map().compose(map -> map.put(session, text, ttlMillis)).otherwiseEmpty();
  }

  /** Changes one of the facts. */
  void note(String session, String member, Object value) {
    Page page = own.get(session);
    if (page != null) {
      page.facts = page.facts.copy().put(member, value);
      write(session, page);
    }
  }

  /** Removes the entry: no node takes the session over. Idempotent. */
  void end(String session) {
    if (own.remove(session) != null) {
      map().compose(map -> map.remove(session)).otherwiseEmpty();
    }
  }

  /**
   * Finds a session that was not at {@code tried}. This host takes over the session of a lost host.
   *
   * @param gone whether the host {@code tried} does not exist any more
   * @return the facts, with the present host; fails with {@code UNKNOWN_CONNECTION}, or with {@code
   *     UNAVAILABLE} if the map cannot be read in time
   */
  Future<JsonObject> find(String session, String tried, boolean gone) {
    return map()
        .compose(
            map ->
                map.get(session)
                    .compose(
                        text -> {
                          JsonObject facts = text == null ? null : new JsonObject(text);
                          if (facts == null || (!gone && tried.equals(facts.getString(HOST)))) {
                            return Future.failedFuture(unknown());
                          }
                          return tried.equals(facts.getString(HOST))
                              ? take(map, session, text, facts, tried)
                              : Future.succeededFuture(facts);
                        }))
        .timeout(PATIENCE_MILLIS, TimeUnit.MILLISECONDS)
        .recover(
            failure ->
                Future.failedFuture(
                    failure instanceof McpFailure
                        ? failure
                        : McpFailure.notSent(
                            FailureCode.UNAVAILABLE,
                            "where the session is cannot be found out at the moment")));
  }

  private Future<JsonObject> take(
      AsyncMap<String, String> map, String session, String text, JsonObject facts, String tried) {
    JsonObject ours = facts.copy().put(HOST, host);
    return map.replaceIfPresent(session, text, ours.encode())
        .compose(
            taken -> {
              if (!taken) {
                return find(session, tried, false);
              }
              return Future.succeededFuture(ours);
            });
  }

  /** This host has the session from now on. */
  void keep(String session, JsonObject facts) {
    own.put(session, new Page(facts));
  }

  private static McpFailure unknown() {
    return McpFailure.notSent(FailureCode.UNKNOWN_CONNECTION, "no such session");
  }

  /**
   * Writes entries again before they expire.
   *
   * @param all whether to check all entries now, after a partition of the cluster
   * @return sessions that another host has taken over
   */
  Future<List<String>> renew(boolean all) {
    List<String> lost = new ArrayList<>();
    List<Future<Void>> looks = new ArrayList<>();
    long now = System.nanoTime();
    own.forEach(
        (session, page) -> {
          if (all || now - page.written > idleNanos) {
            looks.add(look(session, page, lost));
          }
        });
    return Future.join(looks).transform(looked -> Future.succeededFuture(lost));
  }

  private Future<Void> look(String session, Page page, List<String> lost) {
    return map()
        .compose(map -> map.get(session))
        .compose(
            text -> {
              if (text == null || own.get(session) != page) {
                return Future.succeededFuture();
              }
              if (host.equals(new JsonObject(text).getString(HOST))) {
                return System.nanoTime() - page.written > idleNanos
                    ? write(session, page)
                    : Future.succeededFuture();
              }
              own.remove(session);
              lost.add(session);
              return Future.succeededFuture();
            });
  }
}
