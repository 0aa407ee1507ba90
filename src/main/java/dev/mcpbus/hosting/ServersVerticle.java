package dev.mcpbus.hosting;

import dev.mcpbus.bus.Addresses;
import dev.mcpbus.bus.CallerFacts;
import dev.mcpbus.bus.ConnectionId;
import dev.mcpbus.bus.Events;
import dev.mcpbus.bus.FailureCode;
import dev.mcpbus.bus.FairLimits;
import dev.mcpbus.bus.InvalidServers;
import dev.mcpbus.bus.JsonReplies;
import dev.mcpbus.bus.McpFailure;
import dev.mcpbus.bus.Readiness;
import dev.mcpbus.bus.Requester;
import dev.mcpbus.config.ConfigDiff;
import dev.mcpbus.config.MessageTexts;
import dev.mcpbus.config.ServerDefinition;
import dev.mcpbus.config.ServerOrigin;
import dev.mcpbus.config.read.ConfigReader;
import dev.mcpbus.connection.options.ConnectionOptions.Credential;
import dev.mcpbus.hosting.ServerHosting.Addition;
import dev.mcpbus.hosting.credentials.CallerCredentials;
import dev.mcpbus.internals.InternalContext;
import dev.mcpbus.supervisor.SupervisorVerticle;
import dev.mcpbus.transport.HttpOptions;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.VerticleBase;
import io.vertx.core.Vertx;
import io.vertx.core.eventbus.Message;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.net.URI;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.BiFunction;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Holds the list of servers and serves {@code mcp.servers.add}, {@code .preview}, {@code .examine},
 * {@code .remove}, {@code .list}, {@code .get}, {@code .config}, {@code .calls}, {@code .activity},
 * {@code .rpclog}, {@code .nodes}, {@code .nodes.drain}, {@code .lease}, {@code .leases} and {@code
 * .release}, and {@code mcp.credentials.*}. It starts and ends connections through the supervisor;
 * calls go to the connections themselves. Owner of the hosting and of the private connections, on
 * its context.
 *
 * <p>{@code .nodes} replies {@code {nodes: [{name, labels, weight, self, leaving, connections}],
 * problems?, notes?}}; {@code connections} is the number that the node owned at most 2 s ago. In a
 * cluster each node also has {@code id}, and {@code host} and {@code port} of its event bus; {@code
 * starting} is true for one whose doors are not open yet.
 */
public final class ServersVerticle extends VerticleBase {

  /** So many events are published at once. */
  private static final int PART = 50;

  /** So many names of existing servers stand in a message. */
  private static final int MOST_NAMES = 20;

  /** With these a principal has tokens at a server. */
  private static final Set<Credential> TOKENS = Set.of(Credential.LOGIN, Credential.TOKEN_EXCHANGE);

  private final SupervisorVerticle supervisor;
  private final ConnectionFactory factory;
  private final ServerEntryReader reader;
  private final ServerHosting.HostingFactory hostingFactory;
  private final KeptServers kept;
  private final @Nullable URI registry;
  private final Readiness readiness;
  private long refresh = -1;
  private volatile ConfigurationState configuration =
      ConfigurationState.loaded(null, Instant.now(), List.of());

  // Set once in start().
  @SuppressWarnings("NullAway.Init")
  private PrivateConnectionRegistry privateConnections;

  @SuppressWarnings("NullAway.Init")
  private ServerHosting hosting;

  @SuppressWarnings("NullAway.Init")
  private ServerStatuses statuses;

  @SuppressWarnings("NullAway.Init")
  private LeaseOperations leases;

  @SuppressWarnings("NullAway.Init")
  private DiagnosticRequests diagnostics;

  @SuppressWarnings("NullAway.Init")
  private LoginRequests logins;

  @SuppressWarnings("NullAway.Init")
  private NodeDrain drains;

  @SuppressWarnings("NullAway.Init")
  private ServerExaminations examinations;

  @SuppressWarnings("NullAway.Init")
  private ExaminationRequests examinationRequests;

  @SuppressWarnings("NullAway.Init")
  private PreviewRequests previews;

  /**
   * @param hostingFactory makes the hosting: this node's own, or a cluster's
   * @param kept what outlives the process; this verticle opens and closes it
   * @param registry the MCP registry in which a preview looks names up; null for none
   * @param readiness receives every second the reasons why this node is not ready
   */
  public ServersVerticle(
      SupervisorVerticle supervisor,
      ConnectionFactory factory,
      ServerEntryReader reader,
      ServerHosting.HostingFactory hostingFactory,
      KeptServers kept,
      @Nullable URI registry,
      Readiness readiness) {
    this.supervisor = supervisor;
    this.factory = factory;
    this.reader = reader;
    this.hostingFactory = hostingFactory;
    this.kept = kept;
    this.registry = registry;
    this.readiness = readiness;
  }

