package dev.mcpbus.plugins;

import dev.mcpbus.bus.NamePolicy;
import dev.mcpbus.bus.ToolName;
import java.util.Optional;

/** {@code server/tool}, but it loses the tool {@code lost} and fails on {@code bad}. */
public final class SlashNames implements NamePolicy {

  @Override
  public String name() {
    return "slash";
  }

  @Override
  public String encode(String server, String tool) {
    if (tool.equals("bad")) {
      throw new IllegalStateException("bad");
    }
    return server + "/" + (tool.equals("lost") ? "found" : tool);
  }

  @Override
  public Optional<ToolName> decode(String name) {
    if (name.isEmpty()) {
      throw new IllegalStateException("empty");
    }
    int slash = name.indexOf('/');
    return slash < 1
        ? Optional.empty()
        : Optional.of(new ToolName(name.substring(0, slash), name.substring(slash + 1)));
  }
}
