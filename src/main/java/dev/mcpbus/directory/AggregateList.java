package dev.mcpbus.directory;

import dev.mcpbus.bus.ListKind;
import dev.mcpbus.bus.NamePolicy;
import dev.mcpbus.protocol.MetaKeys;
import dev.mcpbus.protocol.RawJson;
import dev.mcpbus.protocol.SkillEntry;
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
 * One server's list of one kind in the aggregate: its entries with the names of the bus, and the
 * reasons why other entries are left out. An entry has the bytes of the server, except for its name
 * and the marks in its {@code _meta}. Immutable.
 */
public final class AggregateList {

  private static final RawJson TRUE = RawJson.of("true");

  private final Map<String, RawJson> entries;
  private final List<InvalidEntry> problems;
  private final Set<String> quarantined;
  private final boolean stale;

  /** The list that this was made from. */
  private final ServerList source;

  private AggregateList(
      ServerList source,
      Map<String, RawJson> entries,
      List<InvalidEntry> problems,
      Set<String> quarantined,
      boolean stale) {
    this.entries = entries;
    this.problems = problems;
    this.quarantined = quarantined;
    this.stale = stale;
    this.source = source;
  }

  /**
   * Keeps the usable entries, in the server's order, with a reason for each of the others.
   *
   * @param names the names of entries in the aggregate
   * @param before the list that this one replaces; it is returned if it is the same
   */
  @SuppressWarnings("ReferenceEquality") // comparing two lists costs as much as reading one
  static AggregateList of(
      String server,
      ListKind kind,
      NamePolicy names,
      ServerList serverList,
      @Nullable AggregateList before) {
    if (before != null && before.source == serverList) {
      return before;
    }
    AggregateList named =
        before != null && !before.stale && before.source.entries() == serverList.entries()
            ? before
            : of(server, kind, names, serverList);
    return serverList.stale() ? named.asStale(serverList) : named;
  }

  private static AggregateList of(
      String server, ListKind kind, NamePolicy names, ServerList serverList) {
    Map<String, RawJson> entries = new LinkedHashMap<>();
    List<InvalidEntry> problems = leftOut(server, serverList.meta());
    Set<String> told = problems.stream().map(InvalidEntry::name).collect(Collectors.toSet());
    int place = 0;
    for (ServerList.Item item : serverList.entries()) {
      place++;
      String name = item.key();
      String reason = reasonAgainst(item, kind, entries.keySet());
      if (reason == null && kind.isNamed() && !names.isFaithful(server, name)) {
        reason = "the name policy \"" + names.name() + "\" has no name that leads back to it";
      }
      if (reason == null) {
        entries.put(name, aggregated(server, kind, names, name, item.shape().entry()));
      } else if (!told.contains(name)) {
        problems.add(new InvalidEntry(server, name.isEmpty() ? "#" + place : name, reason));
      }
    }
    Set<String> quarantined = ServerList.names(serverList.meta().member(MetaKeys.QUARANTINED));
    quarantined.forEach(
        name ->
            problems.add(
                new InvalidEntry(
                    server, name, "it is quarantined: it differs from its pinned definition")));
    return new AggregateList(serverList, entries, List.copyOf(problems), quarantined, false);
  }

  /** The entries that the connection has left out already. */
  private static List<InvalidEntry> leftOut(String server, RawJson meta) {
    RawJson reasons = meta.member(MetaKeys.LEFT_OUT);
    List<InvalidEntry> problems = new ArrayList<>();
    try {
      if (reasons != null && reasons.isObject()) {
        reasons
            .toJsonObject()
            .forEach(
                reason ->
                    problems.add(
                        new InvalidEntry(
                            server, reason.getKey(), String.valueOf(reason.getValue()))));
      }
    } catch (DecodeException e) {
      // The server wrote them itself: those of the connection can be decoded.
      problems.add(new InvalidEntry(server, "#0", "its reasons cannot be decoded"));
    }
    return problems;
  }

  private static @Nullable String reasonAgainst(
      ServerList.Item item, ListKind kind, Set<String> before) {
    RawJson entry = item.entry();
    if (item.key().isEmpty()) {
      return "it has no " + kind.key + ": a text of at least one character is needed";
    }
    if (entry.length() > ServerList.MAX_ENTRY_BYTES) {
      return entry.length() + " bytes are more than the limit of " + ServerList.MAX_ENTRY_BYTES;
    }
    if (item.shape().problem() != null) {
      return item.shape().problem();
    }
    if (kind == ListKind.SKILLS) {
      String reason = SkillEntry.problem(entry);
      if (reason != null) {
        return reason;
      }
    }
    if (before.contains(item.key())) {
      return "its server lists the same " + kind.key + " earlier; the first one counts";
    }
    try {
      entry.toJsonObject();
    } catch (DecodeException e) {
      return "it cannot be decoded";
    }
    return item.ambiguity();
  }

  private static RawJson aggregated(
      String server, ListKind kind, NamePolicy names, String name, RawJson entry) {
    RawJson named =
        kind.isNamed() ? entry.with(kind.key, RawJson.string(names.encode(server, name))) : entry;
    return marked(named, MetaKeys.SERVER, RawJson.string(server));
  }

  private static RawJson marked(RawJson entry, String mark, RawJson value) {
    RawJson meta = entry.member("_meta");
    RawJson base = meta == null || !meta.isObject() ? RawJson.EMPTY_OBJECT : meta;
    return entry.with("_meta", base.with(mark, value));
  }

  /** The same entries, each marked as stale. */
  private AggregateList asStale(ServerList last) {
    Map<String, RawJson> marked = new LinkedHashMap<>();
    entries.forEach((name, entry) -> marked.put(name, marked(entry, MetaKeys.STALE, TRUE)));
    return new AggregateList(last, marked, problems, quarantined, true);
  }

  /** Tools that the connection left out; it tells the reason to a caller that calls one. */
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

  public List<InvalidEntry> problems() {
    return problems;
  }
}
