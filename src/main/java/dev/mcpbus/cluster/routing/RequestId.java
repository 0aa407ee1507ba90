package dev.mcpbus.cluster.routing;

import java.security.SecureRandom;
import java.util.HexFormat;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * The id of one request of one process, in the header {@link dev.mcpbus.bus.Headers#REQUEST}:
 * {@code "<sender> <number>"}. A request that is sent again gets another one. Immutable.
 *
 * @param sender random, so that a process which has received nothing from the sender cannot name
 *     its requests; 16 hexadecimal digits
 * @param number of the request, from 0; not negative
 */
record RequestId(String sender, long number) {

  private static final int SENDER_BYTES = 8;

  /** Gives the ids of this process. Any thread may call. */
  static final class Numbering {
    private final AtomicLong next = new AtomicLong();
    private final String sender;

    Numbering(SecureRandom random) {
      byte[] bytes = new byte[SENDER_BYTES];
      random.nextBytes(bytes);
      this.sender = HexFormat.of().formatHex(bytes);
    }

    RequestId create() {
      return new RequestId(sender, next.getAndIncrement());
    }

    boolean has(RequestId id) {
      return sender.equals(id.sender());
    }
  }

  /** Null for a text that is no id. */
  static @Nullable RequestId parse(String text) {
    int length = 2 * SENDER_BYTES;
    if (text.length() < length + 2 || text.length() > length + 20 || text.charAt(length) != ' ') {
      return null;
    }
    try {
      long number = Long.parseLong(text, length + 1, text.length(), 10);
      return number < 0 ? null : new RequestId(text.substring(0, length), number);
    } catch (NumberFormatException e) {
      return null;
    }
  }

  /** The text that {@link #parse} reads. */
  String text() {
    return sender + ' ' + number;
  }
}
