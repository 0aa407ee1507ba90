package dev.mcpbus.config.read;

import dev.mcpbus.config.ServerSettings;
import dev.mcpbus.config.read.ConfigNode.ConfigMember;
import dev.mcpbus.config.read.ConfigNode.ValueType;
import dev.mcpbus.config.read.Substitution.Filled;
import dev.mcpbus.protocol.Sensitive;
import dev.mcpbus.transport.BuiltInTransport;
import dev.mcpbus.transport.PluginTransportOptions;
import dev.mcpbus.transport.TransportOptions;
import dev.mcpbus.transport.TransportProvider;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Passes the entry of a server to the plug-in that provides its transport. */
record PluginEntryReader(ConfigEntry entry, JsonObject view) {

  private static final Logger LOG = LoggerFactory.getLogger(PluginEntryReader.class);

  /** Schemes that a plug-in cannot have besides those of the built-in transports. */
  private static final Set<String> NONE = Set.of("pipe", "file");

  /** The type for the URL's scheme, built-in or of a plug-in; empty if none has it. */
  static Optional<String> typeOf(String url) {
    int colon = url.indexOf(':');
    String scheme = colon < 0 ? "" : url.substring(0, colon);
    return NONE.contains(scheme)
        ? Optional.empty()
        : Stream.concat(
                BuiltInTransport.all().values().stream(), Plugins.transports().all().stream())
            .filter(provider -> takes(provider, scheme))
            .map(TransportProvider::type)
            .findFirst();
  }

  private static boolean takes(TransportProvider provider, String scheme) {
    try {
      return provider.schemes().contains(scheme);
    } catch (RuntimeException | LinkageError e) {
      LOG.error(
          "schemes() of transport plug-in {} failed; its URL schemes are ignored",
          provider.getClass().getName(),
          e);
      return false;
    }
  }

  /** The plug-in's options; empty after a problem. */
  Optional<TransportOptions> read(
      TransportProvider provider, Optional<Filled> url, ServerSettings settings) {
    JsonObject options = new JsonObject();
    Optional<ConfigMember> given = entry.node().member("options");
    if (given.isPresent()) {
      if (!given.get().value().is(ValueType.OBJECT)) {
        entry.wrong(
            given.get().line(),
            "\"options\" must be an object, not " + given.get().value().type().title,
            "Write \"options\": { ... }");
        return Optional.empty();
      }
      int before = entry.problems().count();
      options = (JsonObject) filled(given.get().value());
      if (entry.problems().count() > before || options == null) {
        return Optional.empty();
      }
      view.put("options", Sensitive.MASK);
    }
    url.ifPresent(text -> view.put("url", EntryMasking.url(text.shown())));
    if (entry.substitution().isSealed()) {
      return Optional.empty(); // the plug-in may read files, and would get no values
    }
    TransportProvider.Settings read =
        new TransportProvider.Settings(
            url.map(text -> text.value().reveal()).orElse(null),
            options,
            settings.connection().limits(),
            settings.connectTimeout());
    try {
      return Optional.of(
          new PluginTransportOptions(
              provider, Objects.requireNonNull(provider.options(read), "it gave no options")));
    } catch (IllegalArgumentException e) {
      entry.wrong(
          entry.node().line(),
          "transport \"" + provider.type() + "\" refuses this entry",
          String.valueOf(e.getMessage()));
    } catch (RuntimeException | LinkageError e) {
      entry.wrong(
          entry.node().line(),
          "transport \"" + provider.type() + "\" is broken: " + e.getClass().getSimpleName(),
          "Report it to the author of " + provider.getClass().getName());
    }
    return Optional.empty();
  }

  /** The node as JSON, with all variables in its strings replaced. */
  private @Nullable Object filled(ConfigNode node) {
    if (node.is(ValueType.OBJECT)) {
      JsonObject object = new JsonObject();
      for (ConfigMember member : node.members()) {
        object.put(member.name(), filled(member.value()));
      }
      return object;
    }
    if (node.is(ValueType.ARRAY)) {
      JsonArray array = new JsonArray();
      node.items().forEach(item -> array.add(filled(item)));
      return array;
    }
    return node.is(ValueType.STRING)
        ? entry
            .substitution()
            .fill(node.text(), node.line(), entry.server())
            .map(text -> text.value().reveal())
            .orElse("")
        : node.toJson();
  }
}
