package dev.mcpbus.protocol.schema;

import dev.mcpbus.protocol.RawJson;
import io.vertx.core.json.DecodeException;
import java.time.DateTimeException;
import java.time.OffsetDateTime;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * The shape of the entries of lists that the clients of MCP read (MCP 2025-11-25 and 2026-07-28,
 * Schema). Their libraries reject a whole list for one member of another type, in a merged list the
 * entries of all servers. A member whose meaning is plain is mended, another optional one is left
 * out; an entry that stays unreadable has a problem. An entry of the right shape keeps its bytes.
 * Stateless; takes as long as reading the entry.
 */
public final class EntryShape {

  /**
   * An entry for clients. Immutable.
   *
   * @param entry as clients of the {@code discover} era read it; the server's own bytes where they
   *     have the right shape
   * @param legacy the same for clients of the {@code initialize} era, whose {@code outputSchema} is
   *     that of an object and is compiled by them
   * @param isMended whether the entry differs from the server's
   * @param problem why no client can read it; null if clients can
   */
  public record ShapedEntry(
      RawJson entry, RawJson legacy, boolean isMended, @Nullable String problem) {

    /** The entry as the server wrote it. */
    public static ShapedEntry asWritten(RawJson entry, @Nullable String problem) {
      return new ShapedEntry(entry, entry, false, problem);
    }
  }

  /** What a client gets in place of a value: the same one, another one, or null for none. */
  @FunctionalInterface
  private interface MemberRule {
    @Nullable RawJson of(RawJson value);
  }

  private static final RawJson OBJECT = RawJson.string("object");
  private static final RawJson OBJECT_SCHEMA = RawJson.EMPTY_OBJECT.with("type", OBJECT);
  private static final RawJson NO_VALUE = RawJson.of("{\"not\":{}}");
  private static final String OUTPUT = "outputSchema";
  private static final Pattern DATE =
      Pattern.compile(
          "\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\d(\\.\\d{1,9})?(Z|[+-]\\d\\d:\\d\\d)");
  private static final int LONGEST_DATE = 40;
  private static final int LONGEST_SIZE = 18;

  /** A number, true and false become text. */
  private static final MemberRule TEXT =
      value ->
          value.isString()
              ? value
              : value.isNumber() || isFlag(value) ? RawJson.string(value.toString()) : null;

  private static final MemberRule FLAG = value -> isFlag(value) ? value : null;
  private static final MemberRule SIZE = value -> isWhole(value) ? value : null;
  private static final MemberRule PRIORITY =
      value -> value.isNumber() && value.asDouble() >= 0 && value.asDouble() <= 1 ? value : null;
  private static final MemberRule DATE_TIME = value -> isDate(value) ? value : null;
  private static final MemberRule STRING = value -> value.isString() ? value : null;

  /** One text is a list, too, and so is an object whose members are the texts (PHP). */
  private static final MemberRule STRINGS =
      value ->
          value.isString()
              ? RawJson.array(List.of(value))
              : each(
                  value.isObject() ? RawJson.array(List.copyOf(value.members().values())) : value,
                  STRING);

  private static final MemberRule META = object(Map.of());
  private static final MemberRule ICON =
      object(
          Map.of("src", STRING, "mimeType", TEXT, "sizes", STRINGS, "theme", word("light", "dark")),
          "src");
  private static final MemberRule ICONS = value -> each(value, ICON);
  private static final MemberRule TOOL_ANNOTATIONS =
      object(
          Map.of(
              "title", TEXT,
              "readOnlyHint", FLAG,
              "destructiveHint", FLAG,
              "idempotentHint", FLAG,
              "openWorldHint", FLAG));
  private static final MemberRule ROLE = word("user", "assistant");
  private static final MemberRule ROLES =
      value -> each(value.isString() ? RawJson.array(List.of(value)) : value, ROLE);
  private static final MemberRule ANNOTATIONS =
      object(Map.of("audience", ROLES, "priority", PRIORITY, "lastModified", DATE_TIME));
  private static final MemberRule EXECUTION =
      object(Map.of("taskSupport", word("required", "optional", "forbidden")));
  private static final MemberRule ARGUMENT =
      object(Map.of("name", STRING, "title", TEXT, "description", TEXT, "required", FLAG), "name");

  private static final Map<String, MemberRule> SCHEMA =
      Map.of("properties", EntryShape::properties, "required", STRINGS, "$schema", STRING);

  private static final MemberRule INPUT_SCHEMA = EntryShape::inputSchema;
  private static final MemberRule OUTPUT_SCHEMA = object(SCHEMA);

