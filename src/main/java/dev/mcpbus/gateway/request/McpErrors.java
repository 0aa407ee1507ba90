package dev.mcpbus.gateway.request;

import dev.mcpbus.bus.FailureCode;
import dev.mcpbus.bus.ListKind;
import dev.mcpbus.bus.McpFailure;
import dev.mcpbus.protocol.Era;
import dev.mcpbus.protocol.JsonRpcError;
import dev.mcpbus.protocol.MessageWriter;
import dev.mcpbus.protocol.Methods;
import dev.mcpbus.protocol.ProtocolVersion;
import dev.mcpbus.protocol.RawJson;
import dev.mcpbus.protocol.TasksExtension;
import io.vertx.core.Future;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Failures in the form in which MCP clients receive them. What policies deny is absent in the same
 * words as what does not exist; {@code PolicyCheck} has the words of the bus and the bridge.
 * Stateless.
 */
public final class McpErrors {

  private static final Logger LOG = LoggerFactory.getLogger(McpErrors.class);

  static final String UNKNOWN_TOOL = "Unknown tool: ";

  private static final Set<Integer> BAD_REQUESTS =
      Set.of(
          JsonRpcError.HEADER_MISMATCH,
          JsonRpcError.MISSING_CLIENT_CAPABILITY,
          JsonRpcError.UNSUPPORTED_VERSION);

  private McpErrors() {}

  /** A failure whose error object has this code. */
  public static McpFailure rpc(int code, String message) {
    return rpc(code, message, null);
  }

  public static McpFailure rpc(int code, String message, @Nullable JsonObject data) {
    return McpFailure.upstream(new JsonRpcError(code, message, data));
  }

  public static McpFailure methodNotFound(String method) {
    return rpc(JsonRpcError.METHOD_NOT_FOUND, "Method not found: " + shown(method));
  }

  public static McpFailure invalidRequest(String message) {
    return rpc(JsonRpcError.INVALID_REQUEST, message);
  }

  public static McpFailure invalidParams(String message) {
    return rpc(JsonRpcError.INVALID_PARAMS, message);
  }

  /** The answer to a denied request: the same as for a target that does not exist. */
  static McpFailure absent(GatewayRequest request) {
    return switch (request.method()) {
      case Methods.TOOLS_CALL -> unknown(ListKind.TOOLS, request.text("name"));
      case Methods.PROMPTS_GET -> unknown(ListKind.PROMPTS, request.text("name"));
      case Methods.RESOURCES_READ -> unknownResource(request, request.text("uri"), List.of());
      case Methods.COMPLETE -> invalidParams("Unknown reference");
      case Methods.SKILLS_GET, Methods.DIRECTORY_READ ->
          invalidParams("Unknown resource: " + shown(request.text("uri")));
      default -> taskAbsent();
    };
  }

  /** There is no tool or prompt of that name. */
  static McpFailure unknown(ListKind kind, String name) {
    return invalidParams(
        (kind == ListKind.TOOLS ? UNKNOWN_TOOL : "Unknown prompt: ") + shown(name));
  }

  /** An app calls a tool by a name that tools of several servers have. */
  static McpFailure ofSeveralServers(String name, List<String> instead) {
    return invalidParams(
        "Several servers have the tool "
            + shown(name)
            + ": use "
            + instead.stream().limit(4).map(McpErrors::shown).collect(Collectors.joining(", ")));
  }

  /**
   * A failure of a call by name without what a client with limited rights must not learn: a server
   * that does not know a tool names similar tools.
   */
  static Throwable plain(GatewayRequest request, ListKind kind, String name, Throwable failure) {
    return !request.view().rights().isUnbounded()
            && McpFailure.of(failure).code() == FailureCode.UNKNOWN_TOOL
        ? unknown(kind, name)
        : failure;
  }

  /**
   * There is no such resource: -32602 since 2026-07-28, -32002 before.
   *
   * @param instead the URIs to use where several servers may have it; empty if none has
   */
  static McpFailure unknownResource(GatewayRequest request, String uri, List<String> instead) {
    boolean read = request.method().equals(Methods.RESOURCES_READ);
    return read || !instead.isEmpty()
        ? unknownResource(read ? request.era() : Era.DISCOVER, uri, instead)
        : invalidParams("Unknown resource: " + shown(uri));
  }

  /** As {@link #unknownResource(GatewayRequest, String, List)}, in an era. */
  static McpFailure unknownResource(Era era, String uri, List<String> instead) {
    int code = era == Era.DISCOVER ? JsonRpcError.INVALID_PARAMS : JsonRpcError.RESOURCE_NOT_FOUND;
    JsonObject data = new JsonObject().put("uri", uri);
    return instead.isEmpty()
        ? rpc(code, "Resource not found: " + shown(uri), data)
        : rpc(
            code,
            "Several servers may have the resource "
                + shown(uri)
                + ": use a URI that names one, such as "
                + instead.stream().map(McpErrors::shown).collect(Collectors.joining(", ")),
            data.put("uris", new JsonArray(instead)));
  }

