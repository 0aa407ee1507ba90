package dev.mcpbus.connection;

import dev.mcpbus.protocol.Era;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * Which era a server was found to speak, and when, so that a restart need not probe again. Owner:
 * the connection's context.
 */
final class EraMemory {

  private @Nullable Era era;
  private @Nullable Instant since;

  @Nullable Era era() {
    return era;
  }

  @Nullable Instant since() {
    return since;
  }

  void found(Era found) {
    if (era != found) {
      era = found;
      since = Instant.now();
    }
  }

  void forget() {
    era = null;
    since = null;
  }
}
