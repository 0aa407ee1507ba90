package dev.mcpbus.config.read;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonLocation;
import com.fasterxml.jackson.core.JsonParseException;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.JsonToken;
import com.fasterxml.jackson.core.StreamReadConstraints;
import com.fasterxml.jackson.core.exc.StreamConstraintsException;
import com.fasterxml.jackson.core.json.JsonReadFeature;
import dev.mcpbus.config.MessageTexts;
import dev.mcpbus.config.read.ConfigNode.ConfigMember;
import dev.mcpbus.config.read.ConfigNode.ValueType;
import dev.mcpbus.config.read.ParsedText.Mistake;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Parses JSON with comments and trailing commas, as editors write it, and keeps the line of every
 * value.
 */
public final class JsoncParser {

  static final StreamReadConstraints BOUNDS =
      StreamReadConstraints.builder()
          .maxNestingDepth(ParsedText.MAX_DEPTH)
          .maxNumberLength(100)
          .maxNameLength(64 * 1024)
          .maxStringLength(1024 * 1024)
          .build();

  private static final JsonFactory FACTORY =
      JsonFactory.builder()
          .enable(JsonReadFeature.ALLOW_JAVA_COMMENTS)
          .enable(JsonReadFeature.ALLOW_TRAILING_COMMA)
          .streamReadConstraints(BOUNDS)
          .build();

  private final JsonParser parser;
  private final List<Mistake> mistakes = new ArrayList<>();

  /** Reads what a parser of Jackson gives, of JSON or another format. */
  JsoncParser(JsonParser parser) {
    this.parser = parser;
  }

  public static ParsedText parse(String text) {
    try (JsonParser parser = FACTORY.createParser(text)) {
      return new JsoncParser(parser).document();
    } catch (StreamConstraintsException e) {
      return tooLarge(e);
    } catch (JsonProcessingException e) {
      return broken(text, e);
    } catch (IOException e) {
      throw new UncheckedIOException("a string cannot fail to be read", e);
    }
  }

  static ParsedText tooLarge(StreamConstraintsException e) {
    return ParsedText.broken(
        e.getLocation() == null ? 0 : Math.max(0, e.getLocation().getLineNr()),
        "the file passes a bound: nesting deeper than "
            + ParsedText.MAX_DEPTH
            + ", a text longer than 1 MiB or a number longer than 100 digits",
        "Make it smaller");
  }

  /** In our own words; the parser's name classes and quote words of the file. */
  private static ParsedText broken(String text, JsonProcessingException e) {
    JsonLocation where = e.getLocation() == null ? JsonLocation.NA : e.getLocation();
    return ParsedText.broken(
        JsonSyntax.mistake(text)
            .orElseGet(
                () ->
                    new Mistake(
                        Math.max(0, where.getLineNr()),
                        Math.max(0, where.getColumnNr()),
                        "the JSON is wrong at this place, or shortly before it",
                        "Correct it; comments and trailing commas are allowed",
                        "")));
  }

  ParsedText document() throws IOException {
    JsonToken first = parser.nextToken();
    if (first == null) {
      return ParsedText.broken(1, "the file is empty", "Write { \"mcpServers\": { } }");
    }
    ConfigNode root = value(first);
    if (parser.nextToken() != null) {
      throw new JsonParseException(parser, "something follows the end");
    }
    return new ParsedText(root, mistakes);
  }

  private int line() {
    return parser.currentTokenLocation().getLineNr();
  }

  /** Recursive; {@link #FACTORY} bounds the depth. */
  private ConfigNode value(@Nullable JsonToken token) throws IOException {
    int line = line();
    if (token == JsonToken.START_OBJECT) {
      return ConfigNode.object(line, members());
    }
    if (token == JsonToken.START_ARRAY) {
      List<ConfigNode> items = new ArrayList<>();
      for (JsonToken t = parser.nextToken(); t != JsonToken.END_ARRAY; t = parser.nextToken()) {
        items.add(value(t));
      }
      return ConfigNode.array(line, items);
    }
    if (token == JsonToken.VALUE_NUMBER_INT || token == JsonToken.VALUE_NUMBER_FLOAT) {
      return ConfigNode.scalar(ValueType.NUMBER, line, parser.getText());
    }
    if (token == JsonToken.VALUE_TRUE || token == JsonToken.VALUE_FALSE) {
      return ConfigNode.scalar(ValueType.BOOLEAN, line, parser.getText());
    }
    if (token == JsonToken.VALUE_NULL) {
      return ConfigNode.scalar(ValueType.NULL, line, "");
    }
    return ConfigNode.scalar(ValueType.STRING, line, parser.getText());
  }

  private List<ConfigMember> members() throws IOException {
    List<ConfigMember> members = new ArrayList<>();
    Map<String, Integer> seen = new HashMap<>();
    for (JsonToken t = parser.nextToken(); t != JsonToken.END_OBJECT; t = parser.nextToken()) {
      String name = parser.currentName();
      int line = line();
      ConfigNode value = value(parser.nextToken());
      Integer before = seen.putIfAbsent(name, line);
      if (before == null) {
        members.add(new ConfigMember(name, line, value));
      } else {
        mistakes.add(
            new Mistake(
                line,
                "the key "
                    + MessageTexts.quote(name)
                    + " stands twice, on lines "
                    + before
                    + " and "
                    + line,
                "Remove or rename one of them"));
      }
    }
    return members;
  }
}
