package dev.mcpbus.cluster.ownership;

import dev.mcpbus.bus.SerialRuns;
import dev.mcpbus.cluster.membership.ClusterMembers;
import dev.mcpbus.internals.InternalContext;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import java.util.ArrayList;
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
 * runs after each event that may change the result, and every few seconds. Confined to a context
 * that the work of connections does not delay: on a busy one the node would miss its ticks and take
 * itself for suspended. Any thread may call the public methods.
 */
public final class OwnershipReconciler {

  private static final Logger LOG = LoggerFactory.getLogger(OwnershipReconciler.class);

  private final InternalContext context;
  private final OwnershipOptions options;
  private final ClusterMembers members;
  private final OwnershipPeers peers;
  private final LongSupplier clock;
  private final ClaimLease lease;
  private final LostNodes lostNodes;
  private final ClaimReader claimReader;
  private final PlacementTable table;
  private final PacedStarts starts;
  private final OwnershipLog log;
  private final HeldClaims held;

  /** How many nodes this node saw at the last tick, itself included. */
  private volatile int seen = 1;

  private final SerialRuns<Void> passes = new SerialRuns<>(this::pass);
  private volatile boolean closing;
  private long lastPassAt;

  private long ticker = -1;

  /**
   * @param context of everything that this object does, the calls to {@code listener} and {@code
   *     peers} included
   * @param clock monotonic milliseconds
   */
  public OwnershipReconciler(
      InternalContext context,
      OwnershipOptions options,
      ClusterMembers members,
      ClaimStore claims,
      OwnershipListener listener,
      OwnershipPeers peers,
      LongSupplier clock) {
    Vertx vertx = context.vertx();
    this.context = context;
    this.options = options;
    this.members = members;
    this.peers = peers;
    this.clock = clock;
    this.lease =
        new ClaimLease(
            clock, options.ttl().toMillis(), options.pause().toMillis(), new MembersVote());
    this.lostNodes =
        new LostNodes(vertx, members, this::isGivenUp, peers::keepInformed, this::reconcile);
    this.claimReader = new ClaimReader(vertx, members, claims);
    this.table = new PlacementTable(members.self(), peers);
    this.log = new OwnershipLog(clock);
    this.held =
        new HeldClaims(
            members.self(),
            claims,
            lease,
            listener,
            peers,
            log,
            claimReader::highest,
            this::reconcile);
    this.starts = new PacedStarts(vertx, this::claimNow);
    peers.beforeGrants(this::check);
  }

  /** What the announcements of other nodes say of this one. */
  private final class MembersVote implements ClaimLease.PeerVote {

    @Override
    public boolean allows() {
      return isQuorumHeard();
    }

    /** Without a quorum each node that this node sees has to vouch: any of them might take over. */
    @Override
    public boolean vouches() {
      return quorum() > 1 ? isQuorumHeard() : seen > 1 && peers.grants() >= seen;
    }
  }

  private boolean isQuorumHeard() {
    int quorum = quorum();
    return quorum <= 1 || (seen >= quorum && peers.grants() >= quorum);
  }

  private int quorum() {
    return peers.quorum(options.quorum());
  }

  /**
   * The reason, reported in the status of servers and in failures of calls, why this node owns
   * nothing and claims nothing; null while it may act. Any thread may call.
   */
  public @Nullable String reasonNotServing() {
    if (isQuorumHeard()) {
      return null;
    }
    String votes = peers.votes();
    return votes == null
        ? "this node may act only while "
            + quorum()
            + " nodes see each other (\"quorum\"), and sees "
            + Math.min(peers.grants(), members.alive().size())
            + ", itself included; it serves nothing until they do. Are nodes down, or is the"
            + " network between them cut?"
        : "this node may act only with a majority (\"quorum\"): "
            + votes
            + "; it serves nothing until they do. Are nodes down, or is the network between them"
            + " cut? If nodes are lost for good, end all others and start them with a fixed number"
            + " as \"quorum\"";
  }

  /** How long ago the last reading of the claims began that succeeded, in milliseconds. */
  public long millisSinceReading() {
    return lease.millisSinceReading();
  }

  private boolean isGivenUp(String node) {
    return quorum() <= 1 || peers.gaveUp(node, members.alive()) >= quorum();
  }

  /** Starts the ticks; {@link #place} then says which servers there are. */
  public void start() {
    context.run(
        () -> {
          ticker = context.vertx().setPeriodic(options.tick().toMillis(), now -> tick());
          tick();
        });
  }

