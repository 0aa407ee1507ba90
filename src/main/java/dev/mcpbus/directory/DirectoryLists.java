package dev.mcpbus.directory;

import dev.mcpbus.bus.Addresses;
import dev.mcpbus.bus.CallerFacts;
import dev.mcpbus.bus.ConnectionId;
import dev.mcpbus.bus.ConnectionState;
import dev.mcpbus.bus.ListKind;
import dev.mcpbus.bus.McpFailure;
import dev.mcpbus.protocol.Era;
import dev.mcpbus.protocol.JsonRpcError;
import dev.mcpbus.protocol.RawJson;
import dev.mcpbus.protocol.TasksExtension;
import io.vertx.core.AsyncResult;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import io.vertx.core.eventbus.DeliveryOptions;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Keeps the lists of all servers and writes each change into the {@link Directory}. It fetches the
 * tools of a server when the server connects, the other kinds from the first request for them on. A
 * server that disconnects keeps its last lists, marked as stale. Confined to the context of the
 * {@link DirectoryVerticle}.
 */
public final class DirectoryLists {

  /**
   * The member of a status and of an event of a server that acts for its callers: the headers of
   * their requests that it uses.
   */
  private static final String CALLER_HEADERS = "callerHeaders";

  private static final long FIRST_RETRY_MILLIS = 1_000;
  private static final int MOST_DOUBLINGS = 10;

  /** Receives the changes, on the same context. */
  interface DirectoryListener {

    /** The entry of a server was replaced; null if the server was removed. */
    void changed(String id, @Nullable DirectoryEntry entry);

    /** Clients may see other lists. */
    void listed();

    /** The server was removed. */
    void removed(String id);

    /** A connection serves; {@code facts} is its status or its event. */
    void serves(String id, JsonObject facts);
  }

  private final Vertx vertx;
  private final Directory directory;
  private final Duration retry;
  private final Duration patience;
  private final DirectoryListener listener;
  private final Map<String, ListFetcher> fetchers = new HashMap<>();
  private final Set<ListKind> wanted = EnumSet.of(ListKind.TOOLS);

  private final HandshakeReads handshakes;
  private final CallerLists callers;

  /** The servers whose last event was that their connection stopped serving. */
  private final Set<String> disconnected = new HashSet<>();

  /**
   * @param retry the longest pause before a list that a connected server failed to give is fetched
   *     again; the first pause is 1 s, each further one twice as long
   * @param patience how long a request for lists waits at most for servers that have not listed
   */
  DirectoryLists(
      Vertx vertx,
      Directory directory,
      Duration retry,
      Duration patience,
      DirectoryListener listener) {
    this.vertx = vertx;
    this.directory = directory;
    this.retry = retry;
    this.patience = patience;
    this.listener = listener;
    this.handshakes = new HandshakeReads(vertx);
    this.callers = new CallerLists(vertx, directory, listener::listed);
  }

  public DirectorySnapshot snapshot() {
    return directory.snapshot();
  }

  /** Why servers list nothing. */
  public UnavailableReasons reach() {
    return directory.reach();
  }

  /** Whether a request for that list is in flight. */
  public boolean isFetching(String id, ListKind kind) {
    ListFetcher fetcher = fetchers.get(id);
    return fetcher != null && fetcher.isFetching(kind);
  }

  /** Completes when the list of servers has been read. */
  public Future<Void> known() {
    return directory.known();
  }

  /**
   * Reads the list of servers with their status. Always succeeds: if the request fails, events
   * report the servers.
   *
   * @param where the bounds of the request
   */
  public Future<Void> readServers(DeliveryOptions where) {
    Set<String> missing = new HashSet<>(fetchers.keySet());
    return vertx
        .eventBus()
        .<JsonObject>request(Addresses.SERVERS_LIST, new JsonObject(), where)
        .onSuccess(
            reply -> {
              for (Object one : reply.body().getJsonArray("servers", new JsonArray())) {
                missing.remove(((JsonObject) one).getString("id"));
                readListed((JsonObject) one);
              }
              missing.forEach(this::removed);
            })
        .<Void>mapEmpty()
        .otherwiseEmpty();
  }

