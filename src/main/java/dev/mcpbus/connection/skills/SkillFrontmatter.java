package dev.mcpbus.connection.skills;

import dev.mcpbus.internals.OptionalLibrary;
import dev.mcpbus.protocol.RawJson;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.snakeyaml.engine.v2.api.LoadSettings;
import org.snakeyaml.engine.v2.api.lowlevel.Parse;
import org.snakeyaml.engine.v2.common.Anchor;
import org.snakeyaml.engine.v2.events.AliasEvent;
import org.snakeyaml.engine.v2.events.DocumentStartEvent;
import org.snakeyaml.engine.v2.events.Event;
import org.snakeyaml.engine.v2.events.NodeEvent;
import org.snakeyaml.engine.v2.events.ScalarEvent;
import org.snakeyaml.engine.v2.exceptions.YamlEngineException;

/**
 * Compares the YAML at the beginning of a {@code SKILL.md} with the {@code frontmatter} of its
 * entry, field by field. The servers read YAML by version 1.1 or 1.2, so a plain {@code yes} may be
 * the text or true, and a plain {@code 2026-01-01} the text or a moment: both are the same field.
 * Bounded in size and depth. Stateless.
 */
final class SkillFrontmatter {

  private static final Pattern BLOCK =
      Pattern.compile(
          "\\A\\uFEFF?---[ \\t]*\\r?\\n(.*?)\\r?\\n---[ \\t]*(?:\\r?\\n|\\z)", Pattern.DOTALL);

  private static final int MAX_CHARACTERS = 256 * 1024;
  private static final int MAX_DEPTH = 32;

  private static final Pattern DATE = Pattern.compile("\\d{4}-\\d{2}-\\d{2}");
  private static final Pattern MIDNIGHT = Pattern.compile("[T ]00:00:00(\\.0+)?(Z|\\+00:00)?");
  private static final Set<String> TRUE = Set.of("true", "yes", "on", "y");
  private static final Set<String> FALSE = Set.of("false", "no", "off", "n");
  private static final Set<String> NULL = Set.of("", "~", "null");

  /** A scalar of YAML; {@code plain} if it stands without quotes. */
  private record Scalar(String text, boolean plain) {}

  /** The text is no frontmatter that can be compared. */
  private static final class UnreadableException extends Exception {
    private static final long serialVersionUID = 1L;

    UnreadableException(String message) {
      super(message);
    }
  }

  private final Iterator<Event> events;
  private final Map<Anchor, Object> anchors = new HashMap<>();

  private SkillFrontmatter(Iterator<Event> events) {
    this.events = events;
  }

  /** What differs; null if the two have the same content. */
  static @Nullable String difference(String document, RawJson frontmatter) {
    if (!OptionalLibrary.SNAKEYAML.isPresent()) {
      return OptionalLibrary.SNAKEYAML.missing();
    }
    Matcher block =
        BLOCK.matcher(document.substring(0, Math.min(document.length(), MAX_CHARACTERS)));
    if (!block.find()) {
      return "it does not begin with a frontmatter between two lines \"---\"";
    }
    try {
      Object written = new SkillFrontmatter(parsed(block.group(1))).document();
      JsonObject listed = frontmatter.toJsonObject();
      if (!(written instanceof Map<?, ?> fields)) {
        return "its frontmatter has no fields";
      }
      return difference("", fields, listed);
    } catch (UnreadableException | YamlEngineException e) {
      return "its frontmatter cannot be read: " + firstLine(e.getMessage());
    }
  }

  private static Iterator<Event> parsed(String yaml) {
    LoadSettings settings = LoadSettings.builder().setCodePointLimit(MAX_CHARACTERS).build();
    return new Parse(settings).parseString(yaml).iterator();
  }

  private static String firstLine(@Nullable String message) {
    return message == null ? "" : message.lines().findFirst().orElse("");
  }

  // ---- the events of YAML as maps, lists and scalars

  private @Nullable Object document() throws UnreadableException {
    int documents = 0;
    Object root = null;
    while (events.hasNext()) {
      Event event = events.next();
      if (event instanceof DocumentStartEvent && ++documents > 1) {
        throw new UnreadableException("it is more than one document");
      }
      if (event instanceof NodeEvent node) {
        root = value(node, 0);
      }
    }
    return root;
  }

