package dev.mcpbus.config.read;

import dev.mcpbus.config.MessageTexts;
import dev.mcpbus.config.read.Substitution.Filled;
import dev.mcpbus.transport.BuiltInTransport;
import dev.mcpbus.transport.BusOptions;
import dev.mcpbus.transport.HttpOptions;
import dev.mcpbus.transport.SseOptions;
import dev.mcpbus.transport.StdioOptions;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.function.Supplier;
import java.util.stream.Stream;

/**
 * Finds the transport of a server's entry, from {@code type} or from the other keys.
 *
 * @param url the entry's URL, read once, so that a mistake in it is reported once
 */
record ServerTypeResolver(ConfigEntry entry, Supplier<Optional<Filled>> url) {

  static final List<String> TYPES = List.copyOf(BuiltInTransport.all().keySet());

  /** Names that a plug-in cannot have: the built-in types and other programs' words for them. */
  static final List<String> RESERVED =
      BuiltInTransport.all().values().stream()
          .flatMap(each -> Stream.concat(Stream.of(each.type()), each.names().stream()))
          .sorted()
          .toList();

  /** A built-in type or that of a plug-in; empty after a problem. */
  String read() {
    List<String> ways =
        List.of("command", "url", "urls", "address").stream().filter(entry::has).toList();
    if (ways.size() > 1) {
      entry.wrong(
          entry.line(ways.get(1)),
          "\"" + ways.get(0) + "\" and \"" + ways.get(1) + "\" cannot both be right",
          "Keep \"command\" for a program, \"url\" for HTTP, or \"address\" for the event bus");
      return "";
    }
    Optional<Filled> written = entry.has("type") ? entry.text("type") : Optional.empty();
    if (!entry.has("type") || (written.isPresent() && written.get().open())) {
      if (ways.isEmpty() && entry.hasMisspelt(ConfigKeys.SERVER, "command", "url", "address")) {
        return ""; // reported as an unknown key
      }
      if (ways.isEmpty()) {
        entry.wrong(
            entry.node().line(),
            "the entry does not say how to reach the server",
            "Give \"command\" for a program, \"url\" for HTTP, or \"address\" for the event bus");
        return "";
      }
      return switch (ways.get(0)) {
        case "command" -> StdioOptions.TYPE;
        case "url", "urls" -> typeOfUrl();
        default -> BusOptions.TYPE;
      };
    }
    if (written.isEmpty()) {
      return "";
    }
    String type = plain(written.get().value().reveal());
    String key = keyOf(type);
    if (!key.isEmpty()) {
      boolean old = type.equals(HttpOptions.TYPE) && entry.flag("preferSSE").orElse(false);
      return needs(key, old ? SseOptions.TYPE : type);
    }
    if (Plugins.transports().find(type).isPresent()) {
      return type;
    }
    String near = MessageTexts.nearest(type, TYPES);
    entry.wrong(
        entry.line("type"),
        "unknown type " + MessageTexts.quote(written.get().shown()),
        near == null ? Plugins.transports().remedy(TYPES) : "Did you mean \"" + near + "\"?");
    return "";
  }

  /** The key beside which the settings of a type stand; empty if they are in "options". */
  static String keyOf(String type) {
    BuiltInTransport builtIn = BuiltInTransport.all().get(type);
    return builtIn == null ? "" : builtIn.key();
  }

  /** A type in small letters; another program's word as ours. */
  static String plain(String type) {
    String small = type.toLowerCase(Locale.ROOT);
    return BuiltInTransport.all().values().stream()
        .filter(each -> each.names().contains(small.replace('_', '-')))
        .map(BuiltInTransport::type)
        .findFirst()
        .orElse(small);
  }

  /**
   * The type for a URL without {@code type}: by its scheme, or by a path that ends with {@code
   * /sse}.
   */
  private String typeOfUrl() {
    String url = this.url.get().map(text -> text.value().reveal().strip()).orElse("");
    String lower = url.toLowerCase(Locale.ROOT);
    boolean httpOverUnix = lower.startsWith("unix:") && url.indexOf('#') >= 0;
    Optional<String> ofScheme = httpOverUnix ? Optional.empty() : PluginEntryReader.typeOf(lower);
    if (ofScheme.isPresent() && !ofScheme.get().equals(HttpOptions.TYPE)) {
      return ofScheme.get();
    }
    boolean looksOld = lower.replaceFirst("\\?.*", "").matches(".*/sse/?");
    return entry.flag("preferSSE").orElse(looksOld) ? SseOptions.TYPE : HttpOptions.TYPE;
  }

  private String needs(String key, String type) {
    if (!entry.has(key) && !(key.equals("url") && entry.has("urls"))) {
      boolean other = Stream.of("command", "url", "address").anyMatch(entry::has);
      entry.wrong(
          entry.line("type"),
          "type \"" + type + "\" needs \"" + key + "\"",
          "Add \"" + key + "\"" + (other ? ", or remove \"type\"" : ""));
      return "";
    }
    return type;
  }
}
