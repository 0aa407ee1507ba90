package dev.mcpbus.gateway.client;

import dev.mcpbus.bus.Addresses;
import dev.mcpbus.bus.Events;
import dev.mcpbus.bus.FairLimit;
import dev.mcpbus.bus.FairLimits;
import dev.mcpbus.bus.McpFailure;
import dev.mcpbus.bus.RequestSender;
import dev.mcpbus.bus.ServerNotice;
import dev.mcpbus.bus.Telemetry;
import dev.mcpbus.directory.Directory;
import dev.mcpbus.gateway.dialect.HandshakeAnswers;
import dev.mcpbus.gateway.options.GatewayOptions;
import dev.mcpbus.gateway.request.HostMessage;
import dev.mcpbus.gateway.request.HostMessage.AboutTaskMessage;
import dev.mcpbus.gateway.request.HostMessage.AnswerMessage;
import dev.mcpbus.gateway.request.HostMessage.CallMessage;
import dev.mcpbus.gateway.request.HostMessage.DeleteMessage;
import dev.mcpbus.gateway.request.HostMessage.FindMessage;
import dev.mcpbus.gateway.request.HostMessage.GoneMessage;
import dev.mcpbus.gateway.request.HostMessage.KeepMessage;
import dev.mcpbus.gateway.request.HostMessage.ListMessage;
import dev.mcpbus.gateway.request.HostMessage.ListenMessage;
import dev.mcpbus.gateway.request.HostMessage.OpenMessage;
import dev.mcpbus.gateway.request.HostMessage.PostMessage;
import dev.mcpbus.gateway.request.HostMessage.StreamMessage;
import dev.mcpbus.gateway.request.HostMessage.TakeMessage;
import dev.mcpbus.gateway.request.McpErrors;
import dev.mcpbus.gateway.request.PublishedSession;
import dev.mcpbus.gateway.request.RandomNames;
import dev.mcpbus.gateway.request.RequestRouter;
import dev.mcpbus.gateway.request.SessionHostNames;
import dev.mcpbus.protocol.Implementation;
import io.vertx.core.Future;
import io.vertx.core.Handler;
import io.vertx.core.Promise;
import io.vertx.core.VerticleBase;
import io.vertx.core.eventbus.Message;
import io.vertx.core.eventbus.MessageConsumer;
import io.vertx.core.json.JsonObject;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.TimeUnit;

/**
 * The verticle that has the state of clients ({@link GatewayClients}) and the parked calls of those
 * of the {@code discover} era ({@link ParkedCalls}). All of them share its addresses and its
 * context. The id of a session or parked call begins with the name of its host ({@link
 * RandomNames#heldBy}).
 */
public final class SessionHost extends VerticleBase {

  private static final String BOUND = "gateway.sessions";

  /** Shorter than doors wait for the ends of their requests, so that those get an answer. */
  private static final long DRAIN_NANOS = TimeUnit.SECONDS.toNanos(6);

  private static final long LOOK_MILLIS = 20;

  /** Calls in flight get their answers after it: their doors wait 0.5 s longer than hosts drain. */
  private static final long UNREGISTER_MILLIS = 100;

  private final String name;
  private final SessionHostNames hostNames;
  private final ParkedCallBounds parkedBounds;
  private final Directory directory;
  private final ConcurrentMap<String, PublishedSession> published;
  private final GatewayOptions options;
  private final Implementation serverInfo;
  private final FairLimit<String> bound;

  // Set once in start().
  @SuppressWarnings("NullAway.Init")
  private CallRegistry registry;

  @SuppressWarnings("NullAway.Init")
  private GatewayClients clients;

  @SuppressWarnings("NullAway.Init")
  private ParkedCalls parked;

  @SuppressWarnings("NullAway.Init")
  private MessageConsumer<Object> messages;

  /**
   * @param hostNames all hosts of this node; they share the bound on sessions
   * @param parkedBounds of all hosts of this node
   * @param published the sessions of all hosts of this node, by their ids
   */
  public SessionHost(
      String name,
      Directory directory,
      GatewayOptions options,
      Implementation serverInfo,
      SessionHostNames hostNames,
      ParkedCallBounds parkedBounds,
      ConcurrentMap<String, PublishedSession> published) {
    this.published = published;
    this.name = name;
    this.parkedBounds = parkedBounds;
    this.hostNames = hostNames;
    this.directory = directory;
    this.options = options;
    this.serverInfo = serverInfo;
    this.bound = new FairLimit<>(Math.max(1, options.maxSessions() / hostNames.own().size()));
  }

