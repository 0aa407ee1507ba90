package dev.mcpbus.cluster.definitions;

import dev.mcpbus.bus.ConnectionId;
import dev.mcpbus.config.ServerDefinition;
import dev.mcpbus.connection.options.ConnectionOptions;
import dev.mcpbus.hosting.ElsewhereTransport;
import dev.mcpbus.internals.RecordCopy;
import io.vertx.core.json.JsonObject;
import java.util.Map;

/**
 * What all nodes know of a server over a transport that a program made itself: it exists on the
 * node of that program, as long as the node is a member.
 *
 * @param node the id of the node
 * @param view what may be shown of the server
 * @param lazy whether it connects at its first call
 * @param shared whether all clients share its connection
 */
public record ProgramServer(String node, JsonObject view, boolean lazy, boolean shared) {

  /** The type of its entry: no version of mcpbus can make a connection of it. */
  static final String TYPE = "program";

  static ProgramServer of(ServerDefinition definition, String node) {
    ConnectionOptions options = definition.connection();
    return new ProgramServer(node, definition.view(), options.lazy(), options.shared());
  }

  JsonObject toJson() {
    return new JsonObject()
        .put("node", node)
        .put("view", view)
        .put("lazy", lazy)
        .put("shared", shared);
  }

  static ProgramServer of(JsonObject json) {
    return new ProgramServer(
        json.getString("node"),
        json.getJsonObject("view"),
        json.getBoolean("lazy"),
        json.getBoolean("shared"));
  }

  /** The definition as other nodes have it. */
  ServerDefinition definition(ConnectionId id, DefinitionEntry entry) {
    return ElsewhereTransport.definition(
        id,
        entry.origin().name(),
        RecordCopy.with(ConnectionOptions.DEFAULT, Map.of("lazy", lazy, "shared", shared)),
        entry.source(),
        view);
  }
}
