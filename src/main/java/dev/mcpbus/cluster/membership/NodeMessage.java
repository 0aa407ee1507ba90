package dev.mcpbus.cluster.membership;

import dev.mcpbus.bus.ConnectionState;
import dev.mcpbus.bus.ReplicaId;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * A message of one node to all nodes, itself included, on {@link
 * dev.mcpbus.bus.Addresses#PLACEMENT}: a JSON object with the members {@code type} and {@code
 * node}, and those of its type. {@link NodeMessages} sends and receives them. Immutable values; any
 * thread.
 */
public sealed interface NodeMessage {

  /** The id of the sending node. */
  String node();

  /**
   * The announcement that each node repeats every 500 ms; {@link QuorumLease} makes and reads it.
   *
   * @param at the sender's own clock, monotonic milliseconds
   * @param heard by node id the last clock value that the sender received from each other node
   * @param nodes the nodes of the cluster, as the sender sees them
   * @param stillGranted lost nodes to which a grant of the sender has not ended yet
   * @param resting the sender owns no connection and must not claim one
   * @param wantsReply each receiver replies with its own announcement
   * @param ballot of a node whose quorum follows the cluster; null where it is a fixed number
   */
  record Announcement(
      String node,
      long at,
      Map<String, Long> heard,
      Set<String> nodes,
      Set<String> stillGranted,
      boolean resting,
      boolean wantsReply,
      @Nullable Ballot ballot)
      implements NodeMessage {

    public Announcement {
      heard = Map.copyOf(heard);
      nodes = Set.copyOf(nodes);
      stillGranted = Set.copyOf(stillGranted);
    }

    /** The same announcement with {@code wantsReply}. */
    public Announcement wantingReply() {
      return new Announcement(node, at, heard, nodes, stillGranted, resting, true, ballot);
    }

    /** The same announcement with a ballot. */
    public Announcement with(@Nullable Ballot own) {
      return new Announcement(node, at, heard, nodes, stillGranted, resting, wantsReply, own);
    }
  }

  /** The node shuts down and hands over the connections that it owns. */
  record Leaving(String node) implements NodeMessage {}

  /**
   * The node hands over the connections that it owns, takes no new ones, and goes on running. It
   * repeats this with each announcement, for nodes that join later.
   */
  record Draining(String node) implements NodeMessage {}

  /** The node has claimed a connection with this epoch. */
  record Claimed(String node, ReplicaId replica, long epoch) implements NodeMessage {}

  /** The node owns the connection, and its addresses are registered. */
  record Serving(String node, ReplicaId replica, long epoch) implements NodeMessage {}

  /** The node has released its claim of a connection. */
  record Released(String node, ReplicaId replica, long epoch) implements NodeMessage {}

  /**
   * The state of one of several connections of a server.
   *
   * @param version of the definition from which the replica was made
   */
  record ReplicaState(String node, ReplicaId replica, ConnectionState state, String version)
      implements NodeMessage {}

  /**
   * Definitions of servers have changed in the map of the cluster.
   *
   * @param ids the changed servers; empty where the sender does not say, so that a receiver reads
   *     all
   * @param count how many such messages the sender has sent, this one included; 0 where it does not
   *     say
   */
  record DefinitionsChanged(String node, List<String> ids, long count) implements NodeMessage {

    public DefinitionsChanged {
      ids = List.copyOf(ids);
    }
  }

  /** The node cannot run a server ({@code refused}), or can again. */
  record Refusal(String node, String id, boolean refused) implements NodeMessage {}

  /**
   * Reads what {@link #toJson} writes.
   *
   * @return null for a type that this version does not have, and for a malformed message: any
   *     process of the cluster can publish at this address
   */
  static @Nullable NodeMessage of(JsonObject json) {
    try {
      String node = json.getString("node", "");
      return switch (json.getString("type", "")) {
        case "here" ->
            new Announcement(
                node,
                json.getLong("at"),
                clocks(json.getJsonObject("heard")),
                texts(json.getJsonArray("sees")),
                texts(json.getJsonArray("owes")),
                json.getBoolean("rests", false),
                json.getBoolean("greets", false),
                json.getValue("ballot") instanceof JsonObject ballot ? Ballot.of(ballot) : null);
        case "leaving" -> new Leaving(node);
        case "draining" -> new Draining(node);
        case "claimed" -> new Claimed(node, replica(json), json.getLong("epoch", 0L));
        case "serving" -> new Serving(node, replica(json), json.getLong("epoch", 0L));
        case "released" -> new Released(node, replica(json), json.getLong("epoch", 0L));
        case "replica" ->
            new ReplicaState(
                node,
                replica(json),
                ConnectionState.valueOf(json.getString("state")),
                json.getString("version", ""));
        case "definitions" ->
            new DefinitionsChanged(
                node,
                List.copyOf(texts(json.getJsonArray("ids", new JsonArray()))),
                json.getLong("count", 0L));
        case "refusal" ->
            new Refusal(node, json.getString("id", ""), json.getBoolean("refused", false));
        default -> null;
      };
    } catch (ClassCastException | NullPointerException | IllegalArgumentException malformed) {
      return null;
    }
  }

  /** The JSON object on the bus. */
  default JsonObject toJson() {
    if (this instanceof Announcement announcement) {
      JsonObject here = json("here");
      if (announcement.ballot != null) {
        here.put("ballot", announcement.ballot.toJson());
      }
      return here.put("at", announcement.at)
          .put("heard", new JsonObject(new LinkedHashMap<>(announcement.heard)))
          .put("sees", new JsonArray(List.copyOf(announcement.nodes)))
          .put("owes", new JsonArray(List.copyOf(announcement.stillGranted)))
          .put("rests", announcement.resting)
          .put("greets", announcement.wantsReply);
    } else if (this instanceof Leaving) {
      return json("leaving");
    } else if (this instanceof Draining) {
      return json("draining");
    } else if (this instanceof Claimed claimed) {
      return json("claimed").put("id", claimed.replica.key()).put("epoch", claimed.epoch);
    } else if (this instanceof Serving serving) {
      return json("serving").put("id", serving.replica.key()).put("epoch", serving.epoch);
    } else if (this instanceof Released released) {
      return json("released").put("id", released.replica.key()).put("epoch", released.epoch);
    } else if (this instanceof ReplicaState state) {
      return json("replica")
          .put("id", state.replica.key())
          .put("state", state.state.name())
          .put("version", state.version);
    } else if (this instanceof DefinitionsChanged changed) {
      return json("definitions").put("ids", new JsonArray(changed.ids)).put("count", changed.count);
    } else if (this instanceof Refusal refusal) {
      return json("refusal").put("id", refusal.id).put("refused", refusal.refused);
    }
    throw new AssertionError(this);
  }

  private JsonObject json(String type) {
    return new JsonObject().put("type", type).put("node", node());
  }

  private static ReplicaId replica(JsonObject json) {
    return ReplicaId.parse(json.getString("id"))
        .orElseThrow(() -> new IllegalArgumentException("no id of a connection"));
  }

  private static Map<String, Long> clocks(JsonObject heard) {
    Map<String, Long> clocks = new LinkedHashMap<>();
    heard.forEach(entry -> clocks.put(entry.getKey(), ((Number) entry.getValue()).longValue()));
    return clocks;
  }

  private static Set<String> texts(JsonArray array) {
    return array.stream().map(String::valueOf).collect(Collectors.toUnmodifiableSet());
  }
}
