package dev.mcpbus.ai;

import dev.mcpbus.bus.Addresses;
import dev.mcpbus.bus.ConnectionId;
import dev.mcpbus.bus.FailureCode;
import dev.mcpbus.bus.McpFailure;
import dev.mcpbus.bus.ToolName;
import dev.mcpbus.client.CallOptions;
import dev.mcpbus.client.McpClient;
import dev.mcpbus.client.ServerStatus;
import io.vertx.core.Future;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.util.List;
import java.util.stream.Stream;

/**
 * Two tools by which a model lists and reads the resources of all servers. They belong to no
 * server: the server in their name is empty. Stateless.
 */
final class ResourceTools {

  private static final String LIST = "list_resources";
  private static final String GET = "get_resource";
  private static final String SERVER = "mcpServer";
  private static final String URI = "uri";

  /** What a model reads of a resource, beside its server. */
  private static final List<String> SHOWN =
      List.of(URI, "uriTemplate", "name", "title", "description", "mimeType");

  static final List<ModelTool> OFFERED =
      List.of(
          tool(LIST, "Lists the resources of all MCP servers, and the templates of their URIs.")
              .build(),
          tool(GET, "Reads one resource of an MCP server. Use " + LIST + " first to find it.")
              .with(SERVER, "The name of the MCP server that has the resource.")
              .with(URI, "The URI of the resource.")
              .build());

  private ResourceTools() {}

  static boolean isOne(ModelTool tool) {
    return tool.tool().server().isEmpty();
  }

  /** A {@code CallToolResult}. */
  static Future<JsonObject> call(
      McpClient client,
      FrameworkOptions options,
      ModelTool tool,
      JsonObject arguments,
      CallOptions how) {
    return tool.tool().tool().equals(LIST)
        ? list(client, options, how)
        : read(client, options, arguments, how);
  }

  private static Future<JsonObject> list(
      McpClient client, FrameworkOptions options, CallOptions how) {
    return client
        .statuses()
        .compose(
            all ->
                Future.all(
                    all.stream()
                        .filter(one -> options.offers(one.id().value()))
                        .filter(one -> one.capabilities().containsKey("resources"))
                        .flatMap(
                            one ->
                                Stream.of(
                                    listed(client, one, Addresses.RESOURCES_LIST, how),
                                    listed(client, one, Addresses.RESOURCES_TEMPLATES, how)))
                        .toList()))
        .map(
            lists -> {
              JsonArray all = new JsonArray();
              lists.<JsonArray>list().forEach(all::addAll);
              return result(new JsonObject().put("type", "text").put("text", all.encode()));
            });
  }

  /** One list of one server; where it has none to give, why. */
  private static Future<JsonArray> listed(
      McpClient client, ServerStatus server, String suffix, CallOptions how) {
    String id = server.id().value();
    return client
        .server(server.id())
        .send(suffix, new JsonObject(), how)
        .map(
            reply -> {
              JsonArray found = new JsonArray();
              for (String key : List.of("resources", "resourceTemplates")) {
                if (reply.getValue(key) instanceof JsonArray entries) {
                  entries.stream()
                      .filter(JsonObject.class::isInstance)
                      .forEach(entry -> found.add(shown(id, (JsonObject) entry)));
                }
              }
              return found;
            })
        .recover(
            failure ->
                McpFailure.of(failure).code() == FailureCode.METHOD_NOT_FOUND
                    ? Future.succeededFuture(new JsonArray())
                    : Future.succeededFuture(
                        new JsonArray()
                            .add(
                                new JsonObject()
                                    .put(SERVER, id)
                                    .put("problem", failure.getMessage()))));
  }

  private static JsonObject shown(String server, JsonObject entry) {
    JsonObject shown = new JsonObject().put(SERVER, server);
    SHOWN.stream().filter(entry::containsKey).forEach(key -> shown.put(key, entry.getValue(key)));
    return shown;
  }

  private static Future<JsonObject> read(
      McpClient client, FrameworkOptions options, JsonObject arguments, CallOptions how) {
    if (!(arguments.getValue(SERVER) instanceof String server)
        || !(arguments.getValue(URI) instanceof String uri)) {
      return Future.failedFuture(wrong("\"" + SERVER + "\" and \"" + URI + "\" are needed"));
    }
    ConnectionId id = ConnectionId.named(server).orElse(null);
    if (id == null || !options.offers(id.value())) {
      return Future.failedFuture(wrong("there is no server \"" + server + "\"; see " + LIST));
    }
    return client
        .server(id)
        .send(Addresses.RESOURCES_READ, new JsonObject().put(URI, uri), how)
        .map(
            reply -> {
              JsonArray contents = reply.getJsonArray("contents", new JsonArray());
              return result(
                  contents.stream()
                      .map(one -> new JsonObject().put("type", "resource").put("resource", one))
                      .toArray(JsonObject[]::new));
            });
  }

  private static McpFailure wrong(String message) {
    return McpFailure.notSent(FailureCode.INVALID_ARGUMENTS, message);
  }

  private static JsonObject result(JsonObject... content) {
    return new JsonObject().put("content", new JsonArray(List.of(content)));
  }

  private static ResourceTool tool(String name, String description) {
    return new ResourceTool(name, description, new JsonObject());
  }

  private record ResourceTool(String name, String description, JsonObject properties) {

    ResourceTool with(String argument, String text) {
      properties.put(argument, new JsonObject().put("type", "string").put("description", text));
      return this;
    }

    ModelTool build() {
      JsonObject schema = new JsonObject().put("type", "object").put("properties", properties);
      if (!properties.isEmpty()) {
        schema.put("required", new JsonArray(List.copyOf(properties.fieldNames())));
      }
      return new ModelTool(
          name,
          new ToolName("", name),
          new JsonObject()
              .put("name", name)
              .put("description", description)
              .put("inputSchema", schema)
              .put("annotations", new JsonObject().put("readOnlyHint", true)),
          schema);
    }
  }
}
