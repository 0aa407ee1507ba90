package dev.mcpbus.supervisor;

/** When a child that has ended is started again (OTP {@code restart}). */
public enum RestartType {
  /** Always. */
  PERMANENT,
  /** Only where it ended with a failure. */
  TRANSIENT,
  /** Never. */
  TEMPORARY
}
