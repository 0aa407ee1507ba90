package dev.mcpbus.config.read;

import dev.mcpbus.bridge.options.BridgeOptions;
import dev.mcpbus.bus.NamePolicy;
import dev.mcpbus.bus.TelemetryOptions;
import dev.mcpbus.config.ClusterOptions;
import dev.mcpbus.config.McpBusConfig;
import dev.mcpbus.config.MessageTexts;
import dev.mcpbus.config.read.ConfigNode.ConfigMember;
import dev.mcpbus.config.read.ConfigNode.ValueType;
import dev.mcpbus.gateway.options.GatewayOptions;
import dev.mcpbus.security.AuthOptions;
import dev.mcpbus.supervisor.RestartStrategy;
import java.net.URI;
import java.net.URISyntaxException;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Reads the settings beside the servers in a file of mcpbus's own format. */
final class TopLevelReader {

  private static final int DEFAULT_START_CONCURRENCY = 16;

  /** The settings of a file that has none. */
  static final McpBusConfig NONE =
      new McpBusConfig(
          BridgeOptions.DEFAULT,
          false,
          AuthOptions.NONE,
          RestartStrategy.ONE_FOR_ONE,
          DEFAULT_START_CONCURRENCY,
          GatewayOptions.DEFAULT,
          NamePolicy.DOTTED,
          false,
          null,
          ClusterOptions.DEFAULT,
          TelemetryOptions.DEFAULT,
          null,
          List.of(),
          List.of());

  private TopLevelReader() {}

  /**
   * Reports unknown keys: all of them in a file of mcpbus's own format, otherwise those that look
   * like a misspelt key of mcpbus.
   */
  static void checkKeys(ConfigEntry top) {
    boolean ours = ConfigKeys.OURS.stream().anyMatch(top::has);
    for (ConfigMember member : top.node().members()) {
      boolean known =
          ConfigSchema.TOP.keys().containsKey(member.name()) || member.name().equals("$comment");
      if (!known && (ours || isMeant(top, member.name()))) {
        top.unknown(member, ConfigSchema.TOP.names());
      }
    }
  }

  /** A second "mcpServers" in other letters, such as {@code _mcpServers}, is put aside. */
  private static boolean isMeant(ConfigEntry top, String name) {
    return MessageTexts.isNear(
        name,
        ConfigSchema.TOP.names().stream().filter(key -> !isFilled(top.node().get(key))).toList());
  }

  private static boolean isFilled(@Nullable ConfigNode value) {
    return value != null && !(value.is(ValueType.OBJECT) && value.members().isEmpty());
  }

  /** The base of a registry's API; what is no such URL is reported. */
  private static Optional<URI> registry(ConfigEntry catalog) {
    Optional<String> written = catalog.word("registry");
    Optional<URI> url = written.flatMap(TopLevelReader::web);
    if (written.isPresent() && url.isEmpty()) {
      catalog.wrong(
          catalog.line("registry"),
          "\"catalog.registry\" is no URL of a registry",
          "Write its base, such as \"https://servers.example.com\"");
    }
    return url;
  }

  private static Optional<URI> web(String text) {
    try {
      URI url = new URI(text);
      boolean isWeb = "https".equals(url.getScheme()) || "http".equals(url.getScheme());
      boolean isBase =
          url.getHost() != null
              && url.getRawUserInfo() == null
              && url.getRawQuery() == null
              && url.getRawFragment() == null;
      return isWeb && isBase ? Optional.of(url) : Optional.empty();
    } catch (URISyntaxException e) {
      return Optional.empty();
    }
  }

  /** The settings, without servers and problems. */
  static McpBusConfig read(ConfigEntry top) {
    AuthOptions auth = top.object("auth").map(AuthReader::read).orElse(NONE.auth());
    return Filling.of(top, NONE)
        .set("auth", Optional.of(auth))
        .set("hasBridge", Optional.of(top.has("bridge")))
        .hand(
            "bridge",
            file -> file.object("bridge").map(entry -> BridgeReader.read(entry, auth.isRequired())))
        .hand(
            "gateway",
            file -> file.object("gateway").map(entry -> GatewayReader.read(entry, names(file))))
        .hand("catalog.names", catalog -> catalog.plugin("names", Plugins.namePolicies()))
        .hand("catalog.registry", TopLevelReader::registry)
        .hand("cluster", file -> Optional.of(ClusterReader.read(file)))
        .hand("metrics", file -> Optional.of(TelemetryReader.read(file)))
        .done();
  }

  /** The names of the servers as written; a pattern for items begins with one of them. */
  private static List<String> names(ConfigEntry top) {
    return top.node().members().stream()
        .filter(member -> ConfigKeys.ROOTS.contains(member.name()))
        .flatMap(member -> member.value().members().stream())
        .map(ConfigMember::name)
        .toList();
  }
}
