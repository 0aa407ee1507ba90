package dev.mcpbus.transport;

import dev.mcpbus.protocol.PublicApi;
import dev.mcpbus.protocol.Redactor;
import io.vertx.core.Context;
import io.vertx.core.Future;
import org.jspecify.annotations.Nullable;

/**
 * A way to reach one MCP server. Holds options only, so any thread may share it; each {@link #open}
 * creates an independent channel without any state of an earlier one.
 *
 * <p>When a session starts, the connection opens one channel for it; then the handshake begins. In
 * a call the session writes the JSON-RPC envelope and passes the bytes to {@link Channel#send}; the
 * answer comes back through {@link Channel.Receiver#onMessage}.
 */
@PublicApi
public interface Transport {

  /**
   * The value of {@code type} in the configuration: {@code stdio}, {@code http}, {@code bus}, ...
   */
  String type();

  /** The target in one line, for logs and status pages. Never contains a secret. */
  String target();

  /** Removes this server's secrets from texts that the server sends about itself. */
  default Redactor redactor() {
    return Redactor.NONE;
  }

  /**
   * The command of a child that may have to fetch or build its program first, such as {@code npx};
   * null for any other.
   */
  default @Nullable String installer() {
    return null;
  }

  /** Whether {@link Channel.Receiver#output} gets what the server writes beside its messages. */
  default boolean hasOutput() {
    return false;
  }

  /**
   * Opens a channel. Call it on {@code owner}. The future completes there; every callback of {@code
   * receiver} runs there too, and none before the future has completed.
   *
   * @return fails with a {@link TransportException} ({@code START_FAILED}, {@code CONNECT_FAILED},
   *     {@code TLS_ERROR}, ...); everything is released then
   */
  Future<Channel> open(Context owner, Channel.Receiver receiver);
}
