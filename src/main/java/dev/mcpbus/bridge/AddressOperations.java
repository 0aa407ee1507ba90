package dev.mcpbus.bridge;

import dev.mcpbus.bus.Addresses;
import dev.mcpbus.bus.MethodAddress;
import dev.mcpbus.bus.RoutingName;
import dev.mcpbus.bus.ToolName;
import dev.mcpbus.protocol.RawJson;
import dev.mcpbus.security.Action;
import dev.mcpbus.security.Operation;
import dev.mcpbus.security.OperationTable;
import java.util.Optional;

/**
 * What it is to send something to the actor of a server: what its MCP method is, and a row for each
 * address that stands for none. Stateless.
 */
final class AddressOperations {

  private AddressOperations() {}

  /** Of {@code mcp.<server>.<suffix>}; whatever has no row changes what runs. */
  static Operation of(String server, String suffix, RawJson body) {
    MethodAddress method = MethodAddress.ofSuffix(suffix);
    if (method != null) {
      return OperationTable.of(server, method.method(), body);
    }
    return switch (suffix) {
      case Addresses.REQUEST -> OperationTable.described(server, body);
      case Addresses.STATUS -> Operation.of(Action.LIST, server, "");
      case Addresses.TOOLS_METADATA, Addresses.TOOLS_DRIFT -> Operation.whole(Action.LIST, server);
      case Addresses.CANCEL -> Operation.of(Action.CALL, server, "");
      default -> Operation.of(Action.ADMIN, server, "");
    };
  }

  /** The tool that an aggregated name says by itself; empty where only a table could tell. */
  static Optional<ToolName> tool(RawJson body) {
    RawJson name = body.member("name");
    if (name == null || !name.isString()) {
      return Optional.empty();
    }
    String text = name.asString();
    return ToolName.parse(text).or(() -> RoutingName.parse(text));
  }

  /** Of the aggregate call {@code {"name": "server.tool"}}. */
  static Operation named(RawJson body) {
    return tool(body)
        .map(tool -> Operation.of(Action.CALL, tool.server(), tool.tool()))
        .orElse(Operation.nameless(Action.CALL, ""));
  }
}
