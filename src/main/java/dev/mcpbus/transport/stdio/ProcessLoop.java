package dev.mcpbus.transport.stdio;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.PriorityQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The thread {@code mcpbus-stdio}, one for all children: it waits for their pipes and their ends.
 *
 * <pre>
 *   stdout, stderr, pidfd, stdin-when-full  --epoll-->  mcpbus-stdio  --ChildEvents-->  owner context
 *   commands of owner contexts              --eventfd-->      |
 *                                                        signals, reaps
 * </pre>
 *
 * <p>The kernel reuses the numbers of processes and descriptors. So closing descriptors, signalling
 * and reaping happen on this thread alone; no action can hit a later process or descriptor with the
 * same number.
 */
final class ProcessLoop {

  /** An object with descriptors in the loop. The loop's thread calls it. */
  interface DescriptorOwner {

    /** Descriptor {@code tag} (0 to 7) is ready. */
    void ready(int tag);

    /** Called every quarter second if the kernel has no pidfd. */
    void sweep();
  }

  /** An action at a time of {@link System#nanoTime}. Confined to the loop's thread. */
  static final class Timer {
    private final long at;
    private @Nullable Runnable action;

    private Timer(long at, Runnable action) {
      this.at = at;
      this.action = action;
    }

    /** Drops the action, and with it what the action keeps in memory. */
    void cancel() {
      action = null;
    }
  }

  private static final Logger LOG = LoggerFactory.getLogger(ProcessLoop.class);
  private static final int BATCH = 256;
  private static final long WAKE = -1;
  private static final long SWEEP_NANOS = TimeUnit.MILLISECONDS.toNanos(250);

  private final int epoll;
  private final int wakeup;
  private final ByteBuffer events = Posix.allocate(BATCH * Posix.EPOLL_EVENT_BYTES);
  private final ByteBuffer control = Posix.allocate(16);
  private final ByteBuffer wakeBytes = Posix.allocate(8);
  private final ByteBuffer signalBytes = Posix.allocate(8).putLong(0, 1);
  private final long signalAddress = Posix.address(signalBytes);
  private final ConcurrentLinkedQueue<Runnable> commands = new ConcurrentLinkedQueue<>();
  private final AtomicBoolean woken = new AtomicBoolean();
  private final PriorityQueue<Timer> timers =
      new PriorityQueue<>(Comparator.comparingLong(timer -> timer.at));
  private final Map<Long, DescriptorOwner> members = new HashMap<>();
  private final List<DescriptorOwner> swept = new ArrayList<>();
  private final Thread thread;
  private final CompletableFuture<Void> ended = new CompletableFuture<>();
  private long nextSerial = 1;
  private boolean ending;

  /** Whether its descriptors are closed: their numbers may be others' then. Guarded by this. */
  private boolean closed;

  /** {@link ChildThreads} has one at a time. */
  ProcessLoop() {
    epoll = Posix.epoll_create1(Posix.O_CLOEXEC);
    wakeup = Posix.eventfd(0, Posix.O_CLOEXEC | Posix.O_NONBLOCK);
    if (epoll < 0 || wakeup < 0) {
      throw new IllegalStateException("no epoll: " + Posix.strerror(Posix.errno()));
    }
    control(Posix.EPOLL_CTL_ADD, wakeup, Posix.EPOLLIN, WAKE);
    thread = new Thread(this::run, "mcpbus-stdio");
    thread.setDaemon(true);
    thread.setContextClassLoader(null);
    Posix.retain();
    thread.start();
  }

  /**
   * Runs {@code command} on the loop's thread, in the order of the calls; not any more when the
   * loop has ended. Any thread may call this.
   */
  void execute(Runnable command) {
    commands.add(command);
    if (Thread.currentThread() != thread && woken.compareAndSet(false, true)) {
      synchronized (this) {
        if (!closed) {
          Posix.write(wakeup, signalAddress, Long.BYTES);
        }
      }
    }
  }

