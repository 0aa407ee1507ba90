package dev.mcpbus.bench.cluster;

import dev.mcpbus.bus.Addresses;
import dev.mcpbus.bus.ClusterMap;
import dev.mcpbus.bus.ConnectionId;
import dev.mcpbus.bus.Events;
import dev.mcpbus.cluster.membership.ClusterNode;
import dev.mcpbus.cluster.ownership.RendezvousHash;
import dev.mcpbus.cluster.routing.ClusterRequests;
import io.vertx.core.Vertx;
import io.vertx.core.eventbus.DeliveryOptions;
import io.vertx.core.internal.VertxInternal;
import io.vertx.core.json.JsonObject;
import io.vertx.core.shareddata.AsyncMap;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;

/**
 * Whether all connections are READY with a living owner. Owners are read from the map of claims;
 * that a session of such an owner is ready is heard from its events, or asked for where an event
 * was lost.
 */
final class Settlement {

  /** The epochs of one owner's sessions are its claim's times this, and more. */
  private static final long EPOCHS = 1_000_000;

  /** Questions of one look: they are not to be the load. */
  private static final int MOST = 20;

  private final VertxInternal vertx;
  private final int servers;
  private final AsyncMap<String, String> map;

  private volatile long left;

  /** The newest claim under which a session was ready, by server. */
  private final Map<String, Long> ready = new ConcurrentHashMap<>();

  Settlement(Vertx vertx, int servers) throws Exception {
    this.vertx = (VertxInternal) vertx;
    this.servers = servers;
    this.map = ClusterMap.OWNERS.<String>of(vertx).await(10, TimeUnit.SECONDS);
    ClusterRequests.of(vertx)
        .onChange(
            (node, joined) -> {
              if (!joined) {
                left = System.nanoTime();
              }
            });
    vertx
        .eventBus()
        .<JsonObject>consumer(Addresses.ALL_EVENTS, event -> heard(event.body()))
        .completion()
        .await(10, TimeUnit.SECONDS);
  }

  private void heard(JsonObject event) {
    if (Events.CONNECTED.equals(event.getString("type"))) {
      note(event.getString("id"), event.getLong("epoch"));
    }
  }

  private void note(String id, long epoch) {
    ready.merge(id, epoch / EPOCHS, Math::max);
  }

  /** Node by server. */
  JsonObject claims() throws Exception {
    JsonObject claims = new JsonObject();
    entries().forEach((id, claim) -> claims.put(id, claim.substring(claim.indexOf(' ') + 1)));
    return claims;
  }

  private Map<String, String> entries() throws Exception {
    return map.entries().await(30, TimeUnit.SECONDS);
  }

  /**
   * What a node does for every connection, again and again: it reads all claims and scores all
   * connections every two seconds, and asks all of them for their states where somebody lists them
   * or looks whether the node is ready. Microseconds for each connection.
   */
  JsonObject routine() throws Exception {
    List<ClusterNode> nodes = new ArrayList<>();
    vertx
        .clusterManager()
        .getNodes()
        .forEach(id -> nodes.add(new ClusterNode(id, id, 1, Set.of())));
    Set<String> ids = entries().keySet();
    for (int i = 0; i < 20; i++) {
      claimsAndScores(ids, nodes); // to warm up
    }
    JsonObject best = claimsAndScores(ids, nodes);
    long from = System.nanoTime();
    for (int i = 0; i < 5; i++) {
      vertx
          .eventBus()
          .request(Addresses.SERVERS_LIST, new JsonObject())
          .await(30, TimeUnit.SECONDS);
    }
    return best.put("listMicros", (System.nanoTime() - from) / 5e3 / servers);
  }

  private JsonObject claimsAndScores(Set<String> ids, List<ClusterNode> nodes) throws Exception {
    long from = System.nanoTime();
    entries();
    long read = System.nanoTime();
    ids.forEach(id -> RendezvousHash.owner(id, nodes, Set.of()));
    long scored = System.nanoTime();
    return new JsonObject()
        .put("claimsMicros", (read - from) / 1e3 / servers)
        .put("scoreMicros", (scored - read) / 1e3 / servers / nodes.size());
  }

  /**
   * {@code ready} of {@code of}, how many each node owns, and when callers here were told of the
   * last loss of a node, on the machine's monotonic clock.
   */
  JsonObject look() throws Exception {
    Set<String> alive = new HashSet<>(vertx.clusterManager().getNodes());
    JsonObject owners = new JsonObject();
    List<String> open = new ArrayList<>();
    int count = 0;
    for (Map.Entry<String, String> one : entries().entrySet()) {
      String claim = one.getValue();
      int space = claim.indexOf(' ');
      String node = claim.substring(space + 1);
      if (alive.contains(node)) {
        owners.put(node, owners.getInteger(node, 0) + 1);
        if (Long.parseLong(claim.substring(0, space)) == ready.getOrDefault(one.getKey(), -1L)) {
          count++;
        } else {
          open.add(one.getKey());
        }
      }
    }
    open.stream().limit(MOST).forEach(this::ask);
    return new JsonObject()
        .put("ready", count)
        .put("of", servers)
        .put("owners", owners)
        .put("leftNanos", left);
  }

  private void ask(String id) {
    vertx
        .eventBus()
        .<JsonObject>request(
            Addresses.of(new ConnectionId(id), Addresses.STATUS),
            new JsonObject(),
            new DeliveryOptions().setSendTimeout(1_000))
        .onSuccess(
            status -> {
              if ("READY".equals(status.body().getString("state"))) {
                note(id, status.body().getLong("epoch"));
              }
            });
  }
}
