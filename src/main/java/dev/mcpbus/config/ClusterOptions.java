package dev.mcpbus.config;

import dev.mcpbus.bus.ClusterSecret;
import dev.mcpbus.bus.WireForm;
import dev.mcpbus.protocol.LoopbackHosts;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * How this node joins a cluster. Immutable.
 *
 * @param name of the cluster; a node joins only nodes with the same name
 * @param node the name of this node for people; null: its host and port
 * @param host the address at which other nodes reach this machine, for Hazelcast and the event bus;
 *     default loopback; any other address needs a {@code secret}
 * @param port of Hazelcast; if it is in use, the next free one of {@link #PORTS}; with {@code
 *     members} exactly this one
 * @param busPort of the event bus, 0 for any free port
 * @param members {@code host:port} of nodes to join by TCP; empty: on the loopback interface the
 *     ports from {@code port} on
 * @param kubernetes DNS name of a headless service whose addresses are the members; null for none
 * @param quorum how many nodes must see each other so that one of them may own a connection; 0
 *     turns this rule off
 * @param majorityOf where more than half of the nodes must, however many there are in the course of
 *     time: the smallest number that counts, and {@code quorum} is more than half of it; 0 where
 *     {@code quorum} is a fixed number
 * @param labels of this node; a server may require some of them
 * @param weight its share of the connections compared with other nodes
 * @param wire the newest {@link WireForm} that this node reads and writes; a lower number allows a
 *     later downgrade of mcpbus
 * @param rolloutGrace how long the files of nodes may differ before that is a warning; default 60 s
 * @param secret known to the nodes alone; null on the loopback interface: a generated one, in a
 *     file that only this user can read
 * @param tls of the event bus; null for none
 */
public record ClusterOptions(
    String name,
    @Nullable String node,
    String host,
    int port,
    int busPort,
    List<String> members,
    @Nullable String kubernetes,
    int quorum,
    int majorityOf,
    Set<String> labels,
    double weight,
    int wire,
    Duration rolloutGrace,
    @Nullable ClusterSecret secret,
    @Nullable Tls tls) {

  /** The number of ports on which nodes of one machine look for each other. */
  public static final int PORTS = 16;

  private static final String LOOPBACK = "127.0.0.1";

  public static final ClusterOptions DEFAULT =
      new ClusterOptions(
          "mcpbus",
          null,
          LOOPBACK,
          5701,
          0,
          List.of(),
          null,
          0,
          0,
          Set.of(),
          1,
          WireForm.NEWEST,
          Duration.ofSeconds(60),
          null,
          null);

  /**
   * TLS of the event bus, in both directions: each node presents its certificate and requires that
   * of the other node. The names in a certificate are not checked, so the authority should issue
   * certificates for the nodes of this cluster alone.
   *
   * @param certFile the node's certificate and its chain, PEM
   * @param keyFile its private key, PEM
   * @param caFile certificates of the accepted authorities, PEM
   */
  public record Tls(Path certFile, Path keyFile, Path caFile) {}

  public ClusterOptions {
    host = host.equals("localhost") ? LOOPBACK : host; // Hazelcast compares addresses
    members = List.copyOf(members);
    labels = Set.copyOf(labels);
    if (!(weight > 0 && weight <= 1_000)) {
      throw new IllegalArgumentException("a weight must be above 0 and at most 1000");
    }
    if (wire < WireForm.OLDEST || wire > WireForm.NEWEST) {
      throw new IllegalArgumentException(
          "the wire form must be " + WireForm.OLDEST + " to " + WireForm.NEWEST + ", not " + wire);
    }
  }

  /** Whether only processes of this machine can reach this node. */
  public boolean isLoopback() {
    return isLoopback(host);
  }

  /**
   * Whether {@code host}, as written, is an address of the loopback interface; does not use DNS.
   */
  public static boolean isLoopback(String host) {
    return LoopbackHosts.isListenAddress(host);
  }
}
