package dev.mcpbus.directory.aggregate;

import dev.mcpbus.bus.Addresses;
import dev.mcpbus.bus.CallDeadline.Layer;
import dev.mcpbus.bus.CallHeaders;
import dev.mcpbus.bus.ConnectionId;
import dev.mcpbus.bus.FailureCode;
import dev.mcpbus.bus.Headers;
import dev.mcpbus.bus.InvalidServers;
import dev.mcpbus.bus.ListKind;
import dev.mcpbus.bus.McpFailure;
import dev.mcpbus.bus.NamePolicy;
import dev.mcpbus.bus.RequestSender;
import dev.mcpbus.bus.RoutingName;
import dev.mcpbus.bus.ToolName;
import dev.mcpbus.directory.AggregateList;
import dev.mcpbus.directory.AggregateSnapshot;
import dev.mcpbus.protocol.NearWords;
import dev.mcpbus.protocol.ParseLimits;
import dev.mcpbus.protocol.ProtocolException;
import dev.mcpbus.protocol.RawJson;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.eventbus.DeliveryOptions;
import io.vertx.core.eventbus.Message;
import io.vertx.core.json.DecodeException;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Sends a call of {@code server.tool} to the connection of that server, in the form in which it
 * came and with all its headers. Confined to the context of the aggregate's verticle.
 */
final class AggregateToolCalls {

  private static final Logger LOG = LoggerFactory.getLogger(AggregateToolCalls.class);

  /** The present state of the aggregate. */
  interface View {
    /** What the sender of a message sees. */
    AggregateSnapshot aggregate(Message<?> message);

    /** All configured servers. */
    Collection<String> servers();

    /** False while the server's tools are fetched, or if its list is missing or stale. */
    boolean isCurrent(Message<?> message, String server);
  }

  private final RequestSender sender;
  private final NamePolicy names;
  private final View view;
  private final InvalidServers missing;

  AggregateToolCalls(Vertx vertx, NamePolicy names, View view) {
    this.sender = RequestSender.of(vertx);
    this.names = names;
    this.view = view;
    this.missing = InvalidServers.of(vertx);
  }

  void call(Message<Object> message) {
    try {
      Object body = message.body();
      if (body instanceof JsonObject params) {
        Object name = params.getValue("name");
        ToolName tool = route(message, name instanceof String text ? text : null);
        forward(message, tool, params.put("name", tool.tool()));
      } else if (body instanceof Buffer buffer) {
        RawJson params = RawJson.checkedObject(buffer, ParseLimits.DEFAULT);
        RawJson name = params.member("name");
        ToolName tool = route(message, name != null && name.isString() ? name.asString() : null);
        forward(message, tool, params.with("name", RawJson.string(tool.tool())).toBuffer());
      } else {
        McpFailure.badRequest("send the params as a JsonObject or as a Buffer").replyTo(message);
      }
    } catch (McpFailure refused) {
      refused.replyTo(message);
    } catch (ProtocolException e) {
      boolean limit =
          e.reason() == ProtocolException.TextFault.TOO_LARGE
              || e.reason() == ProtocolException.TextFault.TOO_DEEP
              || e.reason() == ProtocolException.TextFault.NUMBER_TOO_LONG;
      McpFailure.notSent(
              limit ? FailureCode.LIMIT_EXCEEDED : FailureCode.BAD_REQUEST,
              "the params of the call: " + e.getMessage())
          .replyTo(message);
    }
  }

  /** Replies with one tool's definition, as the aggregate has it, and its other names. */
  void describe(Message<Object> message) {
    boolean raw = message.body() instanceof Buffer;
    try {
      JsonObject body = raw ? new JsonObject((Buffer) message.body()) : (JsonObject) message.body();
      ToolName tool = route(message, body.getValue("name") instanceof String text ? text : null);
      RawJson reply =
          RawJson.of(
                  new JsonObject()
                      .put("routingName", RoutingName.of(tool))
                      .put("server", tool.server())
                      .put("ownName", tool.tool()))
              .with("tool", definition(message, tool));
      message.reply(raw ? reply.toBuffer() : reply.toJsonObject());
    } catch (McpFailure refused) {
      refused.replyTo(message);
    } catch (ClassCastException | DecodeException e) {
      McpFailure.badRequest("send {\"name\": \"server.tool\"}").replyTo(message);
    }
  }

  private RawJson definition(Message<?> message, ToolName tool) {
    AggregateList listing = view.aggregate(message).listing(tool.server(), ListKind.TOOLS);
    if (listing == null && !view.servers().contains(tool.server())) {
      throw unknownServer(tool);
    }
    if (listing == null) {
      throw McpFailure.notSent(
          FailureCode.UNAVAILABLE,
          "server '" + tool.server() + "' has not listed its tools yet; see its status");
    }
    RawJson definition = listing.byName().get(tool.tool());
    if (definition == null) {
      throw unknownTool(tool, listing);
    }
    return definition;
  }

