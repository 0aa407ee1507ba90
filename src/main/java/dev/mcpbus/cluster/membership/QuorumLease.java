package dev.mcpbus.cluster.membership;

import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * The right of this node to own connections, granted by the other nodes of the cluster. Each node
 * grants this right to every node that it sees, for {@code silence} (7 s by default), and its next
 * announcement extends the grant. A node that holds fewer grants than the quorum, its own included,
 * must stop its connections at once, and another node may take them over only after a quorum of
 * nodes has ended its grants.
 *
 * <p>How: every 500 ms each node publishes a {@link NodeMessage.Announcement} with the value of its
 * own monotonic clock, the nodes that it sees, and the last clock value that it received from each
 * other node. A receiver that is among those nodes may act until its own clock passes the returned
 * value by {@code silence}. The granting node counts the same {@code silence} from the moment at
 * which it received that value, so it never regards a grant as ended before the receiver does. No
 * clock of one node is compared with a clock of another.
 *
 * <p>A receiver ends a grant at once when an announcement no longer lists it. A lost node that has
 * stopped its connections announces {@code resting}, and the others need not wait for the grants to
 * end; {@link #gaveUp} counts the nodes whose grants to a lost node have ended.
 *
 * <p>An announcement that grants a node nothing is a promise of {@link #PROMISE_MILLIS}: for that
 * time other nodes count it as ended grant, and for that time the sender grants nothing to that
 * node although it sees it again. {@code OwnershipModelTest} shows a way to two owners without
 * this.
 *
 * <p>Announcements of one node must arrive in their order. They may be late or missing; one that is
 * older than the last, or repeats it, extends nothing. {@link dev.mcpbus.cluster.PeerAnnouncements}
 * publishes and receives the announcements, the reconciler reads {@link #grants} and {@link
 * #gaveUp}. Any thread may call.
 */
public final class QuorumLease {

  private static final long NEVER = Long.MIN_VALUE / 2;

  /** How long an announcement that grants a node nothing counts, and binds its sender. */
  static final long PROMISE_MILLIS = 2_000;

  /** How long the record of a node that has left is kept, milliseconds. */
  private static final long REMEMBERED_MILLIS = 60_000;

  private final String self;
  private final LongSupplier clock;
  private final long silenceMillis;

  /** Other nodes by id. Guarded by this. */
  private final Map<String, Peer> peers = new HashMap<>();

  /** The nodes of the last announcement that may act by this node's grants. Guarded by this. */
  private Set<String> announced = Set.of();

  private long announcedAt = NEVER;

  /** The nodes whose grants count; null for all. */
  private volatile @Nullable Set<String> voters;

  /**
   * For each other node whose grants count: until when its grant to this node holds, by this node's
   * clock.
   */
  private volatile long[] grantedUntil = {};

  private static final class Peer {

    /** The highest clock value that this peer has announced; -1 before its first announcement. */
    private long at = -1;

    private long receivedAt = NEVER;

    /** When the clock value arrived that this node returned with its latest grant to the peer. */
    private long grantedAt = NEVER;

    private long lostAt = NEVER;

    /** Until then this node grants it nothing, because another one may count on that. */
    private long boundUntil = NEVER;

    /** This peer is lost, has received that news, and has announced since that it owns nothing. */
    private boolean hasStopped;

    /** The last value of this node's clock that the peer has received. */
    private long echo = NEVER;

    /** The same where the peer sees this node, else {@link #NEVER}. */
    private long grant = NEVER;

    /** The nodes that may act by this peer's grants; null before its first announcement. */
    private @Nullable Set<String> granted;
  }

  /**
   * @param self the id of this node
   * @param clock monotonic milliseconds
   * @param silenceMillis how long a grant holds; the same on all nodes
   */
  public QuorumLease(String self, LongSupplier clock, long silenceMillis) {
    this.self = self;
    this.clock = clock;
    this.silenceMillis = silenceMillis;
  }

  /**
   * The announcement that this node has to publish now. It extends this node's grant to each node
   * that it sees, except those of which it has announced within {@link #PROMISE_MILLIS} that it
   * grants them nothing.
   *
   * @param nodes all nodes that this node sees, by id
   * @param resting true where this node owns no connection and must not claim one
   */
  public synchronized NodeMessage.Announcement announcement(Set<String> nodes, boolean resting) {
    long now = clock.getAsLong();
    Map<String, Long> heard = new HashMap<>();
    Set<String> granted = new HashSet<>(nodes);
    Set<String> stillGranted = new HashSet<>();
    nodes.stream().filter(node -> !node.equals(self)).forEach(this::bind);
    peers.forEach(
        (node, peer) -> {
          if (now - peer.receivedAt <= silenceMillis) {
            heard.put(node, peer.at);
          }
          if (nodes.contains(node)) {
            peer.lostAt = NEVER;
            peer.hasStopped = false;
          }
          if (nodes.contains(node) && now > peer.boundUntil) {
            peer.grantedAt = peer.receivedAt;
          } else if (granted.remove(node) || stillGrants(peer, now)) {
            stillGranted.add(node);
          }
        });
    peers
        .entrySet()
        .removeIf(
            one ->
                !nodes.contains(one.getKey())
                    && now - Math.max(one.getValue().receivedAt, one.getValue().lostAt)
                        > REMEMBERED_MILLIS);
    announced = new HashSet<>(granted);
    announced.addAll(stillGranted);
    announcedAt = now;
    return new NodeMessage.Announcement(
        self, now, heard, granted, stillGranted, resting, false, null);
  }

  /**
   * Where the last announcement granted this node nothing, the nodes that had been heard then may
   * count on it.
   */
  private void bind(String node) {
    Peer seen = peers.computeIfAbsent(node, QuorumLease::unknown);
    if (!announced.contains(node)) {
      peers.forEach(
          (other, peer) -> {
            if (!other.equals(node)) {
              long last = Math.min(peer.receivedAt, announcedAt);
              seen.boundUntil = Math.max(seen.boundUntil, last + PROMISE_MILLIS);
            }
          });
    }
  }

  private static Peer unknown(String node) {
    return new Peer();
  }

  private boolean stillGrants(Peer peer, long now) {
    return !peer.hasStopped && now - peer.grantedAt <= silenceMillis;
  }

  /**
   * Takes an announcement of any node; this node's own are ignored.
   *
   * @return true where the sender has withdrawn its grant to this node, or its grant to a third
   *     node
   */
  public synchronized boolean receive(NodeMessage.Announcement announcement) {
    if (announcement.node().equals(self)) {
      return false;
    }
    long now = clock.getAsLong();
    Peer peer = peers.computeIfAbsent(announcement.node(), QuorumLease::unknown);
    if (announcement.at() < peer.at) {
      return false; // a delayed announcement: a newer one has been processed
    }
    if (announcement.at() > peer.at) {
      peer.receivedAt = now;
    }
    peer.at = announcement.at();
    long grantBefore = peer.grant;
    Set<String> grantedBefore = peer.granted;
    Set<String> granted = new HashSet<>(announcement.nodes());
    peer.echo = announcement.heard().getOrDefault(self, NEVER);
    peer.grant = granted.contains(self) ? peer.echo : NEVER;
    granted.addAll(announcement.stillGranted());
    peer.granted = granted;
    // Only what the peer announced after it had received the news of its loss counts: before that
    // it may claim again.
    peer.hasStopped = peer.lostAt != NEVER && peer.echo >= peer.lostAt && announcement.resting();
    recount();
    return (grantBefore != NEVER && peer.grant == NEVER)
        || (grantedBefore != null
            && peer.granted != null
            && !peer.granted.containsAll(grantedBefore));
  }

  /** From now on the grants of these nodes count, and no others; this node may be among them. */
  public synchronized void voters(Set<String> ids) {
    if (!ids.equals(voters)) {
      voters = Set.copyOf(ids);
      recount();
    }
  }

  private void recount() {
    grantedUntil =
        peers.entrySet().stream()
            .filter(one -> counts(one.getKey()))
            .mapToLong(one -> one.getValue().grant + silenceMillis)
            .toArray();
  }

  private boolean counts(String node) {
    Set<String> some = voters;
    return some == null || some.contains(node);
  }

  /** Records that {@code node} has left the cluster. */
  public synchronized void lost(String node) {
    Peer peer = peers.computeIfAbsent(node, QuorumLease::unknown);
    peer.lostAt = clock.getAsLong();
    peer.hasStopped = false;
  }

  /** How many nodes grant this node the right to act, itself included if it has a vote. */
  public int grants() {
    long now = clock.getAsLong();
    int count = counts(self) ? 1 : 0;
    for (long until : grantedUntil) {
      if (now <= until) {
        count++;
      }
    }
    return count;
  }

  /**
   * How many nodes have ended their grants to a lost node, this node included. Another node counts
   * while its announcement returns a clock value of this node that is later than the loss and at
   * most {@link #PROMISE_MILLIS} old.
   */
  public synchronized int gaveUp(String node, Set<String> nodes) {
    long now = clock.getAsLong();
    Peer lost = peers.computeIfAbsent(node, QuorumLease::unknown);
    if (lost.lostAt == NEVER) {
      lost.lostAt = now; // lost before this node joined
    }
    int count = stillGrants(lost, now) || !counts(self) ? 0 : 1;
    for (Map.Entry<String, Peer> one : peers.entrySet()) {
      Peer peer = one.getValue();
      if (nodes.contains(one.getKey()) && counts(one.getKey()) && peer.receivedAt != NEVER) {
        Set<String> granted = peer.granted;
        boolean fresh = peer.echo >= lost.lostAt && now - peer.echo <= PROMISE_MILLIS;
        if (granted != null && fresh && !granted.contains(node)) {
          count++;
        }
      }
    }
    return count;
  }
}