  @Override
  public Future<?> start() {
    registry = new CallRegistry(name);
    HostParts parts =
        new HostParts(
            vertx,
            RequestSender.of(vertx),
            directory,
            new RequestRouter(vertx, directory, options.pageSize()),
            registry,
            HostMap.sessions(vertx, name, hostNames, options.sessionIdle()),
            published,
            Telemetry.of(vertx),
            options.maxCalls(),
            bound);
    clients =
        new GatewayClients(
            parts,
            name,
            HostMap.clients(vertx, name, hostNames, options.sessionIdle()),
            new HandshakeAnswers(vertx, directory, serverInfo));
    parked = new ParkedCalls(parts, clients, parkedBounds, InstantSource.system());
    long idle = options.sessionIdle().toMillis();
    vertx.setPeriodic(
        Math.max(10, Math.min(idle / 4, 60_000)),
        now -> clients.sweep(options.sessionIdle().toNanos()));
    List<Future<Void>> ready = new ArrayList<>();
    messages = vertx.eventBus().consumer(Addresses.GATEWAY_SESSIONS + name, this::handle);
    ready.add(messages.completion());
    ready.add(consume(Addresses.GATEWAY_CALLS + name, registry::reported));
    ready.add(consume(Addresses.GATEWAY_INPUT + name, registry::asked));
    ready.add(consume(Addresses.GATEWAY_PRIVATE_EVENTS + name, this::heard));
    FairLimits.of(vertx).add(BOUND, bound);
    local(Addresses.GATEWAY_CHANGED, changed -> clients.changed());
    local(
        Addresses.GATEWAY_UPDATED,
        (Message<ServerNotice> updated) -> clients.updated(updated.body()));
    local(Addresses.GATEWAY_JOINED, joined -> clients.renew(true));
    local(
        Addresses.GATEWAY_LEFT,
        (Message<JsonObject> left) -> clients.left(left.body().getString("node", "")));
    return Future.join(ready);
  }

  private <T> Future<Void> consume(String address, Handler<Message<T>> handler) {
    return vertx.eventBus().<T>consumer(address, handler).completion();
  }

  private <T> void local(String address, Handler<Message<T>> handler) {
    vertx.eventBus().<T>localConsumer(address, handler);
  }

  /** Calls in flight end with their connections, which drain at the same time. */
  @Override
  public Future<?> stop() {
    Promise<Void> quiet = Promise.promise();
    long until = System.nanoTime() + DRAIN_NANOS;
    vertx.setPeriodic(
        0,
        LOOK_MILLIS,
        look -> {
          boolean busy = parked.isAwaited() || clients.isBusy();
          if ((!busy || System.nanoTime() - until > 0) && quiet.tryComplete()) {
            vertx.cancelTimer(look);
          }
        });
    clients.leave();
    return quiet.future().compose(ended -> end());
  }

  /**
   * First its address goes: whoever sends a message to one of its sessions from now on learns that
   * the host is gone, so that another host takes the session over.
   */
  private Future<?> end() {
    FairLimits.of(vertx).remove(BOUND, bound);
    return messages
        .unregister()
        .timeout(UNREGISTER_MILLIS, TimeUnit.MILLISECONDS)
        .transform(
            gone -> {
              parked.close();
              return clients.close().otherwiseEmpty();
            });
  }

  // ---- what comes from servers and nodes

  /** An event of a private connection, or the question whether it may end for another client. */
  private void heard(Message<Object> message) {
    ServerNotice event = ServerNotice.of(message);
    if (!Events.ROOM_WANTED.equals(event.type())) {
      registry.heard(event);
      return;
    }
    String connection = event.connection();
    boolean ended = registry.giveUp(connection);
    message.reply(new JsonObject().put("inUse", !ended));
  }

  // ---- messages of endpoints

  private void handle(Message<Object> message) {
    try {
      HostMessage said = HostMessage.of(message);
      if (said instanceof PostMessage post) {
        clients.post(message, post);
      } else if (said instanceof TakeMessage take) {
        clients.take(message, take);
      } else if (said instanceof AnswerMessage answer) {
        clients.answered(message, answer);
      } else if (said instanceof OpenMessage open) {
        clients.open(message, open);
      } else if (said instanceof StreamMessage stream) {
        clients.stream(message, stream);
      } else if (said instanceof DeleteMessage delete) {
        clients.delete(message, delete);
      } else if (said instanceof KeepMessage keep) {
        clients.keep(keep);
      } else if (said instanceof FindMessage find) {
        clients.find(message, find);
      } else if (said instanceof ListMessage list) {
        clients.list(message, list);
      } else if (said instanceof ListenMessage listen) {
        clients.listen(message, listen);
      } else if (said instanceof GoneMessage gone) {
        parked.gone(gone.exchange());
        clients.gone(gone);
      } else if (said instanceof CallMessage call) {
        parked.call(message, call);
      } else if (said instanceof AboutTaskMessage about) {
        parked.aboutTask(message, about);
      }
    } catch (McpFailure refused) {
      message.reply(refused);
    } catch (RuntimeException defect) {
      message.reply(McpErrors.of(defect));
    }
  }
}
