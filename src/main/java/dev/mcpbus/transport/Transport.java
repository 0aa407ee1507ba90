package dev.mcpbus.transport;

import dev.mcpbus.protocol.Redactor;
import io.vertx.core.Context;
import io.vertx.core.Future;

/**
 * A way to reach one MCP server. Holds options only; each {@link #open} makes an independent
 * channel with no state of an earlier one.
 */
public interface Transport {

  /** The configuration's {@code type}: {@code stdio}, {@code http}, {@code bus}, ... */
  String type();

  /** One line for logs and status pages: where it leads to. Never contains a secret. */
  String target();

  /** Takes this server's secrets out of texts that it sends about itself. */
  default Redactor redactor() {
    return Redactor.NONE;
  }

  /**
   * Opens a channel. Called on {@code owner}; the future completes there, and so does every
   * callback of {@code receiver}, none of them before the future has completed.
   *
   * @return fails with a {@link TransportException} ({@code START_FAILED}, {@code CONNECT_FAILED},
   *     {@code TLS_ERROR}, ...); nothing is left behind then
   */
  Future<Channel> open(Context owner, Channel.Receiver receiver);
}
