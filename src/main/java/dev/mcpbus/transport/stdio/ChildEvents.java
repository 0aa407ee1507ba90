package dev.mcpbus.transport.stdio;

import io.vertx.core.Context;
import io.vertx.core.Handler;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * Carries what happens to a child from the threads that notice it to the owner context, in order.
 * However much is noticed before the context gets to run, it costs one task.
 */
final class ChildEvents implements Handler<Void> {

  /** Called on the owner context. */
  interface Reader {

    void stdout(byte[] chunk);

    /** Stdin takes bytes again. */
    void writable();

    /** Nothing follows. */
    void ended(String how);

    /** A good moment to send what the batch has caused. */
    void batchEnd();
  }

  /** Above this the producer stops reading, and goes on below a half. */
  private static final long HIGH_WATER = 32L << 20;

  /** Handed to the reader in one task, so that a busy child leaves room for others. */
  private static final int TASK_BYTES = 1 << 20;

  private static final Object WRITABLE = new Object();

  private final Context owner;
  private final ConcurrentLinkedQueue<Object> events = new ConcurrentLinkedQueue<>();
  private final AtomicBoolean scheduled = new AtomicBoolean();
  private final AtomicLong bytes = new AtomicLong();
  private final AtomicLong total = new AtomicLong();
  private final AtomicBoolean paused = new AtomicBoolean();
  private volatile @Nullable Reader reader;
  private volatile Runnable resume = () -> {};

  ChildEvents(Context owner) {
    this.owner = owner;
  }

  Context owner() {
    return owner;
  }

  /** What came on stdout since the beginning. */
  long totalBytes() {
    return total.get();
  }

  /** Events flow to {@code reader} from now on. */
  void start(Reader reader) {
    this.reader = reader;
    schedule();
  }

  /** Called, on the owner context, when reading may go on after {@link #isFull}. */
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

  /** True where the producer must stop reading until it is resumed. */
  boolean isFull() {
    if (bytes.get() < HIGH_WATER) {
      return false;
    }
    paused.set(true);
    // The reader may have consumed everything before it could see the flag.
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
        // Vert.x is closed: nobody is left to be told, and the child is killed all the same.
        events.clear();
      }
    }
  }

  /** One batch, on the owner context. */
  @Override
  public void handle(Void ignored) {
    scheduled.set(false);
    Reader target = reader;
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
