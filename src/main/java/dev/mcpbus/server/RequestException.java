package dev.mcpbus.server;

import dev.mcpbus.protocol.JsonRpcError;
import io.vertx.core.json.JsonObject;
import org.jspecify.annotations.Nullable;

/** A JSON-RPC error as a handler, or the server itself, answers it. Carries no stack trace. */
public final class RequestException extends RuntimeException {

  private static final long serialVersionUID = 1;

  private final int code;
  private final transient @Nullable JsonObject data;

  /**
   * @param code of JSON-RPC, such as {@link JsonRpcError#INVALID_PARAMS}
   * @param message for whoever called: the place and the remedy
   */
  public RequestException(int code, String message) {
    this(code, message, null);
  }

  /**
   * @param data goes into the error as it is, null for none
   */
  public RequestException(int code, String message, @Nullable JsonObject data) {
    super(message, null, false, false);
    this.code = code;
    this.data = data;
  }

  /** -32602: the caller can correct its request. */
  public static RequestException invalid(String message) {
    return new RequestException(JsonRpcError.INVALID_PARAMS, message);
  }

  public int code() {
    return code;
  }

  public @Nullable JsonObject data() {
    return data;
  }
}
