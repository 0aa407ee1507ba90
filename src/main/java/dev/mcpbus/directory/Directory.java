package dev.mcpbus.directory;

import dev.mcpbus.bus.Addresses;
import dev.mcpbus.bus.CallerFacts;
import dev.mcpbus.bus.ListKind;
import dev.mcpbus.bus.McpFailure;
import dev.mcpbus.bus.SealedTaskIds;
import dev.mcpbus.security.AccessControl;
import dev.mcpbus.security.AccessPolicy;
import dev.mcpbus.security.Audit;
import dev.mcpbus.security.Principal;
import dev.mcpbus.security.Rights;
import dev.mcpbus.security.oauth.CallerTokens;
import io.vertx.core.Future;
import io.vertx.core.MultiMap;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import io.vertx.core.eventbus.DeliveryOptions;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * The lists of all servers, for readers on any thread of this node. It holds one reference to an
 * immutable snapshot; the {@link DirectoryVerticle} alone replaces it.
 */
public final class Directory {

  /** The directory answers by itself: the time-out is for a defect. */
  private static final DeliveryOptions LOCAL =
      new DeliveryOptions().setLocalOnly(true).setSendTimeout(ListFetcher.DEADLINE.toMillis() * 2);

  private final Map<String, ViewOptions> views;
  private final AccessControl access;
  private final SealedTaskIds taskIds;
  private final UnavailableReasons reach = new UnavailableReasons();

  /** Lists that a server has shown differently to one client. */
  private final Map<String, Set<ListKind>> differing = new ConcurrentHashMap<>();

  /** Servers that took longer for their handshake than a client's handshake waits. */
  private final Set<String> slow = ConcurrentHashMap.newKeySet();

  private final Duration handshakeWait;
  private final @Nullable Boolean passUnknown;
  private volatile DirectorySnapshot snapshot = DirectorySnapshot.EMPTY;
  private volatile Future<Void> known = Promise.<Void>promise().future();

  /**
   * @param views the configured views, by name
   * @param passUnknown whether requests that MCP does not define pass at {@code /mcp} and at the
   *     endpoint of one server; null for the latter alone
   * @param handshakeWait how long {@link #described} waits for a server that starts
   */
  public Directory(
      Map<String, ViewOptions> views,
      AccessControl access,
      SealedTaskIds taskIds,
      @Nullable Boolean passUnknown,
      Duration handshakeWait) {
    this.handshakeWait = handshakeWait;
    this.passUnknown = passUnknown;
    this.views = Map.copyOf(views);
    this.access = access;
    this.taskIds = taskIds;
  }

  public Audit audit() {
    return access.audit();
  }

  public SealedTaskIds taskIds() {
    return taskIds;
  }

  /** Whether a server of the view may answer a call with a task. */
  public boolean hasTasks(DirectoryView view) {
    return snapshot.hasTasks(view);
  }

  public DirectorySnapshot snapshot() {
    return snapshot;
  }

  /** What the client of a view sees: where servers act for their callers, its own lists. */
  public DirectorySnapshot snapshot(DirectoryView view) {
    return snapshot.of(view.caller());
  }

  /** Why servers list nothing. */
  public UnavailableReasons reach() {
    return reach;
  }

  /** Called by the {@link DirectoryVerticle} alone. */
  void replace(DirectorySnapshot next) {
    snapshot = next;
  }

  /** A server lists something else to a session of its own than over the shared connection. */
  public void noteListsDiffer(String server, ListKind kind) {
    differing.computeIfAbsent(server, absent -> ConcurrentHashMap.newKeySet()).add(kind);
  }

  /** Whether a server has listed differently for a client, since it was added or changed. */
  public boolean listsDiffer(String server, ListKind kind) {
    Set<ListKind> kinds = differing.get(server);
    return kinds != null && kinds.contains(kind);
  }

  /** Forgets that: the server is another one now. Any thread may call. */
  void forgetListsDiffer(String server) {
    slow.remove(server);
    differing.remove(server);
  }

  /** Completes when the list of servers has been read. */
  Future<Void> known() {
    return known;
  }

  /** Requests for lists wait until {@code reading} has ended; called as {@link #replace}. */
  void reads(Future<Void> reading) {
    known = reading;
  }

  /** The present rights of a principal: the same object until they change. */
  public Rights rights(Principal principal) {
    return access.rights(principal);
  }

  /**
   * The view at {@code /mcp/<name>}: a configured view, else the server of that name.
   *
   * @param name empty for {@code /mcp}
   * @return null if there is none that the principal may use
   */
  public @Nullable DirectoryView view(String name, Principal principal) {
    return view(name, principal, new CallerFacts(principal.name()));
  }

  /**
   * @param caller the principal, with the headers of its request that servers of callers may use
   */
  public @Nullable DirectoryView view(String name, Principal principal, CallerFacts caller) {
    DirectoryView common = common(name, principal);
    return common == null || snapshot.callerHeaders() == null ? common : common.of(caller);
  }

  /** Whether no server acts for its callers. */
  public boolean hasNoCallers() {
    return snapshot.callerHeaders() == null;
  }

  /** Who sends a request, for servers of callers: with those of its headers that they use. */
  public CallerFacts caller(Vertx vertx, Principal principal, MultiMap request) {
    Set<String> wanted = snapshot.callerHeaders();
    if (wanted == null) {
      return new CallerFacts(principal.name());
    }
    if (!principal.equals(Principal.LOCAL)) { // else nobody has verified what the request carries
      CallerTokens.of(vertx).note(principal.name(), request);
    }
    return CallerFacts.ofRequest(principal.name(), request, wanted);
  }

