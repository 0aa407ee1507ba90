package dev.mcpbus.directory.aggregate;

import dev.mcpbus.bus.Addresses;
import dev.mcpbus.bus.Codecs;
import dev.mcpbus.bus.ConnectionId;
import dev.mcpbus.bus.ConnectionState;
import dev.mcpbus.bus.Events;
import dev.mcpbus.bus.FailureCode;
import dev.mcpbus.bus.McpFailure;
import dev.mcpbus.bus.NamePolicy;
import dev.mcpbus.bus.RequestSender;
import dev.mcpbus.bus.Requester;
import dev.mcpbus.directory.AggregateList;
import dev.mcpbus.directory.Catalog;
import dev.mcpbus.directory.ListKind;
import dev.mcpbus.directory.Refresher;
import dev.mcpbus.directory.search.SearchRequest;
import dev.mcpbus.directory.search.ToolSearch;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.VerticleBase;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.eventbus.DeliveryOptions;
import io.vertx.core.eventbus.EventBus;
import io.vertx.core.eventbus.Message;
import io.vertx.core.eventbus.MessageConsumer;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.EnumMap;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * Keeps the {@link Catalog} up to date from the events of the connections and serves the aggregate
 * addresses: {@code mcp.tools.list}, {@code mcp.tools.call}, {@code mcp.tools.search}, {@code
 * mcp.tools.describe}, {@code mcp.resources.list}, {@code mcp.prompts.list}.
 *
 * <p>Resources and prompts are fetched from the first time on that somebody asks for them. A list
 * waits a moment for servers that are connected and have not been heard of yet, never for others.
 * All state is touched on the verticle's own context only.
 */
public final class AggregateVerticle extends VerticleBase {

  private static final DeliveryOptions LOCAL = new DeliveryOptions().setLocalOnly(true);
  private static final long PATIENCE_MILLIS = 5_000;

  /** After a node has come or gone: most, and then all, connections have their owners. */
  private static final List<Long> SETTLED_MILLIS = List.of(3_000L, 10_000L, 30_000L);

  private final Duration retry;
  private final Duration firstLists;
  private final NamePolicy names;
  private final boolean searched;

  private final Map<String, Server> servers = new HashMap<>();
  private final Set<ListKind> wanted = EnumSet.of(ListKind.TOOLS);
  private final Map<ListKind, Reply> replies = new EnumMap<>(ListKind.class);
  private Catalog catalog = Catalog.EMPTY;
  private Future<Void> known = Future.succeededFuture();
  private @Nullable ToolSearch search;

  private static final long FIRST_RETRY_MILLIS = 1_000;
  private static final int MOST_DOUBLINGS = 10;

  private static final class Server {
    private final Refresher refresher;
    private boolean connected;

    Server(Refresher refresher) {
      this.refresher = refresher;
    }
  }

  /** One aggregate in both forms, until the catalog changes. */
  private static final class Reply {
    private final Buffer raw;
    private @Nullable JsonObject json;

    Reply(Buffer raw) {
      this.raw = raw;
    }

    JsonObject json() {
      if (json == null) {
        json = new JsonObject(raw);
      }
      return json;
    }
  }

  public AggregateVerticle() {
    this(NamePolicy.DOTTED);
  }

  /** Names the entries of the aggregate as {@code names} says. */
  public AggregateVerticle(NamePolicy names) {
    this(names, false);
  }

  /**
   * @param searched true where the index of the tools is built at once, not at the first search
   */
  public AggregateVerticle(NamePolicy names, boolean searched) {
    this(names, searched, Duration.ofSeconds(30), Duration.ofSeconds(2));
  }

  /**
   * @param retry when a list is asked for again, at the latest, that a connected server failed to
   *     give; the first time after a second, then after twice as long each time
   * @param firstLists how long an aggregate waits at most for a connected server's first list
   */
  public AggregateVerticle(NamePolicy names, Duration retry, Duration firstLists) {
    this(names, false, retry, firstLists);
  }

  private AggregateVerticle(
      NamePolicy names, boolean searched, Duration retry, Duration firstLists) {
    this.names = names;
    this.searched = searched;
    this.retry = retry;
    this.firstLists = firstLists;
  }

