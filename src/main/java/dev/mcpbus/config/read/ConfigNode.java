package dev.mcpbus.config.read;

import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * One value of a configuration with its line number: the common form of JSON, YAML and bus
 * messages. Immutable.
 *
 * @param type decides which of the other components are used
 * @param line 1-based, 0 if the value did not come from a file
 * @param text of a scalar, as it was written; numbers keep their form
 * @param members of an object in the order of the file; names are unique
 * @param items of an array
 */
public record ConfigNode(
    ValueType type, int line, String text, List<ConfigMember> members, List<ConfigNode> items) {

  /** A key with the line of the key itself. */
  public record ConfigMember(String name, int line, ConfigNode value) {

    ConfigMember with(ConfigNode other) {
      return new ConfigMember(name, line, other);
    }
  }

  public enum ValueType {
    OBJECT("an object"),
    ARRAY("a list"),
    STRING("a string"),
    NUMBER("a number"),
    BOOLEAN("true or false"),
    NULL("null");

    public final String title;

    ValueType(String title) {
      this.title = title;
    }
  }

  public ConfigNode {
    members = List.copyOf(members);
    items = List.copyOf(items);
  }

  /** Whether it says nothing: null, an empty text, list or object. */
  boolean isEmpty() {
    return text.isEmpty() && members.isEmpty() && items.isEmpty();
  }

  static ConfigNode scalar(ValueType type, int line, String text) {
    return new ConfigNode(type, line, text, List.of(), List.of());
  }

  public static ConfigNode text(int line, String text) {
    return scalar(ValueType.STRING, line, text);
  }

  public static ConfigNode object(int line, List<ConfigMember> members) {
    return new ConfigNode(ValueType.OBJECT, line, "", members, List.of());
  }

  public static ConfigNode array(int line, List<ConfigNode> items) {
    return new ConfigNode(ValueType.ARRAY, line, "", List.of(), items);
  }

  /** The tree of a bus message, without line numbers. */
  static ConfigNode of(@Nullable Object value) {
    if (value == null) {
      return scalar(ValueType.NULL, 0, "");
    }
    if (value instanceof JsonObject object) {
      return of(object.getMap());
    }
    if (value instanceof JsonArray array) {
      return of(array.getList());
    }
    if (value instanceof Map<?, ?> map) {
      List<ConfigMember> members = new ArrayList<>();
      map.forEach((key, each) -> members.add(new ConfigMember(String.valueOf(key), 0, of(each))));
      return object(0, members);
    }
    if (value instanceof List<?> list) {
      return array(0, list.stream().map(ConfigNode::of).toList());
    }
    if (value instanceof Number number) {
      return scalar(ValueType.NUMBER, 0, number.toString());
    }
    if (value instanceof Boolean flag) {
      return scalar(ValueType.BOOLEAN, 0, flag.toString());
    }
    return scalar(ValueType.STRING, 0, value.toString());
  }

  /** Kind and line without the content, which may be a secret. */
  @Override
  public String toString() {
    return type.title + " in line " + line;
  }

  public boolean is(ValueType other) {
    return type == other;
  }

  Optional<ConfigMember> member(String name) {
    return members.stream().filter(member -> member.name().equals(name)).findFirst();
  }

  public @Nullable ConfigNode get(String name) {
    return member(name).map(ConfigMember::value).orElse(null);
  }

  /** The object or list with other values; anything else itself. */
  ConfigNode map(UnaryOperator<ConfigNode> by) {
    return new ConfigNode(
        type,
        line,
        text,
        members.stream().map(one -> one.with(by.apply(one.value()))).toList(),
        items.stream().map(by).toList());
  }

  /** The same value with each text in it rewritten. */
  ConfigNode texts(UnaryOperator<String> by) {
    return is(ValueType.STRING) ? text(line, by.apply(text)) : map(inner -> inner.texts(by));
  }

  /** The object with this member as the last, in place of one of its name. */
  ConfigNode with(String name, ConfigNode value) {
    List<ConfigMember> all = new ArrayList<>(without(name).members);
    all.add(new ConfigMember(name, value.line, value));
    return object(line, all);
  }

  public ConfigNode without(String name) {
    return object(line, members.stream().filter(one -> !one.name().equals(name)).toList());
  }

  /** The document with other objects in place of those that hold its servers by name. */
  ConfigNode withRoots(UnaryOperator<ConfigNode> by) {
    return object(
        line,
        members.stream()
            .map(
                root ->
                    ConfigKeys.ROOTS.contains(root.name()) && root.value().is(ValueType.OBJECT)
                        ? root.with(by.apply(root.value()))
                        : root)
            .toList());
  }

  /** The document with other servers, wherever it has them as an object by name. */
  ConfigNode withServers(UnaryOperator<ConfigMember> by) {
    return withRoots(root -> object(root.line, root.members.stream().map(by).toList()));
  }

  /** Plain Vert.x JSON for the schema; members that are null are left out. */
  public @Nullable Object toJson() {
    return switch (type) {
      case OBJECT -> {
        JsonObject object = new JsonObject();
        members.stream()
            .filter(member -> !member.value().is(ValueType.NULL))
            .forEach(member -> object.put(member.name(), member.value().toJson()));
        yield object;
      }
      case ARRAY -> {
        JsonArray array = new JsonArray();
        items.forEach(item -> array.add(item.toJson()));
        yield array;
      }
      case NUMBER -> number();
      case BOOLEAN -> Boolean.valueOf(text);
      case NULL -> null;
      case STRING -> text;
    };
  }

  /** The value of a number; a {@code double} if it does not fit a {@code long}. */
  Number number() {
    try {
      if (text.startsWith("0x")) {
        return Long.parseLong(text.substring(2), 16);
      }
      if (text.startsWith("0o")) {
        return Long.parseLong(text.substring(2), 8);
      }
      return Long.parseLong(text);
    } catch (NumberFormatException notWhole) {
      try {
        return Double.parseDouble(text);
      } catch (NumberFormatException special) {
        return Double.NaN; // YAML's .inf and .nan
      }
    }
  }
}