  /**
   * Replaces the servers to place, by id, and reconciles.
   *
   * @return completes when the claims were read and the first of them are on their way
   */
  public Future<Void> place(Map<String, PlacementSpec> all) {
    table.place(all);
    return context.call(passes::request);
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

  /**
   * Why this node cannot hand over all that it owns, with the remedy; null if it can. Reads the
   * nodes anew before.
   */
  public Future<@Nullable String> whyBound() {
    return members
        .nodes()
        .map(
            living -> {
              table.read(living);
              return table.whyBound(members.self());
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
    context.run(
        () -> {
          check();
          passes.request();
        });
  }

  /** A node has joined: the next pass includes it, and its readings may be fast again. */
  public void joined() {
    context.run(claimReader::resetTimeout);
  }

  /**
   * A node is no member any more.
   *
   * @param orderly it has handed all its connections over before
   */
  public void lost(String node, boolean orderly) {
    context.run(
        () -> {
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
    seen = members.alive().size();
    String why = lease.tick();
    if (why != null && held.count() > 0) {
      endAll(why);
    }
  }

  private void tick() {
    check();
    announce();
    log.flush(false);
    if (clock.getAsLong() - lastPassAt >= options.verify().toMillis()) {
      passes.request();
    }
  }

  private void announce() {
    peers.announceSelf(held.isQuiet() && !isQuorumHeard());
  }

  private Future<Void> pass() {
    if (closing) {
      return Future.succeededFuture();
    }
    long began = clock.getAsLong();
    lastPassAt = began;
    held.readingBegins();
    return claimReader
        .next()
        .transform(
            read -> {
              if (read.failed()) {
                if (read.cause() instanceof ClaimReader.TooLate) {
                  return pass();
                }
                // Other nodes may own the connections that run here.
                if (members.isQuorumLost(read.cause()) && held.count() > 0) {
                  endAll("fewer nodes than the quorum are members");
                }
                return Future.succeededFuture();
              }
              table.read(read.result());
              lease.verified(began);
              check();
              return isQuorumHeard() ? apply(table.claims()) : Future.succeededFuture();
            });
  }

  private Future<Void> apply(Map<String, OwnershipClaim> all) {
    List<Future<Void>> steps = new ArrayList<>();
    Set<String> alive = members.alive();
    lostNodes.present(alive);
    starts.clear();
    Set<String> wanted = table.keys();
    for (String key : held.keys()) {
      if (!wanted.contains(key)) {
        held.handOver(key, all.get(key));
      }
    }
    table
        .targets()
        .forEach(
            targets -> targets.keySet().forEach(key -> steps.add(step(key, targets, all, alive))));
    starts.next();
    return Future.join(steps).<Void>mapEmpty().otherwiseEmpty();
  }

  private Future<Void> step(
      String key,
      Map<String, @Nullable String> targets,
      Map<String, OwnershipClaim> all,
      Set<String> alive) {
    if (held.isInMotion(key) || starts.isUnderWay(key)) {
      return Future.succeededFuture(); // what was read is older; the end of it, or the next pass
    }
    OwnershipClaim claim = all.get(key);
    switch (OwnershipDecision.of(claim, held.epoch(key), members.self(), targets.get(key), alive)) {
      case CLAIM -> {
        boolean another =
            targets.keySet().stream()
                .anyMatch(one -> !one.equals(key) && (held.runs(one) || starts.isUnderWay(one)));
        if (!another && isFree(claim, alive)) {
          starts.add(key, claim);
        }
      }
      case LOSE -> held.lose(key);
      case HAND_OVER -> {
        String target = targets.get(key);
        // A node with a cut link may be unable to claim it, and it would have no owner.
        if ((target == null || peers.isWhole(target))
            && ReplicaAssignment.mayMove(key, targets, all, alive, peers::isServing)) {
          held.handOver(key, claim);
        }
      }
      case RELEASE -> {
        return held.release(key, claim);
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

  private Future<Void> claimNow(String id, @Nullable OwnershipClaim before) {
    if (closing || !isQuorumHeard() || held.runs(id) || !isFree(before, members.alive())) {
      return Future.succeededFuture(); // the next pass decides anew
    }
    return held.claim(id, before);
  }

  /**
   * Stops all connections at once, because other nodes may own them. Each that has stopped starts a
   * pass.
   */
  private void endAll(String why) {
    LOG.warn("{} connections end here at once: {}", held.count(), why);
    lease.end();
    starts.clear();
    held.endAll();
  }

  /**
   * Hands all connections over. First publishes that this node leaves, so that other nodes claim
   * what it releases.
   */
  public Future<Void> close() {
    closing = true;
    peers.leaving();
    return context.call(
        () -> {
          held.closing();
          starts.clear();
          return Future.join(passes.quiet(), starts.quiet()).transform(quiet -> handOverAll());
        });
  }

  private Future<Void> handOverAll() {
    // The ticks continue: the claim lease must hold while calls in flight finish.
    return held.handOverAll()
        .onComplete(
            handed -> {
              context.vertx().cancelTimer(ticker);
              log.flush(true);
            });
  }
}
