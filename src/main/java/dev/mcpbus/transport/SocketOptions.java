package dev.mcpbus.transport;

import dev.mcpbus.protocol.ParseLimits;
import dev.mcpbus.protocol.Sensitive;
import java.net.URI;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * A server behind a socket, with one JSON-RPC message per line.
 *
 * @param url {@code tcp://host:port}, {@code tls://host:port} or {@code unix:///path.sock}
 * @param connectTimeout for the connection, TLS included, default 5 s
 * @param maxQueued how many messages may wait to be written, default 1,024
 * @param maxQueuedBytes how many bytes may wait to be written, default 16 MiB
 * @param junkLines how many lines that are no messages may come at once before the channel is
 *     closed with {@code PROTOCOL_ERROR}; the room fills up with time and with messages. Default
 *     1,000
 * @param limits bounds of one message
 * @param tls files for {@code tls:}; null for Java's trust store and no client certificate
 */
public record SocketOptions(
    Sensitive url,
    Duration connectTimeout,
    int maxQueued,
    long maxQueuedBytes,
    int junkLines,
    ParseLimits limits,
    @Nullable TlsOptions tls)
    implements TransportOptions {

  public static final String TYPE = "socket";

  /** Options with the default of every bound. */
  public static SocketOptions of(URI url) {
    return new SocketOptions(url, Duration.ofSeconds(5), ParseLimits.DEFAULT, null);
  }

  /** Options with the default of the bounds that no document says. */
  public SocketOptions(
      URI url, Duration connectTimeout, ParseLimits limits, @Nullable TlsOptions tls) {
    this(
        Sensitive.of(url.toString()),
        connectTimeout,
        SendWindow.MESSAGES,
        SendWindow.BYTES,
        10_000,
        limits,
        tls);
  }

  @Override
  public String type() {
    return TYPE;
  }
}
