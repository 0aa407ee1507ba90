package dev.mcpbus.config.read;

import dev.mcpbus.config.ConfigEnvironment;
import dev.mcpbus.config.MessageTexts;
import dev.mcpbus.config.read.ConfigNode.ConfigMember;
import dev.mcpbus.config.read.ConfigNode.ValueType;
import dev.mcpbus.protocol.ServerId;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Reads a {@code server.json} of the MCP registry, or a registry's response with one or several of
 * them, as entries in mcpbus's own format. If a server has several {@code packages} and {@code
 * remotes}, the first one is used for which nothing is missing; packages come first.
 */
public final class RegistryFile {

  private static final Optional<String> DELETED = Optional.of("deleted");

  private final ConfigEnvironment environment;
  private final ProblemCollector problems;

  public RegistryFile(ConfigEnvironment environment, ProblemCollector problems) {
    this.environment = environment;
    this.problems = problems;
  }

  public static boolean is(ConfigNode root) {
    ConfigNode servers = root.get("servers");
    ConfigNode server = root.get("server");
    return isServer(root)
        || (server != null && isServer(server))
        || (servers != null && servers.is(ValueType.ARRAY));
  }

  private static boolean isServer(ConfigNode node) {
    return List.of("packages", "remotes").stream()
        .map(node::get)
        .anyMatch(list -> list != null && list.is(ValueType.ARRAY));
  }

  /** The servers by name; a server that cannot be used is reported and left out. */
  public ConfigMember servers(ConfigNode root) {
    ConfigNode servers = root.get("servers");
    List<ConfigNode> all =
        newest(isServer(root) || servers == null ? List.of(root) : servers.items());
    Map<String, Integer> shorts = new HashMap<>();
    all.forEach(one -> shorts.merge(ServerId.of(shortName(name(one))), 1, Integer::sum));
    List<ConfigMember> entries = new ArrayList<>();
    for (ConfigNode one : all) {
      ConfigNode server = unwrapped(one);
      String name = name(server);
      if (name.isBlank()) {
        problems.fatal(
            server.line(), "a server has no \"name\"", "Write \"name\": \"namespace/name\"");
        continue;
      }
      String brief = shortName(name);
      String id = shorts.getOrDefault(ServerId.of(brief), 1) > 1 ? name : brief;
      entry(server, id).ifPresent(entry -> entries.add(new ConfigMember(id, server.line(), entry)));
    }
    return new ConfigMember("mcpServers", root.line(), ConfigNode.object(root.line(), entries));
  }

  private static String name(ConfigNode server) {
    return RegistryInput.text(unwrapped(server), "name").orElse("");
  }

  /** A registry lists each version of a server: the latest of each, and none that was deleted. */
  private static List<ConfigNode> newest(List<ConfigNode> all) {
    Map<Object, ConfigNode> newest = new LinkedHashMap<>();
    for (ConfigNode one : all) {
      Optional<ConfigNode> listed = listed(one);
      if (listed.flatMap(meta -> RegistryInput.text(meta, "status")).equals(DELETED)) {
        continue;
      }
      Object key = listed.isPresent() ? name(one) : new Object();
      newest.merge(key, one, (a, b) -> isLatest(a) ? a : b);
    }
    return List.copyOf(newest.values());
  }

  private static boolean isLatest(ConfigNode one) {
    return listed(one).filter(meta -> RegistryInput.flag(meta, "isLatest")).isPresent();
  }

  /** What the official registry says about a server in its list. */
  private static Optional<ConfigNode> listed(ConfigNode one) {
    return one.member("_meta")
        .flatMap(meta -> meta.value().member("io.modelcontextprotocol.registry/official"))
        .map(ConfigMember::value);
  }

  private static ConfigNode unwrapped(ConfigNode node) {
    ConfigNode inner = node.get("server");
    return inner == null || !inner.is(ValueType.OBJECT) ? node : inner;
  }

