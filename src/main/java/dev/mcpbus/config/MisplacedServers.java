package dev.mcpbus.config;

import dev.mcpbus.config.ConfigNode.ConfigMember;
import dev.mcpbus.config.ConfigNode.ValueType;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Finds servers that stand in a file, but not under a key where they are looked for. Pure. */
final class MisplacedServers {

  private static final List<String> WAYS =
      List.of("command", "url", "address", "serverUrl", "httpUrl");

  private MisplacedServers() {}

  /** What to do, as the end of a remedy that begins with a blank; empty if nothing is found. */
  static String hint(ConfigNode root) {
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
      if (isServer(member.value())) {
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
    return node != null && node.members().stream().anyMatch(member -> isServer(member.value()));
  }

  private static boolean isServer(ConfigNode node) {
    return node.is(ValueType.OBJECT)
        && WAYS.stream()
            .map(node::get)
            .anyMatch(way -> way != null && (way.is(ValueType.STRING) || way.is(ValueType.ARRAY)));
  }
}
