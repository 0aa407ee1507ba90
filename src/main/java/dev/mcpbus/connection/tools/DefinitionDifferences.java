package dev.mcpbus.connection.tools;

import dev.mcpbus.protocol.Printable;
import io.vertx.core.json.DecodeException;
import io.vertx.core.json.Json;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * The differences of two definitions of a tool, for people: {@code [{path, before, after}]} with
 * JSON pointers and shortened values; null stands for an absent member. Number, length and depth
 * are bounded, because the server chooses the text. Pure.
 */
final class DefinitionDifferences {

  private static final int MAX_PATHS = 20;
  private static final int MAX_TEXT = 200;
  private static final int MAX_BYTES = 32 * 1024;

  /** Below this depth a difference shows the whole value. */
  private static final int MAX_DEPTH = 32;

  private final List<JsonObject> found = new ArrayList<>();
  private int more;

  private DefinitionDifferences() {}

  /**
   * Compares two definitions in canonical form.
   *
   * @return at most {@value #MAX_PATHS} differences, then {@code {"more": count}}
   */
  static JsonArray of(String before, String after) {
    DefinitionDifferences differences = new DefinitionDifferences();
    if (before.length() > MAX_BYTES || after.length() > MAX_BYTES) {
      differences.add("", before, after);
    } else {
      try {
        differences.walk("", Json.decodeValue(before), Json.decodeValue(after), 0);
      } catch (DecodeException tooDeep) {
        differences.found.clear();
      }
      if (differences.found.isEmpty()) {
        // Numbers may also differ in digits that a double does not hold.
        differences.add("", before, after);
      }
    }
    JsonArray all = new JsonArray(new ArrayList<>(differences.found));
    return differences.more == 0 ? all : all.add(new JsonObject().put("more", differences.more));
  }

  private void walk(String path, @Nullable Object before, @Nullable Object after, int depth) {
    if (Objects.equals(before, after)) {
      return;
    }
    if (depth < MAX_DEPTH && before instanceof JsonObject b && after instanceof JsonObject a) {
      Set<String> names = new TreeSet<>(b.fieldNames());
      names.addAll(a.fieldNames());
      for (String name : names) {
        String inner = path + "/" + name.replace("~", "~0").replace("/", "~1");
        walk(inner, b.getValue(name), a.getValue(name), depth + 1);
      }
    } else if (depth < MAX_DEPTH
        && before instanceof JsonArray b
        && after instanceof JsonArray a
        && a.size() == b.size()) {
      for (int i = 0; i < a.size(); i++) {
        walk(path + "/" + i, b.getValue(i), a.getValue(i), depth + 1);
      }
    } else {
      add(path, before, after);
    }
  }

  private void add(String path, @Nullable Object before, @Nullable Object after) {
    if (found.size() == MAX_PATHS) {
      more++;
      return;
    }
    found.add(
        new JsonObject()
            .put("path", shown(path, MAX_TEXT))
            .put("before", text(before))
            .put("after", text(after)));
  }

  private static @Nullable String text(@Nullable Object value) {
    if (value == null) {
      return null;
    }
    if (value instanceof JsonObject object) {
      return shown(object.encode(), MAX_TEXT);
    }
    return shown(value instanceof JsonArray array ? array.encode() : value.toString(), MAX_TEXT);
  }

  /**
   * One line of about {@code max} characters at most. Controls, marks of lines and directions, and
   * invisible characters become escapes, so that a text of a server cannot look like another.
   */
  static String shown(String text, int max) {
    StringBuilder out = new StringBuilder();
    for (int i = 0; i < text.length(); ) {
      if (out.length() >= max) {
        return out.append("... (").append(text.length()).append(" characters)").toString();
      }
      int point = text.codePointAt(i);
      int next = i + Character.charCount(point);
      if (Printable.isHidden(point)) {
        for (; i < next; i++) {
          out.append(String.format("\\u%04x", (int) text.charAt(i)));
        }
      } else {
        out.appendCodePoint(point);
      }
      i = next;
    }
    return out.toString();
  }

  /**
   * Whether a text has characters that are invisible or change its direction: tags and format
   * characters, except the two joiners that scripts and emoji need.
   */
  static boolean hides(String text) {
    return text.codePoints()
        .anyMatch(
            c ->
                (Character.getType(c) == Character.FORMAT && c != 0x200C && c != 0x200D)
                    || (c >= 0xE0000 && c <= 0xE0FFF));
  }

  /** At most five names, for a sentence. */
  static String names(Set<String> names) {
    List<String> some = names.stream().limit(5).map(name -> "'" + shown(name, 80) + "'").toList();
    String text = String.join(", ", some);
    return names.size() <= some.size() ? text : text + " and " + (names.size() - 5) + " more";
  }

  /** The top members that differ, for a sentence: {@code description, inputSchema}. */
  static String fields(JsonArray differences) {
    Set<String> fields = new TreeSet<>();
    for (Object one : differences) {
      if (one instanceof JsonObject difference && difference.getValue("path") instanceof String p) {
        String[] steps = p.split("/", 3);
        fields.add(steps.length < 2 ? "definition" : shown(steps[1], 40));
      }
    }
    return String.join(", ", fields);
  }
}
