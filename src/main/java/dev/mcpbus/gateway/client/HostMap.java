package dev.mcpbus.gateway.client;

import dev.mcpbus.bus.ClusterMap;
import dev.mcpbus.bus.FailureCode;
import dev.mcpbus.bus.McpFailure;
import dev.mcpbus.gateway.request.SessionHostNames;
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
import org.jspecify.annotations.Nullable;

/**
 * Which session host has what, in a map of the cluster. One map has the clients of the {@code
 * discover} era: the first host that claims a client has it, and a claim of a lost node can be
 * taken over. The other has the facts of sessions, so that another node can take over the session
 * of a lost node: the params of {@code initialize}, the log level, the subscriptions. A session
 * that has sent a request over a private connection which is not renewable is not in the map,
 * because what the server keeps for it ends with its node. Without a cluster every claim succeeds
 * at once, and the map of sessions does nothing. Confined to the host's context.
 */
final class HostMap {

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
  private final ClusterMap map;
  private final String host;
  private final SessionHostNames hostNames;
  private final long renewalNanos;
  private final long ttlMillis;
  private final Map<String, Page> own = new HashMap<>();

  /** Claims that are being given up: a new claim waits, so that it is not given up with them. */
  private final Map<String, Future<?>> ending = new HashMap<>();

  private boolean leaving;

  /**
   * An entry of this host: the facts of a session, or null for a claim, which is the host's name.
   */
  private static final class Page {
    private @Nullable JsonObject facts;
    private long written = System.nanoTime();

    Page(@Nullable JsonObject facts) {
      this.facts = facts;
    }
  }

  private HostMap(
      Vertx vertx,
      ClusterMap map,
      String host,
      SessionHostNames hostNames,
      Duration idle,
      Duration renewal) {
    this.vertx = vertx;
    this.map = map;
    this.host = host;
    this.hostNames = hostNames;
    this.renewalNanos = renewal.toNanos();
    this.ttlMillis = 2 * idle.toMillis() + 60_000;
  }

  /**
   * The clients of the {@code discover} era.
   *
   * @param host that claims
   * @param idle after which an idle client is forgotten; a claim lasts twice as long
   */
  static HostMap clients(Vertx vertx, String host, SessionHostNames hostNames, Duration idle) {
    return new HostMap(vertx, ClusterMap.CLIENTS, host, hostNames, idle, idle.dividedBy(2));
  }

  /**
   * The sessions.
   *
   * @param host whose sessions these are
   * @param idle after which an idle session ends; its entry lasts twice as long
   */
  static HostMap sessions(Vertx vertx, String host, SessionHostNames hostNames, Duration idle) {
    return new HostMap(vertx, ClusterMap.SESSIONS, host, hostNames, idle, idle);
  }

  private Future<AsyncMap<String, String>> map() {
    return map.of(vertx);
  }

  private static <T> Future<T> inTime(Future<T> reading, String what) {
    return reading
        .timeout(PATIENCE_MILLIS, TimeUnit.MILLISECONDS)
        .recover(
            failure ->
                Future.failedFuture(
                    failure instanceof McpFailure
                        ? failure
                        : McpFailure.notSent(
                            FailureCode.UNAVAILABLE,
                            "where the " + what + " is cannot be found out at the moment")));
  }

  // ---- claims

  /** From now on no client begins here: its sessions would end with this host in a moment. */
  void leave() {
    leaving = true;
  }

  /**
   * Claims a client, unless another host of a living node has it.
   *
   * @return the name of the host that has it, empty if this host is leaving and the sender has to
   *     ask a host of its own; fails with {@code UNAVAILABLE} if the map does not answer in time
   */
  Future<String> claim(String key) {
    if (!vertx.isClustered()) {
      return Future.succeededFuture(host);
    }
    Future<?> before = ending.getOrDefault(key, Future.succeededFuture());
    if (leaving) {
      return before.transform(ended -> Future.succeededFuture(""));
    }
    return inTime(
            before.compose(ended -> map()).compose(all -> claim(all, key)), "client's session")
        .onSuccess(
            claimant -> {
              if (claimant.equals(host)) {
                own.put(key, new Page(null));
              }
            });
  }

