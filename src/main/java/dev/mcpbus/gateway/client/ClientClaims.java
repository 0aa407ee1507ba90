package dev.mcpbus.gateway.client;

import dev.mcpbus.bus.ClusterMap;
import dev.mcpbus.bus.FailureCode;
import dev.mcpbus.bus.McpFailure;
import dev.mcpbus.gateway.request.SessionHostNames;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.shareddata.AsyncMap;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Which session host has which client of the {@code discover} era, in a map of the cluster: the
 * first host that claims a client has it, and a claim of a lost node can be taken over. Without a
 * cluster the hosts share the clients by their keys, and every claim succeeds at once. Confined to
 * the host's context.
 */
final class ClientClaims {

  /** Clients wait at most so long for a map that the cluster is repairing. */
  private static final long PATIENCE_MILLIS = 3_000;

  private final Vertx vertx;
  private final boolean clustered;
  private final String host;
  private final SessionHostNames hostNames;
  private final long renewalNanos;
  private final long ttlMillis;

  /** When each claim was written, {@link System#nanoTime}. */
  private final Map<String, Long> own = new HashMap<>();

  /** Claims that are being given up: a new claim waits, so that it is not given up with them. */
  private final Map<String, Future<?>> ending = new HashMap<>();

  private boolean leaving;

  /**
   * @param host that claims
   * @param idle after which an idle client is forgotten; a claim lasts twice as long
   */
  ClientClaims(Vertx vertx, String host, SessionHostNames hostNames, Duration idle) {
    this.vertx = vertx;
    this.clustered = vertx.isClustered();
    this.host = host;
    this.hostNames = hostNames;
    this.renewalNanos = idle.toNanos() / 2;
    this.ttlMillis = 2 * idle.toMillis() + 60_000;
  }

  private Future<AsyncMap<String, String>> map() {
    return ClusterMap.CLIENTS.of(vertx);
  }

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
    if (!clustered) {
      return Future.succeededFuture(host);
    }
    Future<?> before = ending.getOrDefault(key, Future.succeededFuture());
    if (leaving) {
      return before.transform(ended -> Future.succeededFuture(""));
    }
    return inTime(before.compose(ended -> map()).compose(map -> claim(map, key)))
        .onSuccess(
            claimant -> {
              if (claimant.equals(host)) {
                own.put(key, System.nanoTime());
              }
            });
  }

  private Future<String> claim(AsyncMap<String, String> map, String key) {
    return map.putIfAbsent(key, host, ttlMillis)
        .compose(
            before -> {
              if (before == null || before.equals(host)) {
                return Future.succeededFuture(host);
              }
              return hostNames.isGone(before)
                  ? map.removeIfPresent(key, before).compose(removed -> claim(map, key))
                  : Future.succeededFuture(before);
            });
  }

  private static <T> Future<T> inTime(Future<T> reading) {
    return reading
        .timeout(PATIENCE_MILLIS, TimeUnit.MILLISECONDS)
        .recover(
            failure ->
                Future.failedFuture(
                    McpFailure.notSent(
                        FailureCode.UNAVAILABLE,
                        "where the client's session is cannot be found out at the moment")));
  }

  /** Gives a claim up. Idempotent. */
  void end(String key) {
    if (own.remove(key) != null) {
      Future<?> removed = map().compose(map -> map.removeIfPresent(key, host)).otherwiseEmpty();
      ending.put(key, removed);
      removed.onComplete(done -> ending.remove(key, removed));
    }
  }

  /**
   * Writes claims again before they expire.
   *
   * @param all whether to check all claims now, after a partition of the cluster
   * @return clients that another host has claimed meanwhile
   */
  Future<List<String>> renew(boolean all) {
    List<String> lost = new ArrayList<>();
    List<Future<Void>> looks = new ArrayList<>();
    long now = System.nanoTime();
    own.forEach(
        (key, written) -> {
          if (all || now - written > renewalNanos) {
            looks.add(look(key, lost));
          }
        });
    return Future.join(looks).transform(looked -> Future.succeededFuture(lost));
  }

  private Future<Void> look(String key, List<String> lost) {
    return map()
        .compose(
            map ->
                map.get(key)
                    .compose(
                        claimant -> {
                          if (!own.containsKey(key)) {
                            return Future.succeededFuture();
                          }
                          if (host.equals(claimant)) {
                            own.put(key, System.nanoTime());
                            return map.put(key, host, ttlMillis);
                          }
                          return claim(map, key).map(now -> noteClaimant(key, now, lost));
                        }))
        .otherwiseEmpty();
  }

  private @Nullable Void noteClaimant(String key, String claimant, List<String> lost) {
    if (claimant.equals(host)) {
      own.put(key, System.nanoTime());
    } else if (own.remove(key) != null) {
      lost.add(key);
    }
    return null;
  }
}
