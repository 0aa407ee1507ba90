package dev.mcpbus.transport;

import org.jspecify.annotations.Nullable;

/** A failure of a transport. Carries no stack trace: the peer decides how often it is made. */
public final class TransportException extends Exception {

  /** Named as the failure codes of the bus, so that each maps to the code of the same name. */
  public enum Reason {
    /** The command cannot be run at all; retrying cannot help until the configuration changes. */
    START_FAILED,
    /** No connection: refused, unknown host, timed out before anything was written. */
    CONNECT_FAILED,
    /** Certificate or TLS handshake refused. Never falls back to plain text. */
    TLS_ERROR,
    /** The server wants credentials that it did not get. */
    AUTH_REQUIRED,
    FORBIDDEN,
    RATE_LIMITED,
    /** The child process has ended or closed its output. */
    UPSTREAM_EXITED,
    /** The connection broke. */
    UPSTREAM_RESET,
    /** The answer can no longer come, and whether the server acted is not known. */
    OUTCOME_UNKNOWN,
    /** The server does not know its session any more; a new handshake is needed. */
    SESSION_LOST,
    /** The peer sent something that is not MCP. */
    PROTOCOL_ERROR,
    /** A bound was exceeded: message size, depth, header size. */
    LIMIT_EXCEEDED,
    /** The bounded write queue is full. */
    OVERLOADED,
    METHOD_NOT_FOUND,
    /** A defect of ours. */
    INTERNAL
  }

  /** Whether the request can have reached the server. */
  public enum Sent {
    NO,
    MAYBE
  }

  private final Reason reason;
  private final Sent sent;
  private final long retryAfterMillis;

  public TransportException(Reason reason, Sent sent, String message) {
    this(reason, sent, message, -1, null);
  }

  /**
   * @param retryAfterMillis when trying again makes sense, -1 where nothing is known
   */
  public TransportException(
      Reason reason, Sent sent, String message, long retryAfterMillis, @Nullable Throwable cause) {
    super(message, cause, false, false);
    this.reason = reason;
    this.sent = sent;
    this.retryAfterMillis = retryAfterMillis;
  }

  public Reason reason() {
    return reason;
  }

  public Sent sent() {
    return sent;
  }

  public long retryAfterMillis() {
    return retryAfterMillis;
  }

  /** The same failure for a request that certainly, or possibly, reached the server. */
  public TransportException withSent(Sent other) {
    return new TransportException(
        reason, other, String.valueOf(getMessage()), retryAfterMillis, getCause());
  }
}
