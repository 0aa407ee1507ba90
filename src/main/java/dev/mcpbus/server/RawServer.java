package dev.mcpbus.server;

import dev.mcpbus.protocol.Implementation;
import dev.mcpbus.protocol.Methods;
import dev.mcpbus.transport.Acceptor;
import dev.mcpbus.transport.Channel;
import dev.mcpbus.transport.Transport;
import dev.mcpbus.transport.bus.BusServer;
import dev.mcpbus.transport.memory.InMemoryTransport;
import io.vertx.core.Context;
import io.vertx.core.Deployable;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.VerticleBase;
import io.vertx.core.Vertx;
import io.vertx.core.json.JsonObject;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * An MCP server made of handlers by method, for many clients at once: legacy ones that {@code
 * initialize} in any version, and modern ones whose requests describe themselves.
 *
 * <pre>{@code
 * RawServer server = RawServer.of("greeter", "1.0")
 *     .tool("greet", "Greets somebody.", schema,
 *         (request, arguments) -> Future.succeededFuture(
 *             ToolResult.text("Hello " + arguments.getString("name"))));
 * vertx.deployVerticle(server.deployable("my.greeter"));     // on the bus
 * bus.add(id, server.inMemory(context), options);            // in memory
 * }</pre>
 *
 * <p>What it offers is registered before the first client; tools come and go at any time, and
 * clients hear of it. Every method is safe to call from any thread; a handler runs on the event
 * loop that owns its client's channel.
 */
public final class RawServer implements Acceptor {

  /** What every server answers by itself; a handler for one of these would break the protocol. */
  private static final Set<String> RESERVED =
      Set.of(
          Methods.INITIALIZE,
          Methods.DISCOVER,
          Methods.LISTEN,
          Methods.PING,
          Methods.SET_LEVEL,
          Methods.TOOLS_LIST,
          Methods.TOOLS_CALL);

  private final Implementation info;
  private final Map<String, RequestHandler> handlers = new ConcurrentHashMap<>();
  private final Map<String, NotificationHandler> notifications = new ConcurrentHashMap<>();
  private final JsonObject moreCapabilities = new JsonObject();
  private final Set<ServerSession> sessions = ConcurrentHashMap.newKeySet();
  private final List<Supplier<Future<Void>>> doors = new ArrayList<>();
  private volatile ServerTools tools = ServerTools.NONE;
  private volatile ServerOptions options = ServerOptions.DEFAULT;
  private volatile boolean reachable;
  private volatile boolean closed;
  private HandlerWrapper wrapper = HandlerWrapper.NONE;
  private @Nullable String instructions;

  private RawServer(Implementation info) {
    this.info = info;
  }

  /** A server without handlers. */
  public static RawServer of(String name, String version) {
    return new RawServer(new Implementation(name, version));
  }

  /**
   * Other bounds than the default ones.
   *
   * @throws IllegalStateException once a client can reach it, as all that belongs to the first
   *     state does
   */
  public synchronized RawServer options(ServerOptions other) {
    constructing();
    options = other;
    return this;
  }

  /** What a model should know of this server as a whole. */
  public synchronized RawServer instructions(String text) {
    constructing();
    instructions = text;
    return this;
  }

  /** A capability beyond those that the handlers show by themselves, such as an extension's. */
  public synchronized RawServer capability(String name, JsonObject value) {
    constructing();
    moreCapabilities.put(name, value.copy());
    return this;
  }

  /** Puts {@code other} around every handler registered from here on, inside earlier wrappers. */
  public synchronized RawServer wrap(HandlerWrapper other) {
    constructing();
    wrapper = wrapper.around(other);
    return this;
  }

  /**
   * Answers {@code method}, of MCP or of one's own: {@code resources/list}, {@code prompts/get},
   * {@code acme/reindex}. Capabilities follow from what is handled.
   *
   * @throws IllegalArgumentException where the server answers it by itself, or it has a handler
   */
  public synchronized RawServer handle(String method, RequestHandler handler) {
    constructing();
    if (RESERVED.contains(method)) {
      throw new IllegalArgumentException(
          "\"" + method + "\" is answered by the server itself; add tools with tool()");
    }
    if (handlers.putIfAbsent(method, wrapped(handler)) != null) {
      throw new IllegalArgumentException("\"" + method + "\" has a handler already");
    }
    return this;
  }

