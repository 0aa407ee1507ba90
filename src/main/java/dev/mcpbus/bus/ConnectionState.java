package dev.mcpbus.bus;

import dev.mcpbus.protocol.PublicApi;

/** The state of a connection. It publishes {@link Events#STATE_CHANGED} at every change. */
@PublicApi
public enum ConnectionState {
  /** Deployed without a session: not called yet, stopped after its idle time, or disconnected. */
  IDLE("disconnected"),
  /** The first session opens its channel or is in its handshake. */
  CONNECTING("connecting"),
  /** The session is ready: calls are sent. */
  READY("connected"),
  /** Calls are sent, but the last health checks have failed, or a circuit breaker refuses most. */
  DEGRADED("connected"),
  /** The session has ended; the next one waits for its back-off, or opens its channel. */
  RECONNECTING("reconnecting"),
  /** The restart intensity is exceeded; only the slow probe goes on. */
  FAILED("failed"),
  /** Refuses new calls, and completes the calls in flight. */
  DRAINING("connected"),
  /** The verticle is stopped. */
  CLOSED("disconnected");

  private final String status;

  ConnectionState(String status) {
    this.status = status;
  }

  /**
   * The public status word: {@code connected}, {@code connecting}, {@code disconnected}, {@code
   * failed}, {@code reconnecting}.
   */
  public String status() {
    return status;
  }

  /** True if a call can be sent now. */
  public boolean serves() {
    return this == READY || this == DEGRADED;
  }
}
