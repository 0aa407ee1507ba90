package dev.mcpbus.security.oauth;

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
    UNREACHABLE
  }

  private static final long serialVersionUID = 1;

  private final OAuthFailure reason;

  OAuthException(OAuthFailure reason, String message) {
    super(message, null, false, false);
    this.reason = reason;
  }

  public OAuthFailure reason() {
    return reason;
  }

  /** The reason of a failure, null if it is none of OAuth. */
  static @Nullable OAuthFailure reason(Throwable failure) {
    return failure instanceof OAuthException known ? known.reason : null;
  }
}
