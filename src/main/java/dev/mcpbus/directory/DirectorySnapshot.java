package dev.mcpbus.directory;

import dev.mcpbus.bus.CallerFacts;
import dev.mcpbus.bus.FailureCode;
import dev.mcpbus.bus.ListKind;
import dev.mcpbus.bus.McpFailure;
import dev.mcpbus.protocol.Era;
import dev.mcpbus.protocol.LoopMark;
import dev.mcpbus.protocol.MetaKeys;
import dev.mcpbus.protocol.RawJson;
import io.vertx.core.json.JsonArray;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * The lists of all servers at one moment. Immutable: a change makes a new snapshot. The lists of a
 * view are computed at their first use, on the thread that uses them, and kept.
 */
public final class DirectorySnapshot {

  public static final DirectorySnapshot EMPTY =
      new DirectorySnapshot(EntrySnapshot.empty(), Map.of());

  /**
   * Bound of {@link #lists}: each reload of the policies leaves the keys of the old rights behind.
   */
  private static final int MAX_LISTS = 1_000;

  private record CallerNames(@Nullable Set<String> headers) {}

  private record ViewListKey(DirectoryView view, ListKind kind) {}

  private record First(ViewListKey key, int size, Era era) {}

  /** A first page that names servers without a list, as long as nothing new is known of them. */
  private record MarkedPage(AbsentLists why, RawJson page) {}

  private final EntrySnapshot<DirectoryEntry> servers;

  /** The entries of servers of callers, for each caller that has looked. */
  private final Map<CallerFacts, Map<String, DirectoryEntry>> callers;

  private final Map<CallerFacts, DirectorySnapshot> ofCallers = new ConcurrentHashMap<>();
  private final Map<ViewListKey, ViewList> lists = new ConcurrentHashMap<>();
  private final Map<DirectoryView, ViewUris> uris = new ConcurrentHashMap<>();
  private final Map<First, RawJson> pages = new ConcurrentHashMap<>();
  private final Map<First, MarkedPage> marked = new ConcurrentHashMap<>();

  /** Null before the first use. */
  private volatile @Nullable CallerNames callerHeaders;

  /** The servers that may answer a call with a task, most often none; null before the first use. */
  private volatile @Nullable List<DirectoryEntry> tasks;

  private DirectorySnapshot(
      EntrySnapshot<DirectoryEntry> servers,
      Map<CallerFacts, Map<String, DirectoryEntry>> callers) {
    this.servers = servers;
    this.callers = callers;
  }

  public DirectorySnapshot with(DirectoryEntry facts) {
    return new DirectorySnapshot(servers.with(facts.id().value(), facts), callers);
  }

  DirectorySnapshot without(String id) {
    return new DirectorySnapshot(servers.with(id, null), callers);
  }

  /**
   * With what servers of callers show one of them.
   *
   * @param own by the ids of the servers; empty where nothing is known any more
   */
  DirectorySnapshot with(CallerFacts caller, Map<String, DirectoryEntry> own) {
    Map<CallerFacts, Map<String, DirectoryEntry>> more = new HashMap<>(callers);
    if (own.isEmpty()) {
      more.remove(caller);
    } else {
      more.put(caller, Map.copyOf(own));
    }
    return new DirectorySnapshot(servers, Map.copyOf(more));
  }

  /** Whether a server acts for its callers. */
  public boolean isOfCallers(String id) {
    DirectoryEntry entry = servers.get(id);
    return entry != null && entry.ofCallers();
  }

  /** The entries of a caller alone; empty where nothing is known of it. */
  public Map<String, DirectoryEntry> own(@Nullable CallerFacts caller) {
    return caller == null ? Map.of() : callers.getOrDefault(caller, Map.of());
  }

  /** The snapshot that one caller sees: this one where it has no entries of its own. */
  public DirectorySnapshot of(@Nullable CallerFacts caller) {
    if (caller == null || own(caller).isEmpty()) {
      return this;
    }
    return ofCallers.computeIfAbsent(
        caller,
        whose -> {
          EntrySnapshot<DirectoryEntry> seen = servers;
          for (Map.Entry<String, DirectoryEntry> one : own(whose).entrySet()) {
            DirectoryEntry common = servers.get(one.getKey());
            if (common != null && common.ofCallers()) {
              seen = seen.with(one.getKey(), one.getValue());
            }
          }
          return new DirectorySnapshot(seen, Map.of());
        });
  }

  /**
   * The headers of requests that servers of callers use, in small letters; null where no server
   * acts for its callers.
   */
  public @Nullable Set<String> callerHeaders() {
    CallerNames known = callerHeaders;
    if (known == null) {
      Set<String> names = new TreeSet<>();
      boolean any = false;
      for (DirectoryEntry server : servers()) {
        if (server.callers() != null) {
          any = true;
          names.addAll(server.callers());
        }
      }
      known = new CallerNames(any ? names : null);
      callerHeaders = known;
    }
    return known.headers();
  }

  public @Nullable DirectoryEntry server(String id) {
    return servers.get(id);
  }

  /** Ids of all servers, in order. */
  public Collection<String> ids() {
    return servers.all().keySet();
  }

  /** Ordered by id. */
  public Collection<DirectoryEntry> servers() {
    return servers.all().values();
  }