  private Object value(Event event, int depth) throws UnreadableException {
    if (depth > MAX_DEPTH) {
      throw new UnreadableException("it is deeper than " + MAX_DEPTH + " levels");
    }
    if (event instanceof AliasEvent alias) {
      Object known = anchors.get(alias.getAlias());
      if (known == null) {
        throw new UnreadableException("an alias names nothing before it");
      }
      return known;
    }
    Object value =
        switch (event.getEventId()) {
          case Scalar -> scalar((ScalarEvent) event);
          case MappingStart -> mapping(depth);
          case SequenceStart -> sequence(depth);
          default -> throw new UnreadableException("it has no value where one is expected");
        };
    ((NodeEvent) event).getAnchor().ifPresent(anchor -> anchors.put(anchor, value));
    return value;
  }

  private static Scalar scalar(ScalarEvent event) throws UnreadableException {
    String tag = event.getTag().orElse("");
    if (!tag.isEmpty() && !tag.equals("!") && !tag.equals("tag:yaml.org,2002:str")) {
      throw new UnreadableException("it has the tag " + tag);
    }
    return new Scalar(event.getValue(), event.isPlain() && tag.isEmpty());
  }

  private Map<String, Object> mapping(int depth) throws UnreadableException {
    Map<String, Object> fields = new LinkedHashMap<>();
    for (Event key = events.next(); key.getEventId() != Event.ID.MappingEnd; key = events.next()) {
      if (!(key instanceof ScalarEvent name)) {
        throw new UnreadableException("a key is not a text");
      }
      if (fields.put(name.getValue(), value(events.next(), depth + 1)) != null) {
        throw new UnreadableException("it has a field twice");
      }
    }
    return fields;
  }

  private List<Object> sequence(int depth) throws UnreadableException {
    List<Object> items = new ArrayList<>();
    for (Event item = events.next();
        item.getEventId() != Event.ID.SequenceEnd;
        item = events.next()) {
      items.add(value(item, depth + 1));
    }
    return items;
  }

  // ---- against JSON: the time is bounded by the size of the JSON, whatever aliases repeat

  private static @Nullable String difference(String path, Object yaml, @Nullable Object json) {
    if (yaml instanceof Map<?, ?> fields && json instanceof JsonObject object) {
      if (!fields.keySet().equals(object.fieldNames())) {
        return "its frontmatter" + path + " has other fields than its entry says";
      }
      for (String name : object.fieldNames()) {
        String found =
            difference(
                path + " " + name, Objects.requireNonNull(fields.get(name)), object.getValue(name));
        if (found != null) {
          return found;
        }
      }
      return null;
    }
    if (yaml instanceof List<?> items
        && json instanceof JsonArray array
        && items.size() == array.size()) {
      for (int i = 0; i < items.size(); i++) {
        String found = difference(path + " " + i, items.get(i), array.getValue(i));
        if (found != null) {
          return found;
        }
      }
      return null;
    }
    return yaml instanceof Scalar scalar && isSame(scalar, json)
        ? null
        : "the field" + path + " of its frontmatter is not what its entry says";
  }

  private static boolean isSame(Scalar scalar, @Nullable Object json) {
    if (json instanceof String text) {
      return text.equals(scalar.text()) || (scalar.plain() && isSameDay(scalar.text(), text));
    }
    if (!scalar.plain()) {
      return false;
    }
    String lower = scalar.text().toLowerCase(Locale.ROOT);
    if (json == null) {
      return NULL.contains(lower);
    }
    if (json instanceof Boolean truth) {
      return (truth ? TRUE : FALSE).contains(lower);
    }
    return json instanceof Number number && isSame(lower, number);
  }

  private static boolean isSameDay(String yaml, String json) {
    return DATE.matcher(yaml).matches()
        && json.startsWith(yaml)
        && MIDNIGHT.matcher(json.substring(yaml.length())).matches();
  }

  private static boolean isSame(String yaml, Number json) {
    if (yaml.length() > 64) {
      return false;
    }
    try {
      BigDecimal written =
          yaml.startsWith("0x")
              ? new BigDecimal(Long.parseLong(yaml.substring(2), 16))
              : yaml.startsWith("0o")
                  ? new BigDecimal(Long.parseLong(yaml.substring(2), 8))
                  : new BigDecimal(yaml);
      return Math.abs(written.scale()) < 400
          && (written.compareTo(new BigDecimal(json.toString())) == 0
              || written.doubleValue() == json.doubleValue());
    } catch (NumberFormatException e) {
      return false;
    }
  }
}
