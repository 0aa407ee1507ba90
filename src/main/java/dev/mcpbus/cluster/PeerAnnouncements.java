package dev.mcpbus.cluster;

import dev.mcpbus.bus.ReplicaId;
import dev.mcpbus.cluster.engine.LiveNodeSelector;
import dev.mcpbus.cluster.membership.Ballot;
import dev.mcpbus.cluster.membership.ClockOffsets;
import dev.mcpbus.cluster.membership.ClusterMembers;
import dev.mcpbus.cluster.membership.Electorate;
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
import org.jspecify.annotations.Nullable;

/**
 * Publishes this node's announcements and ownership messages, and passes the messages of all nodes
 * on. Feeds {@link QuorumLease} and answers the reconciler from it. {@link #open} and {@link #meet}
 * run on the context of ownership; the messages arrive there.
 */
final class PeerAnnouncements implements OwnershipPeers {

  private static final int REPLIES_WANTED = 3;
  private static final long REQUEST_MILLIS = 50;

  /** A node that should reply may be lost: {@link #meet} waits no longer than this. */
  private static final long MAX_MEETING_MILLIS = 1_000;

  private final Vertx vertx;
  private final ClusterMembers members;
  private final QuorumLease quorum;
  private final @Nullable Electorate electorate;
  private final NodeMessages messages;
  private final Consumer<NodeMessage> listener;

  /**
   * The {@code resting} flag that this node announced last: it owns no connection and must not
   * claim one.
   */
  private volatile boolean lastResting = true;

  private final Set<String> leaving = ConcurrentHashMap.newKeySet();

  /** Nodes that own no connection any more, and run on. */
  private final Set<String> draining = ConcurrentHashMap.newKeySet();

  private Consumer<String> onAnnouncement = node -> {};
  private Runnable beforeGrants = () -> {};
  private volatile Runnable unlisten = () -> {};

  /**
   * @param silence how long a node may act after the last announcement that another node received
   *     from it
   * @param electorate where the quorum follows the cluster; null where it is a fixed number
   * @param listener receives, on the context that calls {@link #open}, every message except
   *     announcements that change no grant and ask for no reply
   */
  PeerAnnouncements(
      Vertx vertx,
      ClusterMembers members,
      Duration silence,
      @Nullable Electorate electorate,
      Consumer<NodeMessage> listener) {
    this.vertx = vertx;
    this.members = members;
    this.quorum = new QuorumLease(members.self(), ClockOffsets::clock, silence.toMillis());
    this.electorate = electorate;
    countVoters();
    this.messages = ClusterRequests.of(vertx).messages();
    this.listener = listener;
  }

  Future<Void> open() {
    unlisten = messages.listen(this::receive);
    return messages.open();
  }

  /** From now on this node says nothing of itself, and reads nothing. */
  void close() {
    unlisten.run();
  }

  /**
   * Completes when each node has replied with its clock three times, or after one second. A node
   * that serves before it has the others' clock offsets cannot compute how long a call was in
   * transit.
   *
   * @param others ids of the nodes that are in the cluster already
   */
  Future<Void> meet(Set<String> others) {
    Map<String, Integer> missing = new HashMap<>();
    others.forEach(node -> missing.put(node, REPLIES_WANTED));
    missing.remove(members.self());
    if (missing.isEmpty()) {
      return Future.succeededFuture();
    }
    Promise<Void> met = Promise.promise();
    onAnnouncement =
        node -> {
          missing.computeIfPresent(
              node, (same, left) -> left == 1 ? null : Integer.valueOf(left - 1));
          if (missing.isEmpty()) {
            met.tryComplete();
          }
        };
    requestReplies();
    long timer = vertx.setPeriodic(REQUEST_MILLIS, again -> requestReplies());
    return met.future()
        .timeout(MAX_MEETING_MILLIS, TimeUnit.MILLISECONDS)
        .onComplete(
            over -> {
              vertx.cancelTimer(timer);
              onAnnouncement = node -> {};
            })
        .otherwiseEmpty();
  }

  /** Makes the other nodes look for this one, which may own connections from now on. */
  void greet() {
    requestReplies();
  }

