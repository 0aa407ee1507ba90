package dev.mcpbus.transport;

import dev.mcpbus.transport.TransportException.Reason;
import dev.mcpbus.transport.TransportException.Sent;

/**
 * The bound on what was sent and not taken by the peer yet. Touched on the owner context of its
 * channel only.
 */
public final class SendWindow {

  /** Messages under way at most, where nothing else is asked for. */
  public static final int MESSAGES = 1_024;

  /** Bytes under way at most; one longer message may still go alone. */
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
   * Takes room for one message.
   *
   * @throws TransportException {@code OVERLOADED}, not sent, where there is none
   */
  public void take(int size) throws TransportException {
    if (messages >= maxMessages || (messages > 0 && bytes + size > maxBytes)) {
      throw new TransportException(
          Reason.OVERLOADED,
          Sent.NO,
          "the peer has not taken " + messages + " messages (" + bytes + " bytes) yet");
    }
    messages++;
    bytes += size;
  }

  /** The peer has taken a message of {@code size} bytes. */
  public void give(int size) {
    messages--;
    bytes -= size;
  }

  /** Messages under way. */
  public int messages() {
    return messages;
  }
}