  /** As {@link #readServers}; until it has ended, requests for lists wait. */
  void awaitServers(DeliveryOptions where) {
    directory.reads(readServers(where));
  }

  /** On one node no event is lost, so a server that disconnected is down until it connects. */
  private void readListed(JsonObject status) {
    if (vertx.isClustered() || !disconnected.contains(status.getString("id", ""))) {
      reach().status(status);
      boolean lacking = read(status);
      String id = status.getString("id", "");
      ListFetcher fetcher = fetchers.get(id);
      if (lacking && fetcher != null) {
        describe(id, fetcher);
      }
    }
  }

  /**
   * Applies a reply of {@code mcp.<id>.status}.
   *
   * @return whether the server serves and its handshake is not known
   */
  private boolean read(JsonObject status) {
    String id = status.getString("id", "");
    acts(id, status);
    DirectoryEntry entry = track(id);
    if (entry == null || entry.ofCallers() || !isServing(status.getString("state", ""))) {
      return false;
    }
    ListFetcher fetcher = fetchers.get(entry.id().value());
    if (!entry.up() && fetcher != null) {
      fetcher.refresh(wanted);
    }
    listener.serves(entry.id().value(), status);
    replace(described(entry, status));
    DirectoryEntry now = directory.snapshot().server(entry.id().value());
    return now != null && now.handshake() == null;
  }

  /** The entry with what the status of a connection that serves says. */
  static DirectoryEntry described(DirectoryEntry entry, JsonObject status) {
    boolean described = status.getValue("handshake") instanceof String;
    Object text = described ? status.getValue("instructions") : entry.instructions();
    boolean discover = Era.DISCOVER.name().equals(status.getString("era"));
    JsonObject capabilities = status.getJsonObject("capabilities", new JsonObject());
    return entry.withServer(
        discover,
        TasksExtension.isOfferedBy(discover, capabilities),
        capabilities.containsKey("resources"),
        Boolean.TRUE.equals(status.getValue("shared")),
        !"never".equals(status.getValue("repeat")),
        via(status),
        text instanceof String instructions ? instructions : "",
        status.getValue("handshake") instanceof String result
            ? RawJson.of(result)
            : entry.handshake());
  }

  /** Notes whether a server acts for its callers, as its status or an event says. */
  void acts(String id, JsonObject facts) {
    DirectoryEntry entry = track(id);
    Set<String> headers =
        facts.getValue(CALLER_HEADERS) instanceof JsonArray names
            ? names.stream().map(String::valueOf).collect(Collectors.toUnmodifiableSet())
            : null;
    if (entry != null && !Objects.equals(entry.callers(), headers)) {
      callers.forget(id);
      replace(entry.withCallers(headers));
    }
  }

  /** The lists of each caller. */
  CallerLists callers() {
    return callers;
  }

  private void describe(String id, ListFetcher fetcher) {
    handshakes.read(
        id,
        status -> {
          if (fetchers.get(id) == fetcher) {
            read(status);
          }
        });
  }

  /** Completes when what the servers say about themselves has been read, if that has begun. */
  Future<Void> whenDescribed(Collection<?> ids) {
    return inTime(handshakes.of(ids));
  }

  /** Whether a state, as status and events name it, is one in which calls can be sent. */
  static boolean isServing(String state) {
    for (ConnectionState each : ConnectionState.values()) {
      if (each.name().equalsIgnoreCase(state)) {
        return each.serves();
      }
    }
    return false;
  }

  private static Set<String> via(JsonObject status) {
    return status.getJsonArray("via", new JsonArray()).stream()
        .map(String::valueOf)
        .collect(Collectors.toSet());
  }

