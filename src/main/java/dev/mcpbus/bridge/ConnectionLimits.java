package dev.mcpbus.bridge;

import dev.mcpbus.bus.FailureCode;
import dev.mcpbus.bus.McpFailure;
import dev.mcpbus.internals.ForcedClose;
import dev.mcpbus.internals.InboundConnection;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Bounds the open connections, in all and for each address. At a bound it closes the connection
 * that was idle longest, of the address with the most connections; it never closes one in use for
 * another. If all are in use it accepts {@value #RESERVE} more: they get 503, and health works. Of
 * those, too, the one that was idle longest is closed. All HTTP verticles share it. Thread-safe.
 */
final class ConnectionLimits {

  /** Connections beyond the bounds, while all others are in use. */
  static final int RESERVE = 256;

  private static final long RETRY_AFTER_MILLIS = 1_000;

  /** Connections by address. Guarded by the monitor of the limits. */
  private static final class Pool {

    private final Map<String, Set<InboundConnection>> byAddress = new HashMap<>();
    private int size;

    void add(InboundConnection connection) {
      if (byAddress.computeIfAbsent(connection.address(), key -> new HashSet<>()).add(connection)) {
        size++;
      }
    }

    boolean remove(InboundConnection connection) {
      Set<InboundConnection> own = byAddress.get(connection.address());
      if (own == null || !own.remove(connection)) {
        return false;
      }
      size--;
      if (own.isEmpty()) {
        byAddress.remove(connection.address());
      }
      return true;
    }

    Set<InboundConnection> of(String address) {
      return byAddress.getOrDefault(address, Set.of());
    }
  }

  private final int max;
  private final int maxPerAddress;
  private final LongSupplier nanos;
  private final Pool regular = new Pool();
  private final Pool reserve = new Pool();

  /**
   * @param nanos the clock, {@link System#nanoTime}
   */
  ConnectionLimits(int max, int maxPerAddress, LongSupplier nanos) {
    this.max = max;
    this.maxPerAddress = maxPerAddress;
    this.nanos = nanos;
  }

  /** Counts a connection until its channel has ended. On its event loop. */
  void opened(InboundConnection connection) {
    add(connection);
    connection.onEnd(() -> remove(connection));
    makeRoom(connection);
  }

  /** The number of open connections. */
  synchronized int open() {
    return regular.size + reserve.size;
  }

  private synchronized void add(InboundConnection connection) {
    (connection.isSurplus() ? reserve : regular).add(connection);
  }

  private synchronized void remove(InboundConnection connection) {
    if (!regular.remove(connection)) {
      reserve.remove(connection);
    }
  }

  private void makeRoom(InboundConnection fresh) {
    InboundConnection spare = choose(fresh, nanos.getAsLong());
    if (spare != null) {
      spare.execute(() -> end(spare, fresh));
    }
  }

  /** Closes the chosen connection; if it is in use by now, chooses another. On its event loop. */
  private void end(InboundConnection spare, InboundConnection fresh) {
    if (!spare.isOpen()) {
      return;
    }
    if (spare.isSpare(nanos.getAsLong())) {
      ForcedClose.on(spare);
      return;
    }
    add(spare);
    if (spare != fresh) {
      makeRoom(fresh);
    }
  }

  /** Chooses the connection to close, and counts it no longer; null for none. */
  private synchronized @Nullable InboundConnection choose(InboundConnection fresh, long now) {
    Set<InboundConnection> own = regular.of(fresh.address());
    boolean crowded = own.size() > maxPerAddress;
    if (!crowded && regular.size <= max) {
      return null;
    }
    InboundConnection spare =
        longestSpare(crowded ? List.of(own) : regular.byAddress.values(), fresh, now);
    if (spare != null) {
      regular.remove(spare);
      return spare;
    }
    if (regular.remove(fresh)) {
      fresh.surplus(true);
      reserve.add(fresh);
    }
    if (reserve.size <= RESERVE) {
      return null;
    }
    spare = longestSpare(reserve.byAddress.values(), fresh, now);
    spare = spare == null ? fresh : spare;
    reserve.remove(spare);
    return spare;
  }

  /** The longest idle connection of the address that has most, among those with an idle one. */
  private static @Nullable InboundConnection longestSpare(
      Collection<Set<InboundConnection>> among, InboundConnection fresh, long now) {
    InboundConnection longest = null;
    long idle = -1;
    int size = 0;
    for (Set<InboundConnection> own : among) {
      if (own.size() < size) {
        continue;
      }
      for (InboundConnection each : own) {
        long spare = each.spareFor(now);
        boolean better = own.size() > size ? spare >= 0 : spare > idle;
        if (better && each != fresh) {
          longest = each;
          idle = spare;
          size = own.size();
        }
      }
    }
    return longest;
  }

  /**
   * Why a request is refused, with the remedy; null if it may go on.
   *
   * @param connection of the request
   */
  @Nullable McpFailure refusal(InboundConnection connection) {
    return connection.isSurplus() ? surplus(connection) : null;
  }

  private synchronized @Nullable McpFailure surplus(InboundConnection connection) {
    boolean crowded = regular.of(connection.address()).size() >= maxPerAddress;
    if (!crowded && regular.size < max) {
      connection.surplus(false);
      if (reserve.remove(connection)) {
        regular.add(connection);
      }
      return null;
    }
    String why =
        crowded
            ? maxPerAddress
                + " connections of your address are in use; close one, or raise"
                + " bridge.maxConnectionsPerAddress"
            : max + " connections are in use; close one, or raise bridge.maxConnections";
    return new McpFailure(
        FailureCode.OVERLOADED, McpFailure.Sent.NO, why, RETRY_AFTER_MILLIS, null);
  }
}
