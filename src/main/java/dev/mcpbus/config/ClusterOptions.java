package dev.mcpbus.config;

import dev.mcpbus.bus.ClusterSecret;
import dev.mcpbus.bus.WireForm;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * How this process joins a cluster.
 *
 * @param name of the cluster; processes of another name are never joined
 * @param node what people call this node; null: its host and port
 * @param host address of this machine that the other nodes reach, for Hazelcast and the event bus;
 *     anything but the loopback interface, which is the default, needs a {@code secret}
 * @param port of Hazelcast; the next free one of {@link #PORTS} where it is taken, and exactly this
 *     one where {@code members} is set
 * @param busPort of the event bus, 0 for any free one
 * @param members {@code host:port} of nodes to join by TCP; empty for another way, which on the
 *     loopback interface is the ports from {@code port} on
 * @param kubernetes DNS name of a headless service whose addresses are the members; null for none
 * @param quorum how many nodes must see each other so that a connection may be owned; 0 for no such
 *     rule
 * @param labels what this node has; a server may want some
 * @param weight its share of the connections beside other nodes
 * @param wire the newest form of {@link WireForm} that it reads and writes; an older one keeps the
 *     way back to an older mcpbus open
 * @param secret what only the nodes know; null on the loopback interface: one that is made for this
 *     user, and lies in a file that nobody else can read
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
    Set<String> labels,
    double weight,
    int wire,
    @Nullable ClusterSecret secret,
    @Nullable Tls tls) {

  /** Where nodes of one machine look for each other. */
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
          Set.of(),
          1,
          WireForm.NEWEST,
          null,
          null);

  /**
   * Of the event bus, in both directions: a node shows its certificate and asks for that of the
   * other. Which names a certificate has is not looked at, so the authority should be one of the
   * nodes alone.
   *
   * @param certFile the node's certificate and its chain, PEM
   * @param keyFile its private key, PEM
   * @param caFile the certificates of the authorities whose nodes are let in, PEM
   */
  public record Tls(Path certFile, Path keyFile, Path caFile) {}

  public ClusterOptions {
    host = host.equals("localhost") ? LOOPBACK : host; // Hazelcast goes by addresses
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

  /** With another secret. */
  public ClusterOptions withSecret(ClusterSecret other) {
    return new ClusterOptions(
        name,
        node,
        host,
        port,
        busPort,
        members,
        kubernetes,
        quorum,
        labels,
        weight,
        wire,
        other,
        tls);
  }

  /** With another TLS; null for none. */
  public ClusterOptions withTls(@Nullable Tls other) {
    return new ClusterOptions(
        name,
        node,
        host,
        port,
        busPort,
        members,
        kubernetes,
        quorum,
        labels,
        weight,
        wire,
        secret,
        other);
  }

  /** Whether only processes of this machine reach it. */
  public boolean isLoopback() {
    return isLoopback(host);
  }

  /** Whether it is, as it is written, an address of the loopback interface; asks no name server. */
  public static boolean isLoopback(String host) {
    return host.equals("localhost")
        || host.equals("::1")
        || host.equals("[::1]")
        || host.matches("127(\\.[0-9]{1,3}){3}");
  }
}
