package dev.mcpbus.transport;

import dev.mcpbus.protocol.PublicApi;
import org.jspecify.annotations.Nullable;

/**
 * A failure of a transport. It carries no stack trace, because the peer decides how many failures
 * occur.
 */
@PublicApi
public final class TransportException extends Exception {

  /** Named like the failure codes of the bus; each reason maps to the code with the same name. */
  public enum Reason {
    /** The command cannot be run at all; a retry cannot succeed until the configuration changes. */
    START_FAILED,
    /** No connection: refused, unknown host, or timed out before anything was written. */
    CONNECT_FAILED,
    /**
     * The certificate or the TLS handshake failed. The transport never falls back to plain text.
     */
    TLS_ERROR,
    /** The server requires credentials that the request did not carry. */
    AUTH_REQUIRED,
    FORBIDDEN,
    RATE_LIMITED,
    /** The child process has ended or closed its output. */
    UPSTREAM_EXITED,
    /** The connection broke. */
    UPSTREAM_RESET,
    /** The answer can no longer arrive, and it is unknown whether the server acted. */
    OUTCOME_UNKNOWN,
    /** The server no longer knows the session; a new handshake is needed. */
    SESSION_LOST,
    /** The peer sent something that is not MCP, or violated the protocol. */
    PROTOCOL_ERROR,
    /** A bound was exceeded: message size, depth, header size. */
    LIMIT_EXCEEDED,
    /** The bounded write queue is full. */
    OVERLOADED,
    METHOD_NOT_FOUND,
    /** A defect of mcpbus. */
    INTERNAL
  }

  /** Whether the request can have reached the server. */
  public enum Reached {
    NO,
    MAYBE
  }

  private final Reason reason;
  private final Reached reached;
  private final long retryAfterMillis;
  private final int httpStatus;

  public TransportException(Reason reason, Reached reached, String message) {
    this(reason, reached, message, -1, null);
  }

  /**
   * Creates a failure.
   *
   * @param retryAfterMillis when a retry makes sense, -1 if unknown
   */
  public TransportException(
      Reason reason,
      Reached reached,
      String message,
      long retryAfterMillis,
      @Nullable Throwable cause) {
    this(reason, reached, message, retryAfterMillis, cause, 0);
  }

  private TransportException(
      Reason reason,
      Reached reached,
      @Nullable String message,
      long retryAfterMillis,
      @Nullable Throwable cause,
      int httpStatus) {
    super(message, cause, false, false);
    this.reason = reason;
    this.reached = reached;
    this.retryAfterMillis = retryAfterMillis;
    this.httpStatus = httpStatus;
  }

  public Reason reason() {
    return reason;
  }

  public Reached reached() {
    return reached;
  }

  public long retryAfterMillis() {
    return retryAfterMillis;
  }

  /** The HTTP status by which the peer has refused the request; 0 where it did not. */
  public int httpStatus() {
    return httpStatus;
  }

  /** The same failure for a request that certainly did not reach the server, or possibly did. */
  public TransportException withReached(Reached other) {
    return new TransportException(
        reason, other, getMessage(), retryAfterMillis, getCause(), httpStatus);
  }

  /** The same failure in other words. */
  public TransportException withMessage(String other) {
    return new TransportException(reason, reached, other, retryAfterMillis, getCause(), httpStatus);
  }

  /** The same failure with the HTTP status that is its reason. */
  public TransportException withHttpStatus(int status) {
    return new TransportException(
        reason, reached, getMessage(), retryAfterMillis, getCause(), status);
  }
}
