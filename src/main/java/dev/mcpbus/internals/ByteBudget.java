package dev.mcpbus.internals;

import io.vertx.core.Context;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.shareddata.LocalMap;
import io.vertx.core.shareddata.Shareable;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.function.BiConsumer;

/**
 * The bytes of callers and servers that mcpbus holds at one time: bodies that arrive or wait for
 * their answer, unfinished messages of servers, answers that no client has read. They share a part
 * of the heap. Who wants to hold bytes pays first ({@link ByteAccount#take}); what is not paid for
 * is not held, but refused.
 *
 * <ul>
 *   <li>In all: half of the heap, or what the configuration says.
 *   <li>Each {@link ByteUse}: half of that.
 *   <li>An owner, the name of a principal or of a server, holds of one use at most as many bytes as
 *       it leaves to others. So the next owner always finds room, one with bodies of any size that
 *       the heap is made for.
 *   <li>An eighth of each use is for accounts of at most {@value #SMALL} bytes: where long bodies
 *       of callers that mcpbus cannot tell apart have taken the rest, short ones still pass.
 *   <li>An account of at most 1 KiB is not counted; one that exceeds it is, from its first byte.
 * </ul>
 *
 * <p>Each operation takes constant time. Thread-safe.
 */
public final class ByteBudget implements Shareable {

  /** Accounts of at most so many bytes may use the whole room. */
  public static final int SMALL = 64 * 1024;

  /** An account of at most so many bytes is not counted: its request costs more in objects. */
  private static final int FREE = 1024;

  /** When a caller that was refused may try again. */
  public static final long RETRY_AFTER_MILLIS = 1_000;

  private static final String KEY = "dev.mcpbus.bytes";
  private static final int RESERVE = 8;

  /** What the bytes are. */
  public enum ByteUse {
    /** Bodies and messages of callers, from their first byte to their answer. */
    REQUESTS("requests that wait for their answer"),
    /** Messages of servers, until they are complete. */
    RESULTS("unfinished messages"),
    /** Answers and events that a client has not taken from its connection. */
    ANSWERS("answers that are not read yet"),
    /** What waits for a client that has no request open: questions, results to resume. */
    KEPT("calls and results that wait for their client");

    private final String text;

    ByteUse(String text) {
      this.text = text;
    }

    /** The name of the bound in the status and in metrics. */
    public String bound() {
      return "bytes." + name().toLowerCase(Locale.ROOT);
    }
  }

  private static final class BytePool {
    private final Map<String, Long> owners = new HashMap<>();
    private long used;
    private long refused;
  }

  private final Map<ByteUse, BytePool> pools = new EnumMap<>(ByteUse.class);
  private final int free;
  private long max;
  private long used;

  /**
   * @param max most bytes in all, at least 8
   * @param free an account of at most so many bytes is not counted
   */
  public ByteBudget(long max, int free) {
    this.max = max;
    this.free = free;
    for (ByteUse use : ByteUse.values()) {
      pools.put(use, new BytePool());
    }
  }

  /**
   * The budget of all that runs on one Vert.x; half of the heap unless {@link #limit} was called.
   */
  public static ByteBudget of(Vertx vertx) {
    LocalMap<String, ByteBudget> map = vertx.sharedData().getLocalMap(KEY);
    return map.computeIfAbsent(
        KEY, absent -> new ByteBudget(Runtime.getRuntime().maxMemory() / 2, FREE));
  }

  /** Changes the most bytes in all; what is held stays. */
  public synchronized void limit(long bytes) {
    max = bytes;
  }

  /** An account without bytes. */
  public ByteAccount account(ByteUse use, String owner) {
    return new ByteAccount(use, owner);
  }

  /**
   * Names the server whose messages the channels of a context read.
   *
   * @param owner the context of a connection
   */
  public static void server(Context owner, String name) {
    owner.put(KEY, name);
  }

  /** An account for an unfinished message that a channel of this context reads. */
  public static ByteAccount received(Context owner) {
    String server = owner.get(KEY);
    return of(owner.owner())
        .account(ByteUse.RESULTS, server == null ? "context " + owner.hashCode() : server);
  }