  private static final Map<String, MemberRule> TOOL =
      Map.of(
          "title",
          TEXT,
          "description",
          TEXT,
          "icons",
          ICONS,
          "_meta",
          META,
          "annotations",
          TOOL_ANNOTATIONS,
          "execution",
          EXECUTION,
          "inputSchema",
          INPUT_SCHEMA,
          OUTPUT,
          OUTPUT_SCHEMA);
  private static final Map<String, MemberRule> PROMPT =
      Map.of(
          "title", TEXT,
          "description", TEXT,
          "icons", ICONS,
          "_meta", META,
          "arguments", EntryShape::arguments);
  private static final Map<String, MemberRule> RESOURCE =
      Map.of(
          "name", TEXT,
          "title", TEXT,
          "description", TEXT,
          "mimeType", TEXT,
          "icons", ICONS,
          "_meta", META,
          "annotations", ANNOTATIONS,
          "size", SIZE);

  private EntryShape() {}

  /**
   * The entry as clients read it.
   *
   * @param list the member of the result that holds the list, such as {@code tools}; an entry of
   *     any other list is returned as it is
   * @param key the member that identifies an entry, such as {@code name}
   * @param whole whether the schemas of a tool need {@link MendedSchema}, within them, too
   */
  @SuppressWarnings("ReferenceEquality") // what needs no change is the same object
  public static ShapedEntry of(String list, String key, RawJson entry, boolean whole) {
    if (!entry.isObject()) {
      return ShapedEntry.asWritten(entry, "it is not an object");
    }
    RawJson sound = entry.wellFormed();
    RawJson indexed = sound.indexed();
    RawJson shaped =
        switch (list) {
          case "tools" -> tool(whole ? withMendedSchemas(indexed) : indexed);
          case "prompts" -> mended(indexed, PROMPT);
          case "resources", "resourceTemplates" -> resource(indexed, key);
          default -> indexed;
        };
    boolean right = shaped == indexed && sound == entry;
    if (!list.equals("tools")) {
      return right
          ? ShapedEntry.asWritten(entry, null)
          : new ShapedEntry(shaped, shaped, true, null);
    }
    RawJson input = shaped.member("inputSchema");
    if (input == null || !isOfObjects(input)) {
      return ShapedEntry.asWritten(
          entry, "its inputSchema is not one of an object, which arguments are");
    }
    RawJson own = right ? entry : shaped;
    RawJson output = shaped.member(OUTPUT);
    return new ShapedEntry(own, output == null ? own : legacy(own, output), !right, null);
  }

  private static RawJson tool(RawJson tool) {
    RawJson mended = mended(tool, TOOL);
    return mended.member("inputSchema") == null
        ? mended.with("inputSchema", OBJECT_SCHEMA)
        : mended;
  }

  private static RawJson withMendedSchemas(RawJson tool) {
    RawJson mended = tool;
    for (String word : List.of("inputSchema", OUTPUT)) {
      RawJson schema = tool.member(word);
      if (schema != null && schema.isObject()) {
        try {
          mended = mended.with(word, MendedSchema.of(schema));
        } catch (DecodeException e) {
          return tool; // its connection leaves it out
        }
      }
    }
    return mended;
  }

  @SuppressWarnings("ReferenceEquality") // what needs no change is the same object
  private static RawJson legacy(RawJson tool, RawJson output) {
    RawJson typed = typed(output);
    RawJson alone = typed.member("$id") == null ? typed : typed.without("$id");
    try {
      if (!isOfObjects(alone) || WellFormedSchema.faultForClients(alone) != null) {
        return tool.without(OUTPUT);
      }
    } catch (DecodeException e) {
      return tool.without(OUTPUT);
    }
    return alone == output ? tool : tool.with(OUTPUT, alone);
  }

  private static RawJson resource(RawJson resource, String key) {
    RawJson mended = mended(resource, RESOURCE);
    if (mended.member("name") != null) {
      return mended;
    }
    RawJson title = mended.member("title");
    RawJson uri = mended.member(key);
    return uri == null ? mended : mended.with("name", title == null ? uri : title);
  }

  /** The object with each of its members as the rules say; the same one where nothing changes. */
  @SuppressWarnings("ReferenceEquality") // what needs no change is the same object
  private static RawJson mended(RawJson object, Map<String, MemberRule> rules) {
    RawJson mended = object;
    for (Map.Entry<String, MemberRule> rule : rules.entrySet()) {
      RawJson value = object.member(rule.getKey());
      RawJson fixed = value == null ? null : rule.getValue().of(value);
      if (fixed == null) {
        mended = mended.without(rule.getKey()); // also one that is written as null
      } else if (fixed != value) {
        mended = mended.with(rule.getKey(), fixed);
      }
    }
    return mended;
  }

  /** An object whose members have rules; none where a needed member is missing after them. */
  private static MemberRule object(Map<String, MemberRule> rules, String... needed) {
    return value -> {
      if (!value.isObject()) {
        return null;
      }
      RawJson mended = mended(value, rules);
      for (String name : needed) {
        if (mended.member(name) == null) {
          return null;
        }
      }
      return mended;
    };
  }

