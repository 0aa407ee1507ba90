package dev.mcpbus.transparency;

import java.util.ArrayList;
import java.util.List;
import java.util.function.BiPredicate;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * A JSON text in parts, each with its own bytes: {@link #text()} of what was parsed is what came,
 * white space included. The order of members, escapes and the form of numbers stay.
 *
 * @param kind <code>{</code>, {@code [}, or the first character of a scalar
 * @param raw the text of this value, without white space around it
 * @param names of the members of an object, unescaped only by equality: as they stand
 * @param values of the members, or the items of an array
 */
record RawTree(char kind, String raw, List<String> names, List<RawTree> values) {

  static RawTree parse(String text) {
    return new Parser(text).value();
  }

  boolean isObject() {
    return kind == '{';
  }

  boolean isArray() {
    return kind == '[';
  }

  /** The value of a member, or null. */
  @Nullable RawTree get(String name) {
    int at = names.indexOf(name);
    return at < 0 ? null : values.get(at);
  }

  /** The text of a member that is a string without escapes, or null. */
  @Nullable String string(String name) {
    RawTree value = get(name);
    return value == null || value.kind != '"'
        ? null
        : value.raw.substring(1, value.raw.length() - 1);
  }

  String text() {
    return raw;
  }

  /**
   * This value without some of its members, at any depth. An object that has lost its last member
   * goes, too; the text is written anew only around what went.
   *
   * @param gone of a path such as {@code _meta/dev.mcpbus/via} from here, and the member's value
   */
  RawTree without(BiPredicate<List<String>, RawTree> gone) {
    RawTree left = without(List.of(), gone);
    return left == null ? parse("{}") : left;
  }

  private @Nullable RawTree without(List<String> path, BiPredicate<List<String>, RawTree> gone) {
    if (!isObject() && !isArray()) {
      return this;
    }
    List<String> keptNames = new ArrayList<>();
    List<RawTree> kept = new ArrayList<>();
    for (int i = 0; i < values.size(); i++) {
      List<String> below = new ArrayList<>(path);
      below.add(isObject() ? names.get(i) : "[]");
      RawTree value = values.get(i);
      RawTree left = gone.test(below, value) ? null : value.without(below, gone);
      if (left != null) {
        kept.add(left);
        if (isObject()) {
          keptNames.add(names.get(i));
        }
      }
    }
    if (kept.equals(values)) {
      return this;
    }
    if (kept.isEmpty()) {
      return null;
    }
    return isObject() ? object(keptNames, kept) : array(kept);
  }

  /** The items of this array, then those of another. */
  RawTree joined(RawTree more) {
    List<RawTree> all = new ArrayList<>(values);
    all.addAll(more.values);
    return array(all);
  }

  static RawTree object(List<String> names, List<RawTree> values) {
    StringBuilder text = new StringBuilder("{");
    for (int i = 0; i < names.size(); i++) {
      text.append(i == 0 ? "\"" : ",\"").append(names.get(i)).append("\":");
      text.append(values.get(i).raw);
    }
    return new RawTree('{', text.append('}').toString(), List.copyOf(names), List.copyOf(values));
  }

  private static RawTree array(List<RawTree> values) {
    String text = values.stream().map(RawTree::raw).collect(Collectors.joining(",", "[", "]"));
    return new RawTree('[', text, List.of(), List.copyOf(values));
  }

  /** Reads a text that is known to be JSON. */
  private static final class Parser {

    private final String text;
    private int at;

    Parser(String text) {
      this.text = text;
    }

    RawTree value() {
      space();
      int from = at;
      char kind = text.charAt(at);
      List<String> names = new ArrayList<>();
      List<RawTree> values = new ArrayList<>();
      switch (kind) {
        case '{' -> members(names, values);
        case '[' -> items(values);
        case '"' -> string();
        default -> scalar();
      }
      return new RawTree(kind, text.substring(from, at), names, values);
    }

    private void members(List<String> names, List<RawTree> values) {
      at++;
      space();
      while (text.charAt(at) != '}') {
        int from = at;
        string();
        names.add(text.substring(from + 1, at - 1));
        space();
        at++; // the colon
        values.add(value());
        next();
      }
      at++;
    }

    private void items(List<RawTree> values) {
      at++;
      space();
      while (text.charAt(at) != ']') {
        values.add(value());
        next();
      }
      at++;
    }

    private void next() {
      space();
      if (text.charAt(at) == ',') {
        at++;
        space();
      }
    }

    private void string() {
      at++;
      while (text.charAt(at) != '"') {
        at += text.charAt(at) == '\\' ? 2 : 1;
      }
      at++;
    }

    private void scalar() {
      while (at < text.length() && ",]} \n\r\t".indexOf(text.charAt(at)) < 0) {
        at++;
      }
    }

    private void space() {
      while (at < text.length() && Character.isWhitespace(text.charAt(at))) {
        at++;
      }
    }
  }
}
