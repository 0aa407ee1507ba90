package dev.mcpbus.ai;

import dev.mcpbus.bus.McpFailure;
import dev.mcpbus.bus.ToolName;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The body of {@code mcp.tools.functions} and, with {@code call}, of {@code
 * mcp.tools.functions.call} and {@code .route}. Immutable.
 *
 * @param servers ids of the servers whose tools are requested; null for all
 * @param schemas by routing name, {@code server.tool} or tool: only these tools; null for all
 * @param only the tools that the caller may see; null for all
 * @param call the model's call; null in a request for the functions
 */
record FunctionRequest(
    FunctionFormat form,
    @Nullable List<String> servers,
    @Nullable Map<String, JsonObject> schemas,
    FunctionOptions options,
    @Nullable Set<ToolName> only,
    @Nullable JsonObject call) {

  /**
   * @throws McpFailure {@code BAD_REQUEST} that names the wrong member
   */
  static FunctionRequest of(JsonObject body) {
    Object form = body.getValue("form", "openai");
    return new FunctionRequest(
        FunctionFormat.of(form instanceof String word ? word : ""),
        servers(body.getValue("servers")),
        schemas(body.getValue("schemas")),
        new FunctionOptions(flag(body, "strict"), flag(body, "serverIds")),
        only(body.getValue("only")),
        body.getValue("call") instanceof JsonObject call ? call : null);
  }

  JsonObject wanted() {
    return servers == null
        ? new JsonObject()
        : new JsonObject().put("servers", new JsonArray(servers));
  }

  boolean admits(ToolName tool) {
    return (servers == null || servers.contains(tool.server()))
        && (only == null || only.contains(tool));
  }

  private static @Nullable Set<ToolName> only(@Nullable Object value) {
    if (value == null) {
      return null;
    }
    if (!(value instanceof JsonArray names)) {
      throw McpFailure.badRequest("'only' must be a list of names such as server.tool");
    }
    Set<ToolName> only = new HashSet<>();
    names.forEach(name -> ToolName.parse(String.valueOf(name)).ifPresent(only::add));
    return only;
  }

  private static @Nullable List<String> servers(@Nullable Object value) {
    if (value == null) {
      return null;
    }
    if (value instanceof String one) {
      return List.of(one);
    }
    if (value instanceof JsonArray all && all.stream().allMatch(String.class::isInstance)) {
      return all.stream().map(String.class::cast).toList();
    }
    throw McpFailure.badRequest("'servers' must be the id of a server or a list of them");
  }

  private static @Nullable Map<String, JsonObject> schemas(@Nullable Object value) {
    if (value instanceof JsonObject all) {
      Map<String, JsonObject> schemas = new LinkedHashMap<>();
      for (Map.Entry<String, Object> one : all) {
        if (!(one.getValue() instanceof JsonObject schema)) {
          throw McpFailure.badRequest("'schemas." + one.getKey() + "' must be a JSON schema");
        }
        schemas.put(one.getKey(), schema);
      }
      return schemas;
    }
    if (value != null && !value.equals("automatic")) {
      throw McpFailure.badRequest(
          "'schemas' must be \"automatic\" or an object {\"server__tool\": {schema}}");
    }
    return null;
  }

  private static boolean flag(JsonObject body, String key) {
    Object value = body.getValue(key, false);
    if (value instanceof Boolean flag) {
      return flag;
    }
    throw McpFailure.badRequest("'" + key + "' must be true or false");
  }
}
