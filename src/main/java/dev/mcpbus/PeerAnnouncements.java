package dev.mcpbus;

import dev.mcpbus.bus.Addresses;
import dev.mcpbus.bus.ReplicaId;
import dev.mcpbus.cluster.engine.LiveNodeSelector;
import dev.mcpbus.cluster.membership.ClockOffsets;
import dev.mcpbus.cluster.membership.ClusterMembers;
import dev.mcpbus.cluster.membership.QuorumLease;
import dev.mcpbus.cluster.ownership.OwnershipClaim;
import dev.mcpbus.cluster.ownership.OwnershipPeers;
import dev.mcpbus.cluster.routing.ClusterRequests;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import io.vertx.core.eventbus.MessageConsumer;
import io.vertx.core.json.JsonObject;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

/** What nodes tell each other, on {@link Addresses#PLACEMENT}. */
final class PeerAnnouncements implements OwnershipPeers {

  static final String HERE = "here";
  static final String LEAVING = "leaving";
  static final String SERVING = "serving";
  static final String DEFINITIONS = "definitions";

  /** Members {@code id} and {@code refused}: whether the node can not serve it, or can again. */
  static final String REFUSAL = "refusal";

  /** Member of {@link #HERE}: whoever hears it says at once that it is here, too. */
  private static final String GREETS = "greets";

  private static final int GREETINGS = 3;
  private static final long GREETING_MILLIS = 50;

  /** One of those who should answer may be lost. */
  private static final long MEETING_MILLIS = 1_000;

  private final Vertx vertx;
  private final ClusterMembers members;
  private final QuorumLease quorum;
  private final Consumer<JsonObject> listener;

  /** Whether this node serves nothing and may take nothing, as it was said last. */
  private volatile boolean rests = true;

  private final Set<String> leaving = ConcurrentHashMap.newKeySet();
  private Consumer<String> greeted = node -> {};

  /**
   * @param silence how long a node may act that is not heard
   * @param listener hears on the context that calls {@link #open} every fact but that somebody is
   *     there; that too where it changes who may act
   */
  PeerAnnouncements(
      Vertx vertx, ClusterMembers members, Duration silence, Consumer<JsonObject> listener) {
    this.vertx = vertx;
    this.members = members;
    this.quorum = new QuorumLease(members.self(), ClockOffsets::clock, silence.toMillis());
    this.listener = listener;
  }

  Future<Void> open() {
    MessageConsumer<JsonObject> facts =
        vertx.eventBus().consumer(Addresses.PLACEMENT, fact -> hear(fact.body()));
    return facts.completion();
  }

  /**
   * Completes when each node has told its clock some times, or after a second. A node that serves
   * before it knows the others' clocks cannot tell how long a call was under way.
   *
   * @param others ids of the nodes that are there already
   */
  Future<Void> meet(Set<String> others) {
    Map<String, Integer> missing = new HashMap<>();
    others.forEach(node -> missing.put(node, GREETINGS));
    missing.remove(members.self());
    if (missing.isEmpty()) {
      return Future.succeededFuture();
    }
    Promise<Void> met = Promise.promise();
    greeted =
        node -> {
          missing.computeIfPresent(
              node, (same, left) -> left == 1 ? null : Integer.valueOf(left - 1));
          if (missing.isEmpty()) {
            met.tryComplete();
          }
        };
    greet();
    long timer = vertx.setPeriodic(GREETING_MILLIS, again -> greet());
    return met.future()
        .timeout(MEETING_MILLIS, TimeUnit.MILLISECONDS)
        .onComplete(
            over -> {
              vertx.cancelTimer(timer);
              greeted = node -> {};
            })
        .otherwiseEmpty();
  }

  private void greet() {
    publish(HERE, quorum.tell(members.alive(), rests).put(GREETS, true));
  }

  private void hear(JsonObject fact) {
    String node = fact.getString("node", "");
    switch (fact.getString(ClusterRequests.TYPE, "")) {
      case HERE -> {
        boolean changed = quorum.hear(node, fact);
        greeted.accept(node);
        if (fact.getBoolean(GREETS, false) && !node.equals(members.self())) {
          announceSelf(rests);
        }
        if (changed) {
          listener.accept(fact);
        }
      }
      case LEAVING -> {
        leaving.add(node);
        listener.accept(fact);
      }
      default -> listener.accept(fact);
    }
  }

  /** A node is no member any more. */
  void left(String node) {
    quorum.lost(node);
    leaving.remove(node);
  }

  private void publish(String type, String id, long epoch) {
    publish(type, new JsonObject().put("id", id).put("epoch", epoch));
  }

  private void publish(String type, JsonObject fact) {
    fact.put(ClusterRequests.TYPE, type)
        .put("node", members.self())
        .put(ClusterRequests.CLOCK, ClockOffsets.clock());
    vertx.eventBus().publish(Addresses.PLACEMENT, fact);
  }

  /**
   * The definitions have changed.
   *
   * @param fact which, as {@link DefinitionChanges} says it
   */
  void announce(JsonObject fact) {
    publish(DEFINITIONS, fact);
  }

  /** This node can not serve a connection, or can again. */
  void refusal(String id, boolean refused) {
    publish(REFUSAL, new JsonObject().put("id", id).put("refused", refused));
  }

  @Override
  public void announceSelf(boolean resting) {
    rests = resting;
    publish(HERE, quorum.tell(members.alive(), resting));
  }

  @Override
  public int heard() {
    return quorum.count();
  }

  @Override
  public int gaveUp(String node, Set<String> living) {
    return quorum.gaveUp(node, living);
  }

  @Override
  public void keepInformed(String node) {
    LiveNodeSelector routes = LiveNodeSelector.of(vertx);
    if (routes != null) {
      routes.keepInformed(node);
    }
  }

  /** By name: only the package {@code cluster} knows the engine's classes. */
  @Override
  public boolean isQuorumLost(Throwable failure) {
    for (Throwable cause = failure; cause != null; cause = cause.getCause()) {
      if (cause.getClass().getSimpleName().startsWith("SplitBrainProtection")) {
        return true;
      }
    }
    return false;
  }

  @Override
  public void leaving() {
    publish(LEAVING, new JsonObject());
  }

  @Override
  public boolean isLeaving(String node) {
    return leaving.contains(node);
  }

  @Override
  public boolean isServing(String key) {
    ReplicaId replica = ReplicaId.parse(key).orElse(null);
    return replica != null
        && ClusterRequests.of(vertx).replicas().of(replica.server()).stream()
            .anyMatch(owner -> owner.replica().equals(replica) && owner.serves());
  }

  @Override
  public void claimed(String id, OwnershipClaim claim) {
    publish(ClusterRequests.CLAIMED, id, claim.epoch());
  }

  @Override
  public void serving(String id, OwnershipClaim claim) {
    publish(SERVING, id, claim.epoch());
  }

  @Override
  public void released(String id, OwnershipClaim claim) {
    publish(ClusterRequests.RELEASED, id, claim.epoch());
  }
}
