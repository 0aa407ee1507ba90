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
 * How many connections may be open, in all and for each address. At a bound the one that nobody has
 * used for longest makes room, of the address that has most of them; no connection in use ends for
 * another. Where all are in use a few more are let in, to be told so with 503 and for health; of
 * those, too, the longest idle makes room. Thread-safe; shared by all HTTP verticles.
 */
final class ConnectionLimits {

  /** Connections beyond the bounds, while all others are in use. */
  static final int RESERVE = 256;

  private static final long RETRY_AFTER_MILLIS = 1_000;

  /** Connections by their addresses. Guarded by the limits. */
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
   * @param nanos the time
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

  /** How many there are. */
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

  /** It may have been used since it was chosen; then another has to go. On its event loop. */
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

  /** The one that has to go, which is no longer counted; null for none. */
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

  /** Of the address that has most connections among those that have a spare one. */
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
   * Null where a request may go on; else why not, with what would help.
   *
   * @param connection that it came by
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
