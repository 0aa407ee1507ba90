package dev.mcpbus.bus;

import io.vertx.core.json.JsonObject;
import org.jspecify.annotations.Nullable;

/**
 * The version of the messages between nodes: failures, node messages, definitions. Each node writes
 * the range of versions that it reads into the metadata of its event bus, so that nodes of
 * different versions of mcpbus can find a common one. Version 1 is the only one so far. Pure
 * functions.
 */
public final class WireForm {

  public static final int OLDEST = 1;
  public static final int NEWEST = 1;

  /** Member of the metadata of a node's event bus: an object with the members below. */
  public static final String METADATA = "mcpbus";

  /** The newest version that the node reads. */
  public static final String READS = "wire";

  /** The oldest version that the node reads. */
  public static final String READS_FROM = "wireFrom";

  /** The version of mcpbus, for messages; absent in the metadata of older ones. */
  public static final String VERSION = "version";

  /**
   * The versions that a node reads.
   *
   * @param from the oldest
   * @param to the newest
   */
  public record Range(int from, int to) {

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
   * @param metadata the metadata of a node's event bus
   * @return null for a process without mcpbus
   */
  public static @Nullable Range of(@Nullable JsonObject metadata) {
    JsonObject own = metadata == null ? null : metadata.getJsonObject(METADATA);
    return own == null
        ? null
        : new Range(own.getInteger(READS_FROM, OLDEST), own.getInteger(READS, OLDEST));
  }

  /**
   * Whether the sender of a call can decode {@link McpFailure}.
   *
   * @param header the value of {@link Headers#SPEAKS}, null if absent
   */
  static boolean isSpoken(@Nullable String header) {
    return header != null;
  }
}