  /** Hears a notification of clients. Handshake and cancellation are seen to already. */
  public synchronized RawServer onNotification(String method, NotificationHandler handler) {
    constructing();
    if (notifications.putIfAbsent(method, handler) != null) {
      throw new IllegalArgumentException("\"" + method + "\" has a handler already");
    }
    return this;
  }

  /**
   * Adds a tool, at any time before the server is closed.
   *
   * @param name 1 to 128 letters, digits and {@code _ . / -}
   * @param inputSchema JSON schema of the arguments, of type object; they are checked before the
   *     handler is called
   * @throws IllegalArgumentException where the name is taken, or name or schema cannot be used
   */
  public RawServer tool(
      String name, String description, JsonObject inputSchema, RequestHandler handler) {
    return tool(
        new JsonObject()
            .put("name", name)
            .put("description", description)
            .put("inputSchema", inputSchema),
        handler);
  }

  /**
   * The same with the whole definition as {@code tools/list} shows it: title, annotations, {@code
   * outputSchema}, {@code _meta}.
   */
  public RawServer tool(JsonObject definition, RequestHandler handler) {
    synchronized (this) {
      if (closed) {
        throw new IllegalStateException("the server is closed");
      }
      tools = tools.with(definition, wrapped(handler));
    }
    notifyClients(Methods.TOOLS_CHANGED, new JsonObject());
    return this;
  }

  /** Takes a tool away; calls under way go on. False where there was none. */
  public boolean removeTool(String name) {
    synchronized (this) {
      ServerTools.Tool tool = tools.find(name);
      if (tool == null) {
        return false;
      }
      tools = tools.without(tool);
    }
    notifyClients(Methods.TOOLS_CHANGED, new JsonObject());
    return true;
  }

  private void constructing() {
    if (reachable || closed) {
      throw new IllegalStateException(
          "clients can reach this server already; set it up first (only tools come and go later)");
    }
  }

  private RequestHandler wrapped(RequestHandler handler) {
    return safe(wrapper.wrap(safe(handler)));
  }

  /** What it throws is in its future, so that there is one place to look in. */
  private static RequestHandler safe(RequestHandler handler) {
    return (request, input) -> {
      try {
        return Objects.requireNonNull(handler.handle(request, input), "the handler gave no future");
      } catch (RuntimeException e) {
        return Future.failedFuture(e);
      }
    };
  }

  /**
   * Tells all clients: legacy ones that are running, modern ones that listen for it. Updates of
   * resources reach those that subscribed.
   */
  public void notifyClients(String method, JsonObject params) {
    sessions.forEach(session -> session.tell(method, params));
  }

  /** Takes a connection of any transport's server side, without a principal. */
  @Override
  public Channel.Receiver accept(Channel channel) {
    return accept(channel, null);
  }

  /**
   * A door for clients that this program vouches for: their requests carry {@code principal}.
   *
   * @param principal known to be right by the way in, such as a bus address of its own
   */
  public Acceptor acceptor(String principal) {
    return channel -> accept(channel, principal);
  }

  private Channel.Receiver accept(Channel channel, @Nullable String principal) {
    Context owner = Vertx.currentContext();
    if (closed || owner == null) {
      throw new IllegalStateException(
          closed ? "the server is closed" : "connections are taken on a Vert.x context");
    }
    reachable = true;
    ServerSession session = new ServerSession(this, owner, channel, principal);
    sessions.add(session);
    if (closed) {
      session.close(); // it came while the others were being told
    }
    return session;
  }

  /**
   * Serves at a bus address, on the current context or a new one.
   *
   * @return completes when the address is known everywhere
   */
  public Future<RawServer> listen(Vertx vertx, String address) {
    return listen(vertx, address, this);
  }

