package dev.mcpbus.server;

import dev.mcpbus.protocol.Era;
import dev.mcpbus.protocol.Implementation;
import dev.mcpbus.protocol.Methods;
import dev.mcpbus.protocol.ProtocolVersion;
import dev.mcpbus.protocol.PublicApi;
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
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.NavigableSet;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * An MCP server made of handlers by method. It serves many clients of both eras at once: those that
 * send {@code initialize} in any version, and those of the {@code discover} era whose requests
 * carry their version in {@code _meta}.
 *
 * <pre>{@code
 * RawServer server = RawServer.of("greeter", "1.0")
 *     .tool("greet", "Greets a person.", schema,
 *         (request, arguments) -> Future.succeededFuture(
 *             ToolResult.text("Hello " + arguments.getString("name"))));
 * vertx.deployVerticle(server.deployable("my.greeter"));     // on the bus
 * bus.add("greeter", server.inMemory(context));              // in memory
 * }</pre>
 *
 * <p>Register handlers before the first client connects. Tools can be added and removed at any
 * time; the server notifies its clients. Any thread may call every method; a handler runs on the
 * event loop that owns its client's channel.
 */
@PublicApi
public final class RawServer implements Acceptor {

  /** Those that follow from handlers. */
  private static final List<String> CAPABILITIES =
      List.of("tools", "resources", "prompts", "completions", "logging");

  /**
   * The server answers these methods by itself; a handler of a program would break the protocol.
   */
  private static final Set<String> RESERVED =
      Set.of(
          Methods.INITIALIZE,
          Methods.DISCOVER,
          Methods.LISTEN,
          Methods.PING,
          Methods.SET_LEVEL,
          Methods.TOOLS_LIST,
          Methods.TOOLS_CALL);

  /** Those that need the server's own state, of which {@link #otherwise} knows nothing. */
  private static final Set<String> BUILT_IN =
      Set.of(
          Methods.DISCOVER,
          Methods.LISTEN,
          Methods.SET_LEVEL,
          Methods.RESOURCES_SUBSCRIBE,
          Methods.RESOURCES_UNSUBSCRIBE);

  private final Implementation info;
  private final Map<String, RequestHandler> handlers = new ConcurrentHashMap<>();
  private final Map<String, NotificationHandler> notifications = new ConcurrentHashMap<>();
  private final JsonObject moreCapabilities = new JsonObject();
  private final Set<ServerSession> sessions = ConcurrentHashMap.newKeySet();
  private final List<Supplier<Future<Void>>> listeners = new ArrayList<>();
  private final Set<String> missing = ConcurrentHashMap.newKeySet();
  private volatile NavigableSet<ProtocolVersion> versions =
      Collections.unmodifiableNavigableSet(new TreeSet<>(List.of(ProtocolVersion.values())));
  private volatile ServerTools tools = ServerTools.NONE;
  private volatile ServerOptions options = ServerOptions.DEFAULT;
  private volatile FailureListener failures = (client, subject, failure) -> {};
  private volatile boolean reachable;
  private volatile boolean closed;
  private volatile @Nullable RequestHandler otherwise;
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
   * Replaces the default bounds.
   *
   * @throws IllegalStateException once a client can reach the server; the same holds for every
   *     other method that sets up the server
   */
  public synchronized RawServer options(ServerOptions other) {
    requireConstructing();
    options = other;
    return this;
  }

  /** Sets the text that describes this server as a whole to a model. */
  public synchronized RawServer instructions(String text) {
    requireConstructing();
    instructions = text;
    return this;
  }

  /** Announces a capability beyond those that follow from the handlers, such as an extension. */
  public synchronized RawServer capability(String name, JsonObject value) {
    requireConstructing();
    moreCapabilities.put(name, value.copy());
    return this;
  }

  /**
   * Announces a capability no more, and refuses its methods as unknown: {@code tools}, {@code
   * resources}, {@code prompts}, {@code completions}, {@code logging}.
   *
   * @throws IllegalArgumentException for any other, which a server has only if it says so
   */
  public synchronized RawServer withoutCapability(String name) {
    requireConstructing();
    if (!CAPABILITIES.contains(name)) {
      throw new IllegalArgumentException(
          "\""
              + name
              + "\" is no capability that a server can be without; there are "
              + CAPABILITIES);
    }
    missing.add(name);
    return this;
  }

  /**
   * Serves these versions alone, such as one of the {@code initialize} era; all by default.
   *
   * @throws IllegalArgumentException if there are none
   */
  public synchronized RawServer versions(ProtocolVersion... only) {
    requireConstructing();
    if (only.length == 0) {
      throw new IllegalArgumentException("a server speaks one version at least");
    }
    versions = Collections.unmodifiableNavigableSet(new TreeSet<>(List.of(only)));
    return this;
  }

