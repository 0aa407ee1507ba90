package dev.mcpbus.bridge;

import dev.mcpbus.bus.HttpQuery;
import dev.mcpbus.bus.HttpQuery.QueryKind;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Builds the OpenAPI 3.1 document from the table of routes and the schemas in {@code
 * openapi-schemas.json}. Stateless.
 */
final class OpenApiDocument {

  private static final Pattern VARIABLE = Pattern.compile(":(\\w+)");

  private static final Map<String, String> VARIABLES =
      Map.of(
          "id", "Id of a server, or its name as written.",
          "tool", "Name of a tool, URL-encoded; one with a slash is called at /rpc.",
          "prompt", "Name of a prompt, URL-encoded; one with a slash is got at /rpc.",
          "task", "Id of a task.",
          "question", "Name of a question, as the list of inputs has it.",
          "offer", "Name of an offer, as its answer has it.");

  private OpenApiDocument() {}

  static JsonObject document(List<Route> routes) {
    JsonObject paths = new JsonObject();
    for (Route route : routes) {
      String path = VARIABLE.matcher(route.path()).replaceAll("{$1}");
      if (!paths.containsKey(path)) {
        paths.put(path, new JsonObject());
      }
      paths
          .getJsonObject(path)
          .put(route.method().name().toLowerCase(Locale.ROOT), operation(route));
    }
    return new JsonObject()
        .put("openapi", "3.1.0")
        .put(
            "info",
            new JsonObject()
                .put("title", "mcpbus")
                .put("version", "1")
                .put(
                    "description",
                    "Every MCP server of the bus over HTTP. Results are the servers' own bytes;"
                        + " failures are problem documents. The bus itself is at /eventbus"
                        + " (SockJS, WebSocket)."))
        .put("paths", paths)
        .put("components", new JsonObject().put("schemas", schemas("/openapi-schemas.json")));
  }

  static JsonObject schemas(String resource) {
    try (InputStream in = OpenApiDocument.class.getResourceAsStream(resource)) {
      if (in == null) {
        throw new IllegalStateException(resource + " is not in the jar");
      }
      return new JsonObject(Buffer.buffer(in.readAllBytes()));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static JsonObject operation(Route route) {
    JsonObject operation =
        new JsonObject()
            .put("operationId", route.id())
            .put("summary", route.summary())
            .put("tags", new JsonArray().add(tag(route.path())))
            .put("x-action", route.action().word());
    JsonArray parameters = parameters(route);
    if (!parameters.isEmpty()) {
      operation.put("parameters", parameters);
    }
    if (route.body() != null) {
      operation.put("requestBody", content(Route.JSON, route.body()));
    }
    return operation.put(
        "responses",
        new JsonObject()
            .put(
                Integer.toString(route.status()),
                content(route.type(), route.answer()).put("description", "As asked."))
            .put(
                "default",
                content("application/problem+json", "Problem").put("description", "A failure.")));
  }

  private static JsonObject content(String type, String schema) {
    JsonObject reference = new JsonObject().put("$ref", "#/components/schemas/" + schema);
    return new JsonObject()
        .put("content", new JsonObject().put(type, new JsonObject().put("schema", reference)));
  }

  private static JsonArray parameters(Route route) {
    JsonArray parameters = new JsonArray();
    Matcher variables = VARIABLE.matcher(route.path());
    while (variables.find()) {
      String name = variables.group(1);
      parameters.add(
          new JsonObject()
              .put("name", name)
              .put("in", "path")
              .put("required", true)
              .put("description", VARIABLES.getOrDefault(name, name))
              .put("schema", new JsonObject().put("type", "string")));
    }
    for (HttpQuery param : route.query()) {
      JsonObject of =
          new JsonObject()
              .put("name", param.word)
              .put("in", "query")
              .put("description", param.summary)
              .put("schema", schema(param));
      parameters.add(param.kind == QueryKind.REQUIRED ? of.put("required", true) : of);
    }
    return parameters;
  }

  private static JsonObject schema(HttpQuery param) {
    JsonObject schema = new JsonObject();
    return switch (param.kind) {
      case TEXT, REQUIRED -> schema.put("type", "string");
      case TEXTS ->
          schema.put("type", "array").put("items", new JsonObject().put("type", "string"));
      case FLAG -> schema.put("type", "boolean");
      case FROM_0 -> schema.put("type", "integer").put("minimum", 0);
      case FROM_1 -> schema.put("type", "integer").put("minimum", 1);
      case WORD -> schema.put("enum", new JsonArray(param.words())).put("type", "string");
    };
  }

  /** The tag of a path: the first word after the server, else the first word. */
  private static String tag(String path) {
    String rest = path.replaceFirst("^/api/servers/:id/", "").replaceFirst("^/(api/)?", "");
    int cut = rest.indexOf('/');
    return cut < 0 ? rest : rest.substring(0, cut);
  }
}
