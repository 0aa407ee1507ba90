package dev.mcpbus.transport;

import dev.mcpbus.protocol.Envelope;
import io.vertx.core.Future;
import io.vertx.core.json.JsonObject;

/**
 * An open connection to one MCP server. Single owner: all calls and callbacks on the owner context.
 */
public interface Channel {

  /**
   * Hands one message over for sending. Never blocks. A message that cannot be taken is refused at
   * once; one that fails later is reported through {@link Receiver#onRequestFailed} where it was a
   * request.
   *
   * @throws TransportException {@code OVERLOADED} where the bounded write queue is full, {@code
   *     UPSTREAM_RESET} where the channel is closed; {@code sent} is no in both
   */
  void send(OutboundMessage message) throws TransportException;

  /**
   * The owner no longer waits for the answer to request {@code id}: anything held for that request
   * alone is freed. Tells the server nothing.
   */
  void forget(long id);

  /**
   * True where every request has a stream of its own, so that {@link #forget} alone tells the
   * server (MCP 2026-07-28, Cancellation), and where {@link OutboundMessage#headers} are sent.
   */
  default boolean hasRequestStreams() {
    return false;
  }

  /** The protocol version that both sides settled on, for transports that repeat it per message. */
  void negotiated(String protocolVersion);

  /**
   * Closes gracefully, then by force, in bounded time. Idempotent. {@link Receiver#onClosed} is not
   * called any more once this was called.
   *
   * @return completes when nothing of the channel is left, child processes included
   */
  Future<Void> close();

  /**
   * Facts for a status page: {@code pid}, {@code stderr} (last lines), {@code sessionId}, {@code
   * junk} (skipped lines). Never contains a secret that was configured.
   */
  JsonObject diagnostics();

  /** What the owner of a channel hears from it. */
  interface Receiver {

    /**
     * One message of the server, in the order sent; one that is ambiguous ({@link
     * Envelope#ambiguity}) is for the receiver to refuse. Its bytes belong to the receiver.
     */
    void onMessage(Envelope message);

    /** Request {@code id} has failed alone; the channel goes on. Nothing more comes for it. */
    void onRequestFailed(long id, TransportException reason);

    /**
     * The channel is over: the peer went away or broke the rules. Called at most once, and last.
     * The owner fails what is pending; {@link Channel#close} is still to be called.
     */
    void onClosed(TransportException reason);
  }
}