  private static MemberRule word(String... words) {
    Set<String> known = Set.of(words);
    return value -> value.isString() && known.contains(value.asString()) ? value : null;
  }

  /** The array with each element as the rule says. */
  @SuppressWarnings("ReferenceEquality") // what needs no change is the same object
  private static @Nullable RawJson each(RawJson value, MemberRule rule) {
    if (!value.isArray()) {
      return null;
    }
    List<RawJson> fixed = new ArrayList<>();
    boolean changed = false;
    for (RawJson element : value.elements()) {
      RawJson one = rule.of(element);
      changed |= one != element;
      if (one != null) {
        fixed.add(one);
      }
    }
    return changed ? RawJson.array(fixed) : value;
  }

  // ---- schemas

  /** Null, true and the empty array, in which PHP writes an empty object, are any object. */
  private static RawJson inputSchema(RawJson value) {
    if (value.isNull() || isToken(value, "true") || isEmptyArray(value)) {
      return OBJECT_SCHEMA;
    }
    return value.isObject() ? typed(mended(value, SCHEMA)) : value;
  }

  /** A schema that leaves its type open, or permits objects among others, as one of objects. */
  private static RawJson typed(RawJson schema) {
    RawJson type = schema.member("type");
    if (type == null || type.isNull() || (type.isArray() && type.elements().contains(OBJECT))) {
      return schema.with("type", OBJECT);
    }
    return schema;
  }

  private static boolean isOfObjects(RawJson schema) {
    RawJson type = schema.member("type");
    return type != null && type.isString() && type.asString().equals("object");
  }

  private static @Nullable RawJson properties(RawJson value) {
    if (!value.isObject()) {
      return null;
    }
    Map<String, RawJson> members = value.members();
    if (members.values().stream().allMatch(RawJson::isObject)) {
      return value;
    }
    members.replaceAll((name, property) -> property(property));
    return RawJson.object(members);
  }

  /** True and false are schemas, too, but not for all clients; a text may name a type. */
  private static RawJson property(RawJson value) {
    String type = value.isString() ? MendedSchema.type(value.asString()) : null;
    return value.isObject()
        ? value
        : type != null
            ? RawJson.EMPTY_OBJECT.with("type", RawJson.string(type))
            : isToken(value, "false") ? NO_VALUE : RawJson.EMPTY_OBJECT;
  }

  // ---- arguments of prompts

  /** A list; also an object of definitions by name, or a schema of an object. */
  private static @Nullable RawJson arguments(RawJson value) {
    if (!value.isObject()) {
      return each(value, ARGUMENT);
    }
    RawJson properties = value.member("properties");
    boolean schema = properties != null && properties.isObject();
    RawJson required = schema ? value.member("required") : null;
    // Texts, because names of a stranger that have one hash can be compared.
    Set<String> needed = new HashSet<>();
    if (required != null) {
      required.elements().stream()
          .filter(RawJson::isString)
          .forEach(name -> needed.add(name.asString()));
    }
    List<RawJson> arguments = new ArrayList<>();
    (schema && properties != null ? properties : value)
        .members()
        .forEach((name, one) -> arguments.add(argument(name, one, needed.contains(name))));
    return RawJson.array(arguments);
  }

  private static RawJson argument(String name, RawJson definition, boolean needed) {
    RawJson argument = RawJson.EMPTY_OBJECT.with("name", RawJson.string(name));
    for (String word : List.of("title", "description")) {
      RawJson text = definition.member(word);
      if (text != null && text.isString()) {
        argument = argument.with(word, text);
      }
    }
    RawJson own = definition.member("required");
    boolean required = needed || (own != null && isToken(own, "true"));
    return required ? argument.with("required", RawJson.of("true")) : argument;
  }

  // ---- values

  private static boolean isToken(RawJson value, String token) {
    return value.length() == token.length() && value.toString().equals(token);
  }

  private static boolean isFlag(RawJson value) {
    return isToken(value, "true") || isToken(value, "false");
  }

  private static boolean isWhole(RawJson value) {
    return value.isNumber()
        && value.length() <= LONGEST_SIZE
        && value.toString().chars().skip(1).allMatch(Character::isDigit);
  }

  private static boolean isDate(RawJson value) {
    String text = value.isString() && value.length() <= LONGEST_DATE ? value.asString() : "";
    if (!DATE.matcher(text).matches()) {
      return false;
    }
    try {
      OffsetDateTime.parse(text);
      return true;
    } catch (DateTimeException e) {
      return false;
    }
  }

  private static boolean isEmptyArray(RawJson value) {
    return value.isArray() && value.elements().isEmpty();
  }
}
