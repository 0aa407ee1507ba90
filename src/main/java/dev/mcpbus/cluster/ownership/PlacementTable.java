package dev.mcpbus.cluster.ownership;

import dev.mcpbus.cluster.membership.ClusterNode;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * Which servers are to be placed, and which nodes and claims the reconciler read at its last pass.
 * From these it says which node owns a server, and which node should. It waits for nothing and
 * changes nothing. Each thing that it knows is replaced as a whole; any thread may call.
 */
public final class PlacementTable {

  private final String self;
  private final OwnershipPeers peers;

  /** What each server wants, by its id. */
  private volatile SortedMap<String, PlacementSpec> specs = new TreeMap<>();

  /** By the id of a server: the ids of the nodes that cannot run it. */
  private volatile Map<String, Set<String>> refusals = Map.of();

  private volatile List<ClusterNode> nodes = List.of();
  private volatile List<ClusterNode> opening = List.of();
  private volatile Map<String, OwnershipClaim> claims = Map.of();

  PlacementTable(String self, OwnershipPeers peers) {
    this.self = self;
    this.peers = peers;
  }

  void place(Map<String, PlacementSpec> all) {
    specs = new TreeMap<>(all);
  }

  /** Returns false where nothing has changed. */
  boolean refuse(Map<String, Set<String>> nodesById) {
    Map<String, Set<String>> copy = new HashMap<>();
    nodesById.forEach((id, refusing) -> copy.put(id, Set.copyOf(refusing)));
    boolean changed = !copy.equals(refusals);
    refusals = copy;
    return changed;
  }

  void read(ClaimReader.Reading reading) {
    read(reading.nodes());
    opening = reading.opening();
    claims = reading.claims();
  }

  void read(List<ClusterNode> living) {
    nodes = living;
  }

  /** By the key of a replica. */
  Map<String, OwnershipClaim> claims() {
    return claims;
  }

  /** The keys of all replicas of all servers. */
  Set<String> keys() {
    Set<String> all = new HashSet<>();
    specs.keySet().forEach(id -> all.addAll(keys(id)));
    return all;
  }

  private List<String> keys(String id) {
    return ReplicaAssignment.keys(id, spec(id).replicas());
  }

  private PlacementSpec spec(String id) {
    return specs.getOrDefault(id, PlacementSpec.ANY);
  }

  /** For each server: by the key of each replica the id of the node that should own it, or null. */
  List<Map<String, @Nullable String>> targets() {
    List<ClusterNode> eligible = eligible();
    List<ClusterNode> uncut = eligible.stream().filter(node -> !peers.isCut(node.id())).toList();
    List<ClusterNode> soon = new ArrayList<>(uncut.isEmpty() ? eligible : uncut);
    soon.addAll(opening);
    List<Map<String, @Nullable String>> targets = new ArrayList<>();
    specs.forEach(
        (id, spec) -> {
          // What no node owns waits for a node that is about to open; nothing is handed over to it.
          // It waits for one that is late, and not for one that a cut link may keep from claiming.
          boolean isOwned = keys(id).stream().anyMatch(this::isOwned);
          List<String> best =
              RendezvousHash.best(
                      id, fit(id, isOwned ? eligible : soon), spec.labels(), spec.replicas())
                  .stream()
                  .map(ClusterNode::id)
                  .toList();
          targets.add(ReplicaAssignment.targets(keys(id), best, claims));
        });
    return targets;
  }

  private boolean isOwned(String key) {
    OwnershipClaim claim = claims.get(key);
    return claim != null && nodes.stream().anyMatch(node -> claim.isOf(node.id()));
  }

  private List<ClusterNode> eligible() {
    return nodes.stream().filter(node -> !peers.isLeaving(node.id())).toList();
  }

  private List<ClusterNode> fit(String id, List<ClusterNode> all) {
    Set<String> refusing = refusals.get(id);
    return refusing == null
        ? all
        : all.stream().filter(node -> !refusing.contains(node.id())).toList();
  }

  /** The name of the node that owns {@code id}; null where none is known. */
  public @Nullable String ownerOf(String id) {
    return keys(id).stream()
        .map(claims::get)
        .flatMap(claim -> nodes.stream().filter(node -> claim != null && claim.isOf(node.id())))
        .map(ClusterNode::name)
        .findFirst()
        .orElse(null);
  }

  /** How many connections a node owns, by its id. */
  public long share(String node) {
    return specs.keySet().stream()
        .flatMap(id -> keys(id).stream())
        .map(claims::get)
        .filter(claim -> claim != null && claim.isOf(node))
        .count();
  }

  /**
   * Why a node cannot hand over all that it owns, with the remedy; null if it can.
   *
   * @param node its id
   */
  @Nullable String whyBound(String node) {
    List<ClusterNode> others =
        eligible().stream().filter(other -> !other.id().equals(node)).toList();
    if (others.isEmpty()) {
      return "it is the only node that may own connections; start another one first";
    }
    List<String> bound =
        specs.keySet().stream()
            .filter(id -> keys(id).stream().anyMatch(key -> isOf(key, node)))
            .filter(id -> RendezvousHash.owner(id, fit(id, others), spec(id).labels()).isEmpty())
            .toList();
    return bound.isEmpty()
        ? null
        : "no other node can run "
            + bound
            + ": none has their \"labels\", or each of them refuses the definition; start one that"
            + " can, or change the entries";
  }

  private boolean isOf(String key, String node) {
    OwnershipClaim claim = claims.get(key);
    return claim != null && claim.isOf(node);
  }

  /** Whether a living node has the labels that {@code id} wants, and can run it. */
  public boolean hasPlace(String id) {
    return RendezvousHash.owner(id, fit(id, eligible()), spec(id).labels()).isPresent();
  }

  /**
   * This node if it has all of the labels, else the living node with the highest score among those
   * that have them; empty where none has.
   */
  Optional<String> placeFor(String id, Set<String> labels) {
    List<ClusterNode> living = eligible();
    return living.stream()
        .filter(node -> node.id().equals(self) && node.labels().containsAll(labels))
        .findFirst()
        .or(() -> RendezvousHash.owner(id, living, labels))
        .map(ClusterNode::id);
  }
}
