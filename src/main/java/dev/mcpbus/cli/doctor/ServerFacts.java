package dev.mcpbus.cli.doctor;

import dev.mcpbus.config.ServerDefinition;
import dev.mcpbus.config.ServerOrigin;
import dev.mcpbus.transport.StdioOptions;
import dev.mcpbus.transport.TransportOptions;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * What of a definition stands in reports. Immutable.
 *
 * @param target how the server is reached, without secrets: a command line, or a URL without its
 *     query
 * @param pinsVersion whether the entry names the version of the protocol
 * @param closeGraceMillis how long a child process may take to end by itself
 */
record ServerFacts(String target, boolean pinsVersion, long closeGraceMillis) {

  static ServerFacts of(ServerDefinition definition) {
    ServerOrigin origin = definition.origin();
    boolean pinned = origin != null && origin.entry().containsKey("protocolVersion");
    TransportOptions transport = definition.transport();
    if (transport instanceof StdioOptions stdio) {
      return new ServerFacts(command(definition.view()), pinned, stdio.closeGrace().toMillis());
    }
    return new ServerFacts(
        Endpoint.of(transport).map(Endpoint::toString).orElse(transport.type()), pinned, 0);
  }

  /** The words of the command, masked as in every view. */
  private static String command(JsonObject view) {
    JsonArray args = view.getValue("args") instanceof JsonArray written ? written : new JsonArray();
    return Stream.concat(Stream.of(view.getValue("command")), args.stream())
        .map(String::valueOf)
        .collect(Collectors.joining(" "));
  }
}