  @Nullable DirectoryEntry track(String id) {
    ConnectionId parsed = ConnectionId.parse(id).orElse(null);
    if (parsed == null) {
      return null;
    }
    DirectoryEntry present = directory.snapshot().server(id);
    if (present != null) {
      return present;
    }
    ListFetcher[] self = new ListFetcher[1];
    self[0] = new ListFetcher(vertx, parsed, (kind, list) -> fetched(id, self[0], kind, list));
    fetchers.put(id, self[0]);
    DirectoryEntry fresh = DirectoryEntry.of(parsed);
    replace(fresh);
    return fresh;
  }

  @SuppressWarnings("ReferenceEquality") // an entry that was not changed is the same object
  private void replace(DirectoryEntry entry) {
    if (directory.snapshot().server(entry.id().value()) == entry) {
      return; // a new snapshot would drop what was computed of this one
    }
    directory.replace(directory.snapshot().with(entry));
    listener.changed(entry.id().value(), entry);
  }

  void removed(String id) {
    callers.forget(id);
    fetchers.remove(id);
    disconnected.remove(id);
    handshakes.forget(id);
    directory.replace(directory.snapshot().without(id));
    listener.changed(id, null);
    listener.removed(id);
  }

  void disconnected(String id) {
    DirectoryEntry entry = directory.snapshot().server(id);
    if (entry != null) {
      disconnected.add(id);
      replace(entry.withDown());
      listener.listed();
    }
  }

  /**
   * Reads the status for what the event does not contain, and fetches the wanted kinds: in this
   * order, because a tool may be called when its list is there, and the status says whether such a
   * call becomes a task.
   */
  void connected(String id, JsonObject event) {
    DirectoryEntry entry = track(id);
    ListFetcher fetcher = fetchers.get(id);
    if (entry == null || fetcher == null) {
      return;
    }
    disconnected.remove(id);
    boolean discover = Era.DISCOVER.name().equals(event.getString("era"));
    replace(
        entry.withServer(
            discover,
            entry.tasks(),
            entry.resources(),
            entry.shared(),
            entry.repeats(),
            via(event),
            entry.instructions(),
            discover == entry.isDiscover() ? entry.handshake() : null));
    listener.serves(id, event);
    describe(id, fetcher);
    fetcher.refresh(wanted);
  }

  /** Ignores a server that is not known: the event may come after the server's removal. */
  void changed(String id, ListKind kind) {
    ListFetcher fetcher = fetchers.get(id);
    if (fetcher != null && wanted.contains(kind)) {
      fetcher.refresh(kind);
    }
  }

  /**
   * A server whose connection all clients share sends a {@code list_changed}: requests for that
   * list wait for the new one from now on.
   *
   * @return whether its clients get the notification
   */
  boolean announced(String id, String method) {
    ListFetcher fetcher = fetchers.get(id);
    DirectoryEntry entry = directory.snapshot().server(id);
    List<ListKind> kinds = ListKind.announcedBy(method);
    if (fetcher == null || entry == null || entry.hasSessions() || kinds.isEmpty()) {
      return false;
    }
    kinds.forEach(fetcher::outdate);
    replace(entry.withOutdated(kinds));
    return true;
  }

  /** The server has failed to list its tools: the list that its connection keeps is an old one. */
  void failed(String id) {
    ListFetcher fetcher = fetchers.get(id);
    DirectoryEntry entry = directory.snapshot().server(id);
    if (fetcher != null && entry != null && !entry.failures().containsKey(ListKind.TOOLS)) {
      fetcher.refreshAnew(ListKind.TOOLS);
    }
  }

