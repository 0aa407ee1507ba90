package dev.mcpbus.cluster.definitions;

import dev.mcpbus.bus.ClusterMap;
import dev.mcpbus.bus.ClusterSecret;
import org.jspecify.annotations.Nullable;

/**
 * An entry of the cluster's map of definitions. Any process of the cluster can write to the map; an
 * entry is valid only with a proof that its writer has the cluster's secret. The proof covers the
 * id, so no definition can be copied to another id, and the revision, so a node that has seen a
 * newer revision refuses an old one.
 *
 * @param raw the text in the map: proof, revision and text, with a space after each of the first
 *     two
 * @param revision rises with each change of an id; about the time of the change, milliseconds
 * @param text a {@link DefinitionEntry}; null for a removal
 */
record SignedEntry(String raw, long revision, @Nullable String text) {

  private static final String PURPOSE = "definitions";
  private static final int FIELDS = 3;

  /**
   * @param text null for a removal
   */
  static SignedEntry seal(ClusterSecret secret, String id, long revision, @Nullable String text) {
    String body = text == null ? ClusterMap.REMOVED : text;
    String number = Long.toString(revision);
    return new SignedEntry(
        secret.proof(PURPOSE, id, number, body) + " " + number + " " + body, revision, text);
  }

  /** Reads an entry; null where it was not written for this id with the secret. */
  static @Nullable SignedEntry open(ClusterSecret secret, String id, String raw) {
    String[] fields = raw.split(" ", FIELDS);
    if (fields.length < FIELDS || !secret.isProof(fields[0], PURPOSE, id, fields[1], fields[2])) {
      return null;
    }
    String body = fields[2];
    return new SignedEntry(
        raw, Long.parseLong(fields[1]), body.equals(ClusterMap.REMOVED) ? null : body);
  }

  /** Without the definition, which may contain a secret. */
  @Override
  public String toString() {
    return "revision " + revision;
  }

  boolean isRemoved() {
    return text == null;
  }
}
