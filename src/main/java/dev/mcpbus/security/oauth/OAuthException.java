package dev.mcpbus.security.oauth;

/**
 * Why there is no token. The message names the remedy and never holds a token, a secret, or text
 * that a server chose freely. Carries no stack trace.
 */
public final class OAuthException extends Exception {

  /** What a caller may do about it. */
  public enum Reason {
    /** A person, or the configuration, has to act. */
    LOGIN_REQUIRED,
    /** The authorization server has refused for good. */
    DENIED,
    /** A URL that a server named leads where it must not. */
    REFUSED_URL,
    /** Metadata or a response breaks the rules. */
    INVALID,
    /** No answer; trying again may help. */
    UNREACHABLE
  }

  private static final long serialVersionUID = 1;

  private final Reason reason;

  OAuthException(Reason reason, String message) {
    super(message, null, false, false);
    this.reason = reason;
  }

  public Reason reason() {
    return reason;
  }
}
