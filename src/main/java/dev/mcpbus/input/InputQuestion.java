package dev.mcpbus.input;

import dev.mcpbus.bus.ConnectionId;
import dev.mcpbus.bus.FailureCode;
import dev.mcpbus.bus.McpFailure;
import dev.mcpbus.protocol.JsonRpcError;
import dev.mcpbus.protocol.Methods;
import io.vertx.core.Future;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.net.URI;
import java.net.URISyntaxException;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * One question of a server, with the check of answers to it. Immutable; {@code params} is never
 * changed.
 *
 * @param key identifies the question
 * @param owner the name of the principal whose call caused the question, null if unknown
 * @param offered whether the session declared to the server that such questions are answered
 * @param configured whether it declares this by configuration, without any offer
 */
record InputQuestion(
    String key,
    ConnectionId server,
    String method,
    JsonObject params,
    @Nullable String owner,
    boolean offered,
    boolean configured) {

  /**
   * Reads the request of a connection.
   *
   * @throws McpFailure {@code PROTOCOL_ERROR} if the question must not reach any caller
   */
  static InputQuestion of(JsonObject body) {
    InputQuestion question =
        new InputQuestion(
            body.getString("question"),
            new ConnectionId(body.getString("id")),
            body.getString("method"),
            body.getJsonObject("params", new JsonObject()),
            body.getString("principal"),
            body.getBoolean("offered", false),
            body.getBoolean("configured", false));
    question.check();
    return question;
  }

  /** Whether {@code id} is this server; null stands for all servers. */
  boolean isOf(@Nullable String id) {
    return id == null || id.equals(server.value());
  }

  /** Whether these capabilities include the answer to this question. */
  boolean isCovered(JsonObject capabilities) {
    return capabilities.getValue(method.substring(0, method.indexOf('/')))
            instanceof JsonObject settings
        && (!isUrl() || settings.getValue("url") != null);
  }

  private boolean isElicitation() {
    return method.equals(Methods.ELICITATION);
  }

  private boolean isUrl() {
    return "url".equals(params.getValue("mode"));
  }

  private void check() {
    if (!isElicitation()) {
      return;
    }
    Object mode = params.getValue("mode");
    if (mode != null && !mode.equals("form") && !mode.equals("url")) {
      throw refused("it asks in a mode that MCP does not know");
    }
    if (isUrl() && !isWebUrl(params.getValue("url"))) {
      throw refused("it wants a URL opened that is neither http nor https");
    }
    if (!isUrl()) {
      form();
    }
  }

  /** Allows http and https alone: a browser must not open a file or start a program. */
  private static boolean isWebUrl(@Nullable Object url) {
    try {
      URI uri = new URI(String.valueOf(url));
      String scheme = String.valueOf(uri.getScheme()).toLowerCase(Locale.ROOT);
      return (scheme.equals("https") || scheme.equals("http")) && uri.getHost() != null;
    } catch (URISyntaxException e) {
      return false;
    }
  }

  private ElicitationForm form() {
    Object schema = params.getValue("requestedSchema");
    if (schema == null || schema instanceof JsonObject) { // without one it asks for a yes
      return ElicitationForm.of(schema == null ? new JsonObject() : (JsonObject) schema);
    }
    throw refused("its form has no schema");
  }

  /**
   * Checks an answer and returns it in the form for the server.
   *
   * @throws McpFailure {@code INVALID_ARGUMENTS} with {@code path}, if the answer does not fit
   */
  JsonObject accept(JsonObject answer) {
    return switch (method) {
      case Methods.ELICITATION -> elicited(answer);
      case Methods.SAMPLING -> {
        need(answer.getValue("role") instanceof String, "/role", "a string");
        need(answer.getValue("model") instanceof String, "/model", "a string");
        Object content = answer.getValue("content");
        need(
            content instanceof JsonObject || content instanceof JsonArray,
            "/content",
            "an object or an array");
        yield answer;
      }
      default -> {
        need(answer.getValue("roots") instanceof JsonArray, "/roots", "an array");
        yield answer;
      }
    };
  }

  /**
   * What the server gets if a person declines: MCP has an answer for that to an elicitation, and to
   * the other questions an error.
   */
  Future<JsonObject> declined() {
    return method.equals(Methods.ELICITATION)
        ? Future.succeededFuture(new JsonObject().put("action", "decline"))
        : Future.failedFuture(
            McpFailure.upstream(new JsonRpcError(JsonRpcError.USER_DECLINED, "declined", null)));
  }

  private JsonObject elicited(JsonObject answer) {
    String action = answer.getValue("action") instanceof String text ? text : "";
    switch (action) {
      case "accept" -> {
        JsonObject result = answer.copy();
        if (isUrl()) {
          result.remove("content");
        } else {
          Object content = answer.getValue("content");
          need(content == null || content instanceof JsonObject, "/content", "an object");
          result.put(
              "content", form().fill(content instanceof JsonObject c ? c : new JsonObject()));
        }
        return result;
      }
      case "decline", "cancel" -> {
        JsonObject result = answer.copy();
        result.remove("content");
        return result;
      }
      default -> {
        need(false, "/action", "accept, decline or cancel");
        return answer;
      }
    }
  }

  private static void need(boolean fits, String path, String what) {
    if (!fits) {
      throw ElicitationForm.invalid(path, "must be " + what);
    }
  }

  static McpFailure refused(String why) {
    return McpFailure.notSent(
        FailureCode.PROTOCOL_ERROR, "the server's question is not passed on: " + why);
  }

  /** The question as {@code mcp.input.pending} lists it. */
  JsonObject toJson() {
    JsonObject json =
        new JsonObject()
            .put("question", key)
            .put("id", server.value())
            .put("method", method)
            .put("params", params);
    return owner == null ? json : json.put("principal", owner);
  }
}