  /**
   * Puts {@code other} around every handler registered after this call, inside earlier wrappers.
   */
  public synchronized RawServer wrap(HandlerWrapper other) {
    requireConstructing();
    wrapper = wrapper.around(other);
    return this;
  }

  /**
   * Registers the handler of {@code method}, a method of MCP or one of your own: {@code
   * resources/list}, {@code prompts/get}, {@code acme/reindex}. The server derives its capabilities
   * from the registered methods.
   *
   * @throws IllegalArgumentException if the server answers this method by itself, or the method has
   *     a handler already
   */
  public synchronized RawServer handle(String method, RequestHandler handler) {
    requireConstructing();
    Objects.requireNonNull(handler, "the handler of a method");
    if (RESERVED.contains(method)) {
      throw new IllegalArgumentException(
          "\"" + method + "\" is answered by the server itself; add tools with tool()");
    }
    if (handlers.putIfAbsent(method, wrapped(handler)) != null) {
      throw new IllegalArgumentException("\"" + method + "\" has a handler already");
    }
    return this;
  }

  /**
   * Registers the handler of all requests that have no handler of their own, for a server that
   * passes requests on: also of {@code tools/list} and {@code tools/call} while the server has no
   * tools. Such a server states its capabilities itself.
   */
  public synchronized RawServer otherwise(RequestHandler handler) {
    requireConstructing();
    otherwise = wrapped(handler);
    return this;
  }

  /** Registers the handler of a notification, except those of the handshake and of cancellation. */
  public synchronized RawServer onNotification(String method, NotificationHandler handler) {
    requireConstructing();
    if (notifications.putIfAbsent(method, handler) != null) {
      throw new IllegalArgumentException("\"" + method + "\" has a handler already");
    }
    return this;
  }

  /**
   * Adds a tool; allowed until the server is closed.
   *
   * @param name 1 to 128 letters, digits and {@code _ . / -}
   * @param inputSchema JSON schema of the arguments, of type object; the server checks them before
   *     it calls the handler
   * @throws IllegalArgumentException if the name is taken, or name or schema are not valid
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
   * Adds a tool with its whole definition as {@code tools/list} shows it: title, annotations,
   * {@code outputSchema}, {@code _meta}.
   */
  public RawServer tool(JsonObject definition, RequestHandler handler) {
    Objects.requireNonNull(handler, "the handler of a tool");
    synchronized (this) {
      if (closed) {
        throw new IllegalStateException("the server is closed");
      }
      tools = tools.with(definition, wrapped(handler));
    }
    notifyClients(Methods.TOOLS_CHANGED, new JsonObject());
    return this;
  }

  /** Removes a tool; calls in flight go on. Returns false if there is no such tool. */
  public boolean removeTool(String name) {
    synchronized (this) {
      ServerTools.RegisteredTool tool = tools.find(name);
      if (tool == null) {
        return false;
      }
      tools = tools.without(tool);
    }
    notifyClients(Methods.TOOLS_CHANGED, new JsonObject());
    return true;
  }

  /**
   * Registers who hears what goes wrong beside the log: messages that break the protocol, and what
   * handlers throw. A {@link RequestException} of a handler is an answer, and no failure.
   */
  public synchronized RawServer onError(FailureListener listener) {
    requireConstructing();
    failures = listener;
    return this;
  }

  private void requireConstructing() {
    if (reachable || closed) {
      throw new IllegalStateException(
          "clients can reach this server already; set it up first (only tools come and go later)");
    }
  }

  private RequestHandler wrapped(RequestHandler handler) {
    return safe(wrapper.wrap(safe(handler)));
  }

  /**
   * Puts whatever the handler throws into its future, the one place for failures: errors, too, such
   * as that of a recursion without an end, because a client waits for the answer.
   */
  private static RequestHandler safe(RequestHandler handler) {
    return (request, input) -> {
      try {
        return Objects.requireNonNull(handler.handle(request, input), "the handler returned null");
      } catch (Throwable e) {
        return Future.failedFuture(e);
      }
    };
  }

  /**
   * Sends a notification to all clients: to those of the {@code initialize} era that are RUNNING,
   * and to those of the {@code discover} era with a stream for it. An update of a resource reaches
   * only the clients that subscribed to it. While one that a list or a resource has changed waits
   * for a slow client, another one of the same is the same.
   *
   * @return completes when the channels of all these clients have taken it; fails if it is lost for
   *     one that does not read
   */
  public Future<Void> notifyClients(String method, JsonObject params) {
    return Future.join(
            sessions.stream().map(session -> session.notifySubscribed(method, params)).toList())
        .mapEmpty();
  }

  /** Accepts a connection of any transport's server side, without a principal. */
  @Override
  public Channel.Receiver accept(Channel channel) {
    return accept(channel, null);
  }

  /**
   * An acceptor for clients that this program vouches for: their requests carry {@code principal}.
   *
   * @param principal verified by the program, for example by a bus address of its own
   */
  public Acceptor acceptor(String principal) {
    return channel -> accept(channel, principal);
  }

