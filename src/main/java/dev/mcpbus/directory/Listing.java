package dev.mcpbus.directory;

import dev.mcpbus.bus.NamePolicy;
import dev.mcpbus.protocol.MetaKeys;
import dev.mcpbus.protocol.ParseLimits;
import dev.mcpbus.protocol.ProtocolException;
import dev.mcpbus.protocol.RawJson;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.json.DecodeException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * One server's list of one kind, as it stands in the aggregate. Immutable. The bytes of an entry
 * are those of the server but for the name in front of it and the marks in its {@code _meta}.
 */
public final class Listing {

  /** A definition that is larger than this is a defect or an attack. */
  static final int MAX_ENTRY_BYTES = 1024 * 1024;

  /** All pages of a list together. */
  private static final ParseLimits LIMITS = ParseLimits.DEFAULT.withMaxBytes(64 * 1024 * 1024);

  private static final RawJson TRUE = RawJson.of("true");

  private final Map<String, RawJson> entries;
  private final List<LeftOutEntry> problems;
  private final Set<String> quarantined;
  private final boolean stale;

  private Listing(
      Map<String, RawJson> entries,
      List<LeftOutEntry> problems,
      Set<String> quarantined,
      boolean stale) {
    this.entries = entries;
    this.problems = problems;
    this.quarantined = quarantined;
    this.stale = stale;
  }

  /**
   * Keeps what can be used, in the server's order, and says why the rest cannot.
   *
   * @param names how an entry is called in the aggregate
   * @param result the MCP result of the list method
   * @throws ProtocolException where it is not JSON, or holds no list
   */
  public static Listing parse(String server, Kind kind, NamePolicy names, Buffer result)
      throws ProtocolException {
    RawJson whole = RawJson.checkedResult(result, LIMITS);
    RawJson list = whole.member(kind.member);
    if (list == null || !list.isArray()) {
      throw new ProtocolException(
          ProtocolException.Reason.NOT_JSON_RPC, 0, "the result has no list '" + kind.member + "'");
    }
    Map<String, RawJson> entries = new LinkedHashMap<>();
    List<LeftOutEntry> problems = leftOut(server, whole.member("_meta"));
    int place = 0;
    for (RawJson entry : list.elements()) {
      place++;
      String name = name(entry, kind);
      String reason =
          name == null
              ? "it has no " + kind.key + ": a text of at least one character is needed"
              : reasonAgainst(entry, kind, name, entries);
      if (name != null && reason == null && kind.prefixed && !names.isFaithful(server, name)) {
        reason = "the name policy \"" + names.name() + "\" has no name that leads back to it";
      }
      if (name == null || reason != null) {
        problems.add(
            new LeftOutEntry(server, name == null ? "#" + place : name, String.valueOf(reason)));
      } else {
        entries.put(name, aggregated(server, kind, names, name, entry));
      }
    }
    Set<String> quarantined = quarantined(whole);
    quarantined.forEach(
        name ->
            problems.add(
                new LeftOutEntry(
                    server, name, "it is quarantined: it differs from its pinned definition")));
    return new Listing(entries, List.copyOf(problems), quarantined, false);
  }

  private static Set<String> quarantined(RawJson result) {
    RawJson meta = result.member("_meta");
    RawJson names = meta == null ? null : meta.member(MetaKeys.QUARANTINED);
    return names == null
        ? Set.of()
        : names.elements().stream()
            .filter(RawJson::isString)
            .map(RawJson::asString)
            .collect(Collectors.toUnmodifiableSet());
  }

  /** What the connection has left out already. */
  private static List<LeftOutEntry> leftOut(String server, @Nullable RawJson meta) {
    RawJson reasons = meta == null || !meta.isObject() ? null : meta.member(MetaKeys.LEFT_OUT);
    List<LeftOutEntry> problems = new ArrayList<>();
    if (reasons != null && reasons.isObject()) {
      reasons
          .toJsonObject()
          .forEach(
              reason ->
                  problems.add(
                      new LeftOutEntry(
                          server, reason.getKey(), String.valueOf(reason.getValue()))));
    }
    return problems;
  }

  private static @Nullable String name(RawJson entry, Kind kind) {
    RawJson name = entry.member(kind.key);
    return name == null || !name.isString() || name.length() == 2 ? null : name.asString();
  }

  private static @Nullable String reasonAgainst(
      RawJson entry, Kind kind, String name, Map<String, RawJson> before) {
    if (entry.length() > MAX_ENTRY_BYTES) {
      return entry.length() + " bytes are more than the limit of " + MAX_ENTRY_BYTES;
    }
    if (kind == Kind.TOOLS) {
      RawJson schema = entry.member("inputSchema");
      if (schema == null || !schema.isObject()) {
        return "its inputSchema is not an object";
      }
    }
    if (before.containsKey(name)) {
      return "its server lists the same " + kind.key + " earlier; the first one counts";
    }
    try {
      entry.toJsonObject();
    } catch (DecodeException e) {
      return "it cannot be decoded";
    }
    return entry.ambiguity();
  }

  private static RawJson aggregated(
      String server, Kind kind, NamePolicy names, String name, RawJson entry) {
    RawJson named =
        kind.prefixed ? entry.with(kind.key, RawJson.string(names.encode(server, name))) : entry;
    return marked(named, MetaKeys.SERVER, RawJson.string(server));
  }

  private static RawJson marked(RawJson entry, String mark, RawJson value) {
    RawJson meta = entry.member("_meta");
    RawJson base = meta == null || !meta.isObject() ? RawJson.EMPTY_OBJECT : meta;
    return entry.with("_meta", base.with(mark, value));
  }

  /** The same entries, each marked as what the server said when it was last there. */
  public Listing asStale() {
    if (stale) {
      return this;
    }
    Map<String, RawJson> marked = new LinkedHashMap<>();
    entries.forEach((name, entry) -> marked.put(name, marked(entry, MetaKeys.STALE, TRUE)));
    return new Listing(marked, problems, quarantined, true);
  }

  /** Left out by their connection, which says why to whoever calls them. */
  public Set<String> quarantined() {
    return quarantined;
  }

  public boolean isStale() {
    return stale;
  }

  /** The server's own names, in its order. */
  public Set<String> names() {
    return Collections.unmodifiableSet(entries.keySet());
  }

  /** By the server's own names, in its order. */
  public Map<String, RawJson> byName() {
    return Collections.unmodifiableMap(entries);
  }

  /** In the server's order. */
  public Iterable<RawJson> entries() {
    return entries.values();
  }

  public List<LeftOutEntry> problems() {
    return problems;
  }
}
