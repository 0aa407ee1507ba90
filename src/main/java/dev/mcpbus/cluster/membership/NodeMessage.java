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
 * What a node tells all nodes, itself included, on {@link dev.mcpbus.bus.Addresses#PLACEMENT}: a
 * JSON object with the members {@code type} and {@code node}, and those of its type. {@link
 * NodeMessages} sends and receives them. Values.
 */
public sealed interface NodeMessage {

  /** The id of the node that tells it. */
  String node();

  /**
   * The node is there; what {@link QuorumLease} tells.
   *
   * @param at the node's own clock, monotonic milliseconds
   * @param heard by id the clock of each other node, as it was heard last
   * @param sees the members of the cluster, as the node sees them
   * @param owes lost nodes that may act by this node's word yet
   * @param rests the node serves nothing and may take nothing
   * @param greets each node that hears it says at once that it is here, too
   */
  record Here(
      String node,
      long at,
      Map<String, Long> heard,
      Set<String> sees,
      Set<String> owes,
      boolean rests,
      boolean greets)
      implements NodeMessage {

    public Here {
      heard = Map.copyOf(heard);
      sees = Set.copyOf(sees);
      owes = Set.copyOf(owes);
    }

    /** The same, and whoever hears it answers. */
    public Here greeting() {
      return new Here(node, at, heard, sees, owes, rests, true);
    }
  }

  /** The node ends, and hands over what it serves. */
  record Leaving(String node) implements NodeMessage {}

  /** The node owns a connection from now on. */
  record Claimed(String node, ReplicaId replica, long epoch) implements NodeMessage {}

  /** The node answers for a connection that it owns. */
  record Serving(String node, ReplicaId replica, long epoch) implements NodeMessage {}

  /** The node has handed a connection over. */
  record Released(String node, ReplicaId replica, long epoch) implements NodeMessage {}

  /**
   * How one of several connections of a server is.
   *
   * @param version of the definition that it is made from
   */
  record ReplicaState(String node, ReplicaId replica, ConnectionState state, String version)
      implements NodeMessage {}

  /**
   * Definitions of servers have changed.
   *
   * @param ids which; empty where the node does not say, so that all have to be read
   * @param count how many such messages the node has sent, this one included; 0 where it does not
   *     say
   */
  record DefinitionsChanged(String node, List<String> ids, long count) implements NodeMessage {

    public DefinitionsChanged {
      ids = List.copyOf(ids);
    }
  }

  /** The node cannot serve a server, or can again. */
  record Refusal(String node, String id, boolean refused) implements NodeMessage {}

  /**
   * Reads what {@link #toJson} writes.
   *
   * @return null for what this version does not know, and for what is not well-formed: any process
   *     of the cluster can publish there
   */
  static @Nullable NodeMessage of(JsonObject json) {
    try {
      String node = json.getString("node", "");
      return switch (json.getString("type", "")) {
        case "here" ->
            new Here(
                node,
                json.getLong("at"),
                clocks(json.getJsonObject("heard")),
                texts(json.getJsonArray("sees")),
                texts(json.getJsonArray("owes")),
                json.getBoolean("rests", false),
                json.getBoolean("greets", false));
        case "leaving" -> new Leaving(node);
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

  /** The form on the bus. */
  default JsonObject toJson() {
    if (this instanceof Here here) {
      return json("here")
          .put("at", here.at)
          .put("heard", new JsonObject(new LinkedHashMap<>(here.heard)))
          .put("sees", new JsonArray(List.copyOf(here.sees)))
          .put("owes", new JsonArray(List.copyOf(here.owes)))
          .put("rests", here.rests)
          .put("greets", here.greets);
    } else if (this instanceof Leaving) {
      return json("leaving");
    } else if (this instanceof Claimed claimed) {
      return json("claimed").put("id", claimed.replica.key()).put("epoch", claimed.epoch);
    } else if (this instanceof Serving serving) {
      return json("serving").put("id", serving.replica.key()).put("epoch", serving.epoch);
    } else if (this instanceof Released released) {
      return json("released").put("id", released.replica.key()).put("epoch", released.epoch);
    } else if (this instanceof ReplicaState told) {
      return json("replica")
          .put("id", told.replica.key())
          .put("state", told.state.name())
          .put("version", told.version);
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