  private Future<String> claim(AsyncMap<String, String> all, String key) {
    return all.putIfAbsent(key, host, ttlMillis)
        .compose(
            before -> {
              if (before == null || before.equals(host)) {
                return Future.succeededFuture(host);
              }
              return hostNames.isGone(before)
                  ? all.removeIfPresent(key, before).compose(removed -> claim(all, key))
                  : Future.succeededFuture(before);
            });
  }

  // ---- facts of sessions

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
    if (!vertx.isClustered()) {
      return Future.succeededFuture();
    }
    keep(session, facts.put(HOST, host));
    return write(session).timeout(PATIENCE_MILLIS, TimeUnit.MILLISECONDS).otherwiseEmpty();
  }

  /** This host has the session from now on. */
  void keep(String session, JsonObject facts) {
    own.put(session, new Page(facts));
  }

  /** Changes one of the facts. */
  void note(String session, String member, Object value) {
    Page page = own.get(session);
    if (page != null && page.facts != null) {
      page.facts = page.facts.copy().put(member, value);
      write(session);
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
    return inTime(map().compose(all -> find(all, session, tried, gone)), "session");
  }

  private Future<JsonObject> find(
      AsyncMap<String, String> all, String session, String tried, boolean gone) {
    return all.get(session)
        .compose(
            text -> {
              JsonObject facts = text == null ? null : new JsonObject(text);
              boolean there = facts != null && tried.equals(facts.getString(HOST));
              if (facts == null || (there && !gone)) {
                return Future.failedFuture(
                    McpFailure.notSent(FailureCode.UNKNOWN_CONNECTION, "no such session"));
              }
              if (!there) {
                return Future.succeededFuture(facts);
              }
              JsonObject ours = facts.copy().put(HOST, host);
              return all.replaceIfPresent(session, text, ours.encode())
                  .compose(
                      taken ->
                          taken ? Future.succeededFuture(ours) : find(all, session, tried, false));
            });
  }

  // ---- both

  /** Writes an entry of this host, which lasts from now on. Never fails. */
  private Future<Void> write(String key) {
    Page page = own.get(key);
    if (page == null) {
      return Future.succeededFuture();
    }
    page.written = System.nanoTime();
    String text = page.facts == null ? host : page.facts.encode();
    return map().compose(all -> all.put(key, text, ttlMillis)).otherwiseEmpty();
  }

  /** Gives a claim up, or lets no node take a session over. Idempotent. */
  void end(String key) {
    Page page = own.remove(key);
    if (page != null) {
      Future<?> removed =
          map()
              .<Object>compose(
                  all ->
                      page.facts == null
                          ? all.removeIfPresent(key, host).mapEmpty()
                          : all.remove(key).mapEmpty())
              .otherwiseEmpty();
      ending.put(key, removed);
      removed.onComplete(done -> ending.remove(key, removed));
    }
  }

  /**
   * Writes entries again before they expire.
   *
   * @param all whether to check all entries now, after a partition of the cluster
   * @return the keys of which another host has taken over meanwhile
   */
  Future<List<String>> renew(boolean all) {
    List<String> lost = new ArrayList<>();
    List<Future<Void>> looks = new ArrayList<>();
    long now = System.nanoTime();
    own.forEach(
        (key, page) -> {
          if (all || now - page.written > renewalNanos) {
            looks.add(look(key, page, lost));
          }
        });
    return Future.join(looks).transform(looked -> Future.succeededFuture(lost));
  }

  /** A claim whose entry has gone is made anew; a session whose entry has gone stays without. */
  private Future<Void> look(String key, Page page, List<String> lost) {
    boolean isClaim = page.facts == null;
    return map()
        .compose(
            all ->
                all.get(key)
                    .compose(
                        text -> {
                          if (own.get(key) != page || (text == null && !isClaim)) {
                            return Future.succeededFuture("");
                          }
                          return !isClaim
                              ? Future.succeededFuture(new JsonObject(text).getString(HOST, ""))
                              : claim(all, key);
                        }))
        .compose(
            present -> {
              if (own.get(key) != page || present.isEmpty()) {
                return Future.<Void>succeededFuture();
              }
              if (!host.equals(present)) {
                own.remove(key);
                lost.add(key);
              } else if (isClaim || System.nanoTime() - page.written > renewalNanos) {
                return write(key);
              }
              return Future.<Void>succeededFuture();
            })
        .otherwiseEmpty();
  }
}