  private Channel.Receiver accept(Channel channel, @Nullable String principal) {
    Context owner = Vertx.currentContext();
    if (closed || owner == null) {
      throw new IllegalStateException(
          closed ? "the server is closed" : "connections can be accepted on a Vert.x context only");
    }
    reachable = true;
    ServerSession session = new ServerSession(this, owner, channel, principal);
    sessions.add(session);
    if (closed) {
      session.close(); // the connection came while close() closed the others
    }
    return session;
  }

  /**
   * Serves at a bus address, on the current context or a new one.
   *
   * @return completes when the address is registered on all nodes
   */
  public Future<RawServer> listen(Vertx vertx, String address) {
    return listen(vertx, address, this);
  }

  /** Serves at a bus address through another acceptor, see {@link #acceptor(String)}. */
  public Future<RawServer> listen(Vertx vertx, String address, Acceptor acceptor) {
    if (closed) {
      return Future.failedFuture(new IllegalStateException("the server is closed"));
    }
    reachable = true;
    Context owner = vertx.getOrCreateContext();
    Promise<BusServer> listening = Promise.promise();
    owner.runOnContext(now -> BusServer.listen(vertx, address, acceptor).onComplete(listening));
    return listening
        .future()
        .map(
            bound -> {
              synchronized (this) {
                listeners.add(() -> stopListening(owner, bound));
              }
              if (closed) {
                close();
              }
              return this;
            });
  }

  private static Future<Void> stopListening(Context owner, BusServer server) {
    Promise<Void> stopped = Promise.promise();
    owner.runOnContext(now -> server.close().onComplete(stopped));
    return stopped.future();
  }

  /** Returns a verticle that serves at {@code address}; undeploying it closes the server. */
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

  /** Returns a transport to this server in memory; each opened channel is a client of its own. */
  public Transport inMemory(Context owner) {
    return new InMemoryTransport(info.name(), owner, this);
  }

  /** The state of the server as a whole. */
  public ServerState state() {
    if (closed) {
      return ServerState.CLOSED;
    }
    boolean running = sessions.stream().anyMatch(one -> one.state() == ServerState.RUNNING);
    return running
        ? ServerState.RUNNING
        : reachable ? ServerState.CONNECTED : ServerState.CONSTRUCTED;
  }

  /** The clients that are connected now. */
  public List<ConnectedClient> sessions() {
    return List.copyOf(sessions);
  }

  /**
   * Accepts no more clients, answers the requests in flight with an error and closes every
   * connection.
   *
   * @return completes when all channels and listeners are closed; the same for every call
   */
  public Future<Void> close() {
    closed = true;
    List<Future<Void>> closing = new ArrayList<>();
    sessions.forEach(session -> closing.add(session.close()));
    List<Supplier<Future<Void>>> open;
    synchronized (this) {
      open = List.copyOf(listeners);
      listeners.clear();
    }
    return Future.join(closing)
        .<Void>mapEmpty()
        .otherwiseEmpty()
        .compose(ended -> Future.join(open.stream().map(Supplier::get).toList()))
        .<Void>mapEmpty()
        .otherwiseEmpty();
  }

  ServerOptions options() {
    return options;
  }

  /** The versions that this server speaks, oldest first. */
  NavigableSet<ProtocolVersion> versions() {
    return versions;
  }

  boolean speaks(Era era) {
    return versions.stream().anyMatch(version -> version.era() == era);
  }

  /** Whether the method belongs to an era or a capability that this server is without. */
  boolean lacks(String method) {
    return (method.equals(Methods.INITIALIZE) && !speaks(Era.INITIALIZE))
        || (method.equals(Methods.DISCOVER) && !speaks(Era.DISCOVER))
        || missing.stream()
            .anyMatch(
                name -> method.startsWith(name.equals("completions") ? "completion/" : name + "/"));
  }

  ServerTools tools() {
    return tools;
  }

  @Nullable RequestHandler handler(String method) {
    RequestHandler own = handlers.get(method);
    boolean mine =
        BUILT_IN.contains(method)
            || ((method.equals(Methods.TOOLS_LIST) || method.equals(Methods.TOOLS_CALL))
                && tools != ServerTools.NONE);
    return own == null && !mine ? otherwise : own;
  }

  @Nullable NotificationHandler notificationHandler(String method) {
    return notifications.get(method);
  }

  FailureListener failures() {
    return failures;
  }

  void removeSession(ServerSession session) {
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
    missing.forEach(all::remove);
    return all.mergeIn(moreCapabilities);
  }

  /** The members that both handshakes send. */
  JsonObject describe() {
    JsonObject all =
        new JsonObject().put("capabilities", capabilities()).put("serverInfo", info.toJson());
    return instructions == null ? all : all.put("instructions", instructions);
  }
}