  /**
   * Ends the thread when it has no member any more. Any thread may call this.
   *
   * @param last runs on the loop's thread before
   * @return completes when the descriptors are closed
   */
  CompletionStage<Void> end(Runnable last) {
    execute(
        () -> {
          ending = true;
          last.run();
        });
    return ended;
  }

  /**
   * Adds a member and returns its serial, which is never used twice. This method and all below run
   * on the loop's thread only.
   */
  long join(DescriptorOwner member, boolean hasPidfd) {
    long serial = nextSerial++;
    members.put(serial, member);
    if (!hasPidfd) {
      if (swept.isEmpty()) {
        after(SWEEP_NANOS, this::sweep);
      }
      swept.add(member);
    }
    return serial;
  }

  void leave(long serial) {
    DescriptorOwner member = members.remove(serial);
    swept.remove(member);
  }

  void watch(int descriptor, int interest, long serial, int tag) {
    control(Posix.EPOLL_CTL_ADD, descriptor, interest, serial << 3 | tag);
  }

  void rewatch(int descriptor, int interest, long serial, int tag) {
    control(Posix.EPOLL_CTL_MOD, descriptor, interest, serial << 3 | tag);
  }

  void unwatch(int descriptor) {
    control(Posix.EPOLL_CTL_DEL, descriptor, 0, 0);
  }

  Timer after(long nanos, Runnable action) {
    Timer timer = new Timer(System.nanoTime() + nanos, action);
    timers.add(timer);
    return timer;
  }

  private void control(int operation, int descriptor, int interest, long data) {
    control.putInt(0, interest);
    control.putLong(Posix.EPOLL_DATA_OFFSET, data);
    if (Posix.epoll_ctl(epoll, operation, descriptor, Posix.address(control)) < 0) {
      LOG.error(
          "epoll_ctl failed for a descriptor of a child process: {}",
          Posix.strerror(Posix.errno()));
    }
  }

  private void run() {
    long eventsAddress = Posix.address(events);
    while (!ending || !members.isEmpty()) {
      int count = Posix.epoll_wait(epoll, eventsAddress, BATCH, timeoutMillis());
      for (int i = 0; i < count; i++) {
        dispatch(events.getLong(i * Posix.EPOLL_EVENT_BYTES + Posix.EPOLL_DATA_OFFSET));
      }
      runCommands();
      runTimers();
    }
    synchronized (this) {
      closed = true;
      Posix.close(epoll);
      Posix.close(wakeup);
    }
    Posix.release();
    ended.complete(null);
  }

  private void dispatch(long data) {
    if (data == WAKE) {
      Posix.read(wakeup, Posix.address(wakeBytes), Long.BYTES);
      return;
    }
    // A member that has left earlier in this batch is no longer in the map.
    DescriptorOwner member = members.get(data >>> 3);
    if (member != null) {
      guarded(() -> member.ready((int) (data & 7)));
    }
  }

  /** A defect of one member must not disturb the others. */
  private static void guarded(Runnable work) {
    try {
      work.run();
    } catch (RuntimeException | Error e) {
      LOG.error("an event of a child process could not be handled", e);
    }
  }

  private void runCommands() {
    woken.set(false);
    for (Runnable next = commands.poll(); next != null; next = commands.poll()) {
      guarded(next);
    }
  }

  private int timeoutMillis() {
    Timer next = timers.peek();
    if (!commands.isEmpty()) {
      return 0;
    }
    if (next == null) {
      return -1;
    }
    long nanos = Math.max(0, next.at - System.nanoTime());
    return (int) Math.min(60_000, TimeUnit.NANOSECONDS.toMillis(nanos + 999_999));
  }

  private void runTimers() {
    for (Timer next = timers.peek();
        next != null && next.at - System.nanoTime() <= 0;
        next = timers.peek()) {
      timers.remove();
      Runnable action = next.action;
      if (action != null) {
        guarded(action);
      }
    }
  }

  private void sweep() {
    List.copyOf(swept).forEach(DescriptorOwner::sweep);
    if (!swept.isEmpty()) {
      after(SWEEP_NANOS, this::sweep);
    }
  }
}
