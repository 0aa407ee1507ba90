package dev.mcpbus.cluster;

import com.hazelcast.cluster.MembershipEvent;
import com.hazelcast.config.Config;
import com.hazelcast.core.LifecycleEvent;
import com.hazelcast.core.LifecycleEvent.LifecycleState;
import io.vertx.core.Completable;
import io.vertx.core.Vertx;
import io.vertx.core.spi.cluster.RegistrationInfo;
import io.vertx.core.spi.cluster.RegistrationListener;
import io.vertx.core.spi.cluster.RegistrationUpdateEvent;
import io.vertx.spi.cluster.hazelcast.HazelcastClusterManager;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * Has the event bus read again where addresses are, whenever members come, go or merge. What the
 * bus knows is kept up to date by events, and a node that slept or was cut off has missed some: it
 * would send to a node that has given an address away, for ever and without any failure.
 */
final class RefreshingClusterManager extends HazelcastClusterManager {

  /** Soon, and once more when what was moved meanwhile has settled. */
  private static final long[] DELAYS_MILLIS = {300, 1_500, 5_000};

  /** Addresses that the bus has asked for, and keeps what it was told. */
  private final Set<String> read = ConcurrentHashMap.newKeySet();

  private volatile @Nullable Vertx vertx;
  private volatile @Nullable RegistrationListener listener;

  RefreshingClusterManager(Config config) {
    super(config);
  }

  @Override
  public void init(Vertx of) {
    vertx = of;
    super.init(of);
  }

  @Override
  public void registrationListener(RegistrationListener of) {
    listener = of;
    super.registrationListener(of);
  }

  @Override
  public void getRegistrations(String address, Completable<List<RegistrationInfo>> promise) {
    super.getRegistrations(
        address,
        (found, failure) -> {
          if (failure == null) {
            read.add(address);
          }
          promise.complete(found, failure);
        });
  }

  @Override
  public synchronized void memberAdded(MembershipEvent event) {
    super.memberAdded(event);
    refresh();
  }

  @Override
  public synchronized void memberRemoved(MembershipEvent event) {
    super.memberRemoved(event);
    refresh();
  }

  @Override
  public synchronized void stateChanged(LifecycleEvent event) {
    super.stateChanged(event);
    if (event.getState() == LifecycleState.MERGED) {
      refresh();
    }
  }

  private void refresh() {
    Vertx timers = vertx;
    RegistrationListener bus = listener;
    if (timers != null && bus != null) {
      for (long delay : DELAYS_MILLIS) {
        timers.setTimer(delay, due -> forget(bus));
      }
    }
  }

  /** The bus does nothing when it is told that registrations are lost; nowhere, it believes. */
  private void forget(RegistrationListener bus) {
    for (String address : List.copyOf(read)) {
      read.remove(address);
      bus.registrationsUpdated(new RegistrationUpdateEvent(address, List.of()));
    }
  }
}
