package dev.mcpbus.transport;

import dev.mcpbus.protocol.Envelope;
import dev.mcpbus.protocol.PublicApi;
import dev.mcpbus.protocol.Quirks;
import io.vertx.core.Future;
import io.vertx.core.json.JsonObject;

/**
 * An open connection to one MCP server. A channel has a single owner: all calls and all callbacks
 * run on the owner's context.
 */
@PublicApi
public interface Channel {

  /**
   * Hands one message over for sending; never blocks. If the channel cannot accept the message,
   * this method throws. If sending a request fails later, the channel calls {@link
   * Receiver#onRequestFailed}.
   *
   * @throws TransportException {@code OVERLOADED} if the bounded write queue is full, {@code
   *     UPSTREAM_RESET} if the channel is closed; {@code sent} is {@code NO} in both cases
   */
  void send(OutboundMessage message) throws TransportException;

  /**
   * The owner no longer waits for the answer to request {@code id}: the channel frees what it keeps
   * for that request alone, if anything. Sends nothing to the server.
   */
  default void forget(long id) {}

  /**
   * True if every request has a stream of its own. Then {@link #forget} alone cancels the request
   * at the server (MCP 2026-07-28, Cancellation), and {@link OutboundMessage#headers} are sent.
   */
  default boolean hasRequestStreams() {
    return false;
  }

  /**
   * Stops reading answers and streams, so that the peer has to wait, or goes on with it. A message
   * that was read before may still be delivered. Channels over HTTP alone do it.
   */
  default void hold(boolean paused) {}

  /** Whether the child still installs the program that it is to run, as far as it can be seen. */
  default boolean isInstalling() {
    return false;
  }

  /**
   * Sets the protocol version that both sides have agreed on, for transports that repeat it with
   * each message.
   */
  default void negotiated(String protocolVersion) {}

  /**
   * Closes gracefully, then by force, in bounded time. Idempotent. After this call the channel no
   * longer calls {@link Receiver#onClosed}.
   *
   * @return completes when the channel has released everything, child processes included
   */
  Future<Void> close();

  /**
   * Facts for a status page: {@code pid}, {@code stderr} (last lines), {@code sessionId}, {@code
   * junk} (skipped lines). Never contains a configured secret.
   */
  JsonObject diagnostics();

  /** Receives the messages and the failures of a channel, on the owner's context. */
  interface Receiver {

    /** The channel cannot tell on which stream a message came: it has one for all. */
    long ANY_STREAM = 0;

    /** The message came on the stream that belongs to no request. */
    long STANDING_STREAM = -1;

    /**
     * One message of the server, in the order sent. The receiver refuses an ambiguous message
     * ({@link Envelope#ambiguity}). The bytes of the message belong to the receiver.
     */
    void onMessage(Envelope message);

    /**
     * The same, for a channel whose requests have streams of their own.
     *
     * @param request our id of the request on whose stream the message came, {@link #ANY_STREAM} or
     *     {@link #STANDING_STREAM}
     */
    default void onMessage(Envelope message, long request) {
      onMessage(message);
    }

    /** Request {@code id} has failed; the channel stays open. No answer to this request follows. */
    void onRequestFailed(long id, TransportException reason);

    /**
     * Whether the owner still waits for the answer to request {@code id}. A channel asks before it
     * writes a request that it had to keep for a while, and drops one that nobody waits for.
     */
    default boolean isAwaited(long id) {
      return true;
    }

    /**
     * The peer has accepted a notification or an answer, or it is lost. Channels over HTTP alone
     * report it.
     */
    default void onDelivered(OutboundMessage message) {}

    /**
     * The channel has ended: the peer closed it or violated the protocol. Called at most once, as
     * the last callback. The owner fails what is pending and still has to call {@link
     * Channel#close}.
     */
    void onClosed(TransportException reason);

    /** Gets what the server writes beside its messages, on any thread and at any time. */
    default OutputListener output() {
      return OutputListener.NONE;
    }

    /** Decides what the channel tolerates of its server; on the owner's context. */
    default Quirks quirks() {
      return Quirks.untold();
    }
  }
}
