package dev.mcpbus.directory;

import dev.mcpbus.bus.Addresses;
import dev.mcpbus.bus.CallRepeats;
import dev.mcpbus.bus.CallerFacts;
import dev.mcpbus.bus.Codecs;
import dev.mcpbus.bus.Events;
import dev.mcpbus.bus.ListKind;
import dev.mcpbus.bus.OwnershipEpoch;
import dev.mcpbus.bus.RequestSender;
import dev.mcpbus.bus.ServerNotice;
import dev.mcpbus.protocol.Methods;
import io.vertx.core.Future;
import io.vertx.core.VerticleBase;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.eventbus.DeliveryOptions;
import io.vertx.core.eventbus.EventBus;
import io.vertx.core.eventbus.Message;
import io.vertx.core.json.JsonObject;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Consumes the events of all connections and keeps the {@link Directory} up to date; {@link
 * DirectoryLists} fetches the lists. The {@link DirectoryService}s run on the same context.
 * Confined to the verticle's context.
 */
public final class DirectoryVerticle extends VerticleBase
    implements DirectoryLists.DirectoryListener {

  /** The notices that sessions and streams get from here. */
  private static final Set<String> UPDATES = Set.of(Events.RESOURCE_UPDATED, Events.TASK);

  private static final Logger LOG = LoggerFactory.getLogger(DirectoryVerticle.class);

  private static final DeliveryOptions LOCAL = new DeliveryOptions().setLocalOnly(true);

  /** For the first list of servers: another node of the cluster may answer it. */
  private static final DeliveryOptions ANYWHERE = new DeliveryOptions().setSendTimeout(5_000);

  /** Changes within this time become one notification. */
  private static final long GATHER_MILLIS = 25;

  /** Times after a node joined or left at which most, and then all, connections have owners. */
  private static final List<Long> SETTLED_MILLIS = List.of(3_000L, 10_000L, 30_000L);

  private final Directory directory;
  private final List<DirectoryService> services;
  private final Duration retry;
  private final Duration patience;
  private final Map<String, Long> owners = new HashMap<>();

  /** The timers of the readings after the last change of the nodes. */
  private final List<Long> readings = new ArrayList<>();

  private boolean notifying;

  // Set once in start().
  @SuppressWarnings("NullAway.Init")
  private ResourceSubscriptions subscriptions;

  @SuppressWarnings("NullAway.Init")
  private DirectoryLists lists;

  /**
   * @param services that read the directory on this context
   */
  public DirectoryVerticle(Directory directory, List<DirectoryService> services) {
    this(directory, services, Duration.ofSeconds(30), Duration.ofSeconds(2));
  }

  /**
   * @param retry the longest pause before a list that a connected server failed to give is fetched
   *     again; the first pause is 1 s, each further one twice as long
   * @param patience how long a request for lists waits at most for servers that have not listed
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
    subscriptions.close();
    List<Future<?>> closing = new ArrayList<>();
    services.forEach(service -> closing.add(service.close()));
    closing.add(CallRepeats.of(vertx).close());
    return Future.join(closing);
  }

  @Override
  public Future<?> start() {
    Codecs.register(vertx);
    EventBus bus = vertx.eventBus();
    subscriptions = new ResourceSubscriptions(vertx, ResourceSubscriptions.MAX, this::isOfCallers);
    lists = new DirectoryLists(vertx, directory, retry, patience, this);
    bus.localConsumer(Addresses.GATEWAY_DIRECTORY, this::awaitLists);
    bus.<JsonObject>localConsumer(Addresses.GATEWAY_SUBSCRIBE, subscriptions::handle);
    List<Future<?>> listening = new ArrayList<>();
    listening.add(bus.<JsonObject>consumer(Addresses.ALL_EVENTS, this::onEvent).completion());
    listening.add(
        bus.<Buffer>consumer(
                Addresses.GATEWAY_NOTIFIED, message -> updated(ServerNotice.of(message)))
            .completion());
    listening.add(
        bus.<JsonObject>consumer(
                Addresses.CREDENTIALS_CHANGED, message -> credentialChanged(message.body()))
            .completion());
    services.forEach(service -> listening.add(service.open(vertx, lists)));
    listening.add(subscriptions.open());
    listening.add(directory.taskIds().open(vertx));
    listening.add(CallRepeats.of(vertx).open(new SafeTools(directory)));
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
    // Events that were published while the nodes were disconnected are lost.
    context.runOnContext(now -> readWhenSettled());
  }

  /** Several nodes that join or leave together are followed by the same readings. */
  private void readWhenSettled() {
    readings.forEach(vertx::cancelTimer);
    readings.clear();
    SETTLED_MILLIS.forEach(
        late -> readings.add(vertx.setTimer(late, settled -> lists.readServers(LOCAL))));
  }

  private void onEvent(Message<JsonObject> message) {
    JsonObject event = message.body();
    String id = event.getString("id", "");
    if (event.getValue("principal") instanceof String principal && isOfCallers(id)) {
      ofPrincipal(principal, id, message);
      return;
    }
    lists.reach().event(event);
    switch (event.getString("type", "")) {
      case Events.SERVER_ADDED -> {
        lists.acts(id, event);
        subscriptions.renew(id);
      }
      case Events.SERVER_CHANGED -> {
        directory.forgetListsDiffer(id);
        lists.callers().forget(id);
        lists.acts(id, event);
      }
      case Events.SERVER_REMOVED -> {
        directory.forgetListsDiffer(id);
        lists.removed(id);
      }
      case Events.CONNECTED -> lists.connected(id, event);
      case Events.DISCONNECTED, Events.GAVE_UP -> lists.disconnected(id);
      case Events.TOOLS_CHANGED -> lists.changed(id, ListKind.TOOLS);
      case Events.HEALTH_CHECK_FAILED -> {
        if (Methods.TOOLS_LIST.equals(event.getString("check"))) {
          lists.failed(id);
        }
      }
      case Events.PROMPTS_CHANGED -> lists.changed(id, ListKind.PROMPTS);
      case Events.RESOURCES_CHANGED -> {
        lists.changed(id, ListKind.RESOURCES);
        lists.changed(id, ListKind.TEMPLATES);
        lists.changed(id, ListKind.SKILLS);
      }
      case Events.RESOURCE_UPDATED, Events.TASK -> {
        if (!ServerNotice.isBeside(message)) {
          updated(ServerNotice.of(message)); // of a node with an older mcpbus
        }
      }
      default -> {}
    }
  }

  /** A principal has stored, removed or got a credential: it may see other lists. */
  private void credentialChanged(JsonObject change) {
    String server = change.getString("server");
    for (String id : server == null ? directory.snapshot().ids() : List.of(server)) {
      lists.callers().forget(change.getString("principal", ""), id);
    }
  }

  private boolean isOfCallers(String id) {
    DirectoryEntry entry = directory.snapshot().server(id);
    return entry != null && entry.ofCallers();
  }

  /** An event of the connection that a principal has to a server of callers. */
  private void ofPrincipal(String principal, String id, Message<JsonObject> message) {
    CallerLists callers = lists.callers();
    switch (message.body().getString("type", "")) {
      case Events.TOOLS_CHANGED -> callers.changed(principal, id, ListKind.TOOLS);
      case Events.PROMPTS_CHANGED -> callers.changed(principal, id, ListKind.PROMPTS);
      case Events.RESOURCES_CHANGED -> {
        callers.changed(principal, id, ListKind.RESOURCES);
        callers.changed(principal, id, ListKind.TEMPLATES);
        callers.changed(principal, id, ListKind.SKILLS);
      }
      default -> {}
    }
  }

  private void updated(ServerNotice notice) {
    String principal = notice.principal();
    if (principal != null) {
      if (!isOfCallers(notice.connection())) {
        return;
      }
      if (notice.type().equals(Events.NOTIFICATION)) {
        lists
            .callers()
            .announced(principal, notice.connection(), ListKind.announcedBy(notice.method()));
      }
      vertx.eventBus().publish(Addresses.GATEWAY_UPDATED, notice, LOCAL);
      return;
    }
    boolean passes =
        notice.type().equals(Events.NOTIFICATION)
            ? lists.announced(notice.connection(), notice.method())
            : UPDATES.contains(notice.type());
    if (passes) {
      vertx.eventBus().publish(Addresses.GATEWAY_UPDATED, notice, LOCAL);
    }
  }

  /** The connection of a new owner has none of the subscriptions of the one before. */
  @Override
  public void serves(String id, JsonObject facts) {
    long owner = OwnershipEpoch.ofSession(facts.getLong("epoch", 0L));
    Long before = owners.put(id, owner);
    if (before != null && before != owner) {
      subscriptions.renew(id);
    }
  }

  @Override
  public void changed(String id, @Nullable DirectoryEntry entry) {
    for (DirectoryService service : services) {
      try {
        service.changed(id, entry);
      } catch (RuntimeException defect) {
        LOG.error("a service of the directory cannot use the entry of server {}", id, defect);
      }
    }
  }

  @Override
  public void removed(String id) {
    owners.remove(id);
    listed();
  }

  /** Notifies the gateways, which compare the lists that their clients see. */
  @Override
  public void listed() {
    if (notifying) {
      return;
    }
    notifying = true;
    vertx.setTimer(
        GATHER_MILLIS,
        now -> {
          notifying = false;
          vertx.eventBus().publish(Addresses.GATEWAY_CHANGED, new JsonObject(), LOCAL);
        });
  }

  /**
   * Replies when the lists of {@code {kinds, servers}} are fresh, or the servers begin to be read.
   */
  private void awaitLists(Message<JsonObject> message) {
    JsonObject body = message.body();
    if (body.getBoolean("read", false)) {
      lists.awaitServers(LOCAL);
      message.reply(null);
      return;
    }
    List<ListKind> kinds =
        body.getJsonArray("kinds").stream().map(name -> ListKind.valueOf((String) name)).toList();
    List<?> only = body.getJsonArray("servers").getList();
    lists
        .known()
        .compose(
            read ->
                lists.whenFresh(
                    kinds, only, CallerFacts.in(body), body.getBoolean("needed", false)))
        .compose(fresh -> lists.whenDescribed(only))
        .onComplete(done -> message.reply(null));
  }
}
