package dev.mcpbus.server;

import dev.mcpbus.protocol.JsonRpcError;
import io.vertx.core.json.JsonObject;
import org.jspecify.annotations.Nullable;

/**
 * A JSON-RPC error that a handler, or the server itself, answers a request with. Carries no stack
 * trace.
 */
public final class RequestException extends RuntimeException {

  private static final long serialVersionUID = 1;

  private final int code;
  private final transient @Nullable JsonObject data;

  /**
   * Creates an error without data.
   *
   * @param code of JSON-RPC, such as {@link JsonRpcError#INVALID_PARAMS}
   * @param message for the caller: what is wrong and how to correct it
   */
  public RequestException(int code, String message) {
    this(code, message, null);
  }

  /**
   * Creates an error.
   *
   * @param data the member {@code data} of the error, null for none
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
