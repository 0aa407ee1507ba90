package dev.mcpbus.cluster.membership;

import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Who lets whom act. Each node tells all others again and again which members it sees, and what
 * each of the others' own clocks was when it was heard last. By that a member may act for {@code
 * silence} after the time that it is told, and no longer: a node that is heard no more, or is no
 * member for those that hear it, stops by its own clock. And whoever gave a node up knows when it
 * has stopped at the latest, and sooner where it says so itself. No clocks are compared. What one
 * tells another must arrive in order, if late, or not at all; what is repeated by others counts for
 * nothing. Any thread may call.
 *
 * <p>What is told is a {@link NodeMessage.Here}.
 */
public final class QuorumLease {

  private static final long NEVER = Long.MIN_VALUE / 2;

  /** What is remembered of a node that is gone, milliseconds. */
  private static final long REMEMBERED_MILLIS = 60_000;

  private final String self;
  private final LongSupplier clock;
  private final long silenceMillis;

  /** Guarded by this. */
  private final Map<String, Peer> peers = new HashMap<>();

  /** Until when each of the others lets this node act. */
  private volatile long[] grants = {};

  private static final class Peer {

    /** Its own clock, as it told it last. */
    private long at = -1;

    private long heardAt = NEVER;

    /** When that was heard by which it may act. */
    private long grantedAt = NEVER;

    private long lostAt = NEVER;

    /** Where it is lost: it knows, and has ended what it served. */
    private boolean rested;

    /** This node's clock, as it has heard it last. */
    private long echo = NEVER;

    /** The same, where it sees this node as a member. */
    private long grant = NEVER;

    /** Who may act by its word; null before it was heard. */
    private @Nullable Set<String> bound;
  }

  /**
   * @param self the id of this node
   * @param clock monotonic milliseconds
   * @param silenceMillis the same on all nodes
   */
  public QuorumLease(String self, LongSupplier clock, long silenceMillis) {
    this.self = self;
    this.clock = clock;
    this.silenceMillis = silenceMillis;
  }

  /**
   * What this node tells now.
   *
   * @param members all that it sees
   * @param rests whether it serves nothing and may take nothing
   */
  public synchronized NodeMessage.Here tell(Set<String> members, boolean rests) {
    long now = clock.getAsLong();
    Map<String, Long> heard = new HashMap<>();
    Set<String> owes = new HashSet<>();
    peers.forEach(
        (node, peer) -> {
          if (now - peer.heardAt <= silenceMillis) {
            heard.put(node, peer.at);
          }
          if (members.contains(node)) {
            peer.grantedAt = peer.heardAt;
            peer.lostAt = NEVER;
            peer.rested = false;
          } else if (owes(peer, now)) {
            owes.add(node);
          }
        });
    peers
        .entrySet()
        .removeIf(
            one ->
                !members.contains(one.getKey())
                    && now - Math.max(one.getValue().heardAt, one.getValue().lostAt)
                        > REMEMBERED_MILLIS);
    return new NodeMessage.Here(self, now, heard, members, owes, rests, false);
  }

  private static Peer unknown(String node) {
    return new Peer();
  }

  private boolean owes(Peer peer, long now) {
    return !peer.rested && now - peer.grantedAt <= silenceMillis;
  }

  /**
   * Another node has told what {@link #tell} gave it.
   *
   * @return whether it lets this node act no more, or another that it did
   */
  public synchronized boolean hear(NodeMessage.Here told) {
    if (told.node().equals(self)) {
      return false;
    }
    long now = clock.getAsLong();
    Peer peer = peers.computeIfAbsent(told.node(), QuorumLease::unknown);
    if (told.at() < peer.at) {
      return false; // a link has kept it back
    }
    if (told.at() > peer.at) {
      peer.heardAt = now;
    }
    peer.at = told.at();
    long grantBefore = peer.grant;
    Set<String> boundBefore = peer.bound;
    Set<String> bound = new HashSet<>(told.sees());
    peer.echo = told.heard().getOrDefault(self, NEVER);
    peer.grant = bound.contains(self) ? peer.echo : NEVER;
    bound.addAll(told.owes());
    peer.bound = bound;
    // By what was said before it knew that it is lost here it may act again.
    peer.rested = peer.lostAt != NEVER && peer.echo >= peer.lostAt && told.rests();
    grants = peers.values().stream().mapToLong(one -> one.grant + silenceMillis).toArray();
    return (grantBefore != NEVER && peer.grant == NEVER)
        || (boundBefore != null && peer.bound != null && !peer.bound.containsAll(boundBefore));
  }

  /** A node is no member any more. */
  public synchronized void lost(String node) {
    Peer peer = peers.computeIfAbsent(node, QuorumLease::unknown);
    peer.lostAt = clock.getAsLong();
    peer.rested = false;
  }

  /** How many nodes let this one act, itself included. */
  public int count() {
    long now = clock.getAsLong();
    int count = 1;
    for (long until : grants) {
      if (now <= until) {
        count++;
      }
    }
    return count;
  }

  /**
   * How many members have given a lost node up, so that it acts by their word no more, this one
   * included. The others must have said so after they have heard this one say that it is lost.
   */
  public synchronized int gaveUp(String node, Set<String> members) {
    long now = clock.getAsLong();
    Peer lost = peers.computeIfAbsent(node, QuorumLease::unknown);
    if (lost.lostAt == NEVER) {
      lost.lostAt = now; // before this node was there
    }
    int count = owes(lost, now) ? 0 : 1;
    for (Map.Entry<String, Peer> one : peers.entrySet()) {
      Peer peer = one.getValue();
      if (members.contains(one.getKey()) && peer.heardAt != NEVER) {
        Set<String> bound = peer.bound;
        if (bound != null && peer.echo >= lost.lostAt && !bound.contains(node)) {
          count++;
        }
      }
    }
    return count;
  }
}