  @Override
  public Future<?> start() {
    Codecs.register(vertx);
    EventBus bus = vertx.eventBus();
    AggregateToolCalls router = new AggregateToolCalls(vertx, names, new Present());
    List<Future<Void>> ready = new ArrayList<>();
    MessageConsumer<JsonObject> events =
        bus.consumer(Addresses.ALL_EVENTS, event -> handle(event.body()));
    ready.add(events.completion());
    for (ListKind kind : ListKind.values()) {
      if (kind.aggregate != null) {
        MessageConsumer<Object> list = bus.consumer(kind.aggregate, asked -> list(kind, asked));
        ready.add(list.completion());
      }
    }
    MessageConsumer<Object> calls = bus.consumer(Addresses.ALL_TOOLS_CALL, router::call);
    ready.add(calls.completion());
    ToolSearch index = new ToolSearch(vertx);
    search = index;
    if (searched) {
      index.begin();
    }
    MessageConsumer<Object> searches =
        bus.consumer(Addresses.ALL_TOOLS_SEARCH, asked -> search(index, asked));
    ready.add(searches.completion());
    MessageConsumer<Object> describes =
        bus.consumer(Addresses.ALL_TOOLS_DESCRIBE, asked -> describe(router, asked));
    ready.add(describes.completion());
    return Future.all(ready)
        .onSuccess(
            listening -> {
              // Nobody answers on this node yet; in a cluster another may know what there is.
              known = readServers(new DeliveryOptions().setSendTimeout(PATIENCE_MILLIS));
              RequestSender.of(vertx).membership().onChange((node, joined) -> membership());
            });
  }

  /** What was told while nodes did not hear each other; on a thread of the cluster's engine. */
  private void membership() {
    context.runOnContext(
        now -> SETTLED_MILLIS.forEach(late -> vertx.setTimer(late, settled -> readServers(LOCAL))));
  }

  @Override
  public Future<?> stop() {
    return search == null ? Future.succeededFuture() : search.close();
  }

  /** Always succeeds: whoever cannot be asked now will be heard of by events. */
  private Future<Void> readServers(DeliveryOptions where) {
    return vertx
        .eventBus()
        .<JsonObject>request(Addresses.SERVERS_LIST, new JsonObject(), where)
        .onSuccess(
            reply -> {
              for (Object one : reply.body().getJsonArray("servers", new JsonArray())) {
                readServer((JsonObject) one);
              }
            })
        .<Void>mapEmpty()
        .otherwiseEmpty();
  }

  /** An event that came meanwhile knows better. */
  private void readServer(JsonObject status) {
    String id = status.getString("id");
    Server present = servers.get(id);
    if ((present == null || (vertx.isClustered() && !present.connected))
        && track(id) != null
        && isServing(status.getString("state"))) {
      connected(id);
    }
  }

  private static boolean isServing(@Nullable String state) {
    for (ConnectionState known : ConnectionState.values()) {
      if (known.name().equalsIgnoreCase(state)) {
        return known.serves();
      }
    }
    return false;
  }

  private void handle(JsonObject event) {
    String id = event.getString("id", "");
    switch (event.getString("type", "")) {
      case Events.SERVER_ADDED -> track(id);
      case Events.SERVER_REMOVED -> {
        servers.remove(id);
        become(catalog.without(id));
      }
      case Events.CONNECTED -> connected(id);
      case Events.DISCONNECTED, Events.GAVE_UP -> disconnected(id);
      case Events.TOOLS_CHANGED -> changed(id, ListKind.TOOLS);
      case Events.RESOURCES_CHANGED -> changed(id, ListKind.RESOURCES);
      case Events.PROMPTS_CHANGED -> changed(id, ListKind.PROMPTS);
      default -> {}
    }
  }

  private @Nullable Server track(String id) {
    return ConnectionId.parse(id)
        .map(known -> servers.computeIfAbsent(id, absent -> newServer(known)))
        .orElse(null);
  }

  private Server newServer(ConnectionId id) {
    Refresher[] self = new Refresher[1];
    Refresher refresher =
        new Refresher(
            vertx,
            id,
            (kind, list) ->
                fetched(
                    id.value(),
                    self[0],
                    kind,
                    list == null ? null : AggregateList.of(id.value(), kind, names, list)));
    self[0] = refresher;
    return new Server(refresher);
  }

  private void connected(String id) {
    Server server = track(id);
    if (server != null) {
      server.connected = true;
      wanted.forEach(server.refresher::refresh);
    }
  }

  private void disconnected(String id) {
    Server server = servers.get(id);
    if (server != null) {
      server.connected = false;
      become(catalog.withStale(id));
    }
  }

  private void changed(String id, ListKind kind) {
    Server server = track(id);
    if (server != null && wanted.contains(kind)) {
      server.refresher.refresh(kind);
    }
  }

  /** A list of a server that was removed meanwhile, or added anew, is dropped. */
  private void fetched(String id, Refresher by, ListKind kind, @Nullable AggregateList listing) {
    Server server = servers.get(id);
    if (server == null || server.refresher != by) {
      return;
    }
    if (listing != null) {
      become(catalog.with(id, kind, server.connected ? listing : listing.asStale()));
      return;
    }
    AggregateList last = catalog.listing(id, kind);
    if (last != null) {
      become(catalog.with(id, kind, last.asStale()));
    }
    if (server.connected) {
      // One that is on its way to another node has it in a moment; one that fails always may wait.
      long pause = FIRST_RETRY_MILLIS << Math.min(by.failures(kind) - 1, MOST_DOUBLINGS);
      vertx.setTimer(
          Math.min(pause, retry.toMillis()),
          timer -> {
            if (servers.get(id) == server && server.connected && !by.isRefreshing(kind)) {
              by.refresh(kind);
            }
          });
    }
  }

