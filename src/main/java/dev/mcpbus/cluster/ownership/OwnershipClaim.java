package dev.mcpbus.cluster.ownership;

import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Who owns a connection.
 *
 * @param node its id, null where it was released
 * @param epoch rises with each owner, and is kept when the claim is released
 */
public record OwnershipClaim(@Nullable String node, long epoch) {

  /** An epoch that no cluster lives to see is none. */
  private static final Pattern FORM = Pattern.compile("([0-9]{1,12}) (\\S{0,100})");

  /** As the map holds it; equal claims are equal texts, so that they can be compared and set. */
  String encode() {
    return epoch + " " + (node == null ? "" : node);
  }

  /** Null for what no node has written: every member of the cluster can write to the map. */
  static @Nullable OwnershipClaim decode(String text) {
    Matcher claim = FORM.matcher(text);
    return claim.matches()
        ? new OwnershipClaim(
            claim.group(2).isEmpty() ? null : claim.group(2), Long.parseLong(claim.group(1)))
        : null;
  }

  boolean isOf(String other) {
    return other.equals(node);
  }
}
