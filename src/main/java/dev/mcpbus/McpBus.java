package dev.mcpbus;

import dev.mcpbus.ai.FunctionsVerticle;
import dev.mcpbus.bridge.BridgeVerticle;
import dev.mcpbus.bridge.options.BridgeOptions;
import dev.mcpbus.bus.ClusterSecret;
import dev.mcpbus.bus.Codecs;
import dev.mcpbus.bus.ConnectionId;
import dev.mcpbus.bus.InstanceId;
import dev.mcpbus.bus.McpBusVersion;
import dev.mcpbus.bus.NamePolicy;
import dev.mcpbus.bus.Readiness;
import dev.mcpbus.bus.SealedTaskIds;
import dev.mcpbus.cluster.ClusterServerHosting;
import dev.mcpbus.cluster.ownership.OwnershipOptions;
import dev.mcpbus.cluster.shared.ClusterInputs;
import dev.mcpbus.cluster.shared.RateLimitKeepers;
import dev.mcpbus.config.ConfigDiff;
import dev.mcpbus.config.RpcLogMode;
import dev.mcpbus.config.ServerDefinition;
import dev.mcpbus.connection.options.ConnectionOptions;
import dev.mcpbus.connection.options.PinStore;
import dev.mcpbus.demo.DemoServer;
import dev.mcpbus.directory.Directory;
import dev.mcpbus.directory.DirectoryVerticle;
import dev.mcpbus.directory.aggregate.AggregateService;
import dev.mcpbus.gateway.Gateway;
import dev.mcpbus.gateway.options.GatewayOptions;
import dev.mcpbus.hosting.ConnectionFactory;
import dev.mcpbus.hosting.FilePinStore;
import dev.mcpbus.hosting.LocalServerHosting;
import dev.mcpbus.hosting.ServerEntryReader;
import dev.mcpbus.hosting.ServerHosting;
import dev.mcpbus.hosting.ServersVerticle;
import dev.mcpbus.hosting.credentials.OAuthAuthenticators;
import dev.mcpbus.input.InputOptions;
import dev.mcpbus.input.InputVerticle;
import dev.mcpbus.protocol.Implementation;
import dev.mcpbus.protocol.Redactor;
import dev.mcpbus.security.AccessControl;
import dev.mcpbus.security.AuthOptions;
import dev.mcpbus.supervisor.RestartPolicy;
import dev.mcpbus.supervisor.SupervisorOptions;
import dev.mcpbus.supervisor.SupervisorVerticle;
import dev.mcpbus.transport.AuthenticatorFactory;
import dev.mcpbus.transport.BusOptions;
import dev.mcpbus.transport.EmbeddedTransportOptions;
import dev.mcpbus.transport.Transport;
import io.vertx.core.Deployable;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.VertxOptions;
import io.vertx.core.dns.AddressResolverOptions;
import io.vertx.core.eventbus.EventBus;
import io.vertx.core.json.JsonObject;
import java.security.SecureRandom;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * The running system: deploys the verticles in order; {@link #close} has the order of the end.
 * Callers use the event bus, the facade {@code McpClient}, or the bridge. Called on the program's
 * threads; each verticle runs on a context of its own.
 *
 * <pre>{@code
 * McpBus.start(vertx, new McpBus.Options(servers, SupervisorOptions.DEFAULT, null, reader))
 *     .compose(bus -> McpClient.create(vertx).server("git").listTools());
 * }</pre>
 */
public final class McpBus {

  /**
   * What to start.
   *
   * @param servers the servers to connect to; more can be added on the bus
   * @param supervisor how connections are started and restarted
   * @param bridge where to serve HTTP, null for no HTTP
   * @param gateway what MCP clients find on that HTTP server
   * @param reader reads the entries of {@code mcp.servers.add}; throws a {@code McpFailure}
   * @param names how the aggregate names the tools and prompts of the servers
   * @param search true where the index of tool search is built at the start
   * @param input how long a question of a server may wait, and how many may
   * @param auth which principals may come in over HTTP, and with which rights
   * @param placement the intervals of ownership, where Vert.x is clustered
   */
  public record Options(
      List<ServerDefinition> servers,
      SupervisorOptions supervisor,
      @Nullable BridgeOptions bridge,
      GatewayOptions gateway,
      ServerEntryReader reader,
      NamePolicy names,
      boolean search,
      InputOptions input,
      AuthOptions auth,
      OwnershipOptions placement) {

    /** Refuses a bridge that would be open by mistake; the message names the remedy. */
    public Options {
      if (bridge != null) {
        bridge.requireAuth(auth.isRequired());
      }
    }

    /** With defaults for all else: no authentication, no search index. */
    public Options(
        List<ServerDefinition> servers,
        SupervisorOptions supervisor,
        @Nullable BridgeOptions bridge,
        ServerEntryReader reader) {
      this(
          servers,
          supervisor,
          bridge,
          GatewayOptions.DEFAULT,
          reader,
          NamePolicy.DOTTED,
          false,
          InputOptions.DEFAULT,
          AuthOptions.NONE,
          OwnershipOptions.DEFAULT);
    }
  }

  private final Vertx vertx;
  private final Deque<String> foundation = new ArrayDeque<>();
  private final Deque<String> connections = new ArrayDeque<>();
  private final Deque<String> doors = new ArrayDeque<>();
  private final SupervisorVerticle supervisor;
  private final ServersVerticle servers;
  private final @Nullable RateLimitKeepers limits;
  private final AccessControl access;
  private final Directory directory;
  private final @Nullable Gateway gateway;
  private final List<BridgeVerticle> bridges;
  private long auditTimer = -1;

  private McpBus(Vertx vertx, Options options, AuthenticatorFactory authenticators, PinStore pins) {
    this.vertx = vertx;
    this.supervisor = new SupervisorVerticle(options.supervisor());
    Implementation own = new Implementation("mcpbus", McpBusVersion.current());
    Readiness readiness = new Readiness();
    this.servers =
        new ServersVerticle(
            supervisor,
            new ConnectionFactory(vertx, own, authenticators, pins),
            options.reader(),
            hosting(vertx, options),
            readiness);
    this.limits = vertx.isClustered() ? new RateLimitKeepers(vertx, options.auth()) : null;
    this.access =
        new AccessControl(
            options.auth(),
            InstantSource.system(),
            System::nanoTime,
            new SecureRandom(),
            limits == null ? null : limits.limiter());
    this.directory = new Directory(options.gateway().views(), access, SealedTaskIds.of(vertx));
    BridgeOptions http = options.bridge();
    if (http == null) {
      this.gateway = null;
      this.bridges = List.of();
    } else {
      int hosts = Runtime.getRuntime().availableProcessors();
      Gateway newGateway = new Gateway(vertx, options.gateway(), own, hosts, directory);
      this.gateway = newGateway;
      this.bridges =
          BridgeVerticle.several(
              hosts,
              http,
              () -> UUID.randomUUID().toString(),
              newGateway::endpoint,
              access::admissionControl,
              readiness);
    }
  }

  private DirectoryVerticle directory(Options options) {
    return new DirectoryVerticle(
        directory, List.of(new AggregateService(options.names(), options.search())));
  }

  private InputVerticle inputs(InputOptions options) {
    return vertx.isClustered()
        ? new InputVerticle(options, ownInputs -> new ClusterInputs(vertx, ownInputs))
        : new InputVerticle(options);
  }

  private static ServerHosting.HostingFactory hosting(Vertx vertx, Options options) {
    return vertx.isClustered()
        ? (clustered, connections) ->
            new ClusterServerHosting(clustered, connections, options.reader(), options.placement())
        : (alone, connections) -> new LocalServerHosting(connections);
  }

  /** One second, in nanoseconds, the unit of this option of Vert.x. */
  private static final int HOSTS_REFRESH = 1_000_000_000;

  /**
   * The Vert.x options for a service. Vert.x reads a changed hosts file again, so that it finds a
   * server that has moved; by default it reads the file once. It has one event loop for each
   * processor, because all of them are busy at a time: with two for each, the same work wakes more
   * threads.
   */
  public static VertxOptions vertxOptions() {
    return new VertxOptions()
        .setEventLoopPoolSize(Math.max(2, Runtime.getRuntime().availableProcessors()))
        .setAddressResolverOptions(
            new AddressResolverOptions().setHostsRefreshPeriod(HOSTS_REFRESH));
  }

  /**
   * Starts everything. Waits for no server: the connections become ready, or fail, on their own.
   *
   * @return fails where the bridge cannot listen, and where a clustered Vert.x has no {@link
   *     ClusterSecret}; everything that was started is stopped then
   */
  public static Future<McpBus> start(Vertx vertx, Options options) {
    return start(vertx, options, OAuthAuthenticators.ofVariables(vertx, System.getenv()));
  }

  /**
   * The same, with the program's own credentials.
   *
   * @param authenticators makes the credentials for servers over HTTP, for example an {@link
   *     OAuthAuthenticators}
   */
  public static Future<McpBus> start(
      Vertx vertx, Options options, AuthenticatorFactory authenticators) {
    return start(vertx, options, authenticators, FilePinStore.ofVariables(vertx, System.getenv()));
  }

  /**
   * The same, with the program's own store of pins.
   *
   * @param pins keeps pinned tool definitions beyond the end of the process
   */
  public static Future<McpBus> start(
      Vertx vertx, Options options, AuthenticatorFactory authenticators, PinStore pins) {
    if (vertx.isClustered() && ClusterSecret.find(vertx) == null) {
      return Future.failedFuture(ClusterSecret.missing());
    }
    Codecs.register(vertx);
    McpBus bus = new McpBus(vertx, options, authenticators, pins);
    return bus.deploy(options)
        .map(bus)
        .recover(failure -> bus.close().transform(closed -> Future.failedFuture(failure)));
  }

  private Future<Void> deploy(Options options) {
    Future<Void> demo =
        usesDemo(options.servers())
            ? deploy(DemoServer.deployable(DemoServer.ADDRESS), foundation)
            : Future.succeededFuture();
    return demo.compose(next -> InstanceId.open(vertx))
        .compose(next -> deploy(directory(options), foundation))
        .compose(next -> deploy(new FunctionsVerticle(), foundation))
        .compose(next -> deploy(inputs(options.input()), foundation))
        .compose(next -> limits == null ? Future.succeededFuture() : deploy(limits, foundation))
        .compose(next -> deploy(supervisor, connections))
        .compose(next -> deploy(servers, connections))
        .compose(next -> servers.apply(options.servers()))
        .compose(next -> directory.refresh(vertx))
        .compose(next -> gateway == null ? Future.succeededFuture() : deploy(gateway.actors()))
        .compose(next -> deploy(bridges))
        .onSuccess(open -> startAuditing());
  }

  /** Writes the counts of the audit log every second. */
  private void startAuditing() {
    if (access.audit().isOn()) {
      auditTimer = vertx.setPeriodic(1_000, now -> access.audit().flush());
    }
  }

  private static boolean usesDemo(List<ServerDefinition> servers) {
    BusOptions demo = new BusOptions(DemoServer.ADDRESS);
    return servers.stream().anyMatch(server -> server.transport().equals(demo));
  }

  /** Deploys doors, one after the other. */
  private Future<Void> deploy(List<? extends Deployable> verticles) {
    Future<Void> all = Future.succeededFuture();
    for (Deployable verticle : verticles) {
      all = all.compose(next -> deploy(verticle, doors));
    }
    return all;
  }

  private Future<Void> deploy(Deployable verticle, Deque<String> part) {
    return vertx.deployVerticle(verticle).onSuccess(part::push).mapEmpty();
  }

  /**
   * Adds a connection over a transport that the program made itself, for example {@code
   * InMemoryTransport} or {@code SdkClientTransport}. Servers that an entry can describe are added
   * on {@code mcp.servers.add}.
   *
   * @return completes when the addresses are registered, before the server is connected; fails
   *     where the id is taken
   */
  public Future<Void> add(ConnectionId id, Transport transport, ConnectionOptions options) {
    return servers.apply(
        List.of(
            new ServerDefinition(
                id,
                id.value(),
                new EmbeddedTransportOptions(transport),
                options,
                RestartPolicy.DEFAULT,
                RpcLogMode.OFF,
                Duration.ofSeconds(5),
                "the embedding program",
                new JsonObject().put("type", transport.type()),
                Redactor.NONE)));
  }

  /** Applies a change of the configuration. */
  public Future<Void> apply(ConfigDiff diff) {
    AuthOptions auth = diff.auth();
    if (auth != null) {
      access.reload(auth);
    }
    return servers.apply(diff);
  }

  /** The bridge's port, or -1 without a bridge. */
  public int port() {
    return bridges.isEmpty() ? -1 : bridges.get(0).port();
  }

  /**
   * The key that the bridge takes for administrative requests, as {@code Authorization: Bearer
   * <key>}, where {@code auth} has neither keys nor tokens. A secret, different for each {@code
   * McpBus}; null where {@code auth} has keys or tokens.
   */
  public @Nullable String adminToken() {
    return access.adminToken();
  }

  public EventBus eventBus() {
    return vertx.eventBus();
  }

  /**
   * Stops everything, in this order. Vert.x itself stays open.
   *
   * <ol>
   *   <li>At the same time:
   *       <ul>
   *         <li>The doors: HTTP servers and session hosts take nothing new and wait up to 7 s for
   *             the calls in flight; the answers of a session leave by the HTTP servers.
   *         <li>The connections: {@link ServersVerticle}, which hands them over to other nodes,
   *             then the supervisor, which drains the others (5 s by default).
   *       </ul>
   *   <li>What calls and connections use, one after the other: rate limits, questions, functions,
   *       the directory, the demo server.
   * </ol>
   *
   * <p>The connections do not wait for the doors: other nodes take over at once, a caller receives
   * the failure of its call before its door closes, and with default options all of it fits into
   * the 10 s after which the service ends in any case.
   */
  public Future<Void> close() {
    vertx.cancelTimer(auditTimer);
    access.audit().flush();
    return Future.join(closeTogether(doors), closeInReverse(connections))
        .transform(ended -> closeInReverse(foundation));
  }

  private Future<?> closeTogether(Deque<String> part) {
    List<Future<Void>> ending = part.stream().map(vertx::undeploy).toList();
    part.clear();
    return Future.join(ending);
  }

  private Future<Void> closeInReverse(Deque<String> part) {
    String last = part.poll();
    return last == null
        ? Future.succeededFuture()
        : vertx.undeploy(last).transform(undeployed -> closeInReverse(part));
  }
}