  private void become(Catalog next) {
    if (next != catalog) {
      catalog = next;
      replies.clear();
      if (search != null) {
        search.changed(next);
      }
    }
  }

  private void search(ToolSearch index, Message<Object> message) {
    boolean raw = message.body() instanceof Buffer;
    SearchRequest request;
    try {
      request = SearchRequest.of(message.body());
    } catch (McpFailure refused) {
      refused.replyTo(message);
      return;
    }
    Requester who = Requester.of(message.headers());
    known(request.servers())
        .compose(configured -> whenHeard(ListKind.TOOLS, request.servers()))
        .compose(heard -> index.search(request, who == null ? null : who.name()))
        .onSuccess(found -> message.reply(raw ? found.toBuffer() : found))
        .onFailure(failure -> McpFailure.of(failure).replyTo(message));
  }

  private void describe(AggregateToolCalls router, Message<Object> message) {
    known
        .compose(configured -> whenHeard(ListKind.TOOLS, null))
        .onComplete(heard -> router.describe(message));
  }

  private void list(ListKind kind, Message<Object> message) {
    boolean raw = message.body() instanceof Buffer;
    @Nullable List<String> only;
    try {
      only = only(message.body());
    } catch (McpFailure refused) {
      refused.replyTo(message);
      return;
    }
    wanted.add(kind);
    known(only)
        .compose(configured -> whenHeard(kind, only))
        .onFailure(refused -> McpFailure.of(refused).replyTo(message))
        .onSuccess(
            heard -> {
              Reply reply =
                  only == null
                      ? replies.computeIfAbsent(kind, k -> new Reply(catalog.aggregate(k, null)))
                      : new Reply(catalog.aggregate(kind, only));
              message.reply(raw ? reply.raw : reply.json());
            });
  }

  private static @Nullable List<String> only(Object body) {
    try {
      JsonObject params = body instanceof Buffer raw ? new JsonObject(raw) : (JsonObject) body;
      JsonArray ids = params.getJsonArray("servers");
      return ids == null ? null : ids.stream().map(String.class::cast).toList();
    } catch (RuntimeException e) {
      throw McpFailure.notSent(
          FailureCode.BAD_REQUEST, "send {} for all servers or {\"servers\":[\"id\", ...]}");
    }
  }

  /** Fails where a server was asked for by name that is not configured. */
  private Future<Void> known(@Nullable Collection<String> only) {
    if (only == null || servers.keySet().containsAll(only)) {
      return known;
    }
    return readServers(LOCAL)
        .compose(
            read ->
                only.stream()
                    .filter(id -> !servers.containsKey(id))
                    .findFirst()
                    .map(AggregateVerticle::unknown)
                    .orElseGet(Future::succeededFuture));
  }

  private static Future<Void> unknown(String id) {
    return Future.failedFuture(
        McpFailure.notSent(
            FailureCode.UNKNOWN_CONNECTION,
            "there is no server '" + (id.length() > 80 ? id.substring(0, 80) : id) + "'"));
  }

  /** Bounded: a server that takes longer is heard of next time. */
  private Future<Void> whenHeard(ListKind kind, @Nullable Collection<String> only) {
    Promise<Void> heard = Promise.promise();
    Future<Void> lists =
        Future.join(
                servers.entrySet().stream()
                    .filter(one -> only == null || only.contains(one.getKey()))
                    .filter(one -> one.getValue().connected)
                    .map(one -> one.getValue().refresher.first(kind))
                    .toList())
            .mapEmpty();
    if (lists.isComplete()) {
      return lists;
    }
    long timer = vertx.setTimer(firstLists.toMillis(), late -> heard.tryComplete());
    lists.onComplete(
        done -> {
          vertx.cancelTimer(timer);
          heard.tryComplete();
        });
    return heard.future();
  }

  /** What the router may see of this verticle. */
  private final class Present implements AggregateToolCalls.View {

    @Override
    public Catalog catalog() {
      return catalog;
    }

    @Override
    public Collection<String> servers() {
      return new TreeSet<>(servers.keySet());
    }

    @Override
    public boolean isCurrent(String id) {
      Server server = servers.get(id);
      AggregateList listing = catalog.listing(id, ListKind.TOOLS);
      return server != null
          && listing != null
          && !listing.isStale()
          && !server.refresher.isRefreshing(ListKind.TOOLS);
    }
  }
}
