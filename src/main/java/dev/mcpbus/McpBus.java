package dev.mcpbus;

import dev.mcpbus.bridge.options.BridgeOptions;
import dev.mcpbus.bus.ClusterSecret;
import dev.mcpbus.bus.ConnectionId;
import dev.mcpbus.bus.FailureCode;
import dev.mcpbus.bus.McpFailure;
import dev.mcpbus.bus.NamePolicy;
import dev.mcpbus.bus.TelemetryOptions;
import dev.mcpbus.client.McpClient;
import dev.mcpbus.client.McpServerClient;
import dev.mcpbus.cluster.ownership.OwnershipOptions;
import dev.mcpbus.config.ClusterOptions;
import dev.mcpbus.config.ConfigDiff;
import dev.mcpbus.config.ConfigProblem;
import dev.mcpbus.config.ServerDefinition;
import dev.mcpbus.connection.options.ConnectionOptions;
import dev.mcpbus.connection.options.PinStore;
import dev.mcpbus.gateway.options.GatewayOptions;
import dev.mcpbus.hosting.ConfigurationState;
import dev.mcpbus.hosting.FilePinStore;
import dev.mcpbus.hosting.ServerEntryReader;
import dev.mcpbus.hosting.ServersVerticle;
import dev.mcpbus.hosting.credentials.OAuthAuthenticators;
import dev.mcpbus.input.InputOptions;
import dev.mcpbus.internals.RecordCopy;
import dev.mcpbus.protocol.PublicApi;
import dev.mcpbus.security.AuthOptions;
import dev.mcpbus.supervisor.SupervisorOptions;
import dev.mcpbus.transport.AuthenticatorFactory;
import dev.mcpbus.transport.Transport;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.VertxOptions;
import io.vertx.core.dns.AddressResolverOptions;
import io.vertx.core.eventbus.EventBus;
import io.vertx.core.json.JsonObject;
import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The running system, one for each Vert.x, because its addresses are fixed: deploys the verticles
 * in order; {@link #close} has the order of the end. Callers use the event bus, the facade {@code
 * McpClient}, or the bridge. Called on the program's threads; each verticle runs on a context of
 * its own.
 *
 * <pre>{@code
 * McpBus.start(vertx, McpBus.Options.of(Path.of("conf/mcpbus.json")))
 *     .compose(bus -> bus.server("git").callTool("status", Map.of("path", ".")));
 * }</pre>
 */
@PublicApi
public final class McpBus {

  /**
   * What to start, immutable. {@link #of(Path)} and {@link #of(JsonObject)} read a configuration,
   * {@link #of()} begins without one; the {@code with} methods change one thing each.
   *
   * @param servers the servers to connect to; more can be added on the bus
   * @param supervisor how connections are started and restarted
   * @param bridge where to serve HTTP, null for no HTTP
   * @param gateway what MCP clients find on that HTTP server
   * @param reader reads the entries of {@code mcp.servers.add}; throws a {@code McpFailure}
   * @param names how the aggregate names the tools and prompts of the servers
   * @param search true where the index of tool search is built at the start
   * @param registry the base of an MCP registry's API, in which a preview looks names up; null for
   *     none
   * @param input how long a question of a server may wait, and how many may
   * @param auth which principals may come in over HTTP, and with which rights
   * @param placement the intervals of ownership, where Vert.x is clustered
   * @param telemetry whether to measure and to trace; nothing by default
   * @param stateDir a folder of this process alone, in which servers that callers add and remove
   *     outlive the process; null: they do not
   * @param problems of the configuration, for example of the servers that are left out
   */
  public record Options(
      List<ServerDefinition> servers,
      SupervisorOptions supervisor,
      @Nullable BridgeOptions bridge,
      GatewayOptions gateway,
      ServerEntryReader reader,
      NamePolicy names,
      boolean search,
      @Nullable URI registry,
      InputOptions input,
      AuthOptions auth,
      OwnershipOptions placement,
      TelemetryOptions telemetry,
      @Nullable Path stateDir,
      List<ConfigProblem> problems) {

    /** Refuses a bridge that would be open by mistake; the message names the remedy. */
    public Options {
      servers = List.copyOf(servers);
      problems = List.copyOf(problems);
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
          null,
          InputOptions.DEFAULT,
          AuthOptions.NONE,
          OwnershipOptions.DEFAULT,
          TelemetryOptions.DEFAULT,
          null,
          List.of());
    }

    /**
     * What a configuration file says: JSON with comments or YAML, also a file of Claude, Cursor or
     * VS Code. Serves HTTP only if the file has a {@code bridge}. A server with a mistake in its
     * entry is left out; the log has each mistake with line and remedy, and so has {@link
     * #problems}. Blocks on files: for a main or worker thread.
     *
     * @throws IllegalArgumentException if the file cannot be used; the message has all its mistakes
     */
    public static Options of(Path file) {
      return OptionsReader.of(file);
    }

