package dev.mcpbus.connection.options;

import java.util.Map;

/**
 * The tools of a server whose definitions are pinned.
 *
 * @param firstUse pins every tool to the definition in the first list that contains it
 * @param hashes the hashes of pinned tools by name, {@code sha256-} and 64 hex digits; other tools
 *     are free. Empty with {@code firstUse}
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
