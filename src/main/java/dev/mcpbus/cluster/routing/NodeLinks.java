package dev.mcpbus.cluster.routing;

import dev.mcpbus.cluster.membership.NodeMessage;
import java.util.Comparator;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Which nodes hear each other, as their announcements show: every 500 ms each node announces itself
 * and the last clock value that it received from each other node. From this a node sees which way a
 * request to another node can go while a link between the two is cut, and when no way is left,
 * seconds before the cluster drops one of them. Any thread may call.
 */
public final class NodeLinks {

  /** The way to a node. */
  sealed interface Way {

    /** The node is heard, or nothing is known of it. */
    record Direct() implements Way {}

    /**
     * This node and the other one do not hear each other, and a third one hears both.
     *
     * @param via the id of the third one
     */
    record Around(String via) implements Way {}

    /**
     * No node hears it.
     *
     * @param millis since this node last heard it
     */
    record Closed(long millis) implements Way {}
  }

  private static final Way DIRECT = new Way.Direct();

  /** Two announcements of a node are missing; to go around one that is only late does no harm. */
  private static final long SILENT_MILLIS = 1_200;

  /** News of a third node is older by one announcement. */
  private static final long NEWS_MILLIS = 600;

  /** A node that starts on a machine without CPU time for it is late by seconds. */
  private static final long CUT_MILLIS = 5_000;

  /** A pause of the garbage collector is shorter. */
  private static final long CLOSED_MILLIS = 3_000;

  /** A node that runs is never silent for so long. */
  private static final long FORGOTTEN_MILLIS = 600_000;

  private record Heard(long value, long at) {}

  /** What a node has announced. */
  private static final class NodeHearing {
    private volatile long at;

    private volatile boolean isMember = true;

    /** When it was last lost as a member. */
    private volatile long leftAt = Long.MIN_VALUE;

    /** How many nodes it sees. */
    private volatile int sees;

    /** By node: the last clock value that it received, and when this node saw that value first. */
    private final Map<String, Heard> hears = new ConcurrentHashMap<>();
  }

  private final String self;
  private final LongSupplier clock;
  private final Map<String, NodeHearing> peers = new ConcurrentHashMap<>();

  /**
   * @param clock monotonic milliseconds
   */
  NodeLinks(String self, LongSupplier clock) {
    this.self = self;
    this.clock = clock;
  }

  /** Takes an announcement, this node's own included: it shows that announcements arrive here. */
  void announced(NodeMessage.Announcement announcement) {
    long now = clock.getAsLong();
    NodeHearing peer = peers.computeIfAbsent(announcement.node(), unknown -> new NodeHearing());
    peer.at = now;
    peer.sees = announcement.nodes().size();
    announcement
        .heard()
        .forEach(
            (node, value) ->
                peer.hears.compute(
                    node,
                    (same, last) ->
                        last == null || value > last.value() ? new Heard(value, now) : last));
    peer.hears.values().removeIf(heard -> now - heard.at() > FORGOTTEN_MILLIS);
  }

  /**
   * A node is no member any more. What is known of its links stays: it may run and come back, and
   * then the link to it may still be cut.
   */
  void left(String node) {
    long now = clock.getAsLong();
    peers.values().removeIf(peer -> now - peer.at > FORGOTTEN_MILLIS);
    NodeHearing peer = peers.get(node);
    if (peer != null) {
      peer.isMember = false;
      peer.leftAt = now;
    }
  }

  /** A node is a member, perhaps again. */
  void joined(String node) {
    NodeHearing peer = peers.get(node);
    if (peer != null) {
      peer.isMember = true;
    }
  }

  /** The way to a node by its id. */
  Way to(String node) {
    long now = clock.getAsLong();
    NodeHearing own = peers.get(self);
    NodeHearing peer = peers.get(node);
    if (peer == null || node.equals(self) || own == null || now - own.at > SILENT_MILLIS) {
      return DIRECT; // nothing is known, or this node itself was not running
    }
    boolean heard = now - peer.at <= SILENT_MILLIS;
    if (heard && hears(peer, self, now, SILENT_MILLIS)) {
      return DIRECT;
    }
    for (Map.Entry<String, NodeHearing> third : peers.entrySet()) {
      if (!third.getKey().equals(self)
          && !third.getKey().equals(node)
          && now - third.getValue().at <= SILENT_MILLIS
          && hears(third.getValue(), self, now, SILENT_MILLIS)
          && hasHeard(third.getValue(), node, now)
          && (!heard || hears(peer, third.getKey(), now, SILENT_MILLIS))) {
        return new Way.Around(third.getKey());
      }
    }
    long silent = heard ? 0 : now - peer.at;
    return silent > CLOSED_MILLIS ? new Way.Closed(silent) : DIRECT;
  }

  /**
   * Whether all links of a node are whole, as far as this node knows: it and each other member hear
   * each other. A node with a cut link may be unable to claim a connection.
   */
  public boolean isWhole(String node) {
    return isWhole(node, SILENT_MILLIS);
  }

  /**
   * Whether a link of a node has been silent for longer than that of a node that is only slow. The
   * other nodes then claim the connections without an owner that it would get.
   */
  public boolean isCut(String node) {
    return !isWhole(node, CUT_MILLIS);
  }

  private boolean isWhole(String node, long silentMillis) {
    long now = clock.getAsLong();
    NodeHearing own = peers.get(self);
    NodeHearing peer = peers.get(node);
    if (peer == null || own == null || now - own.at > SILENT_MILLIS) {
      return true; // as in to(node)
    }
    for (Map.Entry<String, NodeHearing> one : peers.entrySet()) {
      NodeHearing other = one.getValue();
      if (other.isMember
          && !one.getKey().equals(node)
          && !(hears(peer, one.getKey(), now, silentMillis)
              && hears(other, node, now, silentMillis))) {
        return false;
      }
    }
    return now - peer.at <= silentMillis;
  }

  /** True where nothing is known. */
  private static boolean hears(NodeHearing listener, String speaker, long now, long silentMillis) {
    Heard last = listener.hears.get(speaker);
    return last == null || now - last.at() <= silentMillis + NEWS_MILLIS;
  }

  /** False where nothing is known. */
  private static boolean hasHeard(NodeHearing listener, String speaker, long now) {
    return listener.hears.containsKey(speaker) && hears(listener, speaker, now, SILENT_MILLIS);
  }

  /**
   * The node that sees most others, of those that this one hears and that hear this one. A node
   * that the cluster has dropped can pass requests to it. One that was lost counts once it has been
   * heard since: it may have been dropped, or have ended, and what is sent to a node that has ended
   * waits for its deadline. Null where none sees another node.
   */
  @Nullable String widest() {
    long now = clock.getAsLong();
    return peers.entrySet().stream()
        .filter(peer -> !peer.getKey().equals(self))
        .filter(peer -> now - peer.getValue().at <= SILENT_MILLIS && peer.getValue().sees > 1)
        .filter(peer -> peer.getValue().at > peer.getValue().leftAt)
        .filter(peer -> hasHeard(peer.getValue(), self, now))
        .max(Comparator.comparingInt(peer -> peer.getValue().sees))
        .map(Map.Entry::getKey)
        .orElse(null);
  }

  /** A node that this one does not hear although a third one does; null where there is none. */
  public @Nullable String cutFrom() {
    return peers.keySet().stream()
        .filter(node -> to(node) instanceof Way.Around)
        .findFirst()
        .orElse(null);
  }
}