  /** Whether a server of the view may answer a call with a task. */
  boolean hasTasks(DirectoryView view) {
    List<DirectoryEntry> known = tasks;
    if (known == null) {
      known = servers().stream().filter(DirectoryEntry::tasks).toList();
      tasks = known;
    }
    for (DirectoryEntry server : known) {
      if (view.includes(server.id().value())) {
        return true;
      }
    }
    return false;
  }

  public ViewList list(DirectoryView view, ListKind kind) {
    if (lists.size() >= MAX_LISTS) {
      lists.clear();
      uris.clear();
      pages.clear();
      marked.clear();
    }
    return lists.computeIfAbsent(
        new ViewListKey(view, kind),
        key -> ViewList.of(view, kind, servers.all().values(), () -> uris(view)));
  }

  /** Which server a URI of the view leads to, and which URI leads to a server's resource. */
  public ViewUris uris(DirectoryView view) {
    if (uris.size() >= MAX_LISTS) {
      uris.clear();
    }
    return uris.computeIfAbsent(view, key -> ViewUris.of(view, servers.all().values()));
  }

  /** Whether the view is that of one server with which each client has a session of its own. */
  public boolean hasSessions(DirectoryView view) {
    DirectoryEntry server = view.server() ? servers.get(view.name()) : null;
    return server != null && server.hasSessions();
  }

  /** The ids of this mcpbus and of every mcpbus behind the servers of a view. */
  public Set<String> via(DirectoryView view, String own) {
    Set<String> all = new TreeSet<>(Set.of(own));
    for (DirectoryEntry server : servers.all().values()) {
      if (view.includes(server.id().value())) {
        all.addAll(server.behind());
      }
    }
    return all;
  }

  /**
   * The error that a client gets in place of a list; null if it gets a list. The view of one server
   * refuses with that server's own error. A view with {@code failure: closed} refuses while one of
   * its servers is down or has not listed.
   */
  public @Nullable McpFailure refusal(DirectoryView view, ListKind kind) {
    if (view.server()) {
      DirectoryEntry server = servers.get(view.name());
      return server == null ? null : server.refusal(kind);
    }
    if (!view.options().closed()) {
      return null;
    }
    List<String> wanted = view.options().servers();
    List<String> down =
        (wanted.isEmpty() ? servers.all().keySet() : wanted)
            .stream().filter(view::includes).filter(id -> !lists(id, kind)).toList();
    return down.isEmpty()
        ? null
        : McpFailure.notSent(
            FailureCode.UNAVAILABLE,
            "view '" + view.name() + "' lists nothing while a server of it is down: " + down);
  }

  private boolean lists(String id, ListKind kind) {
    DirectoryEntry server = servers.get(id);
    return server != null && server.up() && server.list(kind) != null;
  }

  /**
   * One page of a list, with the mark of this mcpbus. It names the servers whose list is missing,
   * and why, under {@link MetaKeys#NOT_LISTED}.
   *
   * @param era of the client
   * @param own the name of this mcpbus
   * @param why lists are missing
   * @return null if the cursor is not valid
   */
  public @Nullable RawJson page(
      DirectoryView view,
      ListKind kind,
      @Nullable String cursor,
      int size,
      Era era,
      String own,
      AbsentLists why) {
    if (cursor != null) {
      RawJson page = list(view, kind).page(cursor, size, era);
      return page == null ? null : mark(LoopMark.put(page, via(view, own)), view, kind, why);
    }
    First wanted = new First(new ViewListKey(view, kind), size, era);
    RawJson first = pages.get(wanted);
    if (first == null) {
      first = list(view, kind).page(null, size, era);
      if (first != null) {
        first = LoopMark.put(first, via(view, own));
        pages.put(wanted, first);
      }
    }
    return first == null || isWhole(view, kind, why) ? first : marked(wanted, first, why);
  }

  private boolean isWhole(DirectoryView view, ListKind kind, AbsentLists why) {
    return why.leftOut().isEmpty() && list(view, kind).missing().isEmpty();
  }

  @SuppressWarnings("ReferenceEquality") // one object until it changes
  private RawJson marked(First wanted, RawJson first, AbsentLists why) {
    MarkedPage last = marked.get(wanted);
    if (last != null && last.why() == why) {
      return last.page();
    }
    RawJson page = mark(first, wanted.key().view(), wanted.key().kind(), why);
    marked.put(wanted, new MarkedPage(why, page));
    return page;
  }

  private RawJson mark(RawJson page, DirectoryView view, ListKind kind, AbsentLists why) {
    JsonArray named = why.named(this, list(view, kind).missing(), kind, view::includes);
    RawJson meta = page.member("_meta");
    return named.isEmpty()
        ? page
        : page.with(
            "_meta",
            (meta == null ? RawJson.EMPTY_OBJECT : meta)
                .with(MetaKeys.NOT_LISTED, RawJson.of(named.encode())));
  }

  /** The instructions of all servers of a view under headings; of a single server as they are. */
  public String instructions(DirectoryView view) {
    StringBuilder all = new StringBuilder();
    for (DirectoryEntry server : servers.all().values()) {
      if (!view.includes(server.id().value()) || server.instructions().isBlank()) {
        continue;
      }
      if (view.server()) {
        return server.instructions();
      }
      all.append(all.length() == 0 ? "" : "\n\n")
          .append("# ")
          .append(server.id())
          .append("\n\n")
          .append(server.instructions().strip());
    }
    return all.toString();
  }
}
