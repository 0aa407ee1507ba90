package dev.mcpbus.config;

import dev.mcpbus.bridge.options.BridgeOptions;
import dev.mcpbus.bus.NamePolicy;
import dev.mcpbus.config.ConfigNode.Member;
import dev.mcpbus.gateway.GatewayOptions;
import dev.mcpbus.security.AuthOptions;
import dev.mcpbus.supervisor.RestartStrategy;
import java.util.List;
import java.util.Optional;

/** Reads what stands beside the servers in a file of our own: how mcpbus itself is to be. */
final class TopLevelReader {

  private static final int DEFAULT_START_CONCURRENCY = 16;

  private static final int MAX_NAME = 40;

  /** Of a file that says nothing of it. */
  static final McpBusConfig NONE =
      new McpBusConfig(
          BridgeOptions.DEFAULT,
          AuthOptions.NONE,
          RestartStrategy.ONE_FOR_ONE,
          DEFAULT_START_CONCURRENCY,
          GatewayOptions.DEFAULT,
          NamePolicy.DOTTED,
          false,
          ClusterOptions.DEFAULT,
          List.of(),
          List.of());

  private TopLevelReader() {}

  /** Keys that are nobody's are reported in a file of our own, and those that seem meant for us. */
  static void checkKeys(ConfigEntry top) {
    boolean ours = ConfigKeys.OURS.stream().anyMatch(top::has);
    for (Member member : top.node().members()) {
      boolean known = ConfigKeys.TOP.contains(member.name()) || member.name().equals("$comment");
      if (!known && (ours || meant(member.name()))) {
        top.unknown(member, ConfigKeys.TOP);
      }
    }
  }

  private static boolean meant(String name) {
    String start = name.length() > MAX_NAME ? name.substring(0, MAX_NAME) : name;
    return ConfigKeys.TOP.stream()
        .anyMatch(key -> MessageTexts.distance(start, key) <= (key.length() > 6 ? 2 : 1));
  }

  /** Without servers and problems. */
  static McpBusConfig read(ConfigEntry top) {
    AuthOptions auth =
        top.object("auth", ConfigKeys.AUTH).map(AuthReader::read).orElse(NONE.auth());
    Optional<ConfigEntry> supervisor = top.object("supervisor", ConfigKeys.SUPERVISOR);
    Optional<ConfigEntry> catalog = top.object("catalog", ConfigKeys.CATALOG);
    return new McpBusConfig(
        top.object("bridge", ConfigKeys.BRIDGE)
            .map(entry -> BridgeReader.read(entry, auth.isRequired()))
            .orElse(NONE.bridge()),
        auth,
        supervisor
            .flatMap(s -> s.choice("strategy", RestartStrategy.class))
            .orElse(NONE.strategy()),
        supervisor
            .flatMap(s -> s.whole("startConcurrency", 1, 1_000))
            .orElse(NONE.startConcurrency()),
        top.object("gateway", ConfigKeys.GATEWAY).map(GatewayReader::read).orElse(NONE.gateway()),
        catalog.flatMap(c -> c.plugin("names", Plugins.namePolicies())).orElse(NONE.names()),
        catalog.flatMap(c -> c.flag("search")).orElse(NONE.search()),
        ClusterReader.read(top),
        List.of(),
        List.of());
  }
}