  /**
   * A server's error about a resource, with the URI that the client knows in place of the server's
   * own in {@code data.uri}.
   */
  static Throwable named(Throwable failure, String own, String uri) {
    if (own.equals(uri)
        || !(failure instanceof McpFailure known)
        || !(known.data().getValue("error") instanceof JsonObject error)
        || !(error.getValue("data") instanceof JsonObject data)
        || !own.equals(data.getValue("uri"))) {
      return failure;
    }
    JsonObject renamed = known.data().copy();
    renamed.getJsonObject("error").getJsonObject("data").put("uri", uri);
    return new McpFailure(
        known.code(),
        known.sent(),
        String.valueOf(known.getMessage()),
        known.retryAfterMillis(),
        renamed);
  }

  public static McpFailure staleCursor() {
    return invalidParams("the cursor is not good any more; list anew");
  }

  /** For a client that asks about tasks and does not state that it knows tasks. */
  public static McpFailure tasksNotOffered() {
    return rpc(
        JsonRpcError.MISSING_CLIENT_CAPABILITY,
        "Missing required client capability",
        new JsonObject()
            .put(
                "requiredCapabilities",
                new JsonObject()
                    .put("extensions", new JsonObject().put(TasksExtension.ID, new JsonObject()))));
  }

  /** A session has ended before the answer to one of its requests. */
  public static McpFailure sessionEnded() {
    return McpFailure.maybeSent(
        FailureCode.OWNER_LOST,
        "the session has ended before the answer, because its node ends or its client ended it;"
            + " begin with initialize, the request may have been carried out");
  }

  /** The same failure for an unknown task and for a task of another principal. */
  public static McpFailure taskAbsent() {
    return invalidParams("Task not found");
  }

  /** The versions of the {@code discover} era, from which a client may choose per request. */
  public static List<String> versions() {
    return Arrays.stream(ProtocolVersion.values())
        .filter(version -> version.era() == Era.DISCOVER)
        .map(ProtocolVersion::wire)
        .toList();
  }

  public static McpFailure unsupportedVersion(String requested) {
    return rpc(
        JsonRpcError.UNSUPPORTED_VERSION,
        "Unsupported protocol version",
        new JsonObject().put("supported", new JsonArray(versions())).put("requested", requested));
  }

  /** Runs a request; whatever it throws or fails with becomes an {@link McpFailure}. */
  public static <T> Future<T> guarded(Supplier<Future<T>> request) {
    try {
      return request.get().recover(failure -> Future.failedFuture(of(failure)));
    } catch (RuntimeException e) {
      return Future.failedFuture(of(e));
    }
  }

  /**
   * The failure for a client. A defect becomes {@code INTERNAL} without its message, which may
   * quote data of another client; the log has it.
   */
  public static McpFailure of(Throwable failure) {
    if (failure instanceof McpFailure known) {
      return known;
    }
    McpFailure mapped = McpFailure.of(failure);
    if (mapped.code() == FailureCode.INTERNAL) {
      LOG.error("gateway: a request failed", failure);
    }
    return mapped;
  }

  /** The error object. A code of mcpbus in the range that MCP reserves becomes "internal error". */
  public static JsonObject error(McpFailure failure) {
    JsonObject error = failure.toJsonRpcError();
    int code = error.getInteger("code", JsonRpcError.INTERNAL_ERROR);
    boolean ours = failure.code() != FailureCode.UPSTREAM_ERROR;
    return ours && code <= -32_000 && code >= -32_019
        ? error.put("code", JsonRpcError.INTERNAL_ERROR)
        : error;
  }

  /** The error object as bytes; the server's own if the server sent one. */
  public static RawJson raw(McpFailure failure) {
    RawJson upstream = failure.upstream();
    return upstream == null ? RawJson.of(error(failure)) : upstream;
  }

  /** The whole message. */
  public static byte[] message(@Nullable RawJson id, McpFailure failure) {
    return MessageWriter.failure(id == null ? RawJson.NULL : id, raw(failure));
  }

  /** The HTTP status of an error for a client of the {@code discover} era. */
  public static int status(McpFailure failure) {
    int code = error(failure).getInteger("code", 0);
    if (code == JsonRpcError.METHOD_NOT_FOUND) {
      return 404;
    }
    return BAD_REQUESTS.contains(code) ? 400 : 200;
  }

  public static String shown(String text) {
    return text.length() > 80 ? text.substring(0, 80) + "..." : text;
  }
}
