package dev.mcpbus.config.paste;

import static dev.mcpbus.protocol.Sensitive.MASK;

import dev.mcpbus.config.read.EntryMasking;
import dev.mcpbus.config.read.Substitution.Filled;
import dev.mcpbus.protocol.OutboundProxy;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * An entry as it is written, with its secrets masked by the rules of {@link EntryMasking}. A
 * reference to a variable is no secret, the default in it may be one. Stateless.
 */
final class MaskedEntry {

  private static final Pattern DEFAULT =
      Pattern.compile("(\\$\\{[^}:$]*+(?::[^-}$][^}:$]*+)?:-)[^}]*+(?:}|$)");
  private static final Pattern REFERENCE =
      Pattern.compile("(?:(?:Bearer|Basic|Token) )?\\$\\{(?:env:|input:)?[\\w.-]{1,80}}");

  /** Each value may be a secret. */
  private static final Set<String> HIDDEN = Set.of("env", "headers", "requestInit", "options");

  private static final Set<String> URLS =
      Set.of(
          "url", "serverUrl", "httpUrl", "issuer", "proxy", "tokenEndpoint", "clientMetadataUrl");

  /** Texts for people and paths, which the status of a server shows, too. */
  private static final Set<String> OPEN =
      Set.of(
          "type", "cwd", "envFile", "title", "description", "address", "path", "protocolVersion");

  private MaskedEntry() {}

  static JsonObject of(JsonObject entry) {
    JsonObject view = new JsonObject();
    for (Map.Entry<String, Object> each : entry) {
      view.put(each.getKey(), value(each.getKey(), each.getValue()));
    }
    return view;
  }

  private static @Nullable Object value(String key, @Nullable Object value) {
    if (value instanceof JsonObject object) {
      return HIDDEN.contains(key) ? hidden(object) : of(object);
    }
    if (value instanceof JsonArray list) {
      return list(list);
    }
    return value instanceof String text ? text(key, text) : value;
  }

  private static Object hidden(Object value) {
    if (value instanceof JsonObject object) {
      JsonObject view = new JsonObject();
      object.forEach(each -> view.put(each.getKey(), hidden(each.getValue())));
      return view;
    }
    return value instanceof String text && REFERENCE.matcher(text).matches() ? text : MASK;
  }

  private static JsonArray list(JsonArray list) {
    if (list.stream().anyMatch(item -> item instanceof JsonObject || item instanceof JsonArray)) {
      JsonArray view = new JsonArray();
      list.forEach(item -> view.add(value("", item)));
      return view;
    }
    List<String> written = list.stream().map(String::valueOf).toList();
    List<String> masked =
        EntryMasking.args(written.stream().map(text -> Filled.plain(noDefault(text))).toList());
    JsonArray view = new JsonArray();
    for (int i = 0; i < written.size(); i++) {
      view.add(REFERENCE.matcher(written.get(i)).matches() ? written.get(i) : masked.get(i));
    }
    return view;
  }

  private static String text(String key, String written) {
    String text = noDefault(written);
    if (OPEN.contains(key) || REFERENCE.matcher(text).matches()) {
      return text;
    }
    if (key.equals("command")) {
      return EntryMasking.command(Filled.plain(text));
    }
    if (URLS.contains(key)) {
      return EntryMasking.url(key.equals("proxy") ? OutboundProxy.withScheme(text) : text);
    }
    return EntryMasking.args(List.of(Filled.plain("--" + key), Filled.plain(text))).get(1);
  }

  private static String noDefault(String text) {
    return text.contains(":-") ? DEFAULT.matcher(text).replaceAll("$1" + MASK + "}") : text;
  }
}
