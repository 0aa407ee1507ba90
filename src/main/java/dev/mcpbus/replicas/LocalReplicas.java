package dev.mcpbus.replicas;

import dev.mcpbus.bus.ConnectionId;
import dev.mcpbus.bus.ConnectionState;
import dev.mcpbus.bus.Headers;
import dev.mcpbus.bus.ReplicaId;
import dev.mcpbus.connection.options.ConnectionOptions;
import dev.mcpbus.connection.options.ConnectionOptions.Balance;
import dev.mcpbus.connection.options.LocalReplica;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.eventbus.DeliveryOptions;
import io.vertx.core.eventbus.Message;
import io.vertx.core.shareddata.LocalMap;
import io.vertx.core.shareddata.Shareable;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Predicate;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * The replicas of the servers of a single node. All of them are consumers at the addresses of their
 * server; the one that the bus gives a call to chooses which takes it, by the strategy of the
 * server, and hands it over on the context of that one. One instance for each Vert.x; a server with
 * one connection does not know it. Any thread may call.
 */
public final class LocalReplicas implements ReplicaPeers, Shareable {

  private static final class Seat {
    final NodeReplica replica;

    /** Calls that were handed over and have not arrived. */
    final AtomicInteger underWay = new AtomicInteger();

    Seat(NodeReplica replica) {
      this.replica = replica;
    }

    int pending() {
      return underWay.get() + replica.pending();
    }
  }

  /** How the calls of one server are spread. */
  private record Spread(ConnectionOptions how, AtomicInteger turn) {}

  private final Vertx vertx;
  private final OwnerTable owners = new OwnerTable();
  private final Map<ReplicaId, Seat> seats = new ConcurrentHashMap<>();
  private final Map<ConnectionId, Spread> spreads = new ConcurrentHashMap<>();

  private LocalReplicas(Vertx vertx) {
    this.vertx = vertx;
  }

  /** The instance of a Vert.x, made at the first call. */
  public static LocalReplicas of(Vertx vertx) {
    LocalMap<String, LocalReplicas> map = vertx.sharedData().getLocalMap("dev.mcpbus.replicas");
    return map.computeIfAbsent("", absent -> new LocalReplicas(vertx));
  }

  /**
   * One of several connections of a server.
   *
   * @param version of its definition
   */
  public LocalReplica replica(ReplicaId id, ConnectionOptions of, String version) {
    return new LocalReplica(
        id,
        (owner, self) -> {
          spreads.put(id.server(), new Spread(of, new AtomicInteger()));
          return new ReplicaCoordinator(owner, this, id, version, self);
        });
  }

  @Override
  public List<ReplicaOwner> of(ConnectionId server) {
    return owners.all(server);
  }

  @Override
  public @Nullable ReplicaOwner speaker(ConnectionId server) {
    return owners.speaker(server);
  }

  @Override
  public <T> Future<Message<T>> request(
      ReplicaOwner owner, String suffix, Object body, DeliveryOptions delivery) {
    return vertx
        .eventBus()
        .request(
            owner.replica().address(),
            body,
            delivery.addHeader(Headers.TO, suffix).setLocalOnly(true));
  }

  @Override
  public void publish(ReplicaId replica, ConnectionState state, String version) {
    owners.state(replica, "", state, version);
  }

  @Override
  public void listen(ReplicaId replica, NodeReplica own) {
    seats.put(replica, new Seat(own));
    owners.listen(replica, own::changed);
    owners.put(new ReplicaOwner(replica, "", ConnectionState.IDLE, ""));
  }

  @Override
  public void forget(ReplicaId replica) {
    owners.forget(replica);
    owners.remove(replica, "");
    seats.remove(replica);
    if (owners.all(replica.server()).isEmpty()) {
      spreads.remove(replica.server());
    }
  }

  /**
   * The instance to which the private connection of a client goes: one whose shared connection
   * serves, the same for the same key.
   *
   * @param count how many instances there are
   */
  public int instance(ConnectionId server, String key, int count) {
    List<ReplicaOwner> all =
        IntStream.range(0, count)
            .mapToObj(number -> new ReplicaOwner(new ReplicaId(server, number), "", null, ""))
            .toList();
    List<ReplicaOwner> serving = only(owners.all(server), ReplicaOwner::serves);
    return (serving.isEmpty() ? all : serving)
        .stream()
            .max(Comparator.comparingLong(one -> one.score(key)))
            .map(one -> one.replica().number())
            .filter(number -> number < count)
            .orElse(0);
  }

