package dev.mcpbus.security.signin;

import io.vertx.core.Future;
import io.vertx.core.json.JsonObject;

/**
 * Why a request of the sign-in is refused: an error code of OAuth with a description that quotes
 * nothing of the request. Without a stack trace.
 */
final class SignInRefusal extends Exception {

  private static final long serialVersionUID = 1;

  private final int status;
  private final String code;

  private SignInRefusal(int status, String code, String description) {
    super(description, null, false, false);
    this.status = status;
    this.code = code;
  }

  /** With status 400 (RFC 6749, section 5.2). */
  static SignInRefusal json(String code, String description) {
    return new SignInRefusal(400, code, description);
  }

  static SignInRefusal of(int status, String code, String description) {
    return new SignInRefusal(status, code, description);
  }

  <T> Future<T> failed() {
    return Future.failedFuture(this);
  }

  int status() {
    return status;
  }

  String code() {
    return code;
  }

  String description() {
    return String.valueOf(getMessage());
  }

  JsonObject document() {
    return new JsonObject().put("error", code).put("error_description", description());
  }
}
