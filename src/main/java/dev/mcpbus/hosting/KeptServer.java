package dev.mcpbus.hosting;

import dev.mcpbus.config.ServerDefinition;
import dev.mcpbus.config.ServerOrigin;
import dev.mcpbus.protocol.Sha256;
import io.vertx.core.json.JsonObject;
import org.jspecify.annotations.Nullable;

/**
 * A change of one server at run time, as the state directory has it. Immutable.
 *
 * @param revision the higher one counts where two copies differ
 * @param origin of a server that was added; null for a removal
 * @param source the place of the entry, for messages
 * @param digest of the entry that was removed: a file that has the same entry does not bring the
 *     server back; null for a server that was added, and where the entry was not known
 */
public record KeptServer(
    long revision, @Nullable ServerOrigin origin, String source, @Nullable String digest) {

  static KeptServer added(long revision, ServerOrigin origin, String source) {
    return new KeptServer(revision, origin, source, null);
  }

  /**
   * @param digest as {@link #digest(ServerOrigin)} makes it; null where the entry is not known
   */
  public static KeptServer removed(long revision, @Nullable String digest) {
    return new KeptServer(revision, null, "", digest);
  }

  /**
   * A digest of the entry as written; equal for equal entries, whatever the order of their keys.
   */
  public static String digest(ServerOrigin origin) {
    return "sha256-" + Sha256.hex(origin.text());
  }

  /** Whether this is the removal of exactly this entry. */
  public boolean isRemovalOf(ServerDefinition definition) {
    ServerOrigin entry = definition.origin();
    return origin == null && entry != null && digest(entry).equals(digest);
  }

  JsonObject toJson() {
    JsonObject json = new JsonObject().put("revision", revision);
    return origin == null
        ? json.put("removed", digest == null ? "" : digest)
        : json.put("added", origin.toJson()).put("source", source);
  }

  /**
   * @throws RuntimeException where it is not of this form
   */
  static KeptServer of(JsonObject json) {
    JsonObject added = json.getJsonObject("added");
    String removed = json.getString("removed", "");
    return new KeptServer(
        json.getLong("revision"),
        added == null ? null : ServerOrigin.of(added),
        json.getString("source", ""),
        removed.isEmpty() ? null : removed);
  }

  /** Without the entry, which may have secrets. */
  @Override
  public String toString() {
    return (origin == null ? "removal" : "addition") + " of revision " + revision;
  }
}
