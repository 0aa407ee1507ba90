package dev.mcpbus.demo;

import dev.mcpbus.protocol.JsonRpcError;
import dev.mcpbus.protocol.Methods;
import dev.mcpbus.server.RawServer;
import dev.mcpbus.server.RequestException;
import dev.mcpbus.server.ToolResult;
import io.vertx.core.Future;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.math.BigDecimal;
import java.time.Clock;
import java.time.DateTimeException;
import java.time.ZoneId;
import java.time.ZonedDateTime;
import java.time.format.DateTimeFormatter;
import java.util.List;

/**
 * The features of the demo server: the tools {@code echo(text)}, {@code add(a, b)} with structured
 * content and {@code clock(timezone)}, the resource {@code demo://readme} and the prompt {@code
 * greet(name)}.
 */
final class DemoFeatures {

  static final String README_URI = "demo://readme";

  private static final String README =
      """
      This server is part of mcpbus and answers from memory.
      Tools: echo(text), add(a, b), clock(timezone). Prompt: greet(name).
      """;

  private DemoFeatures() {}

  /** A new server, which no client can reach yet. */
  static RawServer server(Clock clock) {
    return RawServer.of("mcpbus-demo", "1.0.0")
        .instructions("A demo. Call echo, add or clock.")
        .tool(
            "echo",
            "Says the text back.",
            object(new JsonObject().put("text", typed("string", "What to say back")), "text"),
            (request, arguments) -> Future.succeededFuture(echoed(arguments)))
        .tool(add(), (request, arguments) -> Future.succeededFuture(added(arguments)))
        .tool(
            "clock",
            "Tells the time in a time zone, in ISO 8601.",
            object(
                new JsonObject()
                    .put("timezone", typed("string", "As in Europe/Berlin; UTC by default"))),
            (request, arguments) -> Future.succeededFuture(time(arguments, clock)))
        .handle(Methods.RESOURCES_LIST, (request, params) -> Future.succeededFuture(resources()))
        .handle(Methods.RESOURCES_TEMPLATES, (request, params) -> Future.succeededFuture(none()))
        .handle(Methods.RESOURCES_READ, (request, params) -> Future.succeededFuture(read(params)))
        .handle(Methods.PROMPTS_LIST, (request, params) -> Future.succeededFuture(prompts()))
        .handle(Methods.PROMPTS_GET, (request, params) -> Future.succeededFuture(greeting(params)));
  }

  private static JsonObject echoed(JsonObject arguments) {
    return ToolResult.text(arguments.getString("text"));
  }

  private static JsonObject add() {
    JsonObject numbers =
        new JsonObject()
            .put("a", typed("number", "One number"))
            .put("b", typed("number", "The other"));
    return new JsonObject()
        .put("name", "add")
        .put("description", "Adds two numbers.")
        .put("inputSchema", object(numbers, "a", "b"))
        .put("outputSchema", object(new JsonObject().put("sum", typed("number", "a + b")), "sum"));
  }

  private static JsonObject added(JsonObject arguments) {
    try {
      BigDecimal sum = number(arguments, "a").add(number(arguments, "b"));
      return ToolResult.text(sum.toString())
          .put("structuredContent", new JsonObject().put("sum", sum));
    } catch (NumberFormatException e) {
      return ToolResult.error(String.valueOf(e.getMessage()));
    }
  }

  /** The server has checked the schema before: the argument is a number, perhaps too large. */
  private static BigDecimal number(JsonObject arguments, String name) {
    String text = String.valueOf(arguments.getValue(name));
    try {
      return new BigDecimal(text);
    } catch (NumberFormatException e) {
      throw new NumberFormatException("/" + name + ": must be a finite number, not " + text);
    }
  }

  private static JsonObject time(JsonObject arguments, Clock clock) {
    String zone = arguments.getString("timezone", "UTC");
    try {
      return ToolResult.text(
          ZonedDateTime.now(clock.withZone(ZoneId.of(zone)))
              .format(DateTimeFormatter.ISO_OFFSET_DATE_TIME));
    } catch (DateTimeException e) {
      return ToolResult.error(
          "timezone: no time zone \"" + zone + "\"; write it as in Europe/Berlin");
    }
  }

  private static JsonObject resources() {
    JsonObject readme =
        new JsonObject()
            .put("uri", README_URI)
            .put("name", "readme")
            .put("description", "What this server offers")
            .put("mimeType", "text/plain");
    return new JsonObject().put("resources", new JsonArray().add(readme));
  }

  private static JsonObject none() {
    return new JsonObject().put("resourceTemplates", new JsonArray());
  }

  private static JsonObject read(JsonObject params) {
    String uri = String.valueOf(params.getValue("uri"));
    if (!uri.equals(README_URI)) {
      throw new RequestException(
          JsonRpcError.RESOURCE_NOT_FOUND, "uri: no resource " + uri + "; there is " + README_URI);
    }
    JsonObject content =
        new JsonObject().put("uri", uri).put("mimeType", "text/plain").put("text", README);
    return new JsonObject().put("contents", new JsonArray().add(content));
  }

  private static JsonObject prompts() {
    JsonObject name =
        new JsonObject().put("name", "name").put("description", "Whom").put("required", true);
    JsonObject greet =
        new JsonObject()
            .put("name", "greet")
            .put("description", "Greets a person.")
            .put("arguments", new JsonArray().add(name));
    return new JsonObject().put("prompts", new JsonArray().add(greet));
  }

  private static JsonObject greeting(JsonObject params) {
    Object name = params.getJsonObject("arguments", new JsonObject()).getValue("name");
    JsonObject line =
        new JsonObject()
            .put("type", "text")
            .put("text", "Please greet " + (name == null ? "everybody" : name) + ".");
    JsonObject message = new JsonObject().put("role", "user").put("content", line);
    return new JsonObject().put("messages", new JsonArray().add(message));
  }

  private static JsonObject object(JsonObject properties, String... required) {
    return new JsonObject()
        .put("type", "object")
        .put("properties", properties)
        .put("required", new JsonArray(List.of(required)));
  }

  private static JsonObject typed(String type, String description) {
    return new JsonObject().put("type", type).put("description", description);
  }
}
