package dev.mcpbus.bus;

import io.vertx.core.json.JsonObject;
import org.jspecify.annotations.Nullable;

/**
 * Versions of the form in which nodes tell each other things: failures, facts, definitions. A node
 * reads all forms from {@link #OLDEST} to its own, says so in the metadata of its event bus and on
 * each call ({@link Headers#SPEAKS}), and writes the newest that its readers read.
 *
 * <ol>
 *   <li>failures whose codes are all known; definitions without a number; facts of changed
 *       definitions without names
 *   <li>failures with codes that the reader need not know; definitions that tell their form; facts
 *       that tell what has changed and can be counted; refusals; common limits
 * </ol>
 */
public final class WireForm {

  public static final int OLDEST = 1;
  public static final int NEWEST = 2;

  /** Member of the metadata of a node's event bus: an object, what a node says of itself. */
  public static final String METADATA = "mcpbus";

  /** Members of that object: the newest form, absent for 1, and the oldest, absent for 1. */
  public static final String READS = "wire";

  public static final String READS_FROM = "wireFrom";

  /**
   * What a node reads.
   *
   * @param from the oldest form
   * @param to the newest
   */
  public record Range(int from, int to) {

    public boolean contains(int version) {
      return from <= version && version <= to;
    }

    public boolean meets(Range other) {
      return from <= other.to && other.from <= to;
    }

    @Override
    public String toString() {
      return from == to ? Integer.toString(from) : from + " to " + to;
    }
  }

  private WireForm() {}

  /**
   * @param metadata of an event bus
   * @return null for a process that says nothing of mcpbus
   */
  public static @Nullable Range of(@Nullable JsonObject metadata) {
    JsonObject own = metadata == null ? null : metadata.getJsonObject(METADATA);
    return own == null
        ? null
        : new Range(own.getInteger(READS_FROM, OLDEST), own.getInteger(READS, OLDEST));
  }

  /** What the caller reads whose header this is; 0 for one that does not know mcpbus. */
  static int spoken(@Nullable String header) {
    if (header == null) {
      return 0;
    }
    try {
      return Math.max(OLDEST, Integer.parseInt(header.trim()));
    } catch (NumberFormatException e) {
      return OLDEST;
    }
  }
}