  @Override
  public Future<?> start() {
    CallerCredentials stored = CallerCredentials.of(vertx, System.getenv());
    CallerDefinitions callers = new CallerDefinitions(vertx, reader, stored::secret);
    privateConnections =
        new PrivateConnectionRegistry(
            vertx, supervisor, factory, id -> hosting.servers().get(id), callers);
    hosting =
        hostingFactory.create(
            vertx, new ConnectionHost(supervisor, factory, privateConnections::endAll));
    statuses = new ServerStatuses(vertx, hosting);
    previews = new PreviewRequests(vertx, reader, new RegistryLookup(vertx, registry));
    logins = new LoginRequests(vertx, hosting);
    drains = new NodeDrain(vertx, hosting, readiness);
    examinations =
        new ServerExaminations(
            vertx,
            System.getenv(),
            Path.of(System.getProperty("user.home", ".")),
            ServerExaminations.MOST);
    examinationRequests = new ExaminationRequests(vertx, hosting, statuses, examinations);
    CredentialRequests credentials =
        new CredentialRequests(
            stored,
            id -> hosting.ids().contains(id),
            (principal, id) -> storedTokens(callers, principal, hosting.servers().get(id)));
    leases = new LeaseOperations(hosting, privateConnections, this::known);
    diagnostics =
        new DiagnosticRequests(vertx, hosting, this::known, privateConnections.diagnostics());
    return kept.open()
        .compose(opened -> hosting.start())
        .compose(
            started ->
                Future.join(
                    List.of(
                        serve(
                            Addresses.SERVERS_ADD,
                            message ->
                                add(
                                    body(message.body()),
                                    Requester.of(message.headers()) == null
                                        ? Addresses.SERVERS_ADD
                                        : ConfigReader.CALLER)),
                        consume(Addresses.SERVERS_PREVIEW, previews::preview),
                        consume(
                            Addresses.SERVERS_EXAMINE,
                            body -> known(body).compose(examinationRequests::examine)),
                        consume(Addresses.SERVERS_REMOVE, this::remove),
                        consume(Addresses.SERVERS_LIST, body -> list()),
                        consume(Addresses.SERVERS_GET, body -> known(body).compose(this::get)),
                        vertx
                            .eventBus()
                            .<JsonObject>consumer(
                                Addresses.CREDENTIALS_CHANGED,
                                change ->
                                    factory
                                        .authenticators()
                                        .changed(
                                            change.body().getString("principal", ""),
                                            change.body().getString("server")))
                            .completion(),
                        serve(
                            Addresses.SERVERS_LOGINS,
                            message -> logins.list(Requester.of(message.headers()))),
                        reply(Addresses.SERVERS_CONFIG, () -> configuration.toJson(hosting.ids())),
                        credentials(Addresses.CREDENTIALS_LIST, credentials::list),
                        credentials(Addresses.CREDENTIALS_SET, credentials::set),
                        credentials(Addresses.CREDENTIALS_REMOVE, credentials::remove),
                        consume(Addresses.SERVERS_CALLS, diagnostics::calls),
                        consume(Addresses.SERVERS_ACTIVITY, diagnostics::activity),
                        consume(Addresses.SERVERS_RPCLOG, diagnostics::rpcLog),
                        reply(Addresses.SERVERS_NODES, this::nodes),
                        consume(Addresses.SERVERS_NODES_DRAIN, drains::drain),
                        consume(Addresses.SERVERS_LEASE, leases::lease),
                        reply(Addresses.SERVERS_LEASES, privateConnections::toJson),
                        consume(Addresses.SERVERS_RELEASE, leases::release))))
        .compose(open -> openToNodes())
        .onSuccess(
            open -> {
              assess();
              refresh = vertx.setPeriodic(Readiness.REFRESH_MILLIS, now -> assess());
            })
        .onFailure(failed -> kept.close());
  }

  private Future<Runnable> storedTokens(
      CallerDefinitions callers, String principal, @Nullable ServerDefinition server) {
    return server == null || !TOKENS.contains(server.connection().credential())
        ? Future.succeededFuture(() -> {})
        : callers
            .of(server, new CallerFacts(principal, new TreeMap<>()))
            .compose(
                own ->
                    own.transport() instanceof HttpOptions http
                        ? factory.authenticators().stored(server.id().value(), principal, http)
                        : Future.succeededFuture(() -> {}));
  }