    /**
     * The same for a document that the program has at hand, for example {@code {"mcpServers":
     * {"git": {"command": "npx", "args": [...]}}}}. It may be without servers. Relative paths
     * belong to the working directory.
     *
     * @throws IllegalArgumentException if the document cannot be used; the message has all its
     *     mistakes
     */
    public static Options of(JsonObject document) {
      return OptionsReader.of(document);
    }

    /** No servers, no HTTP, defaults. */
    public static Options of() {
      return new Options(List.of(), SupervisorOptions.DEFAULT, null, OptionsReader.entries());
    }

    /**
     * One more server.
     *
     * @param name the key of the entry, as in a file; its id on the bus derives from it
     * @param entry what a file has under that key
     * @throws McpFailure {@code BAD_REQUEST}, whose message names every mistake of the entry
     */
    public Options withServer(String name, JsonObject entry) {
      List<ServerDefinition> more = new ArrayList<>(servers);
      more.add(reader.read(name, entry));
      return RecordCopy.with(this, "servers", more);
    }

    /** HTTP on 127.0.0.1: REST, JSON-RPC, MCP. Needs vertx-web. Port 0 takes a free one. */
    public Options withPort(int port) {
      return withBridge((bridge == null ? BridgeOptions.DEFAULT : bridge).withPort(port));
    }

    public Options withBridge(@Nullable BridgeOptions other) {
      return RecordCopy.with(this, "bridge", other);
    }

    public Options withGateway(GatewayOptions other) {
      return RecordCopy.with(this, "gateway", other);
    }

    /** Set it before a bridge that other machines can reach. */
    public Options withAuth(AuthOptions other) {
      return RecordCopy.with(this, "auth", other);
    }

    public Options withSupervisor(SupervisorOptions other) {
      return RecordCopy.with(this, "supervisor", other);
    }

    public Options withInput(InputOptions other) {
      return RecordCopy.with(this, "input", other);
    }

    public Options withNames(NamePolicy other) {
      return RecordCopy.with(this, "names", other);
    }

    public Options withSearch(boolean atStart) {
      return RecordCopy.with(this, "search", atStart);
    }

    /** A copy with another MCP registry, in which a preview looks names up; null for none. */
    public Options withRegistry(@Nullable URI base) {
      return RecordCopy.with(this, "registry", base);
    }

    public Options withPlacement(OwnershipOptions other) {
      return RecordCopy.with(this, "placement", other);
    }

    /** Metrics need Micrometer on the class path, traces OpenTelemetry. */
    public Options withTelemetry(TelemetryOptions other) {
      return RecordCopy.with(this, "telemetry", other);
    }

    /** A copy with another state directory; null for none. */
    public Options withStateDir(@Nullable Path folder) {
      return RecordCopy.with(this, "stateDir", folder);
    }

