package dev.mcpbus.bridge;

import dev.mcpbus.bus.Addresses;
import dev.mcpbus.bus.AggregateOperation;
import dev.mcpbus.bus.HttpPath;
import dev.mcpbus.bus.ServerOperation;
import dev.mcpbus.bus.ServiceOperation;
import dev.mcpbus.bus.SocketRule;
import dev.mcpbus.security.OperationTable;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Builds the AsyncAPI 3 document of the bus from the rows of the operations and the schemas in
 * {@code openapi-schemas.json} and {@code asyncapi-schemas.json}. An action is that of mcpbus: it
 * receives what programs send. Addresses at which nodes talk to each other are not in it. One
 * instance for one document.
 */
final class AsyncApiDocument {

  private static final String FAILURE = "Failure";
  private static final String HEADERS = "CallHeaders";
  private static final Pattern WORD = Pattern.compile("_([a-z])");
  private static final Pattern VARIABLE = Pattern.compile(":(\\w+)");
  private static final Pattern REFERENCE = Pattern.compile("#/components/schemas/(\\w+)");

  private final JsonObject channels = new JsonObject();
  private final JsonObject operations = new JsonObject();
  private final JsonObject messages = new JsonObject();
  private final JsonObject replies = new JsonObject();
  private final JsonObject schemas =
      OpenApiDocument.schemas("/openapi-schemas.json")
          .mergeIn(OpenApiDocument.schemas("/asyncapi-schemas.json"));

  private AsyncApiDocument() {}

  static JsonObject document() {
    return new AsyncApiDocument().made();
  }

  private JsonObject made() {
    for (ServerOperation row : ServerOperation.values()) {
      String address = "mcp.{id}." + row.suffix;
      received("server", row.name(), address, row.takes, row.gives, row.paths)
          .put("x-action", OperationTable.action(row.subject).word())
          .put("x-method", row.method)
          .put("x-doors", doors(row))
          .put("x-replicas", word(row.replicas))
          .put("x-again", word(row.again))
          .put("x-kept", word(row.keeping))
          .put("x-belongs", word(row.belonging));
    }
    for (AggregateOperation row : AggregateOperation.values()) {
      if (row.plain) {
        received("all", row.name(), row.address, row.takes, row.gives, row.paths)
            .put("x-doors", doors(row.socket, true));
      }
    }
    for (ServiceOperation row : ServiceOperation.values()) {
      received("service", row.name(), row.address, row.takes, row.gives, row.paths)
          .put("x-doors", doors(row.socket, row.plain));
    }
    sent("serverEvents", "mcp.{id}." + Addresses.EVENTS, "Event", null);
    sent("events", Addresses.ALL_EVENTS, "Event", null);
    sent("rpc", Addresses.RPC, "RpcMessage", null);
    sent("progress", Addresses.PROGRESS + "{call}", "Progress", null);
    sent("serverInput", "mcp.{id}." + Addresses.INPUT, "Question", "InputResult");
    sent("input", Addresses.ALL_INPUT, "Question", "InputResult");
    channels.put("replies", new JsonObject().putNull("address").put("messages", replies));
    return new JsonObject()
        .put("asyncapi", "3.0.0")
        .put(
            "info",
            new JsonObject()
                .put("title", "mcpbus")
                .put("version", "1")
                .put(
                    "description",
                    "Every MCP server of the bus at its addresses. A body is a JSON object, as"
                        + " JsonObject or as Buffer with its bytes; the reply has the same form."))
        .put("defaultContentType", "application/json")
        .put("channels", channels)
        .put("operations", operations)
        .put("components", new JsonObject().put("messages", messages).put("schemas", used()));
  }

  private JsonObject received(
      String group,
      String row,
      String address,
      String takes,
      @Nullable String gives,
      List<HttpPath> paths) {
    String name = group + camel(row);
    JsonObject operation = operation(name, "receive", address, takes + "Request");
    messages.put(
        takes + "Request",
        new JsonObject().put("headers", schema(HEADERS)).put("payload", schema(takes)));
    JsonArray served = new JsonArray();
    paths.forEach(
        path -> served.add(path.verb() + " " + VARIABLE.matcher(path.path()).replaceAll("{$1}")));
    return replying(operation, gives, FAILURE).put("x-paths", served);
  }

