package dev.mcpbus.transport;

import dev.mcpbus.transport.TransportException.Reached;
import dev.mcpbus.transport.TransportException.Reason;

/**
 * Bounds the messages that were sent and that the peer has not accepted yet. Confined to the owner
 * context of its channel.
 */
public final class SendWindow {

  /** The default maximum of messages in flight. */
  public static final int MESSAGES = 1_024;

  /** The default maximum of bytes in flight; one longer message may still be sent alone. */
  public static final long BYTES = 16L * 1024 * 1024;

  private final int maxMessages;
  private final long maxBytes;
  private int messages;
  private long bytes;

  public SendWindow(int maxMessages, long maxBytes) {
    if (maxMessages < 1 || maxBytes < 1) {
      throw new IllegalArgumentException("a send window needs room for one message");
    }
    this.maxMessages = maxMessages;
    this.maxBytes = maxBytes;
  }

  /**
   * Reserves room for one message.
   *
   * @throws TransportException {@code OVERLOADED}, not sent, if there is no room
   */
  public void take(int size) throws TransportException {
    if (messages >= maxMessages || (messages > 0 && bytes + size > maxBytes)) {
      throw new TransportException(
          Reason.OVERLOADED,
          Reached.NO,
          "the peer has not accepted " + messages + " messages (" + bytes + " bytes) yet");
    }
    messages++;
    bytes += size;
  }

  /** Frees the room of a message of {@code size} bytes that the peer has accepted. */
  public void give(int size) {
    messages--;
    bytes -= size;
  }

  /** How many messages are in flight. */
  public int messages() {
    return messages;
  }
}
