package dev.mcpbus.cluster.ownership;

import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * An entry of the owners map: which node owns a connection.
 *
 * @param node the id of the owner, null where it has released the connection
 * @param epoch rises with each owner; a released claim keeps it
 */
public record OwnershipClaim(@Nullable String node, long epoch) {

  /** At most 12 digits: a larger epoch was not written by a node. */
  private static final Pattern FORM = Pattern.compile("([0-9]{1,12}) (\\S{0,100})");

  /** The text in the map; equal claims have equal texts, so the map can compare and set them. */
  String encode() {
    return epoch + " " + (node == null ? "" : node);
  }

  /** Reads a text of the map; null where no node has written it: any process of the cluster can. */
  public static @Nullable OwnershipClaim decode(String text) {
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
