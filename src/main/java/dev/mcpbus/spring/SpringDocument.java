package dev.mcpbus.spring;

import dev.mcpbus.McpBus;
import dev.mcpbus.ai.FrameworkOptions;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.core.env.ConfigurableEnvironment;
import org.springframework.core.env.EnumerablePropertySource;
import org.springframework.core.env.PropertySource;
import org.springframework.util.PropertyPlaceholderHelper;

/**
 * The properties under {@code mcpbus} as a configuration document. They keep their spelling, since
 * names of servers and of variables are among them; so Spring's binding, which changes names, does
 * not read them. Stateless.
 */
final class SpringDocument {

  private static final String PREFIX = "mcpbus.";

  /** The keys at the top of a document. */
  private static final Set<String> KEYS = keys();

  /** {@code .name}, {@code [name]} or {@code [0]}; the first without its point. */
  private static final Pattern STEP = Pattern.compile("\\[([^\\[\\]]*+)\\]|\\.?([^.\\[]++)");

  private static final Pattern TOP = Pattern.compile("[.\\[]");
  private static final Pattern INDEX = Pattern.compile("\\[\\d+\\]");

  /** What a file of properties can only write as a text; as a text again it would be the same. */
  private static final Pattern WHOLE = Pattern.compile("0|-?[1-9][0-9]{0,17}");

  /** Where mcpbus replaces variables by itself, and masks their values in all it shows. */
  private static final String SERVERS = PREFIX + "mcpServers.";

  private static final Pattern VARIABLE = Pattern.compile("[A-Za-z_][A-Za-z0-9_]*");

  private SpringDocument() {}

  static McpBus.Options options(ConfigurableEnvironment environment) {
    String file = environment.getProperty(PREFIX + "config", "");
    JsonObject document = document(environment);
    if (file.isEmpty()) {
      return McpBus.Options.of(document);
    }
    if (!document.isEmpty()) {
      throw new IllegalArgumentException(
          "mcpbus.config names a file, and mcpbus."
              + String.join(", mcpbus.", document.fieldNames())
              + " stands beside it; put it into the file, or leave mcpbus.config out");
    }
    return McpBus.Options.of(Path.of(file));
  }

  static FrameworkOptions frameworkOptions(ConfigurableEnvironment environment) {
    Binder binder = Binder.get(environment);
    FrameworkOptions options =
        FrameworkOptions.DEFAULT
            .withServers(
                binder.bind(PREFIX + "tools.servers", String[].class).orElse(new String[0]))
            .withPatience(
                binder
                    .bind(PREFIX + "tools.patience", Duration.class)
                    .orElse(Duration.ofSeconds(10)))
            .withFailIfOneServerFails(
                binder.bind(PREFIX + "tools.fail-if-one-server-fails", Boolean.class).orElse(false))
            .withResourcesAsTools(
                binder.bind(PREFIX + "tools.resources-as-tools", Boolean.class).orElse(false));
    return binder
        .bind(PREFIX + "tools.timeout", Duration.class)
        .map(options::withTimeout)
        .orElse(options);
  }

  /** Of two sources the first has a property, and a list as a whole. */
  static JsonObject document(ConfigurableEnvironment environment) {
    Map<String, Object> tree = new LinkedHashMap<>();
    Map<String, PropertySource<?>> owners = new LinkedHashMap<>();
    for (PropertySource<?> source : environment.getPropertySources()) {
      if (source instanceof EnumerablePropertySource<?> known) {
        for (String name : known.getPropertyNames()) {
          if (isOfDocument(name)) {
            String owned = INDEX.split(name, 2)[0];
            Object value = known.getProperty(name);
            if (value != null && source.equals(owners.computeIfAbsent(owned, first -> source))) {
              put(tree, name.substring(PREFIX.length()), read(environment, name, value));
            }
          }
        }
      }
    }
    return (JsonObject) json(tree);
  }

