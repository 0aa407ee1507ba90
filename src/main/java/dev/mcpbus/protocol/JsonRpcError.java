package dev.mcpbus.protocol;

import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import org.jspecify.annotations.Nullable;

/**
 * The {@code error} member of a JSON-RPC response.
 *
 * @param code the peer's own code, unchanged
 * @param message the peer's text, empty if absent
 * @param data any JSON value, or null
 */
@PublicApi
public record JsonRpcError(int code, String message, @Nullable Object data) {

  public static final int PARSE_ERROR = -32700;
  public static final int INVALID_REQUEST = -32600;
  public static final int METHOD_NOT_FOUND = -32601;
  public static final int INVALID_PARAMS = -32602;
  public static final int INTERNAL_ERROR = -32603;

  /** A person has declined what a server asked for (MCP 2025-11-25, Sampling, Error Handling). */
  public static final int USER_DECLINED = -1;

  /** The resource does not exist (MCP 2025-11-25, Resources). */
  public static final int RESOURCE_NOT_FOUND = -32002;

  /** Code of mcpbus: too many requests are in flight. */
  public static final int BUSY = -32003;

  /** URLs must be opened before the request (MCP 2025-11-25 alone). */
  public static final int URL_ELICITATION_REQUIRED = -32042;

  private static final String ELICITATIONS = "elicitations";
  private static final String URL = "url";

  /** A header and the body of a request differ (MCP 2026-07-28). */
  public static final int HEADER_MISMATCH = -32020;

  public static final int MISSING_CLIENT_CAPABILITY = -32021;
  public static final int UNSUPPORTED_VERSION = -32022;

  /** True for the codes that only a server of the {@code discover} era sends. */
  public boolean isInModernRange() {
    return code <= HEADER_MISMATCH && code >= UNSUPPORTED_VERSION;
  }

  /**
   * The error without the server's secrets, which the server may have quoted. A URL that a person
   * has to open stays as it is: the page behind another one is not there.
   */
  public JsonRpcError redacted(Redactor redactor) {
    Object shown = redactor.value(data);
    if (code == URL_ELICITATION_REQUIRED
        && shown instanceof JsonObject masked
        && masked.getValue(ELICITATIONS) instanceof JsonArray pages
        && data instanceof JsonObject sent
        && sent.getValue(ELICITATIONS) instanceof JsonArray wanted) {
      for (int i = 0; i < wanted.size(); i++) {
        if (pages.getValue(i) instanceof JsonObject page
            && wanted.getValue(i) instanceof JsonObject of
            && of.getValue(URL) instanceof String url) {
          page.put(URL, url);
        }
      }
    }
    return new JsonRpcError(code, redactor.redact(message), shown);
  }

  /** Reads an error; accepts missing members and members of the wrong type. */
  public static JsonRpcError of(RawJson error) {
    JsonObject json = error.toJsonObject();
    Object code = json.getValue("code");
    Object message = json.getValue("message");
    return new JsonRpcError(
        code instanceof Number number ? number.intValue() : INTERNAL_ERROR,
        message == null ? "" : message.toString(),
        json.getValue("data"));
  }
}