  private void sent(String name, String address, String gives, @Nullable String takes) {
    JsonObject operation = operation(name, "send", address, gives);
    messages.put(gives, new JsonObject().put("payload", schema(gives)));
    replying(operation, takes);
  }

  private JsonObject operation(String name, String action, String address, String message) {
    JsonObject channel =
        new JsonObject()
            .put("address", address)
            .put(
                "messages",
                new JsonObject().put("message", reference("components/messages/", message)));
    Matcher variables = Pattern.compile("\\{(\\w+)}").matcher(address);
    if (variables.find()) {
      channel.put(
          "parameters",
          new JsonObject()
              .put(
                  variables.group(1),
                  new JsonObject()
                      .put(
                          "description",
                          variables.group(1).equals("id") ? "Id of a server." : "Id of a call.")));
    }
    channels.put(name, channel);
    JsonObject operation =
        new JsonObject()
            .put("action", action)
            .put("channel", reference("channels/", name))
            .put(
                "messages",
                new JsonArray().add(reference("channels/" + name + "/messages/", "message")));
    operations.put(name, operation);
    return operation;
  }

  /** Vert.x makes an address for each reply, so all are messages of one channel without one. */
  private JsonObject replying(JsonObject operation, @Nullable String reply, String... others) {
    if (reply == null) {
      return operation;
    }
    JsonArray all = new JsonArray();
    Stream.concat(Stream.of(reply), Stream.of(others))
        .forEach(
            one -> {
              messages.put(one, new JsonObject().put("payload", schema(one)));
              replies.put(one, reference("components/messages/", one));
              all.add(reference("channels/replies/messages/", one));
            });
    return operation.put(
        "reply",
        new JsonObject().put("channel", reference("channels/", "replies")).put("messages", all));
  }

  private static JsonArray doors(ServerOperation row) {
    List<String> doors =
        switch (row.doors) {
          case EVERY -> List.of("eventbus", "plain", "gateway");
          case OPEN -> List.of("eventbus", "plain");
          case GATEWAY -> List.of("gateway");
          case INNER -> List.of();
        };
    return new JsonArray(doors);
  }

  private static JsonArray doors(SocketRule socket, boolean plain) {
    JsonArray doors = new JsonArray();
    if (socket != SocketRule.CLOSED) {
      doors.add("eventbus");
    }
    return plain ? doors.add("plain") : doors;
  }

  private static String word(Enum<?> value) {
    return value.name().toLowerCase(Locale.ROOT).replace('_', '-');
  }

  /** {@code ToolsList} of {@code TOOLS_LIST}. */
  private static String camel(String row) {
    return WORD.matcher("_" + row.toLowerCase(Locale.ROOT))
        .replaceAll(found -> found.group(1).toUpperCase(Locale.ROOT));
  }

  private static JsonObject schema(String name) {
    return reference("components/schemas/", name);
  }

  private static JsonObject reference(String place, String name) {
    return new JsonObject().put("$ref", "#/" + place + name);
  }

  /** The schemas that a message has, and those that they have. */
  private JsonObject used() {
    Set<String> names = new TreeSet<>();
    String text = messages.encode();
    for (Set<String> found = names(text); names.addAll(found); ) {
      found =
          found.stream()
              .flatMap(name -> names(schemas.getJsonObject(name).encode()).stream())
              .collect(Collectors.toSet());
    }
    JsonObject used = new JsonObject();
    names.forEach(name -> used.put(name, schemas.getValue(name)));
    return used;
  }

  private static Set<String> names(String text) {
    return REFERENCE
        .matcher(text)
        .results()
        .map(found -> found.group(1))
        .collect(Collectors.toSet());
  }
}
