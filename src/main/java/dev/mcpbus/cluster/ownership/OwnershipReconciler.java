package dev.mcpbus.cluster.ownership;

import dev.mcpbus.bus.SerialRuns;
import dev.mcpbus.cluster.membership.ClusterMembers;
import io.vertx.core.Context;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Brings the connections that run on this node in line with its claims. One pass reads nodes and
 * claims, compares them with the rendezvous hash, and claims, hands over or stops connections; it
 * runs after each event that may change the result, and every few seconds. Confined to the context
 * on which it is made; {@link #reconcile}, {@link #joined} and {@link #lost} may be called on any
 * thread.
 */
public final class OwnershipReconciler {

  private static final Logger LOG = LoggerFactory.getLogger(OwnershipReconciler.class);

  private final Vertx vertx;
  private final Context context;
  private final OwnershipOptions options;
  private final ClusterMembers members;
  private final ClaimStore claims;
  private final OwnershipListener listener;
  private final OwnershipPeers peers;
  private final LongSupplier clock;
  private final ClaimLease lease;
  private final LostNodes lostNodes;
  private final ClaimReader claimReader;
  private final PlacementTable table;

  /** Whether this node sees as many nodes as the quorum, whatever grants it holds. */
  private volatile boolean enoughNodes = true;

  /** The epochs of the claims that this node acts on, by key. */
  private final Map<String, Long> held = new HashMap<>();

  /** Connections that are stopping, by key; a new claim of the same key waits for them. */
  private final Map<String, Future<Void>> leaving = new HashMap<>();

  private final SerialRuns<Void> passes = new SerialRuns<>(this::pass);
  private boolean closing;
  private long lastPassAt;

  private long ticker = -1;

  /** Binds the object to the context of the caller. */
  public OwnershipReconciler(
      Vertx vertx,
      OwnershipOptions options,
      ClusterMembers members,
      ClaimStore claims,
      OwnershipListener listener,
      OwnershipPeers peers,
      LongSupplier clock) {
    this.vertx = vertx;
    this.context = vertx.getOrCreateContext();
    this.options = options;
    this.members = members;
    this.claims = claims;
    this.listener = listener;
    this.peers = peers;
    this.clock = clock;
    this.lease =
        new ClaimLease(
            clock, options.ttl().toMillis(), options.pause().toMillis(), this::isQuorumHeard);
    this.lostNodes =
        new LostNodes(vertx, members, this::isGivenUp, peers::keepInformed, this::reconcile);
    this.claimReader = new ClaimReader(vertx, members, claims);
    this.table = new PlacementTable(members.self(), peers);
  }

  private boolean isQuorumHeard() {
    return options.quorum() <= 1 || (enoughNodes && peers.grants() >= options.quorum());
  }

  /**
   * The reason, reported in the status of servers and in failures of calls, why this node owns
   * nothing and claims nothing; null while it may act. Any thread may call.
   */
  public @Nullable String reasonNotServing() {
    return isQuorumHeard()
        ? null
        : "this node may act only while "
            + options.quorum()
            + " nodes see each other (\"quorum\"), and sees "
            + Math.min(peers.grants(), members.alive().size())
            + ", itself included; it serves nothing until they do. Are nodes down, or is the"
            + " network between them cut?";
  }

  private boolean isGivenUp(String node) {
    return options.quorum() <= 1 || peers.gaveUp(node, members.alive()) >= options.quorum();
  }

  /** Starts the ticks; {@link #place} then says which servers there are. */
  public void start() {
    ticker = vertx.setPeriodic(options.tick().toMillis(), now -> tick());
    tick();
  }

  /** Replaces the servers to place, by id, and reconciles. */
  public Future<Void> place(Map<String, PlacementSpec> all) {
    table.place(all);
    return passes.request();
  }

  /** The servers to place, and the nodes and claims as of the last pass. */
  public PlacementTable table() {
    return table;
  }

  /**
   * The id of the node for one more connection, which only nodes with all of the labels may run:
   * this node if it has them. Empty where no living node has them. Reads the nodes anew before it
   * says so: a node that has just joined is in the table only after the next pass.
   *
   * @param id spreads the connections over the nodes that have the labels
   */
  public Future<Optional<String>> placeFor(String id, Set<String> labels) {
    Optional<String> place = table.placeFor(id, labels);
    return place.isPresent()
        ? Future.succeededFuture(place)
        : members
            .nodes()
            .map(
                living -> {
                  table.read(living);
                  return table.placeFor(id, labels);
                });
  }

  /** Sets which nodes cannot run which servers; they count as nodes without the server's labels. */
  public void refuse(Map<String, Set<String>> nodesById) {
    if (table.refuse(nodesById)) {
      reconcile();
    }
  }

  /** Runs a pass: something may have changed. */
  public void reconcile() {
    context.runOnContext(
        now -> {
          check();
          passes.request();
        });
  }

  /** A node has joined: the next pass includes it, and its readings may be fast again. */
  public void joined() {
    context.runOnContext(now -> claimReader.resetTimeout());
  }

  /**
   * A node is no member any more.
   *
   * @param orderly it has handed all its connections over before
   */
  public void lost(String node, boolean orderly) {
    context.runOnContext(
        now -> {
          claimReader.resetTimeout();
          if (!orderly) {
            lostNodes.lost(node);
          }
          announce();
        });
    reconcile();
  }

  /** Checks what this node can see without waiting for other nodes. */
  private void check() {
    enoughNodes = members.alive().size() >= options.quorum();
    String why = lease.tick();
    if (why != null && !held.isEmpty()) {
      endAll(why);
    }
  }

  private void tick() {
    check();
    announce();
    if (clock.getAsLong() - lastPassAt >= options.verify().toMillis()) {
      passes.request();
    }
  }

  private void announce() {
    peers.announceSelf(held.isEmpty() && leaving.isEmpty() && !isQuorumHeard());
  }

  private Future<Void> pass() {
    if (closing) {
      return Future.succeededFuture();
    }
    long began = clock.getAsLong();
    lastPassAt = began;
    return claimReader
        .next()
        .transform(
            read -> {
              if (read.failed()) {
                if (read.cause() instanceof ClaimReader.TooLate) {
                  return pass();
                }
                // Other nodes may own the connections that run here.
                if (members.isQuorumLost(read.cause()) && !held.isEmpty()) {
                  endAll("fewer nodes than the quorum are members");
                }
                return Future.succeededFuture();
              }
              table.read(read.result());
              lease.verified(began);
              return isQuorumHeard() ? apply(table.claims()) : Future.succeededFuture();
            });
  }

  private Future<Void> apply(Map<String, OwnershipClaim> all) {
    List<Future<Void>> steps = new ArrayList<>();
    Set<String> alive = members.alive();
    lostNodes.present(alive);
    Set<String> wanted = table.keys();
    for (String key : List.copyOf(held.keySet())) {
      if (!wanted.contains(key)) {
        steps.add(handOver(key, all.get(key)));
      }
    }
    table
        .targets()
        .forEach(
            targets -> targets.keySet().forEach(key -> steps.add(step(key, targets, all, alive))));
    return Future.join(steps).<Void>mapEmpty().otherwiseEmpty();
  }

  private Future<Void> step(
      String key,
      Map<String, @Nullable String> targets,
      Map<String, OwnershipClaim> all,
      Set<String> alive) {
    if (leaving.containsKey(key)) {
      return Future.succeededFuture(); // its completion starts another pass
    }
    OwnershipClaim claim = all.get(key);
    switch (OwnershipDecision.of(claim, held.get(key), members.self(), targets.get(key), alive)) {
      case CLAIM -> {
        boolean another =
            targets.keySet().stream()
                .anyMatch(
                    one -> !one.equals(key) && (held.containsKey(one) || leaving.containsKey(one)));
        return another || !isFree(claim, alive) ? Future.succeededFuture() : claim(key, claim);
      }
      case LOSE -> {
        LOG.warn("{}: another node owns it now; this node stops it at once", key);
        stop(key, false, null);
      }
      case HAND_OVER -> {
        if (ReplicaAssignment.mayMove(key, targets, all, alive, peers::isServing)) {
          return handOver(key, claim);
        }
      }
      case RELEASE -> {
        return release(key, claim);
      }
      default -> {}
    }
    return Future.succeededFuture();
  }

  /**
   * Whether no node can be acting on the claim. A lost node that has not stopped may own the
   * connection in a part of the cluster that this node does not see.
   */
  private boolean isFree(@Nullable OwnershipClaim claim, Set<String> alive) {
    String owner = claim == null ? null : claim.node();
    return lostNodes.haveAllStopped()
        && (owner == null || alive.contains(owner) || lostNodes.hasStopped(owner));
  }

  private Future<Void> claim(String id, @Nullable OwnershipClaim before) {
    OwnershipClaim mine = new OwnershipClaim(members.self(), claimReader.highest(id) + 1);
    return claims
        .replace(id, before, mine)
        .onFailure(failure -> LOG.warn("this node could not claim {}: {}", id, failure.toString()))
        .map(
            won -> {
              if (won && !closing && !held.containsKey(id)) {
                LOG.info("this node owns {}, epoch {}", id, mine.epoch());
                peers.claimed(id, mine);
                Future<Void> started = listener.own(id, mine.epoch(), lease::isHeld);
                held.put(id, mine.epoch());
                started
                    .onSuccess(serving -> peers.serving(id, mine))
                    .onFailure(
                        failure ->
                            LOG.warn("{}: this node owns it and cannot start it", id, failure));
              }
              return null;
            });
  }

  /** The pass does not wait for it: calls in flight of one connection must not delay the others. */
  private Future<Void> handOver(String id, @Nullable OwnershipClaim claim) {
    LOG.info("{} is handed over to another node when its calls in flight have finished", id);
    stop(id, true, claim);
    return Future.succeededFuture();
  }

  private Future<Void> release(String id, @Nullable OwnershipClaim claim) {
    if (claim == null || !claim.isOf(members.self())) {
      return Future.succeededFuture();
    }
    return claims
        .replace(id, claim, new OwnershipClaim(null, claim.epoch()))
        .onSuccess(
            released -> {
              if (released) {
                peers.released(id, claim);
              }
            })
        .onFailure(
            failure -> LOG.warn("this node could not release {}: {}", id, failure.toString()))
        .<Void>mapEmpty()
        .otherwiseEmpty();
  }

  /**
   * Stops a connection of this node.
   *
   * @param claim released when no part of the connection runs here any more; null where the claim
   *     is not this node's
   */
  private void stop(String id, boolean drain, @Nullable OwnershipClaim claim) {
    if (held.remove(id) == null) {
      return;
    }
    Future<Void> stopped =
        listener.disown(id, drain).otherwiseEmpty().compose(done -> release(id, claim));
    leaving.put(id, stopped);
    stopped.onComplete(
        done -> {
          leaving.remove(id, stopped);
          reconcile();
        });
  }

  /**
   * Stops all connections at once, because other nodes may own them. Each that has stopped starts a
   * pass.
   */
  private void endAll(String why) {
    LOG.warn("{} connections end here at once: {}", held.size(), why);
    lease.end();
    List.copyOf(held.keySet()).forEach(id -> stop(id, false, null));
  }

  /**
   * Hands all connections over. First publishes that this node leaves, so that other nodes claim
   * what it releases.
   */
  public Future<Void> close() {
    closing = true;
    peers.leaving();
    return passes
        .quiet()
        .compose(
            quiet -> {
              // The ticks continue: the claim lease must hold while calls in flight finish.
              Map.copyOf(held)
                  .forEach(
                      (id, epoch) -> stop(id, true, new OwnershipClaim(members.self(), epoch)));
              return Future.join(List.copyOf(leaving.values()))
                  .<Void>mapEmpty()
                  .otherwiseEmpty()
                  .onComplete(handed -> vertx.cancelTimer(ticker));
            });
  }
}
