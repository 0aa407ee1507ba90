package dev.mcpbus.cluster.ownership;

import io.vertx.core.Future;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.BooleanSupplier;
import java.util.function.ToLongFunction;
import org.jspecify.annotations.Nullable;

/**
 * The claims that this node acts on, and how each begins and ends: claimed by compare-and-set, its
 * connection started, stopped and released when no part of it runs here any more. Which claims this
 * node should hold is decided by {@link OwnershipReconciler}, to whose context this object is
 * confined. Keys are those of {@link dev.mcpbus.bus.ReplicaId}.
 */
final class HeldClaims {

  private final String self;
  private final ClaimStore claims;
  private final ClaimLease lease;
  private final OwnershipListener listener;
  private final OwnershipPeers peers;
  private final OwnershipLog log;
  private final ToLongFunction<String> highest;
  private final Runnable onStopped;

  /** The epochs of the claims, by key. */
  private final Map<String, Long> epochs = new HashMap<>();

  /** Claims that were made during the present reading, which may not show them. */
  private final Set<String> madeMeanwhile = new HashSet<>();

  /** Connections that are stopping, by key; a new claim of the same key waits for them. */
  private final Map<String, Future<Void>> leaving = new HashMap<>();

  private boolean closing;

  /**
   * @param self the id of this node
   * @param highest the highest epoch that was ever read of a key
   * @param onStopped runs after each connection that has stopped here
   */
  HeldClaims(
      String self,
      ClaimStore claims,
      ClaimLease lease,
      OwnershipListener listener,
      OwnershipPeers peers,
      OwnershipLog log,
      ToLongFunction<String> highest,
      Runnable onStopped) {
    this.self = self;
    this.claims = claims;
    this.lease = lease;
    this.listener = listener;
    this.peers = peers;
    this.log = log;
    this.highest = highest;
    this.onStopped = onStopped;
  }

  /** A reading of the claims begins: it shows all claims that were made before. */
  void readingBegins() {
    madeMeanwhile.clear();
  }

  /** Whether what a reading says of this key may be older than what this node has done. */
  boolean isInMotion(String key) {
    return leaving.containsKey(key) || madeMeanwhile.contains(key);
  }

  /** Whether a part of the connection may run here. */
  boolean runs(String key) {
    return epochs.containsKey(key) || leaving.containsKey(key);
  }

  /** The epoch of the claim; null where this node holds none. */
  @Nullable Long epoch(String key) {
    return epochs.get(key);
  }

  Set<String> keys() {
    return Set.copyOf(epochs.keySet());
  }

  /** How many claims this node acts on. */
  int count() {
    return epochs.size();
  }

  /** Whether this node holds no claim and no connection is stopping. */
  boolean isQuiet() {
    return epochs.isEmpty() && leaving.isEmpty();
  }

  /**
   * Claims a connection and starts it.
   *
   * @param before the claim as it was read
   * @return completes when its addresses are registered, or when there is nothing to start
   */
  Future<Void> claim(String key, @Nullable OwnershipClaim before) {
    OwnershipClaim mine = new OwnershipClaim(self, highest.applyAsLong(key) + 1);
    BooleanSupplier life = lease.life();
    return claims
        .replace(key, before, mine)
        .onFailure(failure -> log.add(OwnershipLog.ClaimEvent.NOT_CLAIMED, key, failure))
        .compose(won -> won ? own(key, mine, life) : Future.succeededFuture());
  }

  private Future<Void> own(String key, OwnershipClaim mine, BooleanSupplier life) {
    if (closing || !life.getAsBoolean()) {
      return release(key, mine);
    }
    log.add(OwnershipLog.ClaimEvent.CLAIMED, key);
    peers.claimed(key, mine);
    epochs.put(key, mine.epoch());
    madeMeanwhile.add(key);
    return listener
        .own(key, mine.epoch(), life)
        .onSuccess(serving -> peers.serving(key, mine))
        .onFailure(failure -> log.add(OwnershipLog.ClaimEvent.NOT_STARTED, key, failure));
  }

  /**
   * Stops a connection after its calls in flight, and releases the claim then. Nothing waits for
   * it: calls in flight of one connection must not delay the others.
   */
  void handOver(String key, @Nullable OwnershipClaim claim) {
    log.add(OwnershipLog.ClaimEvent.HANDED_OVER, key);
    stop(key, true, claim);
  }

  /** Stops a connection whose claim is another node's now. */
  void lose(String key) {
    log.add(OwnershipLog.ClaimEvent.LOST, key);
    stop(key, false, null);
  }

  /** Releases a claim of this node on which it does not act. Never fails. */
  Future<Void> release(String key, @Nullable OwnershipClaim claim) {
    if (claim == null || !claim.isOf(self)) {
      return Future.succeededFuture();
    }
    return claims
        .replace(key, claim, new OwnershipClaim(null, claim.epoch()))
        .onSuccess(
            released -> {
              if (released) {
                peers.released(key, claim);
              }
            })
        .onFailure(failure -> log.add(OwnershipLog.ClaimEvent.NOT_RELEASED, key, failure))
        .<Void>mapEmpty()
        .otherwiseEmpty();
  }

  /**
   * @param claim released when no part of the connection runs here any more; null where the claim
   *     is not this node's
   */
  private void stop(String key, boolean drain, @Nullable OwnershipClaim claim) {
    if (epochs.remove(key) == null) {
      return;
    }
    Future<Void> stopped =
        listener.disown(key, drain).otherwiseEmpty().compose(done -> release(key, claim));
    leaving.put(key, stopped);
    stopped.onComplete(
        done -> {
          leaving.remove(key, stopped);
          onStopped.run();
        });
  }

  /** Stops all connections at once, because other nodes may own them. */
  void endAll() {
    keys().forEach(key -> stop(key, false, null));
  }

  /** From now on a claim that is won is released again. */
  void closing() {
    closing = true;
  }

  /** Hands all connections over; completes when none is left. Never fails. */
  Future<Void> handOverAll() {
    Map.copyOf(epochs).forEach((key, epoch) -> stop(key, true, new OwnershipClaim(self, epoch)));
    return Future.join(List.copyOf(leaving.values())).<Void>mapEmpty().otherwiseEmpty();
  }
}
