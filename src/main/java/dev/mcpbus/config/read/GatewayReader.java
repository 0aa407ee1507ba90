package dev.mcpbus.config.read;

import dev.mcpbus.bus.ConnectionId;
import dev.mcpbus.config.MessageTexts;
import dev.mcpbus.config.read.ConfigNode.ConfigMember;
import dev.mcpbus.config.read.ConfigNode.ValueType;
import dev.mcpbus.config.read.Substitution.Filled;
import dev.mcpbus.directory.MetaTools;
import dev.mcpbus.directory.ViewOptions;
import dev.mcpbus.gateway.options.GatewayOptions;
import dev.mcpbus.protocol.ServerId;
import java.util.Collection;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.UnaryOperator;
import java.util.regex.Pattern;

/** Reads {@code gateway}: the views and bounds of the MCP gateway. */
final class GatewayReader {

  private static final Pattern NAME = Pattern.compile("[A-Za-z_][A-Za-z0-9_-]{0,63}");

  private GatewayReader() {}

  /**
   * @param names of the servers, as written
   */
  static GatewayOptions read(ConfigEntry entry, List<String> names) {
    Filling<GatewayOptions> filling = Filling.of(entry, GatewayOptions.DEFAULT);
    return filling
        .hand(
            "views",
            gateway ->
                Optional.of(
                    views(gateway, names, Boolean.TRUE.equals(filling.value("passUnknown")))))
        .done();
  }

  private static Map<String, ViewOptions> views(
      ConfigEntry gateway, List<String> names, boolean passUnknown) {
    Map<String, ViewOptions> views = new LinkedHashMap<>();
    Optional<ConfigMember> all =
        gateway.node().member("views").filter(member -> !member.value().is(ValueType.NULL));
    if (all.isEmpty()) {
      return views;
    }
    if (!all.get().value().is(ValueType.OBJECT)) {
      gateway.wrong(
          all.get().line(), "\"gateway.views\" must be an object", "Write {\"name\": { ... }}");
      return views;
    }
    ConfigEntry parent = gateway.values(all.get());
    for (ConfigMember member : all.get().value().members()) {
      String problem = ConnectionId.problem(member.name());
      if (problem != null) {
        gateway.wrong(member.line(), "\"gateway.views\": " + problem, "Choose another name");
        continue;
      }
      parent
          .object(member.name())
          .ifPresent(view -> views.put(member.name(), view(view, names, passUnknown)));
    }
    return views;
  }

  private static ViewOptions view(ConfigEntry entry, List<String> names, boolean passUnknown) {
    boolean search = entry.flag("search").orElse(false);
    Map<String, String> renames = renames(entry);
    Map<String, String> ofIds = new LinkedHashMap<>();
    UnaryOperator<String> items = ServerId.itemPatterns(names);
    renames.forEach((item, name) -> ofIds.putIfAbsent(items.apply(item), name));
    renames.values().stream()
        .filter(name -> search && MetaTools.isMeta(name))
        .forEach(
            name ->
                entry.wrong(
                    entry.line("rename"),
                    MessageTexts.quote(name) + " is a tool of every view with \"search\"",
                    "Choose another name"));
    return new ViewOptions(
        entry.words("servers"),
        entry.words("allow").stream().map(items).toList(),
        entry.words("deny"),
        ofIds,
        entry.choice("failure", FailureMode.class).orElse(FailureMode.OPEN) == FailureMode.CLOSED,
        search,
        entry.words("principals"),
        entry.choice("prefix", NamePrefix.class).orElse(NamePrefix.SERVER) == NamePrefix.NEVER,
        entry.flag("passUnknown").orElse(passUnknown));
  }

  private enum NamePrefix {
    SERVER,
    NEVER
  }

  private enum FailureMode {
    OPEN,
    CLOSED
  }

  private static Map<String, String> renames(ConfigEntry entry) {
    Map<String, String> renames = new LinkedHashMap<>();
    Set<String> taken = new HashSet<>();
    for (Map.Entry<String, Filled> one : entry.map("rename").orElse(Map.of()).entrySet()) {
      String name = ConfigEntry.word(one.getValue());
      String shown = MessageTexts.quote(one.getValue().shown());
      if (!NAME.matcher(name).matches()) {
        entry.wrong(
            entry.line("rename"),
            shown + " is not a name for a tool",
            "Use 1 to 64 letters, digits, _ and -, no digit or hyphen first");
      } else if (!taken.add(name)) {
        entry.wrong(
            entry.line("rename"),
            "two tools are renamed to " + shown,
            "Choose another name for one of them");
      } else {
        renames.put(one.getKey(), name);
      }
    }
    return renames;
  }

  /** Reports views that have a server's name, and views that name unknown servers. */
  static GatewayOptions checked(
      ConfigEntry top, GatewayOptions options, Collection<String> servers) {
    options
        .views()
        .forEach(
            (name, view) -> {
              if (servers.contains(name)) {
                top.wrong(
                    top.line("gateway"),
                    "/mcp/" + name + " would be both a server and a view",
                    "Rename the view or the server " + MessageTexts.quote(name));
              }
              view.servers().stream()
                  .filter(id -> !servers.contains(id))
                  .forEach(
                      id ->
                          top.wrong(
                              top.line("gateway"),
                              "view "
                                  + MessageTexts.quote(name)
                                  + ": there is no server "
                                  + MessageTexts.quote(id),
                              "Name servers of this file"));
            });
    return options;
  }
}