  @Override
  public boolean passesOn(ReplicaId at, String suffix, Message<Object> message) {
    return passesOn(at, suffix, message, Set.of());
  }

  private boolean passesOn(
      ReplicaId at, String suffix, Message<Object> message, Set<ReplicaId> tried) {
    ReplicaId to = choose(at.server(), message, tried);
    Seat seat = to == null || to.equals(at) ? null : seats.get(to);
    if (to == null || seat == null) {
      return false;
    }
    seat.underWay.incrementAndGet();
    seat.replica.run(
        () -> {
          seat.underWay.decrementAndGet();
          arrived(to, seat.replica, suffix, message, tried);
        });
    return true;
  }

  /** The replica may have lost its session while the call was on its way. */
  private void arrived(
      ReplicaId at,
      NodeReplica replica,
      String suffix,
      Message<Object> message,
      Set<ReplicaId> before) {
    Set<ReplicaId> tried = new HashSet<>(before);
    tried.add(at);
    boolean elsewhere =
        owners.all(at.server()).stream()
            .anyMatch(one -> isReady(one) && !tried.contains(one.replica()));
    boolean serves =
        owners.all(at.server()).stream().anyMatch(one -> one.replica().equals(at) && one.serves());
    if (serves || !elsewhere || !passesOn(at, suffix, message, tried)) {
      replica.take(suffix, message);
    }
  }

  private static boolean isReady(ReplicaOwner owner) {
    return owner.state() == ConnectionState.READY;
  }

  private @Nullable ReplicaId choose(
      ConnectionId server, Message<Object> message, Set<ReplicaId> tried) {
    List<ReplicaOwner> all = only(owners.all(server), one -> !tried.contains(one.replica()));
    List<ReplicaOwner> ready = only(all, LocalReplicas::isReady);
    Spread spread = spreads.get(server);
    if (spread == null) {
      return null; // it ends
    }
    boolean sticky = spread.how.balance() == Balance.STICKY;
    String key = sticky ? message.headers().get(spread.how.balanceKey()) : null;
    if (ready.isEmpty()) {
      List<ReplicaOwner> able = only(all, ReplicaOwner::takesCalls);
      return pick(able.isEmpty() ? all : able, spread, key);
    }
    if (ready.size() < all.size()) {
      for (ReplicaOwner one : all) {
        Seat seat = seats.get(one.replica());
        if (seat != null && one.state() == ConnectionState.DEGRADED && seat.replica.takesProbe()) {
          return one.replica();
        }
        boolean isHome = key == null || one.replica().equals(pick(all, spread, key));
        if (seat != null && one.state() == ConnectionState.IDLE && isHome) {
          seat.replica.wanted();
        }
      }
    }
    return pick(ready, spread, key);
  }

  private static List<ReplicaOwner> only(List<ReplicaOwner> of, Predicate<ReplicaOwner> which) {
    return of.stream().filter(which).toList();
  }

  private @Nullable ReplicaId pick(List<ReplicaOwner> from, Spread spread, @Nullable String key) {
    if (from.isEmpty()) {
      return null;
    }
    int first = Math.floorMod(spread.turn.getAndIncrement(), from.size());
    ReplicaOwner best = from.get(first);
    if (key != null) {
      for (ReplicaOwner one : from) {
        best = one.score(key) > best.score(key) ? one : best;
      }
    } else if (spread.how.balance() == Balance.LEAST_PENDING) {
      for (int i = 1; i < from.size(); i++) { // of equals the one whose turn it is
        ReplicaOwner one = from.get((first + i) % from.size());
        best = pending(one) < pending(best) ? one : best;
      }
    }
    return best.replica();
  }

  private int pending(ReplicaOwner owner) {
    Seat seat = seats.get(owner.replica());
    return seat == null ? Integer.MAX_VALUE : seat.pending();
  }
}
