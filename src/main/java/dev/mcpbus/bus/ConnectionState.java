package dev.mcpbus.bus;

/** Where a connection is in its life. Every move is an event. */
public enum ConnectionState {
  /** Deployed, no session: lazy and not called yet, stopped for idleness, or disconnected. */
  IDLE("disconnected"),
  /** The first session opens its transport or shakes hands. */
  CONNECTING("connecting"),
  READY("connected"),
  /** Serving, but the last health checks failed. */
  DEGRADED("connected"),
  /** The session ended; the next one waits for its back-off or opens. */
  RECONNECTING("reconnecting"),
  /** The restart budget is spent; a slow re-probe goes on. */
  FAILED("failed"),
  /** Accepts nothing new, finishes what is in flight. */
  DRAINING("connected"),
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

  /** True where a call can be sent now. */
  public boolean serves() {
    return this == READY || this == DEGRADED;
  }
}
