package dev.mcpbus.cluster;

import dev.mcpbus.bus.ClusterMap;
import dev.mcpbus.bus.ConnectionId;
import dev.mcpbus.bus.Events;
import dev.mcpbus.bus.FailureCode;
import dev.mcpbus.bus.McpFailure;
import dev.mcpbus.bus.RequestSender;
import dev.mcpbus.cluster.definitions.DefinitionKeeper;
import dev.mcpbus.cluster.definitions.DefinitionRegistry;
import dev.mcpbus.cluster.definitions.DefinitionSync;
import dev.mcpbus.cluster.definitions.ProgramServer;
import dev.mcpbus.cluster.engine.HazelcastCluster;
import dev.mcpbus.cluster.engine.ReservedEventLoops;
import dev.mcpbus.cluster.engine.VertxClusterMembers;
import dev.mcpbus.cluster.membership.ClockOffsets;
import dev.mcpbus.cluster.membership.ClusterNode;
import dev.mcpbus.cluster.membership.Electorate;
import dev.mcpbus.cluster.membership.NodeMessage;
import dev.mcpbus.cluster.ownership.ClaimMap;
import dev.mcpbus.cluster.ownership.OwnershipOptions;
import dev.mcpbus.cluster.ownership.OwnershipReconciler;
import dev.mcpbus.cluster.ownership.PlacementSpec;
import dev.mcpbus.cluster.routing.ClusterRequests;
import dev.mcpbus.config.ServerDefinition;
import dev.mcpbus.hosting.ConnectionHost;
import dev.mcpbus.hosting.KeptServers;
import dev.mcpbus.hosting.PrivateConnectionPeers;
import dev.mcpbus.hosting.ServerEntryReader;
import dev.mcpbus.hosting.ServerHosting;
import dev.mcpbus.hosting.ServersVerticle;
import dev.mcpbus.internals.InternalContext;
import dev.mcpbus.internals.RecordCopy;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import io.vertx.core.json.JsonObject;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.UUID;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The servers of a node in a cluster: the definitions are in a map of all nodes, and each node runs
 * the connections that {@link OwnershipReconciler} assigns to it. Composes announcements,
 * definitions and reconciler in {@link #start}. Confined to the context of {@code ServersVerticle};
 * announcements and reconciler have a context of their own, which connections do not delay.
 */
public final class ClusterServerHosting implements ServerHosting {

  private static final Logger LOG = LoggerFactory.getLogger(ClusterServerHosting.class);

  /**
   * How long {@link #add} waits until an owner serves the new server; the server is added in any
   * case.
   */
  private static final Duration MAX_SERVING_WAIT = Duration.ofSeconds(10);

  private final Vertx vertx;
  private final InternalContext context;
  private final InternalContext ownership;
  private final ConnectionHost connections;
  private final RemotePrivateConnections elsewhere;
  private final VertxClusterMembers members;
  private final Duration settle;
  private final VoteFile votes;
  private final @Nullable Electorate electorate;
  private final PeerAnnouncements announcements;
  private final DefinitionSync servers;
  private final DefinitionRegistry definitions;
  private final DefinitionKeeper keeper;
  private final OwnedConnections owned;
  private final OwnershipReconciler reconciler;
  private final ClusterView view;
  private final RemovalConfirmations confirmations;
  private final LossReport losses;

  /** Servers that this program added with a transport of its own: no other node can create them. */
  private final Map<ConnectionId, ServerDefinition> embedded = new LinkedHashMap<>();

  /** The ids of those that are being added. */
  private final Set<ConnectionId> arriving = new HashSet<>();

  private final Map<String, Promise<Void>> awaitingOwner = new HashMap<>();

  public ClusterServerHosting(
      Vertx vertx,
      ConnectionHost connections,
      ServerEntryReader reader,
      KeptServers kept,
      OwnershipOptions options,
      @Nullable Path state) {
    this.vertx = vertx;
    this.context = InternalContext.current(vertx);
    this.ownership = ReservedEventLoops.ownership(vertx);
    this.connections = connections;
    this.settle = options.settle();
    this.members = new VertxClusterMembers(vertx, HazelcastCluster.METADATA);
    this.elsewhere = new RemotePrivateConnections(vertx, members::name);
    this.votes = VoteFile.in(vertx, state);
    this.electorate = options.majorityOf() > 0 ? electorate(options) : null;
    this.announcements =
        new PeerAnnouncements(vertx, members, options.silence(), electorate, this::received);
    this.losses =
        new LossReport(
            vertx,
            () -> announcements.quorum(options.quorum()),
            () -> members.alive().stream().map(members::name).collect(Collectors.toSet()));
    this.servers =
        new DefinitionSync(
            vertx,
            reader,
            members,
            ClusterRequests.of(vertx).messages(),
            settle,
            options.rollout(),
            this::changed,
            this::refused);
    this.definitions = servers.definitions();
    this.keeper = new DefinitionKeeper(definitions, kept);
    this.owned =
        new OwnedConnections(vertx, members.name(), connections, id -> definitions.all().get(id));
    this.reconciler =
        new OwnershipReconciler(
            ownership,
            options,
            members,
            new ClaimMap(() -> ClusterMap.OWNERS.of(vertx)),
            owned,
            announcements,
            () -> System.nanoTime() / 1_000_000);
    this.view =
        new ClusterView(
            members, ClusterRequests.of(vertx).links(), announcements, servers, reconciler);
    this.confirmations = new RemovalConfirmations(vertx, this::gone);
  }

  private Electorate electorate(OwnershipOptions options) {
    return new Electorate(
        members.self(),
        ClockOffsets::clock,
        options.majorityOf(),
        options.silence().toMillis(),
        () -> UUID.randomUUID().toString().substring(24),
        votes::write);
  }

  /** Goes on with the vote that this node had before its restart. */
  private Future<Void> resume() {
    Electorate own = electorate;
    return own == null
        ? votes.remove()
        : votes
            .read()
            .map(
                kept -> {
                  if (kept != null) {
                    own.resume(kept);
                  }
                  return null;
                });
  }

  /**
   * Completes when this node has read that the server is removed, and has ended its connection.
   *
   * @param program whether a server of this program is removed by that, because another node's
   *     caller wants it; else it is one that was added since
   */
  private Future<Void> gone(ConnectionId id, boolean program) {
    if (embedded.containsKey(id)) {
      return !program
          ? Future.succeededFuture()
          : connections.endPrivate(id).transform(ended -> end(id));
    }
    return definitions
        .read(List.of(id))
        .compose(
            read ->
                definitions.all().containsKey(id)
                    ? Future.succeededFuture() // added again
                    : owned.gone(id));
  }

  @Override
  public Future<Void> start() {
    RequestSender.of(vertx).membership().onChange(this::membership);
    ClusterRequests.of(vertx).reasonNotServing(reconciler::reasonNotServing);
    return resume()
        .compose(resumed -> ownership.call(announcements::open))
        .compose(heard -> confirmations.open(members.self()))
        .compose(heard -> servers.open())
        .compose(read -> keeper.removals())
        .compose(read -> ownership.call(this::meet))
        .compose(met -> members.open())
        .onSuccess(
            open -> {
              announcements.greet();
              reconciler.start();
            });
  }

  private Future<Void> meet() {
    return members
        .nodes()
        .compose(
            nodes ->
                announcements.meet(
                    nodes.stream().map(ClusterNode::id).collect(Collectors.toSet())));
  }

  /** Runs on a thread of the cluster's engine. */
  private void membership(String node, boolean joined) {
    servers.membership(node, joined);
    if (joined) {
      reconciler.joined();
      vertx.setTimer(settle.toMillis(), settled -> reconciler.reconcile());
    } else {
      boolean orderly = announcements.isClosing(node);
      announcements.left(node);
      if (orderly) {
        LOG.info("node {} has left; members now: {}", members.name(node), members.alive().size());
      } else {
        losses.lost(members.name(node));
      }
      reconciler.lost(node, orderly);
      context.run(this::forgetLostPrograms);
    }
  }

  /** Removes the servers of programs whose nodes are no members any more; each node tries. */
  private void forgetLostPrograms() {
    Map.copyOf(definitions.programs())
        .forEach(
            (id, program) -> {
              if (isLost(id)) {
                removeProgram(id, program.node());
              }
            });
  }

  /** Removes a server of a program, of which no caller wants that, and says so. */
  private Future<Void> removeProgram(ConnectionId id, String node) {
    return definitions
        .removeProgram(id, node)
        .onSuccess(
            mine -> {
              if (mine) {
                ServersVerticle.publish(vertx, Events.SERVER_REMOVED, id, null);
              }
            })
        .onFailure(
            failure ->
                LOG.warn("server '{}' stays in the cluster's map: {}", id, failure.toString()))
        .<Void>mapEmpty()
        .otherwiseEmpty();
  }

  /** Whether it is a server of a program whose node is no member any more. */
  private boolean isLost(ConnectionId id) {
    ProgramServer program = definitions.programs().get(id);
    return program != null && !members.alive().contains(program.node());
  }

  /** Runs on the context of ownership. */
  private void received(NodeMessage message) {
    if (message instanceof NodeMessage.Announcement
        || message instanceof NodeMessage.Leaving
        || message instanceof NodeMessage.Draining
        || message instanceof NodeMessage.Released) {
      reconciler.reconcile();
    } else {
      context.run(() -> apply(message));
    }
  }

  private void apply(NodeMessage message) {
    if (message instanceof NodeMessage.DefinitionsChanged changed) {
      servers.received(changed);
    } else if (message instanceof NodeMessage.Refusal refusal) {
      servers.received(refusal);
    } else if (message instanceof NodeMessage.Serving serving) {
      Promise<Void> waiting = awaitingOwner.remove(serving.replica().server().value());
      if (waiting != null) {
        waiting.tryComplete();
      }
    }
  }

  // ---- which servers there are

  @Override
  public Map<ConnectionId, ServerDefinition> servers() {
    if (definitions.programs().isEmpty()) {
      return Collections.unmodifiableMap(definitions.all()); // asked for each status of thousands
    }
    Map<ConnectionId, ServerDefinition> all = new LinkedHashMap<>(definitions.all());
    all.keySet().removeIf(this::isLost);
    all.putAll(embedded);
    return all;
  }

  @Override
  public Set<ConnectionId> ids() {
    Set<ConnectionId> all = servers.ids();
    all.removeIf(this::isLost);
    all.addAll(embedded.keySet());
    return all;
  }

  @Override
  public Future<Void> refresh(ConnectionId id) {
    return definitions.read(List.of(id));
  }

  private void refused(Map<String, Set<String>> nodesById) {
    reconciler.refuse(nodesById);
  }

  /** Applies changed definitions: replaces the connections that this node owns, then reconciles. */
  private Future<Void> changed(Set<ConnectionId> ids) {
    List<Future<Void>> steps = new ArrayList<>();
    for (ConnectionId id : ids) {
      ProgramServer program = definitions.programs().get(id);
      String only = program == null ? null : program.node();
      ServerDefinition now = definitions.all().get(id);
      ClusterRequests.of(vertx).define(id, now == null ? null : now.connection());
      ClusterRequests.of(vertx).bind(id, only);
      ServerDefinition mine = embedded.get(id);
      if (mine == null) {
        steps.add(owned.redefined(id));
      } else if (!members.self().equals(only)) {
        claimAgain(mine);
      }
    }
    Map<String, PlacementSpec> specs = new HashMap<>();
    definitions
        .all()
        .forEach(
            (id, one) -> specs.put(id.value(), new PlacementSpec(one.labels(), one.replicas())));
    definitions.programs().keySet().forEach(id -> specs.remove(id.value()));
    steps.add(reconciler.place(specs));
    steps.add(keeper.keep(ids));
    return Future.join(steps).<Void>mapEmpty().otherwiseEmpty();
  }

  @Override
  public Future<Boolean> add(ServerDefinition definition, Addition why) {
    if (definition.origin() == null) {
      return addPrivate(definition);
    }
    Promise<Void> serving = Promise.promise();
    if (why == Addition.CALLER) {
      awaitingOwner.put(definition.id().value(), serving);
    }
    return definitions
        .add(definition, why)
        .compose(
            added -> {
              if (!added || why != Addition.CALLER) {
                awaitingOwner.remove(definition.id().value(), serving);
                return Future.succeededFuture(added);
              }
              long timer =
                  vertx.setTimer(MAX_SERVING_WAIT.toMillis(), late -> serving.tryComplete());
              return serving.future().onComplete(ready -> vertx.cancelTimer(timer)).map(true);
            });
  }

  @Override
  public Future<List<ConnectionId>> begin(List<ServerDefinition> all) {
    List<ServerDefinition> shared = all.stream().filter(one -> one.origin() != null).toList();
    List<Future<Boolean>> own =
        all.stream().filter(one -> one.origin() == null).map(this::addPrivate).toList();
    return Future.join(own).compose(added -> definitions.seed(shared));
  }

  @Override
  public Future<List<ConnectionId>> restore() {
    return keeper.additions();
  }

  private Future<Boolean> addPrivate(ServerDefinition definition) {
    ConnectionId id = definition.id();
    if (embedded.containsKey(id) || !arriving.add(id)) {
      return Future.succeededFuture(false);
    }
    ServerDefinition here =
        RecordCopy.with(
            definition, "source", definition.source() + " on node '" + members.name() + "'");
    return definitions
        .addProgram(here, members.self(), members.alive())
        .compose(
            added -> {
              if (!added) {
                return Future.succeededFuture(false);
              }
              embedded.put(id, here);
              return connections
                  .start(here)
                  .map(true)
                  .recover(failure -> end(id).transform(ended -> Future.failedFuture(failure)));
            })
        .onComplete(over -> arriving.remove(id));
  }

  /** Others took this node for lost, or their map was: the server is here as before. */
  private void claimAgain(ServerDefinition mine) {
    definitions
        .addProgram(mine, members.self(), members.alive())
        .onSuccess(
            added -> {
              if (added) {
                ServersVerticle.publish(vertx, Events.SERVER_ADDED, mine.id(), mine);
              } else if (embedded.remove(mine.id()) != null) {
                LOG.warn(
                    "server '{}' of this program ends: while this node was cut off from the"
                        + " cluster, another one has got that id",
                    mine.id());
                connections.end(mine.id());
              }
            });
  }

  /** Ends a server of this program. */
  private Future<Void> end(ConnectionId id) {
    embedded.remove(id);
    return Future.join(definitions.removeProgram(id, members.self()), connections.end(id))
        .mapEmpty();
  }

  @Override
  public Future<Void> replace(ServerDefinition definition) {
    return definitions.replace(definition);
  }

  @Override
  public Future<List<String>> remove(ConnectionId id, boolean file) {
    if (file) {
      definitions.unseed(id);
    }
    ProgramServer program = definitions.programs().get(id);
    if (program != null && !embedded.containsKey(id)) {
      if (file) {
        return Future.succeededFuture(List.of()); // it was never this file's
      }
      return confirmations
          .end(id, program.node())
          .compose(ended -> definitions.read(List.of(id)))
          .map(List.of());
    }
    return (program == null ? definitions.remove(id, file) : end(id))
        .compose(
            removed ->
                file
                    ? Future.succeededFuture(List.of())
                    : confirmations.await(id, members.self(), members.known()));
  }

  @Override
  public JsonObject describe(ConnectionId id, JsonObject status) {
    return view.describe(id, status);
  }

  @Override
  public Future<@Nullable String> nodeForPrivateConnection(ServerDefinition definition) {
    Set<String> labels = definition.labels();
    ProgramServer program = definitions.programs().get(definition.id());
    if (program != null && !embedded.containsKey(definition.id())) {
      return Future.succeededFuture(program.node());
    }
    boolean anywhere = labels.isEmpty();
    boolean isDrained = announcements.isLeaving(members.self());
    if (embedded.containsKey(definition.id()) || (anywhere && !isDrained)) {
      return Future.succeededFuture();
    }
    return reconciler
        .placeFor(UUID.randomUUID().toString(), labels)
        .map(
            place -> {
              if (anywhere && place.isEmpty()) {
                return null; // all nodes are leaving, and the client has come to this one
              }
              String node = place.orElseThrow(() -> noPlace(definition));
              return node.equals(members.self()) ? null : node;
            });
  }

  private static McpFailure noPlace(ServerDefinition definition) {
    return new McpFailure(
        FailureCode.UNAVAILABLE,
        McpFailure.Sent.NO,
        "server '"
            + definition.id()
            + "' wants a node with the labels "
            + new TreeSet<>(definition.labels())
            + ", and there is none; start one, or change the \"labels\" of the server",
        1_000,
        null);
  }

  @Override
  public PrivateConnectionPeers privateConnectionPeers() {
    return elsewhere;
  }

  @Override
  public String node() {
    return members.self();
  }

  @Override
  public String nodeNamed(String name) {
    return view.nodeNamed(name);
  }

  @Override
  public Future<JsonObject> drain() {
    String self = members.self();
    Future<@Nullable String> bound =
        announcements.isLeaving(self) ? Future.succeededFuture() : reconciler.whyBound();
    return bound.map(
        why -> {
          if (why != null) {
            throw McpFailure.badRequest("node '" + members.name() + "' is not drained: " + why);
          }
          LOG.info("this node is drained: it hands over its connections and takes no new ones");
          announcements.drain();
          reconciler.reconcile();
          return new JsonObject()
              .put("node", members.name())
              .put("leaving", true)
              .put("connections", reconciler.table().share(self));
        });
  }

  @Override
  public List<JsonObject> nodes() {
    return view.nodes();
  }

  @Override
  public int serving() {
    return view.serving();
  }

  @Override
  public List<String> problems() {
    return view.problems();
  }

  @Override
  public List<String> notes() {
    return servers.notes();
  }

  @Override
  public Future<Void> close() {
    confirmations.close();
    servers.close();
    List<ConnectionId> own = List.copyOf(embedded.keySet());
    embedded.clear();
    return Future.join(own.stream().map(id -> removeProgram(id, members.self())).toList())
        .compose(told -> reconciler.close())
        .onComplete(closed -> announcements.close());
  }
}
