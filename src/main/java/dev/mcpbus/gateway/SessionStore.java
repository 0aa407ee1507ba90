package dev.mcpbus.gateway;

import dev.mcpbus.bus.FailureCode;
import dev.mcpbus.bus.McpFailure;
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
 * What a cluster keeps of sessions, so that another node goes on with one whose node is lost: what
 * its client said at {@code initialize}, its level and its subscriptions. A session that has
 * anything which only its own node had, a connection of its own, is not in it. On one node alone
 * there is no book. Confined to the host's context.
 */
final class SessionStore {

  /** Map of the cluster. */
  private static final String MAP = "mcpbus.sessions";

  /** A map that is being repaired must not hold up clients for longer. */
  private static final long PATIENCE_MILLIS = 3_000;

  static final String HOST = "host";
  static final String VIEW = "view";
  static final String PRINCIPAL = "principal";
  static final String INITIALIZE = "initialize";
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
   * @param idle after which a session ends that nobody uses; an entry lasts twice as long
   */
  SessionStore(Vertx vertx, String host, Duration idle) {
    this.vertx = vertx;
    this.clustered = vertx.isClustered();
    this.host = host;
    this.idleNanos = idle.toNanos();
    this.ttlMillis = 2 * idle.toMillis() + 60_000;
  }

  private Future<AsyncMap<String, String>> map() {
    return vertx.sharedData().getClusterWideMap(MAP);
  }

  /** Never fails: what cannot be written cannot be gone on with, and that is all. */
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

  /** Something of it is otherwise now. */
  void note(String session, String member, Object value) {
    Page page = own.get(session);
    if (page != null) {
      page.facts = page.facts.copy().put(member, value);
      write(session, page);
    }
  }

  /** Nobody can go on with it. Idempotent. */
  void end(String session) {
    if (own.remove(session) != null) {
      map().compose(map -> map.remove(session)).otherwiseEmpty();
    }
  }

  /**
   * Where a session is that was not at {@code tried}; a lost one is this host's from now on.
   *
   * @param gone true where there is no such host any more
   * @return its facts, with the host; fails with {@code UNKNOWN_CONNECTION}
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

  /** The session lives here now. */
  void keep(String session, JsonObject facts) {
    own.put(session, new Page(facts));
  }

  private static McpFailure unknown() {
    return McpFailure.notSent(FailureCode.UNKNOWN_CONNECTION, "no such session");
  }

  /**
   * Keeps entries from ending before their sessions do.
   *
   * @param all true to look at all of them now, after a partition
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
