package dev.mcpbus.bridge.options;

import java.time.Duration;

/**
 * The limits of the bridge. Immutable.
 *
 * @param maxHeaderBytes of one request, default 16 KiB: then 431
 * @param maxConnections open at a time, default 4096: then the connection that was idle longest is
 *     closed; 503 if all are in use
 * @param maxConnectionsPerAddress the same for one client address (of IPv6 a /64 network), default
 *     three quarters of {@code maxConnections}: a reverse proxy is one address
 * @param maxStreams event streams and event-bus sockets open at a time, default 256: then 503
 * @param heartbeat how often a stream without events sends a comment, default 15 s; a reader that
 *     reads nothing for three heartbeats is dropped
 * @param maxBytesInFlight most bytes of callers and servers that are held at a time, of which each
 *     kind has half and each owner as much as it leaves to others; default 0, half of the heap
 */
public record BridgeLimitOptions(
    int maxHeaderBytes,
    int maxConnections,
    int maxConnectionsPerAddress,
    int maxStreams,
    Duration heartbeat,
    long maxBytesInFlight) {

  public static final BridgeLimitOptions DEFAULT =
      new BridgeLimitOptions(16 * 1024, 4_096, share(4_096), 256, Duration.ofSeconds(15), 0);

  public BridgeLimitOptions {
    if (maxHeaderBytes < 1_024
        || maxConnections < 1
        || maxConnectionsPerAddress < 1
        || maxStreams < 1
        || heartbeat.toMillis() < 1
        || maxBytesInFlight < 0) {
      throw new IllegalArgumentException(
          "bridge limits must be positive, and maxHeaderBytes at least 1024");
    }
  }

  /** The default of {@code maxConnectionsPerAddress}: three quarters. */
  public static int share(int maxConnections) {
    return Math.max(1, maxConnections - maxConnections / 4);
  }
}