  /** An account that always has room, for what this process itself reads. */
  public static ByteAccount unbounded() {
    return new ByteBudget(Long.MAX_VALUE / 2, Integer.MAX_VALUE).account(ByteUse.RESULTS, "");
  }

  /** The number of bytes held now, of all uses. */
  public synchronized long used() {
    return used;
  }

  /**
   * The bounds by their names, as {@code used}, {@code max}, {@code owners} and {@code refused}.
   */
  public synchronized void each(BiConsumer<String, Map<String, Long>> bound) {
    pools.forEach(
        (use, pool) ->
            bound.accept(
                use.bound(),
                Map.of(
                    "used",
                    pool.used,
                    "inUse",
                    pool.used,
                    "max",
                    max / 2,
                    "owners",
                    (long) pool.owners.size(),
                    "evicted",
                    0L,
                    "refused",
                    pool.refused)));
  }

  /**
   * The bytes of one body, message or stream. The code that makes it {@link #close closes} it at
   * every end. Any thread may call.
   */
  public final class ByteAccount {

    private final ByteUse use;
    private final String owner;
    private final BytePool pool;
    private long held;
    private boolean closed;

    private ByteAccount(ByteUse use, String owner) {
      this.use = use;
      this.owner = owner;
      this.pool = Objects.requireNonNull(pools.get(use));
    }

    /**
     * Pays for more bytes, before they are held.
     *
     * @return false if the owner's share or the budget has no room; then it holds what it held
     */
    public synchronized boolean take(long more) {
      if (closed || !pays(counted(held + more) - counted(held), held + more > SMALL)) {
        return false;
      }
      held += more;
      return true;
    }

    private long counted(long bytes) {
      return bytes <= free ? 0 : bytes;
    }

    private boolean pays(long more, boolean isLong) {
      if (more == 0) {
        return true;
      }
      synchronized (ByteBudget.this) {
        long has = pool.owners.getOrDefault(owner, 0L);
        long room = Math.min(max - used, max / 2 - pool.used);
        if (isLong) {
          room -= max / 2 / RESERVE;
        }
        if (has + more > room - more) {
          pool.refused++;
          return false;
        }
        put(has, more);
        return true;
      }
    }

    /** A further account of the same owner. */
    public ByteAccount another() {
      return new ByteAccount(use, owner);
    }

    /** Gives bytes back, no more than it holds. */
    public synchronized void give(long less) {
      long left = held - Math.min(less, held);
      long due = counted(held) - counted(left);
      held = left;
      if (due > 0) {
        synchronized (ByteBudget.this) {
          put(pool.owners.getOrDefault(owner, 0L), -due);
        }
      }
    }

    /** Gives all bytes back; the account stays open. */
    public synchronized void clear() {
      give(held);
    }

    /** Gives all bytes back, for good. Idempotent. */
    public synchronized void close() {
      give(held);
      closed = true;
    }

    /** Closes the account when {@code end} is complete. */
    public void closeAfter(Future<?> end) {
      end.onComplete(done -> close());
    }

    private void put(long has, long more) {
      used += more;
      pool.used += more;
      if (has + more == 0) {
        pool.owners.remove(owner);
      } else {
        pool.owners.put(owner, has + more);
      }
    }

    /** Why {@link #take} has refused, with the remedy. */
    public String refusal(long more) {
      synchronized (ByteBudget.this) {
        return "no room for "
            + shown(more)
            + " more: of "
            + use.text
            + " mcpbus holds "
            + shown(pool.used)
            + " of at most "
            + shown(max / 2)
            + ", '"
            + owner
            + "' "
            + shown(pool.owners.getOrDefault(owner, 0L))
            + ", and each may hold as much as it leaves to others; try again when one of yours has"
            + " ended, or raise bridge.maxBytesInFlight or the heap (-Xmx)";
      }
    }

    private static String shown(long bytes) {
      return bytes < 1 << 20 ? bytes / 1024 + " KiB" : bytes / (1 << 20) + " MiB";
    }
  }
}
