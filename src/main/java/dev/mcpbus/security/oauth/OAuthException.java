package dev.mcpbus.security.oauth;

import io.vertx.core.Future;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The reason why there is no token. The message names the remedy and never holds a token, a secret,
 * or text that a server chose freely. Without a stack trace.
 */
public final class OAuthException extends Exception {

  /** What kind of failure it is, and so what helps. */
  public enum OAuthFailure {
    /** A person or the operator has to act: a login, or a setting. */
    LOGIN_REQUIRED,
    /** The authorization server refused permanently. */
    DENIED,
    /** The authorization server does not know a client that mcpbus registered there by itself. */
    CLIENT_FORGOTTEN,
    /** A URL that a server named is not allowed. */
    REFUSED_URL,
    /** Metadata or a response breaks the specification. */
    INVALID,
    /** No answer; another try may help. */
    UNREACHABLE,
    /** Nothing but HTTP 500: another try may help, or never, as with a token that it has lost. */
    FAILING;

    /** Whether another try may help. */
    public boolean passes() {
      return this == UNREACHABLE || this == FAILING;
    }

    /** Fails for this reason. */
    <T> Future<T> fails(String message) {
      return Future.failedFuture(new OAuthException(this, message));
    }
  }

  private static final long serialVersionUID = 1;

  private static final Map<String, String> REMEDIES =
      Map.of(
          "invalid_scope",
          " (\"scopes\" of \"oauth\" names others)",
          "invalid_redirect_uri",
          " (\"callbackPort\" of \"oauth\" makes it localhost and that port, \"redirectPort\""
              + " 127.0.0.1)",
          "invalid_target",
          " (\"resource\" of \"oauth\" names another one for the server, false none)");

  private final OAuthFailure reason;

  OAuthException(OAuthFailure reason, String message) {
    super(message, null, false, false);
    this.reason = reason;
  }

  public OAuthFailure reason() {
    return reason;
  }

  /**
   * The error code of a server with the setting that may help, for a message; empty for free text,
   * which may quote what was sent.
   */
  static String said(String before, @Nullable String error) {
    return error == null || !error.matches("[a-z_]{1,64}")
        ? ""
        : before + error + REMEDIES.getOrDefault(error, "");
  }

  /** The reason of a failure, null if it is none of OAuth. */
  static @Nullable OAuthFailure reason(Throwable failure) {
    return failure instanceof OAuthException known ? known.reason : null;
  }
}
