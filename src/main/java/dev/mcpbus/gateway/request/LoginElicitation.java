package dev.mcpbus.gateway.request;

import dev.mcpbus.bus.FailureCode;
import dev.mcpbus.bus.McpFailure;
import dev.mcpbus.protocol.JsonRpcError;
import dev.mcpbus.protocol.Methods;
import dev.mcpbus.protocol.RawJson;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The login that a call at a server of callers needs first, as a client is asked for it: an
 * elicitation in URL mode, where the client offers that. Pure functions.
 */
public final class LoginElicitation {

  /** Of the retry of a call whose client was asked: the key of the question, and the state. */
  private static final String KEY = "login";

  private static final RawJson STATE = RawJson.string("mcpbus-login");

  private LoginElicitation() {}

  /** Whether a client with these capabilities opens URLs. */
  public static boolean isOffered(@Nullable RawJson capabilities) {
    RawJson elicitation = capabilities == null ? null : capabilities.member("elicitation");
    return elicitation != null && elicitation.isObject() && elicitation.member("url") != null;
  }

  /** The params of the elicitation; null for a failure that names no login. */
  private static @Nullable JsonObject params(McpFailure failure) {
    JsonObject data = failure.data();
    return failure.code() == FailureCode.AUTH_REQUIRED
            && data.getValue("login") instanceof String link
            && data.getValue("loginId") instanceof String id
        ? new JsonObject()
            .put("mode", "url")
            .put("elicitationId", id)
            .put("url", link)
            .put("message", "Log in at the server " + data.getString("server") + " as yourself.")
        : null;
  }

  /**
   * The error -32042 of MCP 2025-11-25 in place of a failure that names a login; any other failure
   * as it is.
   */
  public static Throwable asError(Throwable failure) {
    McpFailure known = McpFailure.of(failure);
    JsonObject asked = params(known);
    return asked == null
        ? failure
        : McpErrors.rpc(
            JsonRpcError.URL_ELICITATION_REQUIRED,
            String.valueOf(known.getMessage()),
            new JsonObject().put("elicitations", new JsonArray().add(asked)));
  }

  /** What the client is asked, by key, for a result {@code input_required}; null for no login. */
  public static @Nullable RawJson requests(McpFailure failure) {
    JsonObject asked = params(failure);
    return asked == null
        ? null
        : RawJson.object(
            Map.of(
                KEY,
                RawJson.of(
                    new JsonObject().put("method", Methods.ELICITATION).put("params", asked))));
  }

  /** The {@code requestState} of such a result. */
  public static String state() {
    return STATE.asString();
  }

  /** Whether these are the params of a retry after such a result. */
  public static boolean isRetry(RawJson params) {
    return STATE.equals(params.member("requestState"));
  }

  /** The params of the call itself, without the answer about the login. */
  public static RawJson plain(RawJson params) {
    return params.without("inputResponses").without("requestState");
  }

  /** Whether the person has agreed to log in. */
  public static boolean isAccepted(RawJson params) {
    RawJson all = params.member("inputResponses");
    RawJson answer = all == null || !all.isObject() ? null : all.member(KEY);
    RawJson action = answer == null || !answer.isObject() ? null : answer.member("action");
    return action != null && action.isString() && action.asString().equals("accept");
  }
}
