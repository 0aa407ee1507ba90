package dev.mcpbus.directory;

import dev.mcpbus.bus.Addresses;
import dev.mcpbus.bus.ConnectionId;
import dev.mcpbus.bus.ConnectionState;
import dev.mcpbus.bus.Events;
import dev.mcpbus.bus.RequestSender;
import dev.mcpbus.protocol.Era;
import dev.mcpbus.protocol.TasksExtension;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.VerticleBase;
import io.vertx.core.eventbus.DeliveryOptions;
import io.vertx.core.eventbus.EventBus;
import io.vertx.core.eventbus.Message;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Keeps the {@link Directory} up to date from the events of the connections. A list is asked for
 * from the first time on that a client wants it; a server that goes away keeps its last one. All
 * state is touched on the verticle's own context only.
 */
public final class DirectoryVerticle extends VerticleBase {

  private static final DeliveryOptions LOCAL = new DeliveryOptions().setLocalOnly(true);

  /** Many changes at a time become one notification. */
  private static final long GATHER_MILLIS = 25;

  /** So many epochs each owner of a connection has for itself. */
  private static final long EPOCHS_PER_OWNER = 1_000_000;

  /** After a node has come or gone: most, and then all, connections have their owners. */
  private static final List<Long> SETTLED_MILLIS = List.of(3_000L, 10_000L, 30_000L);

  private final Directory directory;
  private final Duration patience;
  private final Map<String, ListFetcher> servers = new HashMap<>();
  private final Set<ListKind> wanted = EnumSet.noneOf(ListKind.class);
  private Future<Void> known = Future.succeededFuture();
  private final Map<String, Long> lives = new HashMap<>();
  private boolean telling;

  // Set once in start().
  @SuppressWarnings("NullAway.Init")
  private ResourceSubscriptions book;

  /**
   * @param patience how long a list waits at most for servers that were not heard of yet
   */
  public DirectoryVerticle(Directory directory, Duration patience) {
    this.directory = directory;
    this.patience = patience;
  }

  @Override
  public Future<?> stop() {
    book.close();
    return Future.succeededFuture();
  }

  @Override
  public Future<?> start() {
    EventBus bus = vertx.eventBus();
    book = new ResourceSubscriptions(vertx, ResourceSubscriptions.MAX);
    bus.localConsumer(Addresses.GATEWAY_DIRECTORY, this::ask);
    bus.<JsonObject>localConsumer(Addresses.GATEWAY_SUBSCRIBE, book::handle);
    return bus.<JsonObject>consumer(Addresses.ALL_EVENTS, event -> heard(event.body()))
        .completion()
        .compose(listening -> book.open())
        .compose(listening -> directory.taskIds().open(vertx))
        .onSuccess(listening -> known = readServers())
        .onSuccess(listening -> RequestSender.of(vertx).membership().onChange(this::membership));
  }

  /** On a thread of the cluster's engine. */
  private void membership(String node, boolean joined) {
    vertx
        .eventBus()
        .publish(
            joined ? Addresses.GATEWAY_JOINED : Addresses.GATEWAY_LEFT,
            new JsonObject().put("node", node),
            LOCAL);
    // What was told while nodes did not hear each other.
    context.runOnContext(
        now -> SETTLED_MILLIS.forEach(late -> vertx.setTimer(late, settled -> readServers())));
  }

  /** Always succeeds: whoever cannot be asked now will be heard of by events. */
  private Future<Void> readServers() {
    Set<String> missing = new HashSet<>(servers.keySet());
    return vertx
        .eventBus()
        .<JsonObject>request(Addresses.SERVERS_LIST, new JsonObject(), LOCAL)
        .onSuccess(
            reply -> {
              for (Object one : reply.body().getJsonArray("servers", new JsonArray())) {
                missing.remove(((JsonObject) one).getString("id"));
                read((JsonObject) one);
              }
              missing.forEach(this::removed);
            })
        .<Void>mapEmpty()
        .otherwiseEmpty();
  }

  /** What {@code mcp.<id>.status} says. */
  private void read(JsonObject status) {
    DirectoryEntry facts = track(status.getString("id", ""));
    if (facts != null && isServing(status.getString("state", ""))) {
      ListFetcher lists = servers.get(facts.id().value());
      if (!facts.up() && lists != null) {
        lists.connected(wanted);
      }
      lives(facts.id().value(), status);
      Object text = status.getValue("instructions");
      boolean modern = Era.DISCOVER.name().equals(status.getString("era"));
      become(
          facts.withServer(
              modern,
              TasksExtension.isOfferedBy(
                  modern, status.getJsonObject("capabilities", new JsonObject())),
              via(status),
              text instanceof String instructions ? instructions : ""));
    }
  }

  private static Set<String> via(JsonObject status) {
    return status.getJsonArray("via", new JsonArray()).stream()
        .map(String::valueOf)
        .collect(Collectors.toSet());
  }

  private static boolean isServing(String state) {
    for (ConnectionState each : ConnectionState.values()) {
      if (each.name().equals(state)) {
        return each.serves();
      }
    }
    return false;
  }

