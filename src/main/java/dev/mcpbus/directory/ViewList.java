package dev.mcpbus.directory;

import dev.mcpbus.bus.ListKind;
import dev.mcpbus.protocol.Era;
import dev.mcpbus.protocol.EraMembers;
import dev.mcpbus.protocol.ParamHeaders;
import dev.mcpbus.protocol.RawJson;
import dev.mcpbus.protocol.ResultType;
import dev.mcpbus.protocol.TasksExtension;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Base64;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The entries of one kind of all servers of one view, by the names that the clients use. Immutable
 * once {@link #of} has returned.
 */
public final class ViewList {

  private static final Logger LOG = LoggerFactory.getLogger(ViewList.class);

  /**
   * Freshness of the list of a server that does not state it: such a server notifies of changes.
   */
  private static final long TTL_MILLIS = 60_000;

  /**
   * The server and the names of an entry.
   *
   * @param key the server's own name or URI
   * @param name the name or URI that clients use
   * @param headers that a client of the {@code discover} era must send with a call
   */
  public record Target(String server, String key, String name, ParamHeaders headers) {}

  private final ListKind kind;
  private final List<Target> targets = new ArrayList<>();
  private final List<RawJson> entries = new ArrayList<>();
  private final Map<String, Integer> places = new HashMap<>();

  /** By place, the entries that clients of the {@code initialize} era read otherwise. */
  private final Map<Integer, RawJson> legacies = new HashMap<>();

  private long ttlMillis = TTL_MILLIS;
  private boolean common = true;
  private Set<String> collisions = Set.of();

  /** The servers of the view that have given no list. */
  private final List<DirectoryEntry> missing = new ArrayList<>();

  /** Servers with user interfaces (MCP Apps). */
  private final Set<String> appServers = new HashSet<>();

  /** Servers of the {@code discover} era with tasks: they decide which call becomes a task. */
  private final Set<String> deciders = new HashSet<>();

  /** What the one server of the view says of its list as a whole; null in a view of several. */
  private @Nullable RawJson frame;

  /** Whether that server is of the {@code discover} era. */
  private boolean framedByDiscover;

  private long version;

  private ViewList(ListKind kind) {
    this.kind = kind;
  }

  /**
   * @param uris of the same view and servers
   */
  static ViewList of(
      DirectoryView view,
      ListKind kind,
      Collection<DirectoryEntry> servers,
      Supplier<ViewUris> uris) {
    ViewList all = new ViewList(kind);
    all.common = view.rights().isUnbounded(); // with policies, other callers have another list
    for (DirectoryEntry server : servers) {
      if (!view.includes(server.id().value())) {
        continue;
      }
      ServerList serverList = server.list(kind);
      if (serverList == null) {
        all.missing.add(server);
      } else {
        all.add(view, server.id().value(), serverList, uris);
        if (view.server()) {
          all.frame = serverList.frame();
          all.framedByDiscover = server.isDiscover();
        }
        if (kind == ListKind.TOOLS && server.isDiscover() && server.tasks()) {
          all.deciders.add(server.id().value());
        }
      }
    }
    Set<String> shared = all.sharedNames();
    return shared.isEmpty() ? all.finish() : all.without(shared).finish();
  }

  @SuppressWarnings("ReferenceEquality") // what both eras read alike is the same object
  private void add(
      DirectoryView view, String server, ServerList serverList, Supplier<ViewUris> uris) {
    if (serverList.ttlMillis() >= 0) {
      ttlMillis = Math.min(ttlMillis, serverList.ttlMillis());
    }
    common &= serverList.common();
    Set<String> seen = new HashSet<>();
    for (ServerList.Item item : serverList.items()) {
      boolean readable = view.server() || item.shape().problem() == null;
      if (!readable || !seen.add(item.key()) || !admits(view, server, item, uris)) {
        continue;
      }
      String name = named(view, server, item, uris);
      RawJson written = view.server() ? item.entry() : item.shape().entry();
      RawJson entry = clients(server, item, written, name, uris);
      RawJson legacy = view.server() ? written : item.shape().legacy();
      if (legacy != written) {
        legacies.put(targets.size(), clients(server, item, legacy, name, uris));
      }
      if (kind == ListKind.TOOLS && !item.links().isEmpty()) {
        appServers.add(server);
      }
      targets.add(new Target(server, item.key(), name, item.headers()));
      entries.add(entry);
      places.putIfAbsent(name, targets.size() - 1);
    }
  }

  /** {@link ViewUris} has left out resources that the policies deny; this asks for other kinds. */
  private boolean admits(
      DirectoryView view, String server, ServerList.Item item, Supplier<ViewUris> uris) {
    return kind == ListKind.RESOURCES
        ? uris.get().admitsListed(server, item.key())
        : view.admits(kind, server, item.key());
  }

  private String named(
      DirectoryView view, String server, ServerList.Item item, Supplier<ViewUris> uris) {
    return switch (kind) {
      case TOOLS, PROMPTS -> view.nameOf(server, item.key());
      case RESOURCES -> uris.get().name(server, item.key());
      case SKILLS -> uris.get().skillName(server, item.key(), item.links());
      case TEMPLATES -> uris.get().templateName(server, item.key());
    };
  }

  /** The entry with the clients' name, and their URIs of the resources that it names. */
  private RawJson clients(
      String server, ServerList.Item item, RawJson entry, String name, Supplier<ViewUris> uris) {
    RawJson shown = linked(server, item, entry, name, uris);
    return name.equals(item.key()) ? shown : shown.with(kind.key, RawJson.string(name));
  }

  private RawJson linked(
      String server, ServerList.Item item, RawJson entry, String name, Supplier<ViewUris> uris) {
    if (item.links().isEmpty()) {
      return entry;
    }
    if (kind != ListKind.SKILLS) {
      return AppUris.with(entry, uris.get().renaming(server, false));
    }
    return name.equals(item.key())
        ? entry
        : SkillNames.renamed(entry, uris.get().renaming(server, true));
  }

  /**
   * Names that several entries would have; none gets it: a call must not reach the wrong server.
   */
  private Set<String> sharedNames() {
    if (places.size() == targets.size()) {
      return Set.of();
    }
    Set<String> seen = new HashSet<>();
    return targets.stream().map(Target::name).filter(n -> !seen.add(n)).collect(Collectors.toSet());
  }

  private ViewList without(Set<String> names) {
    LOG.warn("gateway: names of several {} route nowhere: {}", kind.member, names);
    ViewList rest = new ViewList(kind);
    rest.collisions = names;
    rest.appServers.addAll(appServers);
    rest.deciders.addAll(deciders);
    rest.missing.addAll(missing);
    rest.ttlMillis = ttlMillis;
    rest.common = common;
    rest.frame = frame;
    rest.framedByDiscover = framedByDiscover;
    for (int i = 0; i < targets.size(); i++) {
      if (!names.contains(targets.get(i).name())) {
        rest.places.put(targets.get(i).name(), rest.targets.size());
        RawJson legacy = legacies.get(i);
        if (legacy != null) {
          rest.legacies.put(rest.targets.size(), legacy);
        }
        rest.targets.add(targets.get(i));
        rest.entries.add(entries.get(i));
      }
    }
    return rest;
  }

  private ViewList finish() {
    long hash = targets.size();
    for (RawJson entry : entries) {
      hash = 1_000_003 * hash + entry.hashCode();
    }
    version = hash;
    return this;
  }

  /** A hash of the entries: it changes when the entries that clients see change. */
  public long version() {
    return version;
  }

  /** Null if no entry has that name. */
  public @Nullable Target find(String name) {
    Integer place = places.get(name);
    return place == null ? null : targets.get(place);
  }

  /**
   * The tools that have that name at their servers, of servers with user interfaces: an app knows
   * the tools of its server by no other name (MCP Apps).
   */
  public List<Target> ofApps(String key) {
    return targets.stream()
        .filter(target -> target.key().equals(key) && appServers.contains(target.server()))
        .toList();
  }

  /** The entry of that name, as clients see it; null if there is none. */
  public @Nullable RawJson entry(String name) {
    Integer place = places.get(name);
    return place == null ? null : entries.get(place);
  }

  /** Whether several entries would have the name, so that none has it. */
  public boolean collides(String name) {
    return collisions.contains(name);
  }

  /** The servers of the view that have given no list. */
  List<DirectoryEntry> missing() {
    return missing;
  }

  public List<Target> targets() {
    return targets;
  }

  /**
   * One page of the result. A cursor names the entry before the page, so that it stays good while
   * that entry is there. In the view of one server a page has the members that the server gave the
   * result, but for those of the other era.
   *
   * @param era of the client; in the {@code discover} era a page states how long it may be kept
   * @return null if the cursor is not one of ours, or if its entry is gone
   */
  @Nullable RawJson page(@Nullable String cursor, int size, Era era) {
    Integer after = cursor == null ? Integer.valueOf(-1) : places.get(decoded(cursor));
    if (after == null) {
      return null;
    }
    int from = after + 1;
    int to = Math.min(entries.size(), from + size);
    boolean discover = era == Era.DISCOVER;
    RawJson page =
        RawJson.array(
            discover || (deciders.isEmpty() && legacies.isEmpty())
                ? entries.subList(from, to)
                : forInitialize(from, to));
    RawJson result = framed(discover);
    if (discover) {
      result =
          result
              .with("cacheScope", RawJson.string(common ? "public" : "private"))
              .with("ttlMs", ttl(result))
              .with(ResultType.MEMBER, ResultType.COMPLETE_JSON);
    }
    if (to < entries.size()) {
      result = result.with("nextCursor", RawJson.string(encoded(targets.get(to - 1).name())));
    }
    return result.with(kind.member, page);
  }

  private RawJson framed(boolean discover) {
    if (frame == null) {
      return RawJson.EMPTY_OBJECT;
    }
    if (framedByDiscover) {
      return discover ? frame : EraMembers.resultForInitialize(frame);
    }
    return discover ? EraMembers.forDiscover(frame) : frame;
  }

  /** What the one server of a view states itself, else the least of all servers. */
  private RawJson ttl(RawJson framed) {
    RawJson own = framedByDiscover ? framed.member("ttlMs") : null;
    return own != null && own.asLong() >= 0 ? own : RawJson.of(Long.toString(ttlMillis));
  }

  /**
   * The entries for clients of the {@code initialize} era, which request a task themselves: each
   * tool of a server that decides by itself says that they may.
   */
  private List<RawJson> forInitialize(int from, int to) {
    List<RawJson> some = new ArrayList<>();
    for (int i = from; i < to; i++) {
      RawJson entry = legacies.getOrDefault(i, entries.get(i));
      some.add(
          deciders.contains(targets.get(i).server())
              ? TasksExtension.withTaskSupport(entry)
              : entry);
    }
    return some;
  }

  private static String encoded(String name) {
    return Base64.getUrlEncoder()
        .withoutPadding()
        .encodeToString(name.getBytes(StandardCharsets.UTF_8));
  }

  private static String decoded(String cursor) {
    try {
      return new String(Base64.getUrlDecoder().decode(cursor), StandardCharsets.UTF_8);
    } catch (IllegalArgumentException e) {
      return "";
    }
  }
}
