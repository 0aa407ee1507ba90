package dev.mcpbus.internals;

import dev.mcpbus.internals.ByteBudget.ByteAccount;
import io.vertx.core.buffer.Buffer;
import java.util.Arrays;

/**
 * The bytes of one body, line or event that arrives in pieces, up to a bound. Its account pays for
 * them before they are held. Confined to the context that reads.
 */
public final class HeldBytes {

  private static final byte[] NONE = {};

  /** What became of a piece; only {@code HELD} keeps it. */
  public enum Fit {
    HELD,
    /** The whole would be longer than its bound. */
    TOO_LONG,
    /** The account has no room. */
    UNPAID
  }

  private final int maxBytes;
  private final int free;
  private final ByteAccount account;
  private byte[] bytes = NONE;
  private int offset;
  private int length;
  private int announced;
  private int paid;

  /**
   * @param free so many bytes are not counted: what each open connection may cost
   */
  public HeldBytes(int maxBytes, int free, ByteAccount account) {
    this.maxBytes = maxBytes;
    this.free = free;
    this.account = account;
  }

  /** Pays at once for all bytes that the sender has announced; 0 or less for an unknown number. */
  public Fit announce(long total) {
    if (total > maxBytes) {
      return Fit.TOO_LONG;
    }
    announced = (int) Math.max(0, total);
    return pays(announced) ? Fit.HELD : Fit.UNPAID;
  }

  /** Adds a piece, which must not change any more: one that is the whole is not copied. */
  public Fit add(Buffer piece) {
    byte[] from = RawBuffers.array(piece);
    int at = RawBuffers.offset(piece);
    int more = piece.length();
    if (length > 0 || more > maxBytes || more < announced) {
      return add(from, at, at + more);
    }
    if (!pays(more)) {
      return Fit.UNPAID;
    }
    bytes = from;
    offset = at;
    length = more;
    return Fit.HELD;
  }

  /** Adds a copy of {@code from[at..to)}. */
  public Fit add(byte[] from, int at, int to) {
    int more = to - at;
    if (more > maxBytes - length) {
      return Fit.TOO_LONG;
    }
    int needed = length + more;
    if (offset > 0 || needed > bytes.length) {
      int size = (int) Math.min(maxBytes, Math.max(Math.max(announced, needed), 2L * length));
      if (!pays(size)) {
        size = needed;
        if (!pays(size)) {
          return Fit.UNPAID;
        }
      }
      bytes = Arrays.copyOfRange(bytes, offset, offset + size);
      offset = 0;
    }
    System.arraycopy(from, at, bytes, length, more);
    length = needed;
    return Fit.HELD;
  }

  private boolean pays(int size) {
    int due = size - free - paid;
    if (due <= 0) {
      return true;
    }
    if (!account.take(due)) {
      return false;
    }
    paid += due;
    return true;
  }

  public byte[] array() {
    return bytes;
  }

  /** Where the bytes begin in {@link #array}. */
  public int offset() {
    return offset;
  }

  public int length() {
    return length;
  }

  /** The bytes without a copy. */
  public Buffer buffer() {
    return RawBuffers.of(bytes, offset, length);
  }

  /** Why the account had no room for the next bytes. */
  public String refusal() {
    return account.refusal(Math.max(1, Math.max(announced, length) - paid));
  }

  /** Holds nothing any more. The array stays with its user, and is no longer paid for. */
  public void clear() {
    bytes = NONE;
    offset = 0;
    length = 0;
    announced = 0;
    account.give(paid);
    paid = 0;
  }
}
