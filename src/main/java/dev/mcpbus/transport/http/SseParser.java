package dev.mcpbus.transport.http;

import dev.mcpbus.internals.ByteBudget;
import dev.mcpbus.internals.HeldBytes;
import dev.mcpbus.internals.RawBuffers;
import dev.mcpbus.protocol.ProtocolException;
import dev.mcpbus.protocol.ProtocolException.TextFault;
import io.vertx.core.buffer.Buffer;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;

/**
 * Parses server-sent events as the HTML standard specifies, from bytes in any split. Keeps at most
 * one event and one line, each within a bound. An event without its final blank line is never
 * reported. Confined to the owner context of its stream.
 */
final class SseParser {

  /** Room for the field's name in front of the bounded value. */
  private static final int FIELD_SLACK = 64;

  private static final byte[] LINE_FEED = {'\n'};

  /** Receives the parsed events. */
  interface EventSink {

    /**
     * One event.
     *
     * @param type {@code message} if the server sent no type
     * @param data the joined data lines; the array belongs to the callee
     * @param length the number of valid bytes in {@code data}; 0 if the event has no data
     * @param id the id in this event, or null
     * @return false to stop reading
     * @throws ProtocolException if the data is not valid; ends the feed
     */
    boolean event(String type, byte[] data, int length, @Nullable String id)
        throws ProtocolException;

    /** The server has set the reconnection time. */
    void retry(long millis);
  }

  private final int maxBytes;
  private final EventSink sink;
  private boolean firstLine = true;
  private boolean skipLineFeed;
  private final HeldBytes partial;
  private final HeldBytes data;
  private boolean hasData;
  private String type = "";
  private @Nullable String id;

  /**
   * Creates a parser.
   *
   * @param maxBytes bound of the data of an event, and of a line
   * @param account pays for what is unfinished
   */
  SseParser(int maxBytes, ByteBudget.ByteAccount account, EventSink sink) {
    this.maxBytes = maxBytes;
    this.sink = sink;
    this.partial = new HeldBytes(maxBytes + FIELD_SLACK, ByteBudget.SMALL, account);
    this.data = new HeldBytes(maxBytes, ByteBudget.SMALL, account);
  }

  /** Holds nothing of an unfinished event any more. */
  void close() {
    partial.clear();
    data.clear();
  }

  /** Parses a buffer of Vert.x, without a copy if it is backed by an array. */
  boolean feed(Buffer buffer) throws ProtocolException {
    int from = RawBuffers.offset(buffer);
    return feed(RawBuffers.array(buffer), from, from + buffer.length());
  }

  /**
   * Parses the next bytes; keeps no reference to them.
   *
   * @return false once the sink has returned false
   * @throws ProtocolException if a line or an event exceeds the bound
   */
  boolean feed(byte[] bytes, int from, int to) throws ProtocolException {
    int at = from;
    while (at < to) {
      if (skipLineFeed) {
        skipLineFeed = false;
        if (bytes[at] == '\n') {
          at++;
          continue;
        }
      }
      int end = at;
      while (end < to && bytes[end] != '\n' && bytes[end] != '\r') {
        end++;
      }
      if (end == to) {
        keep(bytes, at, end);
        return true;
      }
      boolean more;
      if (partial.length() == 0) {
        if (end - at > maxBytes + FIELD_SLACK) {
          throw tooLarge("line"); // as for a line that comes in pieces
        }
        more = line(bytes, at, end);
      } else {
        keep(bytes, at, end);
        byte[] whole = partial.array();
        int length = partial.length();
        partial.clear();
        more = line(whole, 0, length);
      }
      skipLineFeed = bytes[end] == '\r';
      at = end + 1;
      if (!more) {
        return false;
      }
    }
    return true;
  }

  private void keep(byte[] bytes, int from, int to) throws ProtocolException {
    hold(partial, "line", bytes, from, to);
  }

  private boolean line(byte[] bytes, int start, int end) throws ProtocolException {
    int from = start;
    if (firstLine) {
      firstLine = false;
      if (end - from >= 3
          && bytes[from] == (byte) 0xEF
          && bytes[from + 1] == (byte) 0xBB
          && bytes[from + 2] == (byte) 0xBF) {
        from += 3;
      }
    }
    if (from == end) {
      return dispatch();
    }
    int colon = from;
    while (colon < end && bytes[colon] != ':') {
      colon++;
    }
    int value = Math.min(colon + 1, end);
    if (value < end && bytes[value] == ' ') {
      value++;
    }
    field(bytes, from, colon - from, value, end);
    return true;
  }

  private void field(byte[] bytes, int name, int nameLength, int value, int end)
      throws ProtocolException {
    if (is(bytes, name, nameLength, "data")) {
      data(bytes, value, end - value);
    } else if (is(bytes, name, nameLength, "id")) {
      String text = text(bytes, value, end);
      if (text.indexOf('\0') < 0) {
        id = text;
      }
    } else if (is(bytes, name, nameLength, "event")) {
      type = text(bytes, value, end);
    } else if (is(bytes, name, nameLength, "retry") && end > value && end - value <= 18) {
      String text = text(bytes, value, end);
      if (text.chars().allMatch(c -> c >= '0' && c <= '9')) {
        sink.retry(Long.parseLong(text));
      }
    }
  }

  private void data(byte[] bytes, int from, int length) throws ProtocolException {
    if (hasData) {
      hold(data, "event", LINE_FEED, 0, 1);
    }
    hold(data, "event", bytes, from, from + length);
    hasData = true;
  }

  private boolean dispatch() throws ProtocolException {
    if (!hasData && id == null) {
      type = "";
      return true;
    }
    byte[] eventData = data.array();
    int eventLength = data.length();
    String eventType = type.isEmpty() ? "message" : type;
    String eventId = id;
    data.clear();
    hasData = false;
    type = "";
    id = null;
    return sink.event(eventType, eventData, eventLength, eventId);
  }

  private ProtocolException tooLarge(String what) {
    return new ProtocolException(
        TextFault.TOO_LARGE, maxBytes, "a " + what + " of the event stream is over the limit");
  }

  private void hold(HeldBytes what, String name, byte[] bytes, int from, int to)
      throws ProtocolException {
    switch (what.add(bytes, from, to)) {
      case HELD -> {}
      case TOO_LONG -> throw tooLarge(name);
      case UNPAID ->
          throw new ProtocolException(
              TextFault.NO_ROOM, what.length(), "event stream: " + what.refusal());
    }
  }

  private static boolean is(byte[] bytes, int from, int length, String name) {
    if (length != name.length()) {
      return false;
    }
    for (int i = 0; i < length; i++) {
      if (bytes[from + i] != name.charAt(i)) {
        return false;
      }
    }
    return true;
  }

  private static String text(byte[] bytes, int from, int end) {
    return new String(bytes, from, end - from, StandardCharsets.UTF_8);
  }
}
