package dev.mcpbus.transport.stdio;

import dev.mcpbus.internals.InternalContext;
import io.vertx.core.Context;
import io.vertx.core.Handler;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Carries the events of a child from the threads that detect them to the owner context, in order.
 * All events that occur before the context runs cost one task together.
 */
final class ChildEvents implements Handler<Void> {

  /** Receives the events, on the owner context. */
  interface ChildEventListener {

    void stdout(byte[] chunk);

    /** Stdin accepts bytes again. */
    void writable();

    /** The child has ended; no event follows. */
    void ended(String how);

    /** The end of a batch: send now what its events have caused. */
    void batchEnd();
  }

  /**
   * At this number of undelivered bytes the producer stops reading; it continues below half of it.
   * Less in a small heap, because each child may have so many.
   */
  static final long HIGH_WATER =
      Math.min(32L << 20, Math.max(1 << 20, Runtime.getRuntime().maxMemory() / 64));

  /** A task that has taken so long leaves the rest to the next, nanoseconds. */
  private static final long TASK_NANOS = 1_000_000;

  /**
   * After a task that has taken so long the event loop looks at its sockets before the next: a
   * child that never pauses must not hold up the connections of other servers.
   */
  private static final long BUSY_NANOS = 200_000;

  private static final Object WRITABLE = new Object();

  private final Context owner;
  private final LongSupplier clock;
  private final ConcurrentLinkedQueue<Object> events = new ConcurrentLinkedQueue<>();
  private final AtomicBoolean scheduled = new AtomicBoolean();
  private final AtomicLong bytes = new AtomicLong();
  private final AtomicLong total = new AtomicLong();
  private final AtomicBoolean paused = new AtomicBoolean();
  private volatile @Nullable ChildEventListener reader;
  private volatile Runnable resume = () -> {};

  ChildEvents(Context owner) {
    this(owner, System::nanoTime);
  }

  /**
   * @param clock monotonic nanoseconds
   */
  ChildEvents(Context owner, LongSupplier clock) {
    this.owner = owner;
    this.clock = clock;
  }

  Context owner() {
    return owner;
  }

  /** How many bytes have come on stdout in total. */
  long totalBytes() {
    return total.get();
  }

  /** Delivers events to {@code reader} from now on. */
  void start(ChildEventListener reader) {
    this.reader = reader;
    schedule();
  }

  /**
   * Sets the action that runs on the owner context when the producer may read again after {@link
   * #isFull}.
   */
  void onResume(Runnable action) {
    resume = action;
  }

  void stdout(byte[] chunk) {
    bytes.addAndGet(chunk.length);
    total.addAndGet(chunk.length);
    add(chunk);
  }

  void writable() {
    add(WRITABLE);
  }

  void ended(String how) {
    add(how);
  }

  /** True if the producer must stop reading until it is resumed. */
  boolean isFull() {
    if (bytes.get() < HIGH_WATER) {
      return false;
    }
    paused.set(true);
    // The consumer may have taken everything before it could read the flag.
    return bytes.get() >= HIGH_WATER / 2 || !paused.compareAndSet(true, false);
  }

  private void add(Object event) {
    events.add(event);
    schedule();
  }

  private void schedule() {
    if (reader != null && !events.isEmpty() && scheduled.compareAndSet(false, true)) {
      try {
        owner.runOnContext(this);
      } catch (RejectedExecutionException e) {
        rejected();
      }
    }
  }

  /** Vert.x is closed: no receiver is left, and the child is killed nevertheless. */
  private void rejected() {
    events.clear();
  }

  /** Delivers one batch, on the owner context. */
  @Override
  public void handle(@Nullable Void ignored) {
    ChildEventListener target = reader;
    if (target == null) {
      scheduled.set(false);
      return;
    }
    long began = clock.getAsLong();
    try {
      deliver(target, began + TASK_NANOS);
      target.batchEnd();
    } finally {
      if (paused.get() && bytes.get() < HIGH_WATER / 2 && paused.compareAndSet(true, false)) {
        resume.run();
      }
      if (clock.getAsLong() - began < BUSY_NANOS) {
        scheduled.set(false);
        schedule();
      } else {
        scheduleAfterSockets();
      }
    }
  }

  private void deliver(ChildEventListener target, long until) {
    do {
      Object event = events.poll();
      if (event == null) {
        return;
      }
      if (event instanceof byte[] chunk) {
        bytes.addAndGet(-chunk.length);
        target.stdout(chunk);
      } else if (event instanceof String how) {
        target.ended(how);
      } else {
        target.writable();
      }
    } while (clock.getAsLong() - until < 0);
  }

  private void scheduleAfterSockets() {
    try {
      InternalContext.of(owner).runAfterSockets(() -> handle(null));
    } catch (RejectedExecutionException e) {
      rejected();
    }
  }
}