  private @Nullable DirectoryEntry track(String id) {
    ConnectionId parsed = ConnectionId.parse(id).orElse(null);
    if (parsed == null) {
      return null;
    }
    DirectoryEntry present = directory.snapshot().server(id);
    if (present != null) {
      return present;
    }
    servers.put(
        id, new ListFetcher(vertx, parsed, (kind, serverList) -> listed(id, kind, serverList)));
    DirectoryEntry fresh = DirectoryEntry.of(parsed);
    become(fresh);
    return fresh;
  }

  private void become(DirectoryEntry facts) {
    directory.become(directory.snapshot().with(facts));
  }

  private void heard(JsonObject event) {
    String id = event.getString("id", "");
    switch (event.getString("type", "")) {
      case Events.SERVER_ADDED -> {
        track(id);
        book.renew(id);
      }
      case Events.SERVER_REMOVED -> removed(id);
      case Events.CONNECTED -> connected(id, event);
      case Events.DISCONNECTED, Events.GAVE_UP -> {
        DirectoryEntry facts = directory.snapshot().server(id);
        if (facts != null) {
          become(facts.withUp(false));
        }
      }
      case Events.TOOLS_CHANGED -> changed(id, ListKind.TOOLS);
      case Events.PROMPTS_CHANGED -> changed(id, ListKind.PROMPTS);
      case Events.RESOURCES_CHANGED -> {
        changed(id, ListKind.RESOURCES);
        changed(id, ListKind.TEMPLATES);
      }
      case Events.RESOURCE_UPDATED ->
          vertx.eventBus().publish(Addresses.GATEWAY_UPDATED, event, LOCAL);
      case Events.TASK -> vertx.eventBus().publish(Addresses.GATEWAY_UPDATED, event, LOCAL);
      default -> {}
    }
  }

  private void removed(String id) {
    servers.remove(id);
    lives.remove(id);
    directory.become(directory.snapshot().without(id));
    tell();
  }

  private void connected(String id, JsonObject event) {
    DirectoryEntry facts = track(id);
    ListFetcher lists = servers.get(id);
    if (facts == null || lists == null) {
      return;
    }
    become(
        facts.withServer(
            Era.DISCOVER.name().equals(event.getString("era")),
            facts.tasks(),
            via(event),
            facts.instructions()));
    lists.connected(wanted);
    lives(id, event);
    vertx
        .eventBus()
        .<JsonObject>request(Addresses.of(facts.id(), Addresses.STATUS), new JsonObject())
        .onSuccess(
            status -> {
              if (servers.get(id) == lists) {
                read(status.body());
              }
            });
  }

  /** A new owner's connection knows nothing of what the one before was asked to watch. */
  private void lives(String id, JsonObject told) {
    long life = told.getLong("epoch", 0L) / EPOCHS_PER_OWNER;
    Long before = lives.put(id, life);
    if (before != null && before != life) {
      book.renew(id);
    }
  }

  private void changed(String id, ListKind kind) {
    ListFetcher lists = servers.get(id);
    if (lists != null) {
      lists.changed(kind);
    }
  }

  private void listed(String id, ListKind kind, ServerList serverList) {
    DirectoryEntry facts = directory.snapshot().server(id);
    if (facts != null) {
      become(facts.with(kind, serverList));
      tell();
    }
  }

  /** Whoever shows lists to clients looks whether theirs differ now. */
  private void tell() {
    if (telling) {
      return;
    }
    telling = true;
    vertx.setTimer(
        GATHER_MILLIS,
        now -> {
          telling = false;
          vertx.eventBus().publish(Addresses.GATEWAY_CHANGED, new JsonObject(), LOCAL);
        });
  }

  private void ask(Message<JsonObject> message) {
    List<ListKind> kinds =
        message.body().getJsonArray("kinds").stream()
            .map(name -> ListKind.valueOf((String) name))
            .toList();
    wanted.addAll(kinds);
    List<?> only = message.body().getJsonArray("servers").getList();
    known
        .compose(read -> collect(kinds, only))
        .onComplete(done -> message.reply(null), failure -> message.reply(null));
  }

  private Future<Void> collect(List<ListKind> kinds, List<?> only) {
    List<Future<Void>> running = new ArrayList<>();
    long now = System.nanoTime();
    for (DirectoryEntry server : directory.snapshot().servers()) {
      String id = server.id().value();
      ListFetcher lists = servers.get(id);
      if (lists == null || (!only.isEmpty() && !only.contains(id))) {
        continue;
      }
      for (ListKind kind : kinds) {
        ServerList serverList = server.list(kind);
        if (serverList == null || (server.up() && !serverList.isFresh(now))) {
          running.add(lists.ask(kind, patience.toNanos()));
        }
      }
    }
    Future<Void> all = Future.join(running).mapEmpty();
    return all.isComplete() ? all : inTime(all);
  }

  private Future<Void> inTime(Future<Void> all) {
    Promise<Void> first = Promise.promise();
    long timer = vertx.setTimer(patience.toMillis(), late -> first.tryComplete());
    all.onComplete(
        done -> {
          vertx.cancelTimer(timer);
          first.tryComplete();
        });
    return first.future();
  }
}