  private void requestReplies() {
    messages.publish(announcement(lastResting).wantingReply());
  }

  private void countVoters() {
    if (electorate != null) {
      quorum.voters(electorate.count().voters().keySet());
    }
  }

  private NodeMessage.Announcement announcement(boolean resting) {
    Electorate votes = electorate;
    Set<String> alive = members.alive();
    if (votes == null) {
      return quorum.announcement(alive, resting);
    }
    alive.removeIf(node -> !votes.mayGrant(node));
    // The ballot first: what a grant of this announcement is worth, its ballot says.
    Ballot ballot = votes.ballot();
    return quorum.announcement(alive, resting).with(ballot);
  }

  private void receive(NodeMessage message) {
    if (message instanceof NodeMessage.Announcement announcement) {
      beforeGrants.run();
      if (electorate != null) {
        electorate.heard(announcement.node(), announcement.ballot());
      }
      countVoters();
      boolean changed = quorum.receive(announcement);
      onAnnouncement.accept(announcement.node());
      if (announcement.wantsReply() && !announcement.node().equals(members.self())) {
        announceSelf(lastResting);
      }
      if (changed || announcement.wantsReply()) {
        listener.accept(announcement);
      }
    } else if (message instanceof NodeMessage.Draining) {
      if (draining.add(message.node())) {
        listener.accept(message);
      }
    } else {
      if (message instanceof NodeMessage.Leaving) {
        leaving.add(message.node());
      }
      listener.accept(message);
    }
  }

  /** Records that a node has left the cluster. */
  void left(String node) {
    if (electorate != null) {
      electorate.lost(node, isClosing(node));
    }
    countVoters();
    quorum.lost(node);
    leaving.remove(node);
    draining.remove(node);
  }

  @Override
  public void beforeGrants(Runnable check) {
    beforeGrants = check;
  }

  @Override
  public void announceSelf(boolean resting) {
    lastResting = resting;
    if (electorate != null) {
      electorate.step(members.alive(), grants());
    }
    countVoters();
    messages.publish(announcement(resting));
    if (draining.contains(members.self())) {
      messages.publish(new NodeMessage.Draining(members.self()));
    }
  }

  /** From now on this node must own no connection. Any thread may call. */
  void drain() {
    draining.add(members.self());
    messages.publish(new NodeMessage.Draining(members.self()));
  }

  @Override
  public int grants() {
    return quorum.grants();
  }

  @Override
  public int quorum(int fixed) {
    return electorate == null ? fixed : electorate.count().quorum();
  }

  @Override
  public @Nullable String votes() {
    return electorate == null ? null : electorate.describe(grants());
  }

  /** Whether this node has started again, and its vote counts only in a moment. */
  boolean isResuming() {
    return electorate != null && electorate.isResuming();
  }

  /** Whether the grants of a node count; null where those of all do. */
  @Nullable Boolean isVoter(String node) {
    return electorate == null ? null : electorate.count().voters().containsKey(node);
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
  public boolean isWhole(String node) {
    return ClusterRequests.of(vertx).links().isWhole(node);
  }

  @Override
  public boolean isCut(String node) {
    return ClusterRequests.of(vertx).links().isCut(node);
  }

  @Override
  public void leaving() {
    messages.publish(new NodeMessage.Leaving(members.self()));
  }

  @Override
  public boolean isLeaving(String node) {
    return leaving.contains(node) || draining.contains(node);
  }

  /**
   * Whether a node has announced that it shuts down. A node that is drained and then lost may still
   * run, as any other.
   */
  boolean isClosing(String node) {
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
    messages.publish(new NodeMessage.Claimed(members.self(), replica(key), claim.epoch()));
  }

  @Override
  public void serving(String key, OwnershipClaim claim) {
    messages.publish(new NodeMessage.Serving(members.self(), replica(key), claim.epoch()));
  }

  @Override
  public void released(String key, OwnershipClaim claim) {
    messages.publish(new NodeMessage.Released(members.self(), replica(key), claim.epoch()));
  }

  private static ReplicaId replica(String key) {
    return ReplicaId.parse(key).orElseThrow();
  }
}