  private ToolName route(Message<Object> message, @Nullable String name) {
    String decided = message.headers().get(Headers.TOOL);
    if (decided != null) {
      return known(
          message, ToolName.parse(decided).orElseThrow(() -> withoutServer(message, decided)));
    }
    if (name == null) {
      throw McpFailure.badRequest("the params need a 'name': a text such as server.tool");
    }
    return known(message, split(message, name).orElseThrow(() -> withoutServer(message, name)));
  }

  private ToolName known(Message<?> message, ToolName tool) {
    if (ConnectionId.problem(tool.server()) != null) {
      throw unknownServer(tool);
    }
    AggregateList listing = view.aggregate(message).listing(tool.server(), ListKind.TOOLS);
    if (listing == null
        || !view.isCurrent(message, tool.server())
        || listing.names().contains(tool.tool())
        || listing.quarantined().contains(tool.tool())) {
      return tool;
    }
    throw unknownTool(tool, listing);
  }

  /** Splits a name: by the name policy, unless it throws or has no tool for it; else as routed. */
  private Optional<ToolName> split(Message<?> message, String name) {
    Optional<ToolName> own = Optional.empty();
    try {
      own = names.decode(name);
    } catch (RuntimeException e) {
      LOG.warn("the name policy \"{}\" failed", names.name(), e);
    }
    return own.isPresent() ? own : routed(message, name);
  }

  private Optional<ToolName> routed(Message<?> message, String name) {
    if (!RoutingName.isHashed(name)) {
      return RoutingName.parse(name).filter(tool -> view.servers().contains(tool.server()));
    }
    List<ToolName> same =
        view.aggregate(message).listings(ListKind.TOOLS).entrySet().stream()
            .filter(server -> mayName(name, server.getKey()))
            .flatMap(
                server ->
                    server.getValue().names().stream()
                        .map(tool -> new ToolName(server.getKey(), tool)))
            .filter(tool -> RoutingName.of(tool).equals(name))
            .toList();
    return same.size() == 1 ? Optional.of(same.get(0)) : Optional.empty();
  }

  /** Avoids hashing: a hashed name begins with the first 32 characters of its server's id. */
  private static boolean mayName(String name, String server) {
    int start = name.startsWith("_") ? 1 : 0;
    return name.startsWith(server.substring(0, Math.min(server.length(), 32)), start);
  }

  /** The name for messages; in the form {@code server.tool} if the name policy throws. */
  private String encode(String server, String tool) {
    try {
      return names.encode(server, tool);
    } catch (RuntimeException e) {
      return NamePolicy.DOTTED.encode(server, tool);
    }
  }

  private McpFailure withoutServer(Message<?> message, String name) {
    return unknown(
        FailureCode.UNKNOWN_TOOL,
        "'" + shown(name) + "' names no server; write " + encode("server", "tool"),
        view.aggregate(message).offering(ListKind.TOOLS, name).stream()
            .limit(3)
            .map(server -> encode(server, name))
            .toList());
  }

  private McpFailure unknownServer(ToolName tool) {
    McpFailure leftOut = missing.failure(tool.server());
    if (leftOut != null) {
      return leftOut;
    }
    return unknown(
        FailureCode.UNKNOWN_CONNECTION,
        "there is no server '" + shown(tool.server()) + "'",
        NearWords.of(tool.server(), view.servers()).stream()
            .map(server -> encode(server, tool.tool()))
            .toList());
  }

  private McpFailure unknownTool(ToolName tool, AggregateList listing) {
    String leftOut =
        listing.problems().stream()
            .filter(problem -> problem.name().equals(tool.tool()))
            .map(problem -> ", because its definition is left out: " + problem.reason())
            .findFirst()
            .orElse("");
    return unknown(
        FailureCode.UNKNOWN_TOOL,
        "server '" + tool.server() + "' has no tool '" + shown(tool.tool()) + "'" + leftOut,
        NearWords.of(tool.tool(), listing.names()).stream()
            .map(name -> encode(tool.server(), name))
            .toList());
  }

  private static McpFailure unknown(FailureCode code, String message, List<String> nearest) {
    return nearest.isEmpty()
        ? McpFailure.notSent(code, message)
        : new McpFailure(
            code,
            McpFailure.Sent.NO,
            message + "; did you mean " + String.join(", ", nearest) + "?",
            -1,
            new JsonObject().put("nearest", new JsonArray(nearest)));
  }

  private static String shown(String name) {
    return name.length() > 80 ? name.substring(0, 80) + "..." : name;
  }

  private void forward(Message<Object> message, ToolName tool, Object params) {
    DeliveryOptions options = CallHeaders.passedOn(message.headers(), Layer.SERVICE);
    ConnectionId server = new ConnectionId(tool.server());
    sender
        .<Object>request(server, Addresses.of(server, Addresses.TOOLS_CALL), params, options)
        .onSuccess(
            reply -> message.reply(reply.body(), new DeliveryOptions().setHeaders(reply.headers())))
        .onFailure(
            failure -> {
              McpFailure known = McpFailure.of(failure);
              (known.code() == FailureCode.UNKNOWN_CONNECTION ? unknownServer(tool) : known)
                  .replyTo(message);
            });
  }
}