  /** Others under {@code mcpbus} are those of this package, or of somebody else. */
  private static boolean isOfDocument(String name) {
    String key = name.startsWith(PREFIX) ? TOP.split(name.substring(PREFIX.length()), 2)[0] : "";
    String camel =
        Pattern.compile("-(.)")
            .matcher(key)
            .replaceAll(hit -> hit.group(1).toUpperCase(Locale.ROOT));
    if (!camel.equals(key) && KEYS.contains(camel)) {
      throw new IllegalArgumentException(
          name + ": keys are written as in a configuration file, mcpbus." + camel);
    }
    return KEYS.contains(key);
  }

  private static Set<String> keys() {
    try (InputStream schema = SpringDocument.class.getResourceAsStream("/mcpbus.schema.json")) {
      return new JsonObject(Buffer.buffer(schema.readAllBytes()))
          .getJsonObject("properties")
          .fieldNames();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static void put(Map<String, Object> tree, String path, Object value) {
    Map<String, Object> node = tree;
    Matcher step = STEP.matcher(path);
    String last = null;
    while (step.find()) {
      if (last != null) {
        node = child(node, last, path);
      }
      last = step.group(1) == null ? step.group(2) : step.group(0);
    }
    node.put(String.valueOf(last), value);
  }

  @SuppressWarnings("unchecked")
  private static Map<String, Object> child(Map<String, Object> node, String name, String path) {
    Object child = node.computeIfAbsent(name, none -> new LinkedHashMap<>());
    if (child instanceof Map<?, ?>) {
      return (Map<String, Object>) child;
    }
    throw new IllegalArgumentException(
        "of mcpbus." + path + " the part \"" + name + "\" has a value of its own, too");
  }

  private static Object read(ConfigurableEnvironment environment, String name, Object value) {
    if (value instanceof Number || value instanceof Boolean) {
      return value;
    }
    String text = environment.resolvePlaceholders(value.toString());
    if (text.equals("true") || text.equals("false")) {
      return Boolean.valueOf(text);
    }
    if (WHOLE.matcher(text).matches()) {
      return Long.valueOf(text);
    }
    return name.startsWith(SERVERS) ? entryText(environment, value.toString()) : text;
  }

  /** With the variables of the process as they are written: they may be secrets. */
  private static String entryText(ConfigurableEnvironment environment, String text) {
    return new PropertyPlaceholderHelper("${", "}", ":", '\\', true)
        .replacePlaceholders(
            text,
            name -> {
              String value = written(environment, name);
              boolean stays =
                  value != null
                      && !value.isEmpty()
                      && value.equals(System.getenv(name))
                      && !value.contains("${")
                      && VARIABLE.matcher(name).matches()
                      && !name.startsWith("MCPBUS_");
              return stays ? "\\${" + name + "}" : value;
            });
  }

  /** A property without what its placeholders stand for; null where there is none. */
  private static @Nullable String written(ConfigurableEnvironment environment, String name) {
    return environment.getPropertySources().stream()
        .map(source -> source.getProperty(name))
        .filter(Objects::nonNull)
        .findFirst()
        .map(Object::toString)
        .orElse(null);
  }

  /** Maps whose keys are all {@code [0]}, {@code [1]} and so on are lists. */
  private static Object json(Object node) {
    if (!(node instanceof Map<?, ?> map)) {
      return node;
    }
    if (map.keySet().stream().allMatch(key -> INDEX.matcher((String) key).matches())
        && !map.isEmpty()) {
      Map<Integer, Object> sorted = new TreeMap<>();
      map.forEach((key, one) -> sorted.put(Integer.valueOf(name((String) key)), json(one)));
      JsonArray list = new JsonArray();
      sorted.values().forEach(list::add);
      return list;
    }
    JsonObject object = new JsonObject();
    map.forEach((key, one) -> object.put(name((String) key), json(one)));
    return object;
  }

  private static String name(String key) {
    return key.startsWith("[") ? key.substring(1, key.length() - 1) : key;
  }
}