  private void assess() {
    List<String> notes = new ArrayList<>(configuration.notes(hosting.ids()));
    notes.addAll(notes());
    readiness.tell(hosting.problems(), notes, hosting.serving());
  }

  private List<String> notes() {
    List<String> all = new ArrayList<>(hosting.notes());
    String lost = kept.problem();
    if (lost != null) {
      all.add(lost);
    }
    return all;
  }

  /**
   * In a cluster, drains this node where another one is asked for it, serves private connections
   * for clients of other nodes, where only this node can run them, and tells other nodes about
   * those that it has.
   */
  private Future<?> openToNodes() {
    String node = hosting.node();
    return node == null
        ? Future.succeededFuture()
        : Future.join(
            List.of(
                consume(Addresses.at(Addresses.SERVERS_NODES_DRAIN, node), body -> drains.here()),
                consume(Addresses.at(Addresses.SERVERS_LEASE, node), leases::leaseHere),
                consume(Addresses.at(Addresses.SERVERS_CALLS, node), diagnostics::callsHere),
                consume(Addresses.at(Addresses.SERVERS_LOGINS, node), logins::listHere),
                consume(Addresses.at(Addresses.SERVERS_ACTIVITY, node), diagnostics::activityHere),
                consume(Addresses.at(Addresses.SERVERS_RPCLOG, node), diagnostics::rpcLogHere),
                consume(
                    Addresses.at(Addresses.SERVERS_EXAMINE, node),
                    body -> known(body).compose(examinationRequests::examineHere)),
                consume(
                    Addresses.at(Addresses.SERVERS_RELEASE, node),
                    body -> privateConnections.release(body))));
  }

  /** Hands over the connections of this node. */
  @Override
  public Future<?> stop() {
    vertx.cancelTimer(refresh);
    readiness.withdraw();
    InvalidServers.of(vertx).put(Map.of());
    privateConnections.close();
    examinations.close();
    return hosting.close().eventually(kept::close);
  }

  private Future<Void> consume(String address, Function<JsonObject, Future<JsonObject>> operation) {
    return serve(address, message -> operation.apply(body(message.body())));
  }

  private Future<Void> serve(
      String address, Function<Message<Object>, Future<JsonObject>> operation) {
    return vertx
        .eventBus()
        .<Object>consumer(
            address, message -> JsonReplies.serve(message, () -> operation.apply(message)))
        .completion();
  }

  private Future<Void> credentials(
      String address, BiFunction<@Nullable Requester, JsonObject, Future<JsonObject>> operation) {
    return serve(
        address, message -> operation.apply(Requester.of(message.headers()), body(message.body())));
  }

  private Future<Void> reply(String address, Supplier<JsonObject> state) {
    return consume(address, body -> Future.succeededFuture(state.get()));
  }

  private static JsonObject body(Object body) {
    if (body == null) {
      return new JsonObject();
    }
    if (body instanceof JsonObject json) {
      return json;
    }
    throw McpFailure.badRequest(
        "the body must be a JsonObject, not " + body.getClass().getSimpleName());
  }

  /** Adds a server; completes when its addresses are registered, before it is connected. */
  private Future<Void> add(ServerDefinition definition, Addition why) {
    return hosting
        .add(definition, why)
        .compose(
            added -> {
              if (added) {
                publish(Events.SERVER_ADDED, definition.id());
              }
              // In a cluster another node may have read the same file before.
              boolean stays =
                  (vertx.isClustered() && definition.origin() != null)
                      || !hosting.ids().contains(definition.id());
              return added || (why != Addition.CALLER && stays)
                  ? Future.succeededFuture()
                  : Future.failedFuture(taken(definition));
            });
  }

  /** A program may see which servers there are; a caller of a door may not. */
  private McpFailure taken(ServerDefinition asked) {
    ServerDefinition present = hosting.servers().get(asked.id());
    String names =
        asked.source().equals(ConfigReader.CALLER)
            ? ""
            : ". Existing servers: " + hosting.ids().stream().limit(MOST_NAMES).toList();
    return McpFailure.badRequest(
        "a server '"
            + asked.id()
            + "' exists already ("
            + (present == null ? "elsewhere" : place(present))
            + "); remove it first or choose another name"
            + names);
  }

