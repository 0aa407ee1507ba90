package dev.mcpbus.connection;

import dev.mcpbus.bus.ConnectionId;
import dev.mcpbus.bus.FailureCode;
import dev.mcpbus.bus.McpFailure;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The scope {@code toolsOnly}: refuses a server that offers prompts or resources, or no tools. */
final class ToolsOnlyScope {

  private ToolsOnlyScope() {}

  /** The refusal, or null where the server offers tools and neither prompts nor resources. */
  static @Nullable McpFailure check(ConnectionId id, ReadySession server) {
    List<String> more = List.of("prompts", "resources").stream().filter(server::offers).toList();
    if (more.isEmpty() && !server.offers("tools")) {
      return McpFailure.notSent(
          FailureCode.SCOPE_REJECTED,
          "the server offers no tools, but this connection admits servers with tools alone; set"
              + " \"toolsOnly\": false for server '"
              + id
              + "', or use a server that offers tools");
    }
    if (more.isEmpty()) {
      return null;
    }
    return McpFailure.notSent(
        FailureCode.SCOPE_REJECTED,
        "the server offers "
            + String.join(" and ", more)
            + ", but this connection admits tools only; set \"toolsOnly\": false for server '"
            + id
            + "', or use a server that offers tools alone");
  }
}
