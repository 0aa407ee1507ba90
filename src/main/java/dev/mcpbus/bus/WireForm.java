package dev.mcpbus.bus;

import io.vertx.core.json.JsonObject;
import org.jspecify.annotations.Nullable;

/**
 * The form in which nodes tell each other things: failures, messages of nodes, definitions. It has
 * a number, so that nodes of different versions can be told apart: a node says in the metadata of
 * its event bus which forms it reads. There is one form so far.
 */
public final class WireForm {

  public static final int OLDEST = 1;
  public static final int NEWEST = 1;

  /** Member of the metadata of a node's event bus: an object, what a node says of itself. */
  public static final String METADATA = "mcpbus";

  /** Members of that object: the newest form that the node reads, and the oldest. */
  public static final String READS = "wire";

  public static final String READS_FROM = "wireFrom";

  /**
   * What a node reads.
   *
   * @param from the oldest form
   * @param to the newest
   */
  public record Range(int from, int to) {

    public boolean contains(int form) {
      return from <= form && form <= to;
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

  /** Whether the sender of a call reads the failures of mcpbus, by {@link Headers#SPEAKS}. */
  static boolean isSpoken(@Nullable String header) {
    return header != null;
  }
}
