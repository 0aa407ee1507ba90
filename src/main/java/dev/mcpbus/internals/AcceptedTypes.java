package dev.mcpbus.internals;

import io.vertx.core.MultiMap;
import io.vertx.core.http.HttpHeaders;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * The media types that the header {@code Accept} of a request takes, with their weights (RFC 9110,
 * 12.5.1). The most specific range decides about a type, and {@code q=0} refuses it. A header that
 * is absent or names no range takes everything. Reads in time that is linear in the header.
 * Immutable.
 */
public final class AcceptedTypes {

  /** Most ranges that are read; clients send a handful. */
  private static final int MAX_RANGES = 64;

  private static final AcceptedTypes ALL = new AcceptedTypes(List.of());

  /** What most clients of MCP send. */
  private static final String USUAL = "application/json, text/event-stream";

  private static final AcceptedTypes OF_USUAL = read(USUAL);

  /**
   * @param type in lower case without parameters
   * @param weight from 0 to 1
   */
  private record AcceptedRange(String type, double weight) {}

  private final List<AcceptedRange> ranges;

  private AcceptedTypes(List<AcceptedRange> ranges) {
    this.ranges = ranges;
  }

  /** Of all fields {@code Accept} among the headers of a request. */
  public static AcceptedTypes of(MultiMap headers) {
    List<String> fields = headers.getAll(HttpHeaders.ACCEPT);
    return of(fields.size() == 1 ? fields.get(0) : String.join(",", fields));
  }

  /**
   * @param header the value of the header; null if there is none
   */
  public static AcceptedTypes of(@Nullable String header) {
    return header == null ? ALL : header.equals(USUAL) ? OF_USUAL : read(header);
  }

  private static AcceptedTypes read(String header) {
    List<AcceptedRange> ranges = new ArrayList<>();
    for (String one : split(header, ',')) {
      List<String> parts = split(one, ';');
      String type = parts.get(0).strip().toLowerCase(Locale.ROOT);
      if (!type.isEmpty() && ranges.size() < MAX_RANGES) {
        ranges.add(new AcceptedRange(type.equals("*") ? "*/*" : type, weight(parts)));
      }
    }
    return ranges.isEmpty() ? ALL : new AcceptedTypes(ranges);
  }

  /** A weight that is no number counts as none: 1. */
  private static double weight(List<String> parts) {
    for (String part : parts.subList(1, parts.size())) {
      String parameter = part.strip();
      if (parameter.length() > 2 && parameter.regionMatches(true, 0, "q=", 0, 2)) {
        try {
          double weight = Double.parseDouble(parameter.substring(2));
          return weight >= 0 && weight <= 1 ? weight : 1;
        } catch (NumberFormatException e) {
          return 1;
        }
      }
    }
    return 1;
  }

  /** The parts between {@code separator}, but for one in a quoted text; at least one part. */
  private static List<String> split(String text, char separator) {
    List<String> parts = new ArrayList<>();
    boolean quoted = false;
    int from = 0;
    for (int i = 0; i < text.length(); i++) {
      char c = text.charAt(i);
      if (quoted && c == '\\') {
        i++;
      } else if (c == '"') {
        quoted = !quoted;
      } else if (c == separator && !quoted) {
        parts.add(text.substring(from, i));
        from = i + 1;
      }
    }
    parts.add(text.substring(from));
    return parts;
  }

  /**
   * The weight of a type, from 0 (refused) to 1.
   *
   * @param type such as {@code text/event-stream}, in lower case without parameters
   */
  public double weight(String type) {
    if (ranges.isEmpty()) {
      return 1;
    }
    double exact = weightOf(type);
    if (exact >= 0) {
      return exact;
    }
    double family = weightOf(type.substring(0, type.indexOf('/') + 1) + "*");
    return family >= 0 ? family : Math.max(0, weightOf("*/*"));
  }

  public boolean accepts(String type) {
    return weight(type) > 0;
  }

  /** Whether the header accepts the type by its own name, not by a range with {@code *}. */
  public boolean names(String type) {
    return weightOf(type) > 0;
  }

  /** Of a range as it is written; -1 if it is not there. */
  private double weightOf(String written) {
    double best = -1;
    for (AcceptedRange range : ranges) {
      if (range.type.equals(written)) {
        best = Math.max(best, range.weight);
      }
    }
    return best;
  }
}