  /** The same through a door of its own, see {@link #acceptor(String)}. */
  public Future<RawServer> listen(Vertx vertx, String address, Acceptor door) {
    if (closed) {
      return Future.failedFuture(new IllegalStateException("the server is closed"));
    }
    reachable = true;
    Context owner = vertx.getOrCreateContext();
    Promise<BusServer> listening = Promise.promise();
    owner.runOnContext(now -> BusServer.listen(vertx, address, door).onComplete(listening));
    return listening
        .future()
        .map(
            bound -> {
              synchronized (this) {
                doors.add(() -> shut(owner, bound));
              }
              if (closed) {
                close();
              }
              return this;
            });
  }

  private static Future<Void> shut(Context owner, BusServer door) {
    Promise<Void> shut = Promise.promise();
    owner.runOnContext(now -> door.close().onComplete(shut));
    return shut.future();
  }

  /** A verticle that serves at {@code address}; undeploying it closes the server. */
  public Deployable deployable(String address) {
    return new VerticleBase() {
      @Override
      public Future<?> start() {
        return listen(vertx, address);
      }

      @Override
      public Future<?> stop() {
        return close();
      }
    };
  }

  /** A way in without anything between; each opening is a client of its own. */
  public Transport inMemory(Context owner) {
    return new InMemoryTransport(info.name(), owner, this);
  }

  /** See {@link ServerState}. */
  public ServerState state() {
    if (closed) {
      return ServerState.CLOSED;
    }
    boolean running = sessions.stream().anyMatch(one -> one.state() == ServerState.RUNNING);
    return running
        ? ServerState.RUNNING
        : reachable ? ServerState.CONNECTED : ServerState.CONSTRUCTED;
  }

  /** The clients of this moment. */
  public List<ConnectedClient> sessions() {
    return List.copyOf(sessions);
  }

  /**
   * Takes nobody any more, answers what is under way as failed and closes every connection.
   *
   * @return completes when nothing is left; the same for every call
   */
  public Future<Void> close() {
    closed = true;
    List<Future<Void>> closing = new ArrayList<>();
    sessions.forEach(session -> closing.add(session.close()));
    List<Supplier<Future<Void>>> open;
    synchronized (this) {
      open = List.copyOf(doors);
      doors.clear();
    }
    return Future.join(closing)
        .<Void>mapEmpty()
        .otherwiseEmpty()
        .compose(told -> Future.join(open.stream().map(Supplier::get).toList()))
        .<Void>mapEmpty()
        .otherwiseEmpty();
  }

  ServerOptions options() {
    return options;
  }

  ServerTools tools() {
    return tools;
  }

  @Nullable RequestHandler handler(String method) {
    return handlers.get(method);
  }

  @Nullable NotificationHandler notificationHandler(String method) {
    return notifications.get(method);
  }

  void left(ServerSession session) {
    sessions.remove(session);
  }

  JsonObject capabilities() {
    JsonObject all =
        new JsonObject()
            .put("tools", new JsonObject().put("listChanged", true))
            .put("logging", new JsonObject());
    if (handlers.containsKey(Methods.RESOURCES_LIST)
        || handlers.containsKey(Methods.RESOURCES_READ)) {
      all.put(
          "resources",
          new JsonObject()
              .put("listChanged", true)
              .put(
                  "subscribe",
                  handlers.containsKey(Methods.RESOURCES_READ)
                      || handlers.containsKey(Methods.RESOURCES_SUBSCRIBE)));
    }
    if (handlers.containsKey(Methods.PROMPTS_LIST) || handlers.containsKey(Methods.PROMPTS_GET)) {
      all.put("prompts", new JsonObject().put("listChanged", true));
    }
    if (handlers.containsKey(Methods.COMPLETE)) {
      all.put("completions", new JsonObject());
    }
    return all.mergeIn(moreCapabilities);
  }

  /** What both handshakes tell. */
  JsonObject describe() {
    JsonObject all =
        new JsonObject().put("capabilities", capabilities()).put("serverInfo", info.toJson());
    return instructions == null ? all : all.put("instructions", instructions);
  }
}
