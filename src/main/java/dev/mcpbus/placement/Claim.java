package dev.mcpbus.placement;

import org.jspecify.annotations.Nullable;

/**
 * Who owns a connection.
 *
 * @param node its id, null where it was released
 * @param epoch rises with each owner, and is kept when the claim is released
 */
public record Claim(@Nullable String node, long epoch) {

  /** As the map holds it; equal claims are equal texts, so that they can be compared and set. */
  String encode() {
    return epoch + " " + (node == null ? "" : node);
  }

  static Claim decode(String text) {
    int space = text.indexOf(' ');
    String node = text.substring(space + 1);
    return new Claim(node.isEmpty() ? null : node, Long.parseLong(text.substring(0, space)));
  }

  boolean isOf(String other) {
    return other.equals(node);
  }
}
