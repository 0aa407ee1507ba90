package dev.mcpbus.config.read;

import dev.mcpbus.config.MessageTexts;
import dev.mcpbus.config.read.ConfigNode.ConfigMember;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Finds servers that stand in a file, but not under a key where they are looked for. Pure. */
public final class MisplacedServers {

  /** Files about servers that no client reads, by keys that they have, and what to do. */
  private static final String[][] OTHER_FILES = {
    {"startCommand", "This is a smithery.yaml, which says how to build one server"},
    {"server mcp_config", "This is the manifest of an MCPB bundle: its \"mcp_config\" is an entry"},
    {"registry", "This is a catalog of Docker: \"docker\" with \"mcp gateway run\" serves it"},
    {"mcp stdio_servers", "This is a file of OpenHands: write its lists as an object by name"},
    {"mcp shttp_servers", "This is a file of OpenHands: write its lists as an object by name"},
    {"plugins", "This is a marketplace of plug-ins: name the .mcp.json of one"},
    {
      "services",
      "This is a file of Docker Compose: \"docker\" with \"compose run -i --rm\" starts one"
    },
    {"dependencies", "This is a package.json: \"npx\" with its name starts the server"},
    {"deployment", "This is a fastmcp.json: \"fastmcp\" with \"run FILE\" starts the server"},
  };

  private MisplacedServers() {}

  /** What to do, as the end of a remedy that begins with a blank; empty if nothing is found. */
  public static String hint(ConfigNode root) {
    for (String[] file : OTHER_FILES) {
      List<String> path = List.of(file[0].split(" "));
      ConfigNode outer = root.get(path.get(0));
      if (outer != null && (path.size() == 1 || outer.get(path.get(1)) != null)) {
        return ". " + file[1];
      }
    }
    for (ConfigMember member : root.members()) {
      String near = MessageTexts.nearest(member.name(), ConfigKeys.ROOTS);
      if (near != null) {
        return ". Did you mean \""
            + near
            + "\" instead of "
            + MessageTexts.quote(member.name())
            + " on line "
            + member.line()
            + "?";
      }
    }
    for (ConfigMember member : root.members()) {
      if (ForeignRoots.isServer(member.value())) {
        return ". The server "
            + MessageTexts.quote(member.name())
            + " on line "
            + member.line()
            + " stands outside of them";
      }
      if (holdsServers(member.value())) {
        return ". Rename "
            + MessageTexts.quote(member.name())
            + " on line "
            + member.line()
            + " to \"mcpServers\"";
      }
      Optional<String> inner = inner(member.value());
      if (inner.isPresent()) {
        return ". Move "
            + MessageTexts.quote(inner.get())
            + " out of "
            + MessageTexts.quote(member.name())
            + " on line "
            + member.line();
      }
    }
    return "";
  }

  private static Optional<String> inner(ConfigNode node) {
    return ConfigKeys.ROOTS.stream().filter(root -> holdsServers(node.get(root))).findFirst();
  }

  private static boolean holdsServers(@Nullable ConfigNode node) {
    return node != null
        && node.members().stream().anyMatch(member -> ForeignRoots.isServer(member.value()));
  }
}
