package dev.mcpbus.transport.stdio;

import io.vertx.core.Context;
import io.vertx.core.Handler;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
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
   */
  private static final long HIGH_WATER = 32L << 20;

  /**
   * The bytes that one task passes to the reader, so that a busy child does not block other work of
   * the context.
   */
  private static final int TASK_BYTES = 1 << 20;

  private static final Object WRITABLE = new Object();

  private final Context owner;
  private final ConcurrentLinkedQueue<Object> events = new ConcurrentLinkedQueue<>();
  private final AtomicBoolean scheduled = new AtomicBoolean();
  private final AtomicLong bytes = new AtomicLong();
  private final AtomicLong total = new AtomicLong();
  private final AtomicBoolean paused = new AtomicBoolean();
  private volatile @Nullable ChildEventListener reader;
  private volatile Runnable resume = () -> {};

  ChildEvents(Context owner) {
    this.owner = owner;
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
        // Vert.x is closed: no receiver is left, and the child is killed nevertheless.
        events.clear();
      }
    }
  }

  /** Delivers one batch, on the owner context. */
  @Override
  public void handle(Void ignored) {
    scheduled.set(false);
    ChildEventListener target = reader;
    if (target == null) {
      return;
    }
    try {
      int budget = TASK_BYTES;
      while (budget > 0) {
        Object event = events.poll();
        if (event == null) {
          break;
        }
        if (event instanceof byte[] chunk) {
          bytes.addAndGet(-chunk.length);
          budget -= chunk.length;
          target.stdout(chunk);
        } else if (event instanceof String how) {
          target.ended(how);
        } else {
          target.writable();
        }
      }
      target.batchEnd();
    } finally {
      if (paused.get() && bytes.get() < HIGH_WATER / 2 && paused.compareAndSet(true, false)) {
        resume.run();
      }
      schedule();
    }
  }
}
