package dev.mcpbus.supervisor;

/** When the supervisor restarts a child whose session has ended (OTP {@code restart}). */
public enum RestartType {
  /** Always. */
  PERMANENT,
  /** Only if the session ended with a failure. */
  TRANSIENT,
  /** Never. */
  TEMPORARY
}
