package dev.mcpbus.cluster;

import dev.mcpbus.bus.ReplicaId;
import dev.mcpbus.cluster.engine.LiveNodeSelector;
import dev.mcpbus.cluster.membership.ClockOffsets;
import dev.mcpbus.cluster.membership.ClusterMembers;
import dev.mcpbus.cluster.membership.NodeMessage;
import dev.mcpbus.cluster.membership.NodeMessages;
import dev.mcpbus.cluster.membership.QuorumLease;
import dev.mcpbus.cluster.ownership.OwnershipClaim;
import dev.mcpbus.cluster.ownership.OwnershipPeers;
import dev.mcpbus.cluster.routing.ClusterRequests;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

/** What this node tells the others of itself and of what it owns, and what they tell. */
final class PeerAnnouncements implements OwnershipPeers {

  private static final int GREETINGS = 3;
  private static final long GREETING_MILLIS = 50;

  /** One of those who should answer may be lost. */
  private static final long MEETING_MILLIS = 1_000;

  private final Vertx vertx;
  private final ClusterMembers members;
  private final QuorumLease quorum;
  private final NodeMessages messages;
  private final Consumer<NodeMessage> listener;

  /** Whether this node serves nothing and may take nothing, as it was said last. */
  private volatile boolean rests = true;

  private final Set<String> leaving = ConcurrentHashMap.newKeySet();
  private Consumer<String> greeted = node -> {};

  /**
   * @param silence how long a node may act that is not heard
   * @param listener hears on the context that calls {@link #open} every fact but that somebody is
   *     there; that too where it changes who may act
   */
  PeerAnnouncements(
      Vertx vertx, ClusterMembers members, Duration silence, Consumer<NodeMessage> listener) {
    this.vertx = vertx;
    this.members = members;
    this.quorum = new QuorumLease(members.self(), ClockOffsets::clock, silence.toMillis());
    this.messages = ClusterRequests.of(vertx).messages();
    this.listener = listener;
  }

  Future<Void> open() {
    messages.listen(this::hear);
    return messages.open();
  }

  /**
   * Completes when each node has told its clock some times, or after a second. A node that serves
   * before it knows the others' clocks cannot tell how long a call was under way.
   *
   * @param others ids of the nodes that are there already
   */
  Future<Void> meet(Set<String> others) {
    Map<String, Integer> missing = new HashMap<>();
    others.forEach(node -> missing.put(node, GREETINGS));
    missing.remove(members.self());
    if (missing.isEmpty()) {
      return Future.succeededFuture();
    }
    Promise<Void> met = Promise.promise();
    greeted =
        node -> {
          missing.computeIfPresent(
              node, (same, left) -> left == 1 ? null : Integer.valueOf(left - 1));
          if (missing.isEmpty()) {
            met.tryComplete();
          }
        };
    greet();
    long timer = vertx.setPeriodic(GREETING_MILLIS, again -> greet());
    return met.future()
        .timeout(MEETING_MILLIS, TimeUnit.MILLISECONDS)
        .onComplete(
            over -> {
              vertx.cancelTimer(timer);
              greeted = node -> {};
            })
        .otherwiseEmpty();
  }

  private void greet() {
    messages.tell(quorum.tell(members.alive(), rests).greeting());
  }

  private void hear(NodeMessage message) {
    if (message instanceof NodeMessage.Here here) {
      boolean changed = quorum.hear(here);
      greeted.accept(here.node());
      if (here.greets() && !here.node().equals(members.self())) {
        announceSelf(rests);
      }
      if (changed) {
        listener.accept(here);
      }
    } else {
      if (message instanceof NodeMessage.Leaving) {
        leaving.add(message.node());
      }
      listener.accept(message);
    }
  }

  /** A node is no member any more. */
  void left(String node) {
    quorum.lost(node);
    leaving.remove(node);
  }

  @Override
  public void announceSelf(boolean resting) {
    rests = resting;
    messages.tell(quorum.tell(members.alive(), resting));
  }

  @Override
  public int heard() {
    return quorum.count();
  }

  @Override
  public int gaveUp(String node, Set<String> living) {
    return quorum.gaveUp(node, living);
  }

  @Override
  public void keepInformed(String node) {
    LiveNodeSelector routes = LiveNodeSelector.of(vertx);
    if (routes != null) {
      routes.keepInformed(node);
    }
  }

  @Override
  public void leaving() {
    messages.tell(new NodeMessage.Leaving(members.self()));
  }

  @Override
  public boolean isLeaving(String node) {
    return leaving.contains(node);
  }

  @Override
  public boolean isServing(String key) {
    ReplicaId replica = ReplicaId.parse(key).orElse(null);
    return replica != null
        && ClusterRequests.of(vertx).replicas().of(replica.server()).stream()
            .anyMatch(owner -> owner.replica().equals(replica) && owner.serves());
  }

  @Override
  public void claimed(String key, OwnershipClaim claim) {
    messages.tell(new NodeMessage.Claimed(members.self(), replica(key), claim.epoch()));
  }

  @Override
  public void serving(String key, OwnershipClaim claim) {
    messages.tell(new NodeMessage.Serving(members.self(), replica(key), claim.epoch()));
  }

  @Override
  public void released(String key, OwnershipClaim claim) {
    messages.tell(new NodeMessage.Released(members.self(), replica(key), claim.epoch()));
  }

  private static ReplicaId replica(String key) {
    return ReplicaId.parse(key).orElseThrow();
  }
}