  /** Drops the list of a server that was removed meanwhile, or removed and added again. */
  @SuppressWarnings("ReferenceEquality") // an entry that was not changed is the same object
  private void fetched(String id, ListFetcher by, ListKind kind, AsyncResult<ServerList> result) {
    DirectoryEntry entry = directory.snapshot().server(id);
    if (entry == null || fetchers.get(id) != by) {
      return;
    }
    if (result.succeeded()) {
      ServerList list = by.isOutdated(kind) ? result.result().asOutdated() : result.result();
      replace(entry.with(kind, entry.up() ? list : list.asStale()));
      listener.listed();
      return;
    }
    McpFailure failure = McpFailure.of(result.cause());
    DirectoryEntry failed = entry.with(kind, failure);
    if (failed != entry) {
      replace(failed);
      listener.listed();
    }
    if (entry.up() && !failure.isUpstream(JsonRpcError.METHOD_NOT_FOUND)) {
      retry(id, by, kind);
    }
  }

  /** A server that moves to another node lists within a second; a broken one may wait longer. */
  private void retry(String id, ListFetcher by, ListKind kind) {
    long pause = FIRST_RETRY_MILLIS << Math.min(by.failures(kind) - 1, MOST_DOUBLINGS);
    vertx.setTimer(
        Math.min(pause, retry.toMillis()),
        timer -> {
          DirectoryEntry now = directory.snapshot().server(id);
          if (fetchers.get(id) == by && now != null && now.up() && !by.isFetching(kind)) {
            by.refresh(kind);
          }
        });
  }

  /**
   * Waits for the first list of each connected server, {@code patience} at most. From now on that
   * kind, too, comes when a server connects.
   *
   * @param only ids of the servers wanted; null for all
   */
  public Future<Void> whenListed(ListKind kind, @Nullable Collection<String> only) {
    wanted.add(kind);
    List<Future<Void>> running = new ArrayList<>();
    for (DirectoryEntry server : directory.snapshot().servers()) {
      String id = server.id().value();
      ListFetcher fetcher = fetchers.get(id);
      if (fetcher != null
          && server.up()
          && !server.ofCallers()
          && (only == null || only.contains(id))) {
        running.add(fetcher.first(kind));
      }
    }
    return inTime(running);
  }

  /**
   * Fetches the lists that are missing or no longer fresh, also of servers that are not connected:
   * the request starts a lazy server. Waits {@code patience} at most.
   *
   * @param only ids of the servers wanted; empty for all
   * @param caller who looks, which counts for servers of callers; null for a program
   * @param needed whether a list that is missing, or that the server calls another one now, is
   *     waited for until its fetch has ended, as a call waits for its server
   */
  public Future<Void> whenFresh(
      Collection<ListKind> kinds,
      Collection<?> only,
      @Nullable CallerFacts caller,
      boolean needed) {
    wanted.addAll(kinds);
    List<Future<Void>> running = new ArrayList<>();
    List<Future<Void>> missing = new ArrayList<>();
    long now = System.nanoTime();
    for (DirectoryEntry server : directory.snapshot().of(caller).servers()) {
      String id = server.id().value();
      boolean wants = only.isEmpty() || only.contains(id);
      ListFetcher fetcher =
          !wants
              ? null
              : !server.ofCallers()
                  ? fetchers.get(id)
                  : caller == null ? null : callers.fetcher(caller, server.id());
      if (fetcher == null) {
        continue;
      }
      for (ListKind kind : kinds) {
        ServerList known = server.list(kind);
        if (needed && (known == null || known.outdated())) {
          missing.add(fetcher.ask(kind, Long.MAX_VALUE));
        } else if (!server.isCurrent(kind, now)) {
          running.add(fetcher.ask(kind, patience.toNanos()));
        }
      }
    }
    return Future.join(inTime(running), Future.join(missing)).mapEmpty();
  }

  private Future<Void> inTime(List<Future<Void>> running) {
    Future<Void> all = Future.join(running).mapEmpty();
    if (all.isComplete()) {
      return all;
    }
    Promise<Void> first = Promise.promise();
    long timer = vertx.setTimer(patience.toMillis(), late -> first.tryComplete());
    all.onComplete(done -> first.tryComplete());
    return first.future().onComplete(ended -> vertx.cancelTimer(timer));
  }
}
