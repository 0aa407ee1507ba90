package dev.mcpbus.directory;

import dev.mcpbus.bus.Addresses;
import dev.mcpbus.bus.Codecs;
import dev.mcpbus.bus.Events;
import dev.mcpbus.bus.OwnershipEpoch;
import dev.mcpbus.bus.RequestSender;
import io.vertx.core.Future;
import io.vertx.core.VerticleBase;
import io.vertx.core.eventbus.DeliveryOptions;
import io.vertx.core.eventbus.EventBus;
import io.vertx.core.eventbus.Message;
import io.vertx.core.json.JsonObject;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Hears the events of all connections and keeps the {@link Directory} up to date with them; {@link
 * DirectoryLists} fetches the lists. Services that read the directory run on the same context. All
 * state is touched on the verticle's own context only.
 */
public final class DirectoryVerticle extends VerticleBase implements DirectoryLists.Listener {

  private static final DeliveryOptions LOCAL = new DeliveryOptions().setLocalOnly(true);

  /** For the first request, which another node of the cluster may answer. */
  private static final DeliveryOptions ANYWHERE = new DeliveryOptions().setSendTimeout(5_000);

  /** Many changes at a time become one notification. */
  private static final long GATHER_MILLIS = 25;

  /** After a node has come or gone: most, and then all, connections have their owners. */
  private static final List<Long> SETTLED_MILLIS = List.of(3_000L, 10_000L, 30_000L);

  private final Directory directory;
  private final List<DirectoryService> services;
  private final Duration retry;
  private final Duration patience;
  private final Map<String, Long> owners = new HashMap<>();
  private boolean telling;

  // Set once in start().
  @SuppressWarnings("NullAway.Init")
  private ResourceSubscriptions book;

  @SuppressWarnings("NullAway.Init")
  private DirectoryLists lists;

  /**
   * @param services that read the directory on this context
   */
  public DirectoryVerticle(Directory directory, List<DirectoryService> services) {
    this(directory, services, Duration.ofSeconds(30), Duration.ofSeconds(2));
  }

  /**
   * @param retry when a list is fetched again, at the latest, that a connected server failed to
   *     give; the first time after a second, then after twice as long each time
   * @param patience how long a list waits at most for servers that have not listed yet
   */
  public DirectoryVerticle(
      Directory directory, List<DirectoryService> services, Duration retry, Duration patience) {
    this.directory = directory;
    this.services = List.copyOf(services);
    this.retry = retry;
    this.patience = patience;
  }

  @Override
  public Future<?> stop() {
    book.close();
    return Future.join(services.stream().map(DirectoryService::close).toList());
  }

  @Override
  public Future<?> start() {
    Codecs.register(vertx);
    EventBus bus = vertx.eventBus();
    book = new ResourceSubscriptions(vertx, ResourceSubscriptions.MAX);
    lists = new DirectoryLists(vertx, directory, retry, patience, this);
    bus.localConsumer(Addresses.GATEWAY_DIRECTORY, this::ask);
    bus.<JsonObject>localConsumer(Addresses.GATEWAY_SUBSCRIBE, book::handle);
    List<Future<?>> listening = new ArrayList<>();
    listening.add(
        bus.<JsonObject>consumer(Addresses.ALL_EVENTS, event -> heard(event.body())).completion());
    services.forEach(service -> listening.add(service.open(vertx, lists)));
    listening.add(book.open());
    listening.add(directory.taskIds().open(vertx));
    return Future.all(listening)
        .onSuccess(
            ready -> {
              lists.awaitServers(ANYWHERE);
              RequestSender.of(vertx).membership().onChange(this::membership);
            });
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
        now ->
            SETTLED_MILLIS.forEach(
                late -> vertx.setTimer(late, settled -> lists.readServers(LOCAL))));
  }

  private void heard(JsonObject event) {
    String id = event.getString("id", "");
    switch (event.getString("type", "")) {
      case Events.SERVER_ADDED -> {
        lists.track(id);
        book.renew(id);
      }
      case Events.SERVER_REMOVED -> lists.removed(id);
      case Events.CONNECTED -> lists.connected(id, event);
      case Events.DISCONNECTED, Events.GAVE_UP -> lists.disconnected(id);
      case Events.TOOLS_CHANGED -> lists.changed(id, ListKind.TOOLS);
      case Events.PROMPTS_CHANGED -> lists.changed(id, ListKind.PROMPTS);
      case Events.RESOURCES_CHANGED -> {
        lists.changed(id, ListKind.RESOURCES);
        lists.changed(id, ListKind.TEMPLATES);
      }
      case Events.RESOURCE_UPDATED ->
          vertx.eventBus().publish(Addresses.GATEWAY_UPDATED, event, LOCAL);
      case Events.TASK -> vertx.eventBus().publish(Addresses.GATEWAY_UPDATED, event, LOCAL);
      default -> {}
    }
  }

  /** A new owner's connection knows nothing of what the one before was asked to watch. */
  @Override
  public void serves(String id, JsonObject facts) {
    long owner = OwnershipEpoch.ofSession(facts.getLong("epoch", 0L));
    Long before = owners.put(id, owner);
    if (before != null && before != owner) {
      book.renew(id);
    }
  }

  @Override
  public void changed(String id, @Nullable DirectoryEntry entry) {
    services.forEach(service -> service.changed(id, entry));
  }

  @Override
  public void removed(String id) {
    owners.remove(id);
    listed();
  }

  /** Gateways look whether their clients see other lists now. */
  @Override
  public void listed() {
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

  /** {@code {kinds, servers}} waits for lists, {@code {read: true}} for the servers there are. */
  private void ask(Message<JsonObject> message) {
    JsonObject body = message.body();
    if (body.getBoolean("read", false)) {
      lists.awaitServers(LOCAL).onComplete(read -> message.reply(null));
      return;
    }
    List<ListKind> kinds =
        body.getJsonArray("kinds").stream().map(name -> ListKind.valueOf((String) name)).toList();
    List<?> only = body.getJsonArray("servers").getList();
    lists
        .known()
        .compose(read -> lists.whenFresh(kinds, only))
        .onComplete(done -> message.reply(null));
  }
}
