package dev.mcpbus.cli;

import io.vertx.core.json.DecodeException;
import io.vertx.core.json.JsonObject;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Arguments of a call as a person writes them: words {@code key=value}, or a file. Stateless. */
final class ArgumentWords {

  private static final Pattern POSITION = Pattern.compile("line: (\\d+), column: (\\d+)");
  private static final int MAX_BYTES = 16 * 1024 * 1024;

  private ArgumentWords() {}

  /** The words by key, each with all its values, in their order. */
  static Map<String, List<String>> split(List<String> words) {
    Map<String, List<String>> split = new LinkedHashMap<>();
    for (String word : words) {
      int equals = word.indexOf('=');
      if (equals < 1) {
        throw CommandFailure.usage("\"" + word + "\" must be key=value, for example path=/tmp");
      }
      split
          .computeIfAbsent(word.substring(0, equals), key -> new ArrayList<>())
          .add(word.substring(equals + 1));
    }
    return split;
  }

  /**
   * The words as an object, typed by the schema of each argument.
   *
   * @param what they are arguments of, for errors
   * @param others whether arguments without a schema are allowed
   */
  static JsonObject typed(
      String what, List<String> words, List<ToolArgument> arguments, boolean others) {
    JsonObject typed = new JsonObject();
    split(words)
        .forEach(
            (key, values) -> {
              ToolArgument argument = find(what, key, arguments, others);
              boolean several = values.size() > 1;
              boolean array = argument.types().contains("array");
              if (several && !array) {
                throw CommandFailure.usage("argument " + key + " stands twice, and is no array");
              }
              boolean element = array && !values.get(0).strip().startsWith("[");
              typed.put(
                  key,
                  several || element ? argument.values(values) : argument.value(values.get(0)));
            });
    return typed;
  }

  private static ToolArgument find(
      String what, String key, List<ToolArgument> arguments, boolean others) {
    for (ToolArgument argument : arguments) {
      if (argument.name().equals(key)) {
        return argument;
      }
    }
    if (others) {
      return new ToolArgument(key, new JsonObject(), false);
    }
    List<String> names = arguments.stream().map(ToolArgument::name).toList();
    throw CommandFailure.usage(
        what
            + " has no argument \""
            + key
            + "\"; it has "
            + String.join(", ", names)
            + ". Send others with --args FILE");
  }

  /** The object in a file; {@code -} is stdin. */
  static JsonObject read(CommandContext context, Path file) {
    return object(text(context, file), file.toString());
  }

  private static String text(CommandContext context, Path file) {
    try (InputStream in = file.toString().equals("-") ? context.in() : Files.newInputStream(file)) {
      byte[] bytes = in.readNBytes(MAX_BYTES + 1);
      if (bytes.length > MAX_BYTES) {
        throw CommandFailure.usage(file + " is longer than " + MAX_BYTES + " bytes");
      }
      return new String(bytes, StandardCharsets.UTF_8);
    } catch (IOException e) {
      throw CommandFailure.usage(file + " cannot be read; name a file, or - for stdin");
    }
  }

  /** A JSON object. */
  static JsonObject object(String text, String place) {
    try {
      return new JsonObject(text);
    } catch (DecodeException | ClassCastException e) {
      Matcher where = POSITION.matcher(String.valueOf(e.getMessage()));
      throw CommandFailure.usage(
          place
              + " must hold one JSON object"
              + (where.find()
                  ? "; it is no JSON at line " + where.group(1) + ", column " + where.group(2)
                  : ""));
    }
  }
}
