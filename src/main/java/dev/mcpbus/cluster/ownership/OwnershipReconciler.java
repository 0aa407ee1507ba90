package dev.mcpbus.cluster.ownership;

import dev.mcpbus.cluster.membership.ClusterMembers;
import dev.mcpbus.cluster.membership.ClusterNode;
import io.vertx.core.Context;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Brings what this node serves in line with what it owns: one look at members and claims after
 * another, each whenever something may have changed and every few seconds. Confined to the context
 * that it is started on; {@link #look} may be called from anywhere.
 */
public final class OwnershipReconciler {

  private static final Logger LOG = LoggerFactory.getLogger(OwnershipReconciler.class);

  private record HeldClaim(long epoch, Future<Void> taken) {}

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

  /** Whether there are members enough, whatever is heard of them. */
  private volatile boolean together = true;

  /** By the id of each server. */
  private final Map<String, PlacementSpec> specs = new TreeMap<>();

  /** Nodes that can not serve a connection, by its id. */
  private Map<String, Set<String>> refusals = Map.of();

  private final Map<String, HeldClaim> held = new HashMap<>();

  /** On their way out; what is claimed anew meanwhile waits for them. */
  private final Map<String, Future<Void>> leaving = new HashMap<>();

  private Map<String, OwnershipClaim> last = Map.of();

  private List<ClusterNode> nodes = List.of();
  private @Nullable Future<Void> looking;
  private boolean again;
  private boolean closing;
  private long lookedAt;

  private long ticker = -1;

  /** Must be made on the context that it is to live on. */
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
  }

  private boolean isQuorumHeard() {
    return options.quorum() <= 1 || (together && peers.heard() >= options.quorum());
  }

  /**
   * Why this node serves nothing and takes nothing, for the person who asks; null where it may. Any
   * thread may ask.
   */
  public @Nullable String hindrance() {
    return isQuorumHeard()
        ? null
        : "this node may act only while "
            + options.quorum()
            + " nodes see each other (\"quorum\"), and sees "
            + Math.min(peers.heard(), members.alive().size())
            + ", itself included; it serves nothing until they do. Are nodes down, or is the"
            + " network between them cut?";
  }

  private boolean isGivenUp(String node) {
    return options.quorum() <= 1 || peers.gaveUp(node, members.alive()) >= options.quorum();
  }

  /** Begins to look and to notice; what to place is said by {@link #place}. */
  public void start() {
    ticker = vertx.setPeriodic(options.tick().toMillis(), now -> tick());
    tick();
  }

  /** What there is to own, all of it, by the id of each server. */
  public Future<Void> place(Map<String, PlacementSpec> all) {
    specs.clear();
    specs.putAll(all);
    return lookNow();
  }

  /**
   * Which nodes can not serve which connections; they are left out as if they had not its labels.
   */
  public void refuse(Map<String, Set<String>> nodesById) {
    Map<String, Set<String>> copy = new HashMap<>();
    nodesById.forEach((id, unfit) -> copy.put(id, Set.copyOf(unfit)));
    if (!copy.equals(refusals)) {
      refusals = copy;
      reconcile();
    }
  }

  private List<ClusterNode> fit(String id, List<ClusterNode> all) {
    Set<String> unfit = refusals.get(id);
    return unfit == null ? all : all.stream().filter(node -> !unfit.contains(node.id())).toList();
  }

  /** The node that owns {@code id} as of the last look; null where nobody is known to. */
  public @Nullable String ownerOf(String id) {
    return keys(id).stream()
        .map(last::get)
        .flatMap(claim -> nodes.stream().filter(node -> claim != null && claim.isOf(node.id())))
        .map(ClusterNode::name)
        .findFirst()
        .orElse(null);
  }

  /** How many connections a node owns, as of the last look; by its id. */
  public long share(String node) {
    return specs.keySet().stream()
        .flatMap(id -> keys(id).stream())
        .map(last::get)
        .filter(claim -> claim != null && claim.isOf(node))
        .count();
  }

  private List<String> keys(String id) {
    return ReplicaAssignment.keys(id, specs.getOrDefault(id, PlacementSpec.ANY).replicas());
  }

  /** Whether any living node has the labels that {@code id} wants, and can serve it. */
  public boolean hasPlace(String id) {
    return RendezvousHash.owner(
            id, fit(id, eligible()), specs.getOrDefault(id, PlacementSpec.ANY).labels())
        .isPresent();
  }

  /** Whether this node has the labels, all of them. */
  public boolean has(Set<String> labels) {
    return nodes.stream()
        .anyMatch(node -> node.id().equals(members.self()) && node.labels().containsAll(labels));
  }

  /** The best living node that has the labels, by its id; null where none has. */
  public @Nullable String placeFor(Set<String> labels, String id) {
    return RendezvousHash.owner(id, eligible(), labels).map(ClusterNode::id).orElse(null);
  }

  private List<ClusterNode> eligible() {
    return nodes.stream().filter(node -> !peers.isLeaving(node.id())).toList();
  }

  /** Something may have changed. */
  public void reconcile() {
    context.runOnContext(
        now -> {
          check();
          lookNow();
        });
  }

  /** A node is a member; it is looked at with the next look. */
  public void joined() {
    context.runOnContext(now -> claimReader.readNow());
  }

  /**
   * A node is no member any more.
   *
   * @param orderly it has handed over all that it owned before
   */
  public void lost(String node, boolean orderly) {
    context.runOnContext(
        now -> {
          claimReader.readNow();
          if (!orderly) {
            lostNodes.lost(node);
          }
          call();
        });
    reconcile();
  }

  /** What needs no answer of others is seen at once. */
  private void check() {
    together = members.alive().size() >= options.quorum();
    String why = lease.tick();
    if (why != null && !held.isEmpty()) {
      endAll(why);
    }
  }

  private void tick() {
    check();
    call();
    if (clock.getAsLong() - lookedAt >= options.verify().toMillis()) {
      lookNow();
    }
  }

  private void call() {
    peers.announceSelf(held.isEmpty() && leaving.isEmpty() && !isQuorumHeard());
  }

  private Future<Void> lookNow() {
    Future<Void> running = looking;
    if (running != null) {
      again = true;
      return running;
    }
    if (closing) {
      return Future.succeededFuture();
    }
    Promise<Void> done = Promise.promise();
    looking = done.future();
    once()
        .onComplete(
            over -> {
              looking = null;
              if (again && !closing) {
                again = false;
                lookNow().onComplete(done);
              } else {
                done.complete();
              }
            });
    return done.future();
  }

  private Future<Void> once() {
    long began = clock.getAsLong();
    lookedAt = began;
    return claimReader
        .next()
        .transform(
            read -> {
              if (read.failed()) {
                again |= read.cause() instanceof ClaimReader.TooLate;
                // Others may own what we serve.
                if (members.isQuorumLost(read.cause()) && !held.isEmpty()) {
                  endAll("fewer nodes than the quorum are members");
                }
                return Future.succeededFuture();
              }
              nodes = read.result().nodes();
              last = read.result().claims();
              lease.verified(began);
              return isQuorumHeard() ? act(last) : Future.succeededFuture();
            });
  }

  private Future<Void> act(Map<String, OwnershipClaim> all) {
    List<Future<Void>> steps = new ArrayList<>();
    Set<String> alive = members.alive();
    lostNodes.present(alive);
    Set<String> known = new HashSet<>();
    specs.keySet().forEach(id -> known.addAll(keys(id)));
    for (String key : List.copyOf(held.keySet())) {
      if (!known.contains(key)) {
        steps.add(handOver(key, all.get(key)));
      }
    }
    List<ClusterNode> eligible = eligible();
    specs.forEach(
        (id, wish) -> {
          List<String> best =
              RendezvousHash.best(id, fit(id, eligible), wish.labels(), wish.replicas()).stream()
                  .map(ClusterNode::id)
                  .toList();
          Map<String, @Nullable String> targets =
              ReplicaAssignment.targets(ReplicaAssignment.keys(id, wish.replicas()), best, all);
          targets.keySet().forEach(key -> steps.add(step(key, targets, all, alive)));
        });
    return Future.join(steps).<Void>mapEmpty().otherwiseEmpty();
  }

  private Future<Void> step(
      String key,
      Map<String, @Nullable String> targets,
      Map<String, OwnershipClaim> all,
      Set<String> alive) {
    if (leaving.containsKey(key)) {
      return Future.succeededFuture(); // is looked at again when it has left
    }
    HeldClaim holding = held.get(key);
    OwnershipClaim claim = all.get(key);
    Long epoch = holding == null ? null : Long.valueOf(holding.epoch());
    switch (OwnershipDecision.of(claim, epoch, members.self(), targets.get(key), alive)) {
      case CLAIM -> {
        boolean another =
            targets.keySet().stream()
                .anyMatch(
                    one -> !one.equals(key) && (held.containsKey(one) || leaving.containsKey(one)));
        return another || !isFree(claim, alive) ? Future.succeededFuture() : claim(key, claim);
      }
      case LOSE -> {
        LOG.warn("{}: another node owns it now, it ends here at once", key);
        quit(key, false, null);
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
   * One that is lost, and has not ended, may own it in a part of the cluster that we do not see.
   */
  private boolean isFree(@Nullable OwnershipClaim claim, Set<String> alive) {
    String owner = claim == null ? null : claim.node();
    return lostNodes.haveAllStopped()
        && (owner == null || alive.contains(owner) || lostNodes.isOver(owner));
  }

  private Future<Void> claim(String id, @Nullable OwnershipClaim before) {
    OwnershipClaim mine = new OwnershipClaim(members.self(), claimReader.highest(id) + 1);
    return claims
        .replace(id, before, mine)
        .onFailure(failure -> LOG.warn("{} could not be claimed: {}", id, failure.toString()))
        .map(
            won -> {
              if (won && !closing && !held.containsKey(id)) {
                LOG.info("{} is owned by this node, epoch {}", id, mine.epoch());
                peers.claimed(id, mine);
                Future<Void> taken = listener.own(id, mine.epoch(), lease::isHeld);
                held.put(id, new HeldClaim(mine.epoch(), taken));
                taken
                    .onSuccess(serving -> peers.serving(id, mine))
                    .onFailure(failure -> LOG.warn("{} cannot be served here", id, failure));
              }
              return null;
            });
  }

  /** Not awaited by a look: others must not wait while calls of this one end. */
  private Future<Void> handOver(String id, @Nullable OwnershipClaim claim) {
    LOG.info("{} is handed over, calls in flight end first", id);
    quit(id, true, claim);
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
        .onFailure(failure -> LOG.warn("{} could not be released: {}", id, failure.toString()))
        .<Void>mapEmpty()
        .otherwiseEmpty();
  }

  /**
   * @param claim that is released when nothing of it is left here, null where it is not ours
   */
  private void quit(String id, boolean drain, @Nullable OwnershipClaim claim) {
    if (held.remove(id) == null) {
      return;
    }
    Future<Void> left =
        listener.disown(id, drain).otherwiseEmpty().compose(gone -> release(id, claim));
    leaving.put(id, left);
    left.onComplete(
        gone -> {
          leaving.remove(id, left);
          reconcile();
        });
  }

  /** Others may own what we serve: first all stops; each that has left looks at the claims. */
  private void endAll(String why) {
    LOG.warn("{} connections end here at once: {}", held.size(), why);
    lease.end();
    List.copyOf(held.keySet()).forEach(id -> quit(id, false, null));
  }

  /** Hands everything over. The others are told first, so that they claim what is released. */
  public Future<Void> close() {
    closing = true;
    peers.leaving();
    Future<Void> before = looking == null ? Future.succeededFuture() : looking;
    return before.compose(
        quiet -> {
          // The ticks go on meanwhile: the lease must hold while calls in flight end.
          Map<String, HeldClaim> mine = Map.copyOf(held);
          mine.forEach(
              (id, holding) -> quit(id, true, new OwnershipClaim(members.self(), holding.epoch())));
          return Future.join(List.copyOf(leaving.values()))
              .<Void>mapEmpty()
              .otherwiseEmpty()
              .onComplete(handed -> vertx.cancelTimer(ticker));
        });
  }
}
