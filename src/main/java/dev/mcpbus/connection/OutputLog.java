package dev.mcpbus.connection;

import dev.mcpbus.bus.McpFailure;
import dev.mcpbus.protocol.Printable;
import dev.mcpbus.protocol.Redactor;
import dev.mcpbus.transport.OutputListener;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.function.LongSupplier;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * The last lines that the processes of one server wrote beside their messages: {@code
 * mcp.<id>.logs}. It outlives sessions, and holds nothing for a server that wrote nothing. Lines
 * are kept as they came; {@link #read} masks the secrets of the configuration and makes the text
 * printable. Locked, because the thread that reads stderr writes it too.
 */
final class OutputLog implements OutputListener {

  private static final int MAX_LINES = 500;
  private static final int MAX_BYTES = 64 << 10;
  private static final int DEFAULT_LIMIT = 100;
  private static final int MAX_KEPT = 500;

  /** A sequence that sets colors on a terminal. */
  private static final Pattern COLOR = Pattern.compile("\u001b\\[[0-9;]*m");

  @SuppressWarnings("ArrayRecordComponent") // never compared
  private record OutputLine(
      long number, long time, OutputStreamName from, byte[] text, boolean isCut) {}

  private final LongSupplier wallClock;
  private final Deque<OutputLine> lines = new ArrayDeque<>(1);
  private long last;
  private int bytes;

  /**
   * @param wallClock the time of day, milliseconds since 1970
   */
  OutputLog(LongSupplier wallClock) {
    this.wallClock = wallClock;
  }

  @Override
  public synchronized void line(OutputStreamName from, byte[] text, boolean isCut) {
    lines.add(new OutputLine(++last, wallClock.getAsLong(), from, text, isCut));
    bytes += text.length;
    while (lines.size() > MAX_LINES || bytes > MAX_BYTES) {
      bytes -= lines.remove().text().length;
    }
  }

  @Override
  public synchronized void skipped(long count) {
    last += count;
  }

  /** The number of the last line; 0 before the first. */
  synchronized long last() {
    return last;
  }

  /**
   * Replies to {@code mcp.<id>.logs}. Any thread; slow with many secrets.
   *
   * @param body {@code {after?, limit?}}: the lines after that number, or the last ones
   * @return {@code {lines: [{number, time, from, text}], next, lost}}; {@code next} is the {@code
   *     after} of the next request, {@code lost} the number of lines in between that are not kept
   * @throws McpFailure {@code BAD_REQUEST}
   */
  JsonObject read(JsonObject body, Redactor redactor) {
    Long after = whole(body, "after", 0, Long.MAX_VALUE);
    Long limit = whole(body, "limit", 1, MAX_LINES);
    int most = limit == null ? DEFAULT_LIMIT : limit.intValue();
    List<OutputLine> found = after == null ? tail(0, most) : following(after, most);
    long next = found.isEmpty() ? last() : found.get(found.size() - 1).number();
    long from = after == null || after > next ? next - found.size() : after;
    return new JsonObject()
        .put("lines", toJson(found, redactor))
        .put("next", next)
        .put("lost", after == null ? 0 : Math.max(0, next - from - found.size()));
  }

  private static @Nullable Long whole(JsonObject body, String name, long min, long max) {
    Object value = body.getValue(name);
    if (value == null) {
      return null;
    }
    if (value instanceof Integer || value instanceof Long) {
      long number = ((Number) value).longValue();
      if (number >= min && number <= max) {
        return number;
      }
    }
    throw McpFailure.badRequest(
        "\""
            + name
            + "\" must be a whole number from "
            + min
            + (max > MAX_LINES ? "" : " to " + max));
  }

  /**
   * The last {@code most} lines after number {@code after}, masked and printable, each with at most
   * {@value #MAX_KEPT} characters of text.
   */
  JsonArray tailAfter(long after, int most, Redactor redactor) {
    JsonArray all = toJson(tail(after, most), redactor);
    for (Object line : all) {
      JsonObject json = (JsonObject) line;
      String text = json.getString("text");
      json.put("text", text.substring(0, Math.min(MAX_KEPT, text.length())));
    }
    return all;
  }

  private synchronized List<OutputLine> tail(long after, int most) {
    List<OutputLine> found = lines.stream().filter(line -> line.number() > after).toList();
    return found.subList(Math.max(0, found.size() - most), found.size());
  }

  /** The first lines after a number; from the beginning if the log has begun anew since then. */
  private synchronized List<OutputLine> following(long after, int most) {
    long from = after > last ? 0 : after;
    List<OutputLine> found = new ArrayList<>();
    for (OutputLine line : lines) {
      if (line.number() > from && found.size() < most) {
        found.add(line);
      }
    }
    return found;
  }

  private static JsonArray toJson(List<OutputLine> found, Redactor redactor) {
    JsonArray all = new JsonArray();
    for (OutputLine line : found) {
      all.add(
          new JsonObject()
              .put("number", line.number())
              .put("time", Instant.ofEpochMilli(line.time()).toString())
              .put("from", line.from().toString())
              .put("text", text(line, redactor)));
    }
    return all;
  }

  private static String text(OutputLine line, Redactor redactor) {
    // Without colors first: where they stand within a secret, it would not be found.
    String plain = COLOR.matcher(new String(line.text(), StandardCharsets.UTF_8)).replaceAll("");
    String text = redactor.redact(plain);
    if (line.isCut()) {
      // A secret may begin before the cut and end after it.
      text = text.substring(0, Math.max(0, text.length() - redactor.longest())) + "...";
    }
    return Printable.line(text.replace("\t", "    "));
  }
}
