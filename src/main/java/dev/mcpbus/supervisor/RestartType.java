package dev.mcpbus.supervisor;

import dev.mcpbus.protocol.PublicApi;

/** When the supervisor restarts a child whose session has ended (OTP {@code restart}). */
@PublicApi
public enum RestartType {
  /** Always. */
  PERMANENT,
  /** Only if the session ended with a failure. */
  TRANSIENT,
  /** Never. */
  TEMPORARY
}