  private @Nullable DirectoryView common(String name, Principal principal) {
    Rights rights = access.rights(principal);
    if (name.isEmpty()) {
      return DirectoryView.all(rights, Boolean.TRUE.equals(passUnknown));
    }
    ViewOptions view = views.get(name);
    if (view != null) {
      return AccessPolicy.matches(view.principals(), principal)
          ? new DirectoryView(name, false, view, rights)
          : null;
    }
    return snapshot.server(name) == null || !rights.sees(name)
        ? null
        : DirectoryView.ofServer(name, rights, !Boolean.FALSE.equals(passUnknown));
  }

  /**
   * Reads the list of servers again. Completes when the reading has begun, and waits for no server;
   * {@link #ready} waits for the reading.
   */
  public Future<Void> refresh(Vertx vertx) {
    return vertx
        .eventBus()
        .request(Addresses.GATEWAY_DIRECTORY, new JsonObject().put("read", true), LOCAL)
        .mapEmpty();
  }

  /** The snapshot, once the list of servers has been read. */
  public Future<DirectorySnapshot> ready(Vertx vertx) {
    return known.isComplete()
        ? Future.succeededFuture(snapshot)
        : request(vertx, List.of(), List.of(), null, false);
  }

  /**
   * The snapshot with fresh lists of {@code kinds} for the servers of the view, once the list of
   * servers has been read: lists that are missing or no longer fresh are fetched first. Waits at
   * most the patience of the verticle for slow servers, then completes without their lists.
   */
  public Future<DirectorySnapshot> ready(
      Vertx vertx, DirectoryView view, Collection<ListKind> kinds) {
    return ready(vertx, view, kinds, false);
  }

  /**
   * As {@link #ready(Vertx, DirectoryView, Collection)}, for a client that gets this list. In the
   * view of one server that has not listed, nothing else can be shown: waits until its first fetch
   * has ended, as a call waits for its server.
   */
  public Future<DirectorySnapshot> listed(Vertx vertx, DirectoryView view, ListKind kind) {
    return ready(vertx, view, List.of(kind), view.server());
  }

  private Future<DirectorySnapshot> ready(
      Vertx vertx, DirectoryView view, Collection<ListKind> kinds, boolean needed) {
    if (known.isComplete()) {
      DirectorySnapshot now = snapshot(view);
      if (isReady(now, view, kinds)) {
        return Future.succeededFuture(now);
      }
    }
    return request(vertx, kinds, view.options().servers(), view.caller(), needed);
  }

  /**
   * As {@link #ready} for the tools, and with what the server of a view of one server says about
   * itself. Waits for a server that starts; for one that was not ready in that time before, as long
   * as a call would.
   */
  public Future<DirectorySnapshot> described(Vertx vertx, DirectoryView view) {
    List<ListKind> tools = List.of(ListKind.TOOLS);
    return ready(vertx, view, tools)
        .compose(
            now -> {
              DirectoryEntry server = view.server() ? now.server(view.name()) : null;
              return server == null || server.handshake() != null
                  ? Future.succeededFuture(now)
                  : described(
                      vertx,
                      view,
                      request(vertx, tools, view.options().servers(), view.caller(), true));
            });
  }

  private Future<DirectorySnapshot> described(
      Vertx vertx, DirectoryView view, Future<DirectorySnapshot> started) {
    String server = view.name();
    boolean known = slow.contains(server);
    Promise<DirectorySnapshot> first = Promise.promise();
    long wait = known ? ListFetcher.DEADLINE.toMillis() : Math.max(1, handshakeWait.toMillis());
    long timer =
        vertx.setTimer(
            wait,
            late -> {
              slow.add(server);
              first.tryComplete(snapshot(view));
            });
    started.onComplete(
        done -> {
          vertx.cancelTimer(timer);
          first.tryComplete(snapshot(view));
        });
    return first.future();
  }

  private Future<DirectorySnapshot> request(
      Vertx vertx,
      Collection<ListKind> kinds,
      List<String> ids,
      @Nullable CallerFacts caller,
      boolean needed) {
    JsonArray wanted = new JsonArray();
    kinds.forEach(kind -> wanted.add(kind.name()));
    JsonArray servers = new JsonArray();
    ids.forEach(servers::add);
    JsonObject body =
        new JsonObject().put("kinds", wanted).put("servers", servers).put("needed", needed);
    return vertx
        .eventBus()
        .request(Addresses.GATEWAY_DIRECTORY, caller == null ? body : caller.into(body), LOCAL)
        .map(done -> snapshot.of(caller))
        .recover(failure -> Future.failedFuture(McpFailure.of(failure)));
  }

  /** Whether each list of the view is fresh, or its server is down. */
  private static boolean isReady(
      DirectorySnapshot snapshot, DirectoryView view, Collection<ListKind> kinds) {
    long now = System.nanoTime();
    for (DirectoryEntry server : snapshot.servers()) {
      if (!view.includes(server.id().value())) {
        continue;
      }
      for (ListKind kind : kinds) {
        if (!server.isCurrent(kind, now)) {
          return false;
        }
      }
    }
    return true;
  }
}
