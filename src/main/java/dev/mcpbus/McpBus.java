package dev.mcpbus;

import dev.mcpbus.bus.ClusterSecret;
import dev.mcpbus.bus.FailureCode;
import dev.mcpbus.bus.McpFailure;
import dev.mcpbus.bus.MetricsPage;
import dev.mcpbus.bus.NamePolicy;
import dev.mcpbus.bus.OwnTelemetry;
import dev.mcpbus.bus.TelemetrySource;
import dev.mcpbus.client.McpClient;
import dev.mcpbus.client.McpServerClient;
import dev.mcpbus.config.ClusterOptions;
import dev.mcpbus.config.ConfigDiff;
import dev.mcpbus.config.ConfigEnvironment;
import dev.mcpbus.config.ConfigProblem;
import dev.mcpbus.config.RpcLogMode;
import dev.mcpbus.config.ServerDefinition;
import dev.mcpbus.config.read.ConfigDocument;
import dev.mcpbus.connection.options.PinStore;
import dev.mcpbus.hosting.ConfigurationState;
import dev.mcpbus.hosting.ServersVerticle;
import dev.mcpbus.input.InputOptions;
import dev.mcpbus.internals.RecordCopy;
import dev.mcpbus.protocol.PublicApi;
import dev.mcpbus.protocol.ServerId;
import dev.mcpbus.transport.AuthenticatorFactory;
import dev.mcpbus.transport.EmbeddedTransportOptions;
import dev.mcpbus.transport.OwnCredentials;
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
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.function.Supplier;
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
   * What to start: the document that a configuration file has, and objects for what JSON cannot
   * say. Immutable. Each method that changes the document checks it as a file is checked, with the
   * same words, and may block on files that the document names: for a main or worker thread.
   */
  public static final class Options {

    private final ConfigDocument document;
    private final Map<String, Object> objects;
    private final BusSettings settings;

    private Options(ConfigDocument document, Map<String, Object> objects) {
      this.document = document;
      this.objects = Map.copyOf(objects);
      this.settings = RecordCopy.with(BusSettings.of(document), objects);
    }

    /**
     * What a configuration file says: JSON with comments or YAML, also a file of Claude, Cursor or
     * VS Code. Serves HTTP only if the file has a {@code bridge}. A server with a mistake in its
     * entry is left out; the log has each mistake with line and remedy, and so has {@link
     * #problems}.
     *
     * @throws IllegalArgumentException if the file cannot be used; the message has all its mistakes
     */
    public static Options of(Path file) {
      return first(ConfigDocument.of(file, ConfigEnvironment.system()));
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
      return first(ConfigDocument.of(document, Path.of("."), ConfigEnvironment.system()));
    }

    /** As {@link #of(JsonObject)}; what {@link #toJson} gives, for example. */
    public static Options fromJson(JsonObject document) {
      return of(document);
    }

    /** No servers, no HTTP, defaults. */
    public static Options of() {
      return of(new JsonObject());
    }

    private static Options first(ConfigDocument document) {
      return new Options(BusSettings.told(document), Map.of());
    }

    /**
     * The document, with variables and secrets as they were written. A server over a transport of
     * the program is not in it, and none of the program's other objects.
     */
    public JsonObject toJson() {
      return document.toJson();
    }

    /**
     * One more server.
     *
     * @param name the key of the entry, as in a file; its id on the bus derives from it
     * @param entry what a file has under that key
     * @throws McpFailure {@code BAD_REQUEST}, whose message names every mistake of the entry, or
     *     the names that mean the same server
     */
    public Options withServer(String name, JsonObject entry) {
      return withServer(name, Servers.fromJson(entry));
    }

    /** The same for an entry that was built. */
    public Options withServer(String name, Servers entry) {
      return new Options(document.withServer(name, entry.toJson(), entry.transport()), objects);
    }

    /**
     * With another section of the document, such as {@code bridge}, {@code gateway}, {@code auth},
     * {@code supervisor}, {@code catalog}, {@code cluster}, {@code tracing} or {@code defaults}.
     *
     * @param value in place of the present section; null takes it away
     * @throws IllegalArgumentException if the document cannot be used then; the message has all its
     *     mistakes
     */
    public Options with(String section, @Nullable JsonObject value) {
      return change(section, value);
    }

    private Options change(String key, @Nullable Object value) {
      ConfigDocument changed = document.with(key, value);
      boolean tells = !changed.result().problems().equals(document.result().problems());
      return new Options(tells ? BusSettings.told(changed) : changed, objects);
    }

    private Options member(String section, String key, Object value) {
      JsonObject present = toJson().getJsonObject(section, new JsonObject());
      return change(section, present.put(key, value));
    }

    /** HTTP on 127.0.0.1: REST, JSON-RPC, MCP. Needs vertx-web. Port 0 takes a free one. */
    public Options withPort(int port) {
      return member("bridge", "port", port);
    }

    /** Where the messages of servers are logged whose entries do not say it; default off. */
    public Options withRpcLog(RpcLogMode mode) {
      return change("rpcLog", mode.word());
    }

    /** Whether the index of tool search is built at the start; default: at the first search. */
    public Options withSearch(boolean atStart) {
      return member("catalog", "search", atStart);
    }

    /** With an MCP registry, in which a preview looks names up. */
    public Options withRegistry(URI base) {
      return member("catalog", "registry", base.toString());
    }

    /** With a folder of this process alone, in which servers outlive it that callers add. */
    public Options withStateDir(Path folder) {
      return member("state", "dir", folder.toString());
    }

    /** Whether there are metrics, which need Micrometer's registry for Prometheus. */
    public Options withMetrics(boolean on) {
      return member("metrics", "enabled", on);
    }

    /** Whether spans are sent, as {@code tracing} says, which needs the SDK of OpenTelemetry. */
    public Options withTracing(boolean on) {
      return member("tracing", "enabled", on);
    }

    /** How the aggregate names tools and prompts, in place of what {@code catalog} says. */
    public Options withNames(NamePolicy names) {
      return object("names", names);
    }

    /** How long questions of servers may wait, and how many may. */
    public Options withInput(InputOptions input) {
      return object("input", input);
    }

    /** The program's own credentials for servers over HTTP, before what their entries say. */
    public Options withCredentials(OwnCredentials own) {
      Function<Vertx, AuthenticatorFactory> first =
          vertx -> BusSettings.credentials(vertx).after(own);
      return object("authenticators", first);
    }

    /** What keeps the definitions of pinned tools beyond the end of the process. */
    public Options withPins(PinStore pins) {
      return object("pins", pins);
    }

    /**
     * The program's own registry of meters ({@code ProgramMeters.of(registry)}) or OpenTelemetry
     * ({@code ProgramTraces.of(openTelemetry)}), in place of one that mcpbus makes; whatever {@code
     * metrics} and {@code tracing} say.
     */
    public Options withTelemetry(OwnTelemetry own) {
      if (!(own instanceof TelemetrySource source)) {
        throw new IllegalArgumentException("ProgramMeters or ProgramTraces makes a telemetry");
      }
      return object(source.measures() ? "meters" : "tracer", source);
    }

    private Options object(String component, Object value) {
      Map<String, Object> more = new HashMap<>(objects);
      more.put(component, value);
      return new Options(document, more);
    }

    /** The names of the servers that will be started. */
    public List<String> servers() {
      return settings.servers().stream().map(ServerDefinition::name).toList();
    }

    /** Mistakes of the document; their servers are left out. */
    public List<ConfigProblem> problems() {
      return settings.problems();
    }

    BusSettings settings() {
      return settings;
    }

    ClusterOptions cluster() {
      return document.result().usable().orElseThrow().cluster();
    }

    /** The names alone: a document may hold secrets. */
    @Override
    public String toString() {
      return "options with the servers " + servers();
    }
  }

  private final Vertx vertx;
  private final VerticleTree tree;

  private final BusSettings settings;
  private final McpClient client;

  private McpBus(Vertx vertx, VerticleTree tree, BusSettings settings) {
    this.vertx = vertx;
    this.tree = tree;
    this.settings = settings;
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
   * A Vert.x of a cluster over Hazelcast, for {@link #start}: joins the cluster that {@code
   * cluster} of the document describes, or founds it. Needs vertx-hazelcast.
   *
   * @param vertx such as {@link #vertxOptions}; its event-bus options are replaced
   * @return fails where a port is taken, other users or machines could join without a secret, the
   *     other nodes refuse this one, or Hazelcast is not on the class path; the failure names the
   *     remedy
   */
  public static Future<Vertx> clusteredVertx(VertxOptions vertx, Options options) {
    return ClusterParts.hazelcast(vertx, options.cluster());
  }

  /**
   * Makes a clustered Vert.x of the program's own a node, with any cluster manager; {@link
   * #clusteredVertx} makes one with the settings that mcpbus is tested with. To be called once,
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
    return ClusterParts.join(vertx, RecordCopy.with(ClusterOptions.DEFAULT, "secret", secret));
  }

  /**
   * The same with more to say of this node.
   *
   * @param options of whose section {@code cluster} the keys {@code node}, {@code labels}, {@code
   *     weight}, {@code wire} and {@code secret} count; the rest is up to the cluster manager
   */
  public static Future<Vertx> clustered(Vertx vertx, Options options) {
    return ClusterParts.join(vertx, options.cluster());
  }

  /**
   * Starts everything. Waits for no server: the connections become ready, or fail, on their own.
   *
   * @return fails where this Vert.x has a bus already, where the bridge cannot listen, where a
   *     library is missing that an option needs, and where a clustered Vert.x is no node yet (see
   *     {@link #clustered}); everything that was started is stopped then
   */
  public static Future<McpBus> start(Vertx vertx, Options options) {
    return start(vertx, options.settings());
  }

  static Future<McpBus> start(Vertx vertx, BusSettings settings) {
    return VerticleTree.start(vertx, settings).map(tree -> new McpBus(vertx, tree, settings));
  }

  /**
   * Adds a server over a transport that the program made itself, for example {@code
   * InMemoryTransport} or {@code SdkClientTransport}, with the settings that {@code defaults} of
   * the document have.
   *
   * @return as {@link #add(String, JsonObject)}
   */
  public Future<McpServerClient> add(String name, Transport transport) {
    return add(name, Servers.transport(transport));
  }

  /** As {@link #add(String, JsonObject)}, for an entry that was built. */
  public Future<McpServerClient> add(String name, Servers entry) {
    EmbeddedTransportOptions transport = entry.transport();
    return transport == null
        ? add(name, entry.toJson())
        : open(
            () ->
                vertx
                    .executeBlocking(() -> settings.reader().read(name, entry.toJson(), transport))
                    .compose(server -> apply(List.of(server)).map(client.server(server.id()))));
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
    return open(() -> client.addServer(name, entry).map(status -> client.server(status.id())));
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
    for (ConfigProblem problem : settings.problems()) {
      String server = problem.server();
      if (server != null && (servers.length == 0 || isIn(List.of(servers), server))) {
        reasons.add(server + ": left out, " + problem.message() + ". " + problem.remedy());
        rest.removeIf(wanted -> isIn(List.of(wanted), server));
      }
    }
    Future<Void> others =
        servers.length == 0 || !rest.isEmpty()
            ? open(() -> client.awaitReady(timeout, rest.toArray(String[]::new)))
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

  private static boolean isIn(List<String> wanted, String server) {
    return wanted.stream().anyMatch(one -> ServerId.of(one).equals(ServerId.of(server)));
  }

  /** The calls: of one server, or of all. It ends with this bus. */
  public McpClient client() {
    return client;
  }

  /** As {@link McpClient#server(String)}. */
  public McpServerClient server(String id) {
    return client.server(id);
  }

  /**
   * The metrics of this moment, as {@code GET /metrics} has them in the format of Prometheus.
   *
   * @return completes on the context of the caller; fails where there are no metrics
   */
  public Future<String> metrics() {
    return open(() -> MetricsPage.of(vertx).write(null, true).map(page -> page.text().toString()));
  }

  private <T> Future<T> open(Supplier<Future<T>> use) {
    return tree.isClosing()
        ? Future.failedFuture(
            McpFailure.notSent(
                FailureCode.CANCELLED, "this McpBus is closed; McpBus.start starts another"))
        : use.get();
  }

  /** Applies a change of the configuration. */
  Future<Void> apply(ConfigDiff diff) {
    return tree.apply(diff);
  }

  /** Adds servers that are read. */
  Future<Void> apply(List<ServerDefinition> servers) {
    return tree.servers().apply(servers);
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
