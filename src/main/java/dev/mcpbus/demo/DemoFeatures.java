package dev.mcpbus.demo;

import io.modelcontextprotocol.server.McpAsyncServer;
import io.modelcontextprotocol.server.McpServer;
import io.modelcontextprotocol.server.McpServerFeatures.AsyncPromptSpecification;
import io.modelcontextprotocol.server.McpServerFeatures.AsyncResourceSpecification;
import io.modelcontextprotocol.spec.McpSchema.CallToolRequest;
import io.modelcontextprotocol.spec.McpSchema.CallToolResult;
import io.modelcontextprotocol.spec.McpSchema.GetPromptResult;
import io.modelcontextprotocol.spec.McpSchema.Prompt;
import io.modelcontextprotocol.spec.McpSchema.PromptArgument;
import io.modelcontextprotocol.spec.McpSchema.PromptMessage;
import io.modelcontextprotocol.spec.McpSchema.ReadResourceResult;
import io.modelcontextprotocol.spec.McpSchema.Resource;
import io.modelcontextprotocol.spec.McpSchema.Role;
import io.modelcontextprotocol.spec.McpSchema.ServerCapabilities;
import io.modelcontextprotocol.spec.McpSchema.TextContent;
import io.modelcontextprotocol.spec.McpSchema.TextResourceContents;
import io.modelcontextprotocol.spec.McpSchema.Tool;
import io.modelcontextprotocol.spec.McpServerTransportProvider;
import java.math.BigDecimal;
import java.time.Clock;
import java.time.DateTimeException;
import java.time.ZoneId;
import java.time.ZonedDateTime;
import java.time.format.DateTimeFormatter;
import java.util.List;
import java.util.Map;
import reactor.core.publisher.Mono;

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

  /** Builds and starts the server. Loads classes, so do not call it on an event loop. */
  static McpAsyncServer serve(McpServerTransportProvider provider, Clock clock) {
    return McpServer.async(provider)
        .serverInfo("mcpbus-demo", "1.0.0")
        .instructions("A demo. Call echo, add or clock.")
        .capabilities(
            ServerCapabilities.builder().tools(true).resources(false, true).prompts(true).build())
        .toolCall(echo(), (exchange, request) -> Mono.just(echoed(request)))
        .toolCall(add(), (exchange, request) -> Mono.just(added(request)))
        .toolCall(clockTool(), (exchange, request) -> Mono.just(time(request, clock)))
        .resources(readme())
        .prompts(greet())
        .build();
  }

  private static Tool echo() {
    return Tool.builder(
            "echo", object(Map.of("text", typed("string", "What to say back")), List.of("text")))
        .description("Says the text back.")
        .build();
  }

  private static CallToolResult echoed(CallToolRequest request) {
    return text(String.valueOf(request.arguments().get("text")));
  }

  private static Tool add() {
    return Tool.builder(
            "add",
            object(
                Map.of("a", typed("number", "One number"), "b", typed("number", "The other")),
                List.of("a", "b")))
        .description("Adds two numbers.")
        .outputSchema(object(Map.of("sum", typed("number", "a + b")), List.of("sum")))
        .build();
  }

  private static CallToolResult added(CallToolRequest request) {
    BigDecimal sum = number(request, "a").add(number(request, "b"));
    return CallToolResult.builder()
        .addTextContent(sum.toString())
        .structuredContent(Map.of("sum", sum))
        .build();
  }

  /** The SDK has checked the input schema before: the argument is a finite number. */
  private static BigDecimal number(CallToolRequest request, String name) {
    return new BigDecimal(String.valueOf(request.arguments().get(name)));
  }

  private static Tool clockTool() {
    return Tool.builder(
            "clock",
            object(
                Map.of("timezone", typed("string", "As in Europe/Berlin; UTC by default")),
                List.of()))
        .description("Tells the time in a time zone, in ISO 8601.")
        .build();
  }

  private static CallToolResult time(CallToolRequest request, Clock clock) {
    Object zone = request.arguments() == null ? null : request.arguments().get("timezone");
    try {
      ZoneId id = ZoneId.of(zone == null ? "UTC" : zone.toString());
      return text(
          ZonedDateTime.now(clock.withZone(id)).format(DateTimeFormatter.ISO_OFFSET_DATE_TIME));
    } catch (DateTimeException e) {
      return error("timezone: no time zone \"" + zone + "\"; write it as in Europe/Berlin");
    }
  }

  private static AsyncResourceSpecification readme() {
    Resource resource =
        Resource.builder(README_URI, "readme")
            .description("What this server offers")
            .mimeType("text/plain")
            .build();
    return new AsyncResourceSpecification(
        resource,
        (exchange, request) ->
            Mono.just(
                ReadResourceResult.builder(
                        List.of(
                            TextResourceContents.builder(request.uri(), README)
                                .mimeType("text/plain")
                                .build()))
                    .build()));
  }

  private static AsyncPromptSpecification greet() {
    Prompt prompt =
        Prompt.builder("greet")
            .description("Greets somebody.")
            .arguments(
                List.of(PromptArgument.builder("name").description("Whom").required(true).build()))
            .build();
    return new AsyncPromptSpecification(
        prompt,
        (exchange, request) -> {
          Object name = request.arguments() == null ? null : request.arguments().get("name");
          TextContent line =
              TextContent.builder("Please greet " + (name == null ? "everybody" : name) + ".")
                  .build();
          return Mono.just(
              GetPromptResult.builder(List.of(PromptMessage.builder(Role.USER, line).build()))
                  .build());
        });
  }

  private static CallToolResult text(String text) {
    return CallToolResult.builder().addTextContent(text).build();
  }

  private static CallToolResult error(String text) {
    return CallToolResult.builder().addTextContent(text).isError(true).build();
  }

  private static Map<String, Object> object(Map<String, Object> properties, List<String> required) {
    return Map.of("type", "object", "properties", properties, "required", required);
  }

  private static Map<String, Object> typed(String type, String description) {
    return Map.of("type", type, "description", description);
  }
}