  /** {@code io.github.ada/weather.v2} becomes {@code weather-v2}. */
  private static String shortName(String name) {
    return name.substring(name.lastIndexOf('/') + 1).replace('.', '-');
  }

  /** The entry for the first usable package or remote; empty if there is none. */
  Optional<ConfigNode> entry(ConfigNode node, String name) {
    ConfigNode server = unwrapped(node);
    String shown = ServerNames.key(name);
    List<ProblemCollector> lacking = new ArrayList<>();
    List<ProblemCollector> impossible = new ArrayList<>();
    for (ConfigNode one : RegistryInput.list(server, "packages")) {
      ProblemCollector own = new ProblemCollector(problems.file());
      RegistryPackage way = new RegistryPackage(one, new RegistryInput(environment, own, shown));
      Optional<List<String>> obstacle = way.obstacle();
      if (obstacle.isPresent()) {
        own.add(one.line(), shown, obstacle.get().get(0), obstacle.get().get(1));
        impossible.add(own);
        continue;
      }
      ConfigNode entry = way.entry();
      if (own.count() == 0) {
        return Optional.of(entry);
      }
      lacking.add(own);
    }
    for (ConfigNode one : RegistryInput.list(server, "remotes")) {
      ProblemCollector own = new ProblemCollector(problems.file());
      Optional<ConfigNode> entry = remote(one, new RegistryInput(environment, own, shown), own);
      if (own.count() == 0 && entry.isPresent()) {
        return entry;
      }
      lacking.add(own);
    }
    report(lacking.isEmpty() ? impossible : lacking.subList(0, 1), server, shown);
    return Optional.empty();
  }

  private void report(List<ProblemCollector> ways, ConfigNode server, String name) {
    ways.stream()
        .flatMap(way -> way.sorted().stream())
        .forEach(one -> problems.add(one.line(), name, one.message(), one.remedy()));
    if (ways.isEmpty()) {
      problems.add(
          server.line(),
          name,
          "the entry does not say how to reach the server",
          "It needs one of \"packages\" or of \"remotes\"");
    }
  }

  private static Optional<ConfigNode> remote(
      ConfigNode node, RegistryInput inputs, ProblemCollector problems) {
    int line = node.line();
    String type =
        RegistryInput.text(node, "type")
            .or(() -> RegistryInput.text(node, "transportType"))
            .orElse("streamable-http");
    boolean known = List.of("streamable-http", "streamable", "http", "sse").contains(type);
    if (!known) {
      problems.add(
          line,
          inputs.server(),
          "a remote of type " + MessageTexts.quote(type) + " is not known",
          "Known are streamable-http and sse");
    }
    Optional<String> template = RegistryInput.text(node, "url");
    if (template.isEmpty()) {
      problems.add(line, inputs.server(), "a remote has no \"url\"", "Add it");
      return Optional.empty();
    }
    Optional<String> url = inputs.template(template.get(), node, true);
    if (url.isEmpty() && problems.count() == 0) {
      problems.add(
          line,
          inputs.server(),
          "a variable of the \"url\" has no value",
          "Set MCPBUS_INPUT_<NAME> for every {name} in it");
    }
    List<ConfigMember> headers = new ArrayList<>();
    for (ConfigNode header : RegistryInput.list(node, "headers")) {
      String name = RegistryInput.text(header, "name").orElse("");
      inputs
          .value(header, name)
          .ifPresent(
              value ->
                  headers.add(
                      new ConfigMember(
                          name, header.line(), ConfigNode.text(header.line(), value))));
    }
    return url.map(
        filled ->
            ConfigNode.object(
                line,
                List.of(
                    new ConfigMember(
                        "type", line, ConfigNode.text(line, type.equals("sse") ? "sse" : "http")),
                    new ConfigMember("url", line, ConfigNode.text(line, filled)),
                    new ConfigMember("headers", line, ConfigNode.object(line, headers)))));
  }
}
