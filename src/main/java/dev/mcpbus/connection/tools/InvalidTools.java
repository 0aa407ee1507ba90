package dev.mcpbus.connection.tools;

import dev.mcpbus.protocol.MetaKeys;
import dev.mcpbus.protocol.Quirk;
import dev.mcpbus.protocol.Quirks;
import dev.mcpbus.protocol.RawJson;
import dev.mcpbus.protocol.schema.EntryShape;
import dev.mcpbus.protocol.schema.EntryShape.ShapedEntry;
import io.vertx.core.json.JsonObject;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The entries of one list that cannot be used, with the reasons. Confined to the thread that reads
 * the list: the connection's context or a worker.
 */
public final class InvalidTools {

  private static final Logger LOG = LoggerFactory.getLogger(InvalidTools.class);

  /** The most reasons that are kept; further entries are left out without a reason. */
  private static final int MAX_REASONS = 100;

  private static final int MAX_SHOWN = 200;

  private final JsonObject reasons = new JsonObject();

  /**
   * Adds an entry that is left out.
   *
   * @param rawName the name of the entry, if it has one
   */
  void add(@Nullable RawJson rawName, String fault) {
    String name = rawName != null && rawName.isString() ? rawName.asString() : "?";
    LOG.debug("{} is left out: {}", cut(name), cut(fault));
    if (reasons.size() < MAX_REASONS) {
      reasons.put(cut(name), cut(fault));
    }
  }

  private static String cut(String text) {
    return text.length() > MAX_SHOWN ? text.substring(0, MAX_SHOWN) + "..." : text;
  }

  boolean isEmpty() {
    return reasons.isEmpty();
  }

  /** The reasons by the name of the entry. */
  JsonObject reasons() {
    return reasons;
  }

  /** The entries of {@code list}; none where it has no array {@code key}. */
  static List<RawJson> entries(RawJson list, String key) {
    RawJson entries = list.member(key);
    return entries == null ? List.of() : entries.elements();
  }

  /**
   * {@code list} with the entries {@code kept} alone and the reasons in its {@code _meta} ({@link
   * MetaKeys#LEFT_OUT}). The same bytes where no entry was left out.
   */
  RawJson rest(RawJson list, String key, List<RawJson> kept) {
    return isEmpty() ? list : replaced(list, key, kept, MetaKeys.LEFT_OUT, RawJson.of(reasons));
  }

  /**
   * Whether an entry is carried: one that clients read, or that a tolerated quirk makes readable.
   * If the quirk is refused, the entry is left out. An entry that no client can read is carried to
   * clients of this server alone; its reason says that it is left out elsewhere.
   */
  boolean carries(@Nullable RawJson name, ShapedEntry shape, boolean odd, Quirks quirks) {
    String problem = shape.problem();
    if (!odd && problem == null) {
      return true;
    }
    if (!quirks.tolerates(Quirk.ENTRY_SHAPE)) {
      add(name, problem == null ? "it has members that are not as MCP says" : problem);
      return false;
    }
    if (problem != null) {
      add(name, "it is in no list of several servers: " + problem);
    }
    return true;
  }

  /**
   * {@code list} with {@code entries} in place of its own, and {@code reason: why} in {@code
   * _meta}.
   */
  static RawJson replaced(
      RawJson list, String key, List<RawJson> entries, String reason, RawJson why) {
    RawJson meta = list.member("_meta");
    RawJson base = meta == null || !meta.isObject() ? RawJson.EMPTY_OBJECT : meta;
    return list.with(key, RawJson.array(entries)).with("_meta", base.with(reason, why));
  }

  /**
   * {@code list} without the entries that have a member twice: two readers could read different
   * things; and without those of another shape, if such a quirk is not tolerated. Takes as long as
   * reading the list.
   *
   * @param name the member that names an entry
   */
  public static RawJson unusable(RawJson list, String key, String name, Quirks quirks) {
    InvalidTools leftOut = new InvalidTools();
    List<RawJson> kept = new ArrayList<>();
    for (RawJson entry : entries(list, key)) {
      String ambiguity = entry.ambiguity();
      RawJson own = entry.member(name);
      if (ambiguity != null) {
        leftOut.add(own, ambiguity);
        continue;
      }
      ShapedEntry shape = EntryShape.of(key, name, entry, false);
      if (leftOut.carries(own, shape, shape.isMended(), quirks)) {
        kept.add(entry);
      }
    }
    return leftOut.rest(list, key, kept);
  }
}