    Options withProblems(List<ConfigProblem> found) {
      return RecordCopy.with(this, "problems", found);
    }
  }

  private final Vertx vertx;
  private final VerticleTree tree;

  private final List<ConfigProblem> problems;
  private final McpClient client;

  private McpBus(Vertx vertx, VerticleTree tree, List<ConfigProblem> problems) {
    this.vertx = vertx;
    this.tree = tree;
    this.problems = problems;
    this.client = McpClient.create(vertx);
    tree.closed().onComplete(closed -> client.close());
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
   * Makes a clustered Vert.x of the program's own a node, with any cluster manager; {@code
   * HazelcastCluster} makes one with the settings that mcpbus is tested with. To be called once,
   * before {@link #start}:
   *
   * <pre>{@code
   * ClusterSecret secret = ClusterSecret.of(System.getenv("CLUSTER_SECRET"));
   * Vertx.builder().withClusterManager(new HazelcastClusterManager()).buildClustered()
   *     .compose(vertx -> McpBus.clustered(vertx, secret))
   *     .compose(vertx -> McpBus.start(vertx, McpBus.Options.of()));
   * }</pre>
   *
   * @param secret the same on all nodes
   * @return the same Vert.x. Fails where it is not clustered, where other nodes have another
   *     secret, and where the cluster manager keeps no metadata; the message has the remedy
   */
  public static Future<Vertx> clustered(Vertx vertx, ClusterSecret secret) {
    return clustered(vertx, RecordCopy.with(ClusterOptions.DEFAULT, "secret", secret));
  }

  /**
   * The same with more to say of this node.
   *
   * @param options of which {@code node}, {@code labels}, {@code weight}, {@code wire} and {@code
   *     secret} count; the rest is up to the cluster manager
   */
  public static Future<Vertx> clustered(Vertx vertx, ClusterOptions options) {
    return ClusterParts.join(vertx, options);
  }

  /**
   * Starts everything. Waits for no server: the connections become ready, or fail, on their own.
   *
   * @return fails where this Vert.x has a bus already, where the bridge cannot listen, where a
   *     library is missing that an option needs, and where a clustered Vert.x is no node yet (see
   *     {@link #clustered}); everything that was started is stopped then
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
    return start(
        vertx,
        options,
        authenticators,
        FilePinStore.ofState(vertx, options.stateDir(), System.getenv()));
  }

  /**
   * The same, with the program's own store of pins.
   *
   * @param pins keeps pinned tool definitions beyond the end of the process
   */
  public static Future<McpBus> start(
      Vertx vertx, Options options, AuthenticatorFactory authenticators, PinStore pins) {
    return VerticleTree.start(vertx, options, authenticators, pins)
        .map(tree -> new McpBus(vertx, tree, options.problems()));
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
    return tree.servers().apply(List.of(OptionsReader.embedded(id, transport, options)));
  }

  /** The same with default options. */
  public Future<McpServerClient> add(String id, Transport transport) {
    ConnectionId server = ConnectionId.named(id).orElseGet(() -> new ConnectionId(id));
    return add(server, transport, ConnectionOptions.DEFAULT).map(added -> client.server(server));
  }

  /**
   * Adds a server that an entry of a configuration describes.
   *
   * @param name the key of the entry; the id on the bus derives from it
   * @param entry what a file has under that key
   * @return completes before the server is connected; {@link #awaitReady} waits for that. Fails
   *     with {@code BAD_REQUEST}, whose message names every mistake, also where the name is taken
   */
  public Future<McpServerClient> add(String name, JsonObject entry) {
    return client.addServer(name, entry).map(status -> client.server(status.id()));
  }

  /**
   * Waits until servers are ready, as {@link McpClient#awaitReady}. A server that the configuration
   * leaves out is not ready; the reason is its mistake.
   *
   * @param servers ids of the wanted servers, none for all
   */
  public Future<Void> awaitReady(Duration timeout, String... servers) {
    List<String> reasons = new ArrayList<>();
    List<String> rest = new ArrayList<>(List.of(servers));
    for (ConfigProblem problem : problems) {
      String server = problem.server();
      if (server != null && (servers.length == 0 || List.of(servers).contains(server))) {
        reasons.add(server + ": left out, " + problem.message() + ". " + problem.remedy());
        rest.remove(server);
      }
    }
    Future<Void> others =
        servers.length == 0 || !rest.isEmpty()
            ? client.awaitReady(timeout, rest.toArray(String[]::new))
            : Future.succeededFuture();
    return reasons.isEmpty()
        ? others
        : others.transform(
            waited -> {
              if (waited.failed()) {
                reasons.add(0, String.valueOf(waited.cause().getMessage()));
              }
              return Future.failedFuture(
                  McpFailure.notSent(FailureCode.UNAVAILABLE, String.join("\n  ", reasons)));
            });
  }

  /** The calls: of one server, or of all. It ends with this bus. */
  public McpClient client() {
    return client;
  }

  /** As {@link McpClient#server(String)}. */
  public McpServerClient server(String id) {
    return client.server(id);
  }

  /** Applies a change of the configuration. */
  Future<Void> apply(ConfigDiff diff) {
    return tree.apply(diff);
  }

  /** What the configuration says now; {@code mcp.servers.config} and the doors show it. */
  ConfigurationState configuration() {
    return tree.servers().configuration();
  }

  void configured(ConfigurationState state) {
    tree.servers().configured(state);
  }

  /** The bridge's port, or -1 without a bridge. */
  public int port() {
    return tree.port();
  }

  /**
   * The key that the bridge takes for administrative requests, as {@code Authorization: Bearer
   * <key>}, where {@code auth} has neither keys nor tokens. A secret, different for each {@code
   * McpBus}; null where {@code auth} has keys or tokens.
   */
  public @Nullable String adminToken() {
    return tree.adminToken();
  }

  public EventBus eventBus() {
    return vertx.eventBus();
  }

  /**
   * Says at the doors that {@link #close} follows: {@code /health/ready} answers 503, and responses
   * tell clients to open a new connection for their next request. Everything is served as before. A
   * program that stands behind a balancer calls it, waits until the balancer has noticed, and
   * closes. Idempotent; nothing takes it back.
   */
  public void leave() {
    tree.leave();
  }

  /**
   * Stops everything, in this order. Vert.x itself stays open. Idempotent. The end of Vert.x, or of
   * the verticle that called {@link #start}, closes the bus, too.
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
    return tree.close();
  }
}