  private static String place(ServerDefinition present) {
    boolean named = present.name().equals(present.id().value());
    return (named ? "" : MessageTexts.quote(present.name()) + ", ") + present.source();
  }

  /** What the configuration of this node says now. Any thread may call. */
  public void configured(ConfigurationState state) {
    configuration = state;
    InvalidServers.of(vertx).put(state.reasons());
  }

  /** Any thread may call. */
  public ConfigurationState configuration() {
    return configuration;
  }

  /** Adds servers; fails where one of them cannot be added, after all others were started. */
  public Future<Void> apply(List<ServerDefinition> definitions) {
    return onContext(
        () ->
            Future.join(definitions.stream().map(one -> add(one, Addition.FILE)).toList())
                .mapEmpty());
  }

  /**
   * Adds the servers of the file at the start, and then those that callers added before the last
   * end. Any thread may call.
   */
  public Future<Void> begin(List<ServerDefinition> definitions) {
    return onContext(
        () -> {
          McpFailure conflict = conflict(definitions);
          if (conflict != null) {
            return Future.failedFuture(conflict);
          }
          List<String> planned =
              definitions.stream()
                  .filter(one -> !one.connection().lazy())
                  .map(one -> one.id().value())
                  .toList();
          PoolStart start = PoolStart.watch(vertx, planned);
          return hosting
              .begin(definitions)
              .onSuccess(this::added)
              .compose(begun -> hosting.restore())
              .onSuccess(this::added)
              .onSuccess(begun -> start.begun(statuses::all))
              .onFailure(failed -> start.stop())
              .mapEmpty();
        });
  }

  /** Two servers of one id, as a program can give them; in a file each name stands once. */
  private static @Nullable McpFailure conflict(List<ServerDefinition> definitions) {
    Map<ConnectionId, ServerDefinition> names = new LinkedHashMap<>();
    for (ServerDefinition one : definitions) {
      ServerDefinition other = names.putIfAbsent(one.id(), one);
      if (other != null) {
        return McpFailure.badRequest(
            "the servers '"
                + other.name()
                + "' and '"
                + one.name()
                + "' have the same id '"
                + one.id()
                + "'; rename one of them, or leave it out. Servers before it: "
                + names.keySet().stream().limit(MOST_NAMES).toList());
      }
    }
    return null;
  }

  /**
   * Applies the difference between two configurations; unchanged servers are not touched. Any
   * thread may call.
   */
  public Future<Void> apply(ConfigDiff diff) {
    return onContext(
        () -> {
          List<Future<Void>> steps = new ArrayList<>();
          diff.removed().forEach(definition -> steps.add(remove(definition.id(), true).mapEmpty()));
          diff.added().forEach(definition -> steps.add(add(definition, Addition.FILE)));
          diff.changed().forEach(definition -> steps.add(replace(definition)));
          return Future.join(steps).mapEmpty();
        });
  }

  /**
   * Runs a step on this verticle's context, the only writer of the servers. Refreshes the readiness
   * before the caller gets the result, because an applied file may differ from another node's.
   */
  private Future<Void> onContext(Supplier<Future<Void>> step) {
    Promise<Void> done = Promise.promise();
    context.runOnContext(now -> step.get().onComplete(applied -> assess()).onComplete(done));
    return done.future();
  }

  private Future<Void> replace(ServerDefinition definition) {
    return privateConnections
        .endAll(definition.id())
        .compose(ended -> hosting.replace(definition))
        .compose(
            replaced ->
                privateConnections.endAll(definition.id())) // those that were started meanwhile
        .onSuccess(replaced -> publish(Events.SERVER_CHANGED, definition.id()));
  }

  private Future<List<String>> remove(ConnectionId id, boolean file) {
    return privateConnections
        .endAll(id)
        .compose(ended -> hosting.remove(id, file))
        .compose(
            late -> privateConnections.endAll(id).map(late)) // those that were started meanwhile
        .onSuccess(
            late -> {
              if (!hosting.ids().contains(id)) { // else it was another node's
                publish(Events.SERVER_REMOVED, id);
              }
            });
  }

  /**
   * @param source {@link ConfigReader#CALLER} where a door asks for its caller, who may not use
   *     what a file may
   */
  private Future<JsonObject> add(JsonObject body, String source) {
    if (!(body.getValue("name") instanceof String name)
        || !(body.getValue("config") instanceof JsonObject entry)) {
      throw McpFailure.badRequest("the body must be {\"name\": string, \"config\": {...}}");
    }
    return vertx
        .executeBlocking(() -> reader.read(new ServerOrigin(name, entry, null, false), source))
        .compose(
            definition ->
                add(definition, Addition.CALLER)
                    .compose(added -> get(definition.id()))
                    .map(
                        status ->
                            lasting(
                                status,
                                "the server is gone",
                                kept.whyNotLasting(definition.id(), definition))));
  }

