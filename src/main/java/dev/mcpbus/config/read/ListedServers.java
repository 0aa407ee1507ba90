package dev.mcpbus.config.read;

import dev.mcpbus.config.read.ConfigNode.ConfigMember;
import dev.mcpbus.config.read.ConfigNode.ValueType;
import dev.mcpbus.protocol.ServerId;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/**
 * The servers of a file as its program counts them: without comments and empty roots, with those of
 * Claude Code's projects, and with those disabled that a list of Gemini switches off. Pure.
 */
final class ListedServers {

  private ListedServers() {}

  static ConfigNode of(ConfigNode root) {
    return withoutSwitchedOff(withProjects(withoutEmpty(root)));
  }

  /** Without roots that hold nothing beside one that holds servers, and without comments. */
  private static ConfigNode withoutEmpty(ConfigNode written) {
    ConfigNode root =
        written.withRoots(
            servers ->
                ConfigNode.object(
                    servers.line(),
                    servers.members().stream()
                        .filter(
                            one ->
                                one.value().is(ValueType.OBJECT)
                                    || !(one.value().is(ValueType.NULL)
                                        || ClientAliases.COMMENT.matcher(one.name()).matches()))
                        .toList()));
    List<ConfigMember> empty =
        root.members().stream()
            .filter(one -> ConfigKeys.ROOTS.contains(one.name()))
            .filter(one -> one.value().members().isEmpty() && one.value().items().isEmpty())
            .toList();
    long all = root.members().stream().filter(one -> ConfigKeys.ROOTS.contains(one.name())).count();
    return all == empty.size()
        ? root
        : ConfigNode.object(
            root.line(), root.members().stream().filter(one -> !empty.contains(one)).toList());
  }

  /** With the servers of Claude Code's {@code projects}, each started in its project. */
  private static ConfigNode withProjects(ConfigNode root) {
    ConfigNode projects = root.get("projects");
    if (projects == null) {
      return root;
    }
    ConfigNode own = root.get("mcpServers");
    List<ConfigMember> all = new ArrayList<>(own == null ? List.of() : own.members());
    Set<String> ids = new HashSet<>();
    all.forEach(one -> ids.add(ServerId.of(one.name())));
    int before = all.size();
    for (ConfigMember project : projects.members()) {
      ConfigNode servers = project.value().get("mcpServers");
      Path folder = ClientFile.absolute(project.name());
      List<String> off = words(project.value(), "disabledMcpServers");
      for (ConfigMember server : servers == null ? List.<ConfigMember>of() : servers.members()) {
        List<String> names =
            List.of(
                server.name(),
                server.name() + "-" + (folder == null ? "" : folder.getFileName()),
                server.name() + "-" + project.name());
        String name =
            names.stream()
                .filter(one -> ids.add(ServerId.of(one)))
                .findFirst()
                .orElse(names.get(0));
        ConfigNode entry = off.contains(server.name()) ? off(server.value()) : server.value();
        all.add(
            new ConfigMember(
                name,
                server.line(),
                folder == null ? entry : ClientFile.startedThere(folder, entry)));
      }
    }
    return all.size() == before
        ? root
        : root.with(
            "mcpServers", ConfigNode.object(own == null ? projects.line() : own.line(), all));
  }

  private static ConfigNode off(ConfigNode entry) {
    return entry.is(ValueType.OBJECT)
        ? entry.with("disabled", ConfigNode.scalar(ValueType.BOOLEAN, entry.line(), "true"))
        : entry;
  }

  /** Gemini's lists of the servers that it uses, and that it does not use. */
  private static ConfigNode withoutSwitchedOff(ConfigNode root) {
    ConfigNode mcp = root.get("mcp");
    Set<String> only = new HashSet<>(words(root, "allowMCPServers"));
    Set<String> not = new HashSet<>(words(root, "excludeMCPServers"));
    if (mcp != null) {
      only.addAll(words(mcp, "allowed"));
      not.addAll(words(mcp, "excluded"));
    }
    return only.isEmpty() && not.isEmpty()
        ? root
        : root.withServers(
            one ->
                not.contains(one.name()) || !(only.isEmpty() || only.contains(one.name()))
                    ? one.with(off(one.value()))
                    : one);
  }

  private static List<String> words(ConfigNode node, String key) {
    ConfigNode list = node.get(key);
    return list == null ? List.of() : words(list);
  }

  /** The texts of a list; a text is a list of one. */
  static List<String> words(ConfigNode list) {
    return list.is(ValueType.STRING)
        ? List.of(list.text())
        : list.items().stream().map(ConfigNode::text).toList();
  }
}
