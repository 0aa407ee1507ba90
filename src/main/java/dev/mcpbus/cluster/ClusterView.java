package dev.mcpbus.cluster;

import dev.mcpbus.bus.ConnectionId;
import dev.mcpbus.bus.McpFailure;
import dev.mcpbus.cluster.definitions.DefinitionSync;
import dev.mcpbus.cluster.definitions.ProgramServer;
import dev.mcpbus.cluster.engine.VertxClusterMembers;
import dev.mcpbus.cluster.membership.ClusterNode;
import dev.mcpbus.cluster.ownership.OwnershipReconciler;
import dev.mcpbus.cluster.routing.NodeLinks;
import dev.mcpbus.config.ServerDefinition;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import io.vertx.core.net.SocketAddress;
import java.time.Duration;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * What this node says of the cluster: its nodes, the owner of each server, and why the node itself
 * is not ready. Changes nothing and waits for nothing. Confined to the context of {@code
 * ServersVerticle}.
 */
record ClusterView(
    VertxClusterMembers members,
    NodeLinks links,
    PeerAnnouncements announcements,
    DefinitionSync servers,
    OwnershipReconciler reconciler) {

  /** Claims that are older make a node with a cut link unready. */
  private static final Duration MAX_UNREAD = Duration.ofSeconds(4);

  /** Adds to the status of a server its owner, and what is wrong with it. */
  JsonObject describe(ConnectionId id, JsonObject status) {
    String reason = reconciler.reasonNotServing();
    if (reason != null) {
      // Without the owner's name: another part of the cluster may have a newer owner.
      return status.put("problem", reason);
    }
    ProgramServer program = servers.definitions().programs().get(id);
    String owner =
        program == null ? reconciler.table().ownerOf(id.value()) : members.name(program.node());
    if (owner != null && !status.containsKey("node")) {
      status.put("node", owner);
    }
    ServerDefinition definition = servers.definitions().all().get(id);
    String problem =
        owner == null && definition != null && !reconciler.table().hasPlace(id.value())
            ? servers.noPlace(definition)
            : servers.definitions().problem(id);
    return problem == null ? status : status.put("problem", problem);
  }

  /** Every node that this one sees, itself and those that are starting included, by name. */
  List<JsonObject> nodes() {
    return Stream.concat(
            members.known().stream().map(this::describe),
            members.opening().stream().map(node -> describe(node).put("starting", true)))
        .sorted(Comparator.comparing(node -> node.getString("name")))
        .toList();
  }

  /**
   * The id of the node that a name or an id means.
   *
   * @throws McpFailure {@code BAD_REQUEST} where there is none, or several nodes have the name
   */
  String nodeNamed(String name) {
    List<ClusterNode> all = members.known();
    List<String> ids =
        all.stream()
            .filter(node -> node.name().equals(name) || node.id().equals(name))
            .map(ClusterNode::id)
            .toList();
    if (ids.size() == 1) {
      return ids.get(0);
    }
    throw McpFailure.badRequest(
        ids.isEmpty()
            ? "no node '"
                + name
                + "'; there are "
                + all.stream().map(ClusterNode::name).sorted().toList()
            : "several nodes have the name '" + name + "'; give the id of one: " + ids);
  }

  private JsonObject describe(ClusterNode node) {
    SocketAddress bus = members.busAddress(node.id());
    return new JsonObject()
        .put("name", node.name())
        .put("id", node.id())
        .put("host", bus == null ? null : bus.host())
        .put("port", bus == null ? null : bus.port())
        .put("labels", new JsonArray(node.labels().stream().sorted().toList()))
        .put("weight", node.weight())
        .put("self", node.id().equals(members.self()))
        .put("leaving", announcements.isLeaving(node.id()))
        .put("votes", announcements.isVoter(node.id()))
        .put("connections", servesNothing() ? 0 : reconciler.table().share(node.id()));
  }

  /** Without a quorum this node owns nothing, and cannot know what others own. */
  private boolean servesNothing() {
    return reconciler.reasonNotServing() != null;
  }

  /** How many of the nodes serve; 0 without a quorum. */
  int serving() {
    return servesNothing()
        ? 0
        : (int)
            members.known().stream().filter(node -> !announcements.isLeaving(node.id())).count();
  }

  /** Sentences why this node is not ready; empty where it is. */
  List<String> problems() {
    String reason = reconciler.reasonNotServing();
    if (reason == null && announcements.isResuming()) {
      // Whoever restarts one node after the other waits for this one.
      reason =
          "this node has started again, and its vote counts when what it granted before has ended:"
              + " in a few seconds";
    }
    if (reason == null) {
      reason = cutLink();
    }
    return reason == null ? servers.problems() : List.of(reason);
  }

  /**
   * Why clients are better served by another node: a link of this one is cut, so that it cannot
   * read the claims, and other nodes reach both ends. Where no node can read them, none says so: a
   * balancer would have no node left.
   */
  private @Nullable String cutLink() {
    String other = links.cutFrom();
    long unread = reconciler.millisSinceReading();
    return other == null || unread < MAX_UNREAD.toMillis()
        ? null
        : "this node has not been able to read the claims for "
            + unread / 1_000
            + " s: it and node '"
            + members.name(other)
            + "' do not reach each other, and another node reaches both; mend the link between"
            + " them";
  }
}