  /** Adds to a reply whether the change outlives the process, and why not. */
  private static JsonObject lasting(JsonObject reply, String otherwise, @Nullable String whyNot) {
    return whyNot == null
        ? reply.put("lasting", true)
        : reply
            .put("lasting", false)
            .put("note", otherwise + " after a restart of mcpbus: " + whyNot);
  }

  private Future<JsonObject> remove(JsonObject body) {
    return known(body)
        .compose(
            id ->
                remove(id, false)
                    .map(
                        late -> {
                          JsonObject reply = new JsonObject().put("removed", id.value());
                          put(reply, "unconfirmed", late);
                          return lasting(
                              reply,
                              "a file that names the server brings it back",
                              kept.whyNotLasting(id, null));
                        }));
  }

  private Future<ConnectionId> known(JsonObject body) {
    if (!(body.getValue("id") instanceof String text)) {
      throw McpFailure.badRequest("the body must be {\"id\": string}");
    }
    ConnectionId id = ConnectionId.parse(text).orElse(null);
    if (id != null && hosting.ids().contains(id)) {
      return Future.succeededFuture(id);
    }
    Future<Void> fresh = id == null ? Future.succeededFuture() : hosting.refresh(id);
    return fresh.map(
        read -> {
          if (id == null || !hosting.ids().contains(id)) {
            McpFailure leftOut = InvalidServers.of(vertx).failure(text);
            throw leftOut != null
                ? leftOut
                : McpFailure.notSent(
                    FailureCode.UNKNOWN_CONNECTION,
                    "there is no server '" + text + "'; mcp.servers.list has those that are there");
          }
          return id;
        });
  }

  private Future<JsonObject> list() {
    return statuses
        .all()
        .map(
            all -> {
              JsonArray left = configuration.leftOutJson(hosting.ids());
              JsonObject reply = new JsonObject().put("servers", all);
              return problems(left.isEmpty() ? reply : reply.put("leftOut", left));
            });
  }

  private JsonObject nodes() {
    return problems(
        new JsonObject()
            .put("nodes", new JsonArray(hosting.nodes()))
            .put("limits", FairLimits.of(vertx).toJson()));
  }

  private JsonObject problems(JsonObject reply) {
    put(reply, "problems", hosting.problems());
    return put(reply, "notes", notes());
  }

  private static JsonObject put(JsonObject reply, String name, List<String> sentences) {
    return sentences.isEmpty() ? reply : reply.put(name, new JsonArray(sentences));
  }

  private Future<JsonObject> get(ConnectionId id) {
    ServerDefinition definition = hosting.servers().get(id);
    return statuses
        .of(id)
        .map(
            status ->
                definition == null
                    ? status
                    : status.put("config", definition.view()).put("source", definition.source()));
  }

  /**
   * In parts, because thousands of events at once would keep the event loop for seconds. What was
   * removed between two parts is not told any more.
   */
  private void added(List<ConnectionId> ids) {
    List<ConnectionId> part = ids.subList(0, Math.min(PART, ids.size()));
    part.stream().filter(hosting.ids()::contains).forEach(id -> publish(Events.SERVER_ADDED, id));
    if (part.size() < ids.size()) {
      InternalContext.of(context).runAfterSockets(() -> added(ids.subList(PART, ids.size())));
    }
  }

  private void publish(String type, ConnectionId id) {
    ServerDefinition known = hosting.servers().get(id);
    publish(vertx, type, id, known);
  }

  /**
   * Publishes that a server was added, changed or removed. Any thread may call.
   *
   * @param type of {@link Events}
   * @param definition of the server; null where it is gone
   */
  public static void publish(
      Vertx vertx, String type, ConnectionId id, @Nullable ServerDefinition definition) {
    JsonObject event =
        new JsonObject()
            .put("type", type)
            .put("id", id.value())
            .put("time", Instant.now().toString());
    if (definition != null && definition.connection().isOfCallers()) {
      event.put(
          "callerHeaders", new JsonArray(List.copyOf(definition.connection().callerHeaders())));
    }
    vertx.eventBus().publish(Addresses.of(id, Addresses.EVENTS), event);
    vertx.eventBus().publish(Addresses.ALL_EVENTS, event);
  }
}
