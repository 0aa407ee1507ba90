package dev.mcpbus.connection.options;

import java.util.Map;

/**
 * Whose definitions must stay as they are.
 *
 * @param firstUse every tool is pinned to the definition it had when it was first seen
 * @param hashes tools pinned to the hash that is given, {@code sha256-} and 64 hex digits; all
 *     others are free. Empty where {@code firstUse} decides
 */
public record PinOptions(boolean firstUse, Map<String, String> hashes) {

  /** Nothing is pinned. */
  public static final PinOptions NONE = new PinOptions(false, Map.of());

  public static final PinOptions FIRST_USE = new PinOptions(true, Map.of());

  public PinOptions {
    hashes = Map.copyOf(hashes);
    if (firstUse && !hashes.isEmpty()) {
      throw new IllegalArgumentException("either first use or hashes");
    }
  }

  public boolean isActive() {
    return firstUse || !hashes.isEmpty();
  }
}
