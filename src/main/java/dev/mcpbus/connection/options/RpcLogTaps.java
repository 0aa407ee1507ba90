package dev.mcpbus.connection.options;

import dev.mcpbus.protocol.MessageTap;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Where the JSON-RPC messages of a connection may be shown: one tap for each mode of the RPC log.
 * {@code hosting} makes it of a definition; the connection takes the mode of the configuration
 * until an operator sets another one. Immutable.
 */
public interface RpcLogTaps {

  /** The mode that shows nothing. */
  String OFF = "off";

  /**
   * A mode that an operator has set for a time.
   *
   * @param mode one of {@link #modes}
   * @param until when the mode of the configuration comes back
   */
  record TemporaryMode(String mode, Instant until) {}

  /** For a connection whose messages cannot be shown. */
  RpcLogTaps NONE =
      new RpcLogTaps() {
        @Override
        public String configured() {
          return OFF;
        }

        @Override
        public List<String> modes() {
          return List.of(OFF);
        }

        @Override
        public @Nullable MessageTap tap(String mode) {
          return null;
        }
      };

  /** The mode of the configuration. */
  String configured();

  /**
   * The mode with which a connection begins that is made now; null for that of the configuration.
   */
  default @Nullable TemporaryMode temporary() {
    return null;
  }

  /** Every mode that there is, in the words of the configuration. */
  List<String> modes();

  /**
   * The tap of a mode. It masks the secrets of the connection.
   *
   * @param mode one of {@link #modes}
   * @return null for {@link #OFF}, so that the mode costs nothing
   */
  @Nullable MessageTap tap(String mode);
}
