package dev.mcpbus.transport.stdio;

import dev.mcpbus.transport.StdioOptions;
import dev.mcpbus.transport.TransportException;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A child process on Linux. It leads its own session and process group; {@link ProcessLoop} watches
 * it.
 *
 * <p>When the child ends, its pidfd becomes readable. The loop thread then reads the rest of the
 * pipes, kills the group, reaps the leader (only now may the kernel reuse its pid) and reports the
 * end to the owner. {@link DescendantSweep} kills daemons that have left the group.
 */
final class LinuxChildProcess implements ChildProcess, ProcessLoop.DescriptorOwner {

  private static final Logger LOG = LoggerFactory.getLogger(LinuxChildProcess.class);

  private static final int STDIN = 0;
  private static final int STDOUT = 1;
  private static final int STDERR = 2;
  private static final int PIDFD = 3;

  private static final int BUFFER_BYTES = 64 * 1024;
  private static final int READS_PER_TURN = 4;

  /**
   * More reads than any pipe has content for: a grandchild that writes without end cannot delay the
   * end of the child.
   */
  private static final int READS_AT_END = 64;

  /** A broken pipe often precedes the exit that explains it; wait this long for the exit. */
  private static final long EXIT_FOLLOWS_NANOS = TimeUnit.MILLISECONDS.toNanos(50);

  /** The time in which the kernel ends a process after SIGKILL. */
  private static final long KILL_NANOS = TimeUnit.SECONDS.toNanos(5);

  private record Scratch(ByteBuffer buffer, long address) {
    static Scratch allocate() {
      ByteBuffer buffer = Posix.allocate(BUFFER_BYTES);
      return new Scratch(buffer, Posix.address(buffer));
    }
  }

  /** One for each event loop and one for the thread of {@link ProcessLoop}. */
  private static final ThreadLocal<Scratch> SCRATCH = ThreadLocal.withInitial(Scratch::allocate);

  private final ProcessLoop loop = ChildThreads.loop();
  private final OrphanReaper reaper = ChildThreads.reaper();
  private final ChildEvents inbox;
  private final StderrTail stderrTail;
  private final String lineage;
  private final int pid;
  private final int pidfd;
  private final Promise<Void> gone = Promise.promise();
  private final Promise<Void> stdinClosed = Promise.promise();

  // Confined to the owner context.
  private boolean inputOpen = true;

  // Confined to the loop thread.
  private final int stdin;
  private int stdout;
  private int stderr;
  private long serial;
  private boolean stdinWatched;
  private boolean stdoutWatched;
  private boolean discarding;
  private boolean dead;
  private boolean shuttingDown;

  private LinuxChildProcess(
      ChildEvents inbox,
      StderrTail tail,
      String lineage,
      int pid,
      int stdin,
      int stdout,
      int stderr) {
    this.inbox = inbox;
    this.stderrTail = tail;
    this.lineage = lineage;
    this.pid = pid;
    this.pidfd = Posix.pidfdOpen(pid);
    this.stdin = stdin;
    this.stdout = stdout;
    this.stderr = stderr;
    ChildThreads.retain();
    Future.join(gone.future(), stdinClosed.future()).onComplete(over -> ChildThreads.release());
  }

  /** Runs on the spawn thread. If it fails, it releases everything. */
  static LinuxChildProcess launch(StdioOptions options, ChildEvents inbox, StderrTail tail)
      throws TransportException {
    String lineage = UUID.randomUUID().toString();
    LaunchSpec launch =
        LaunchSpec.of(
            options,
            System.getenv(),
            Map.of(RunId.VARIABLE, RunId.SELF, DescendantSweep.VARIABLE, lineage));
    OrphanReaper reaper = ChildThreads.reaper();
    reaper.ensureRunning();
    PosixSpawn.Pipe in = PosixSpawn.Pipe.open();
    PosixSpawn.Pipe out = null;
    PosixSpawn.Pipe err = null;
    try {
      out = PosixSpawn.Pipe.open();
      err = PosixSpawn.Pipe.open();
      int pid = PosixSpawn.start(launch, in.read(), out.write(), err.write(), tail);
      reaper.add(pid);
      Posix.close(in.read());
      Posix.close(out.write());
      Posix.close(err.write());
      Posix.fcntl(in.write(), Posix.F_SETFL, Posix.O_NONBLOCK);
      Posix.fcntl(out.read(), Posix.F_SETFL, Posix.O_NONBLOCK);
      Posix.fcntl(err.read(), Posix.F_SETFL, Posix.O_NONBLOCK);
      return new LinuxChildProcess(inbox, tail, lineage, pid, in.write(), out.read(), err.read());
    } catch (TransportException e) {
      in.close();
      close(out);
      close(err);
      throw e;
    }
  }

  private static void close(PosixSpawn.@Nullable Pipe pipe) {
    if (pipe != null) {
      pipe.close();
    }
  }

  @Override
  public long pid() {
    return pid;
  }

  @Override
  public Future<Void> gone() {
    return gone.future();
  }

  @Override
  public void start() {
    inbox.onResume(() -> loop.execute(this::resume));
    loop.execute(
        () -> {
          serial = loop.join(this, pidfd >= 0);
          loop.watch(stdout, Posix.EPOLLIN, serial, STDOUT);
          stdoutWatched = true;
          loop.watch(stderr, Posix.EPOLLIN, serial, STDERR);
          if (pidfd >= 0) {
            loop.watch(pidfd, Posix.EPOLLIN, serial, PIDFD);
          }
        });
  }

  @Override
  public Flush flush(StdinQueue queue) {
    if (!inputOpen) {
      return Flush.BROKEN;
    }
    Scratch scratch = SCRATCH.get();
    while (!queue.isEmpty()) {
      ByteBuffer buffer = scratch.buffer().clear();
      queue.copyTo(buffer);
      int length = buffer.position();
      long written = Posix.write(stdin, scratch.address(), length);
      if (written > 0) {
        queue.written(written);
      }
      if (written < length) {
        int errno = written < 0 ? Posix.errno() : Posix.EAGAIN;
        if (errno == Posix.EINTR) {
          continue;
        }
        loop.execute(errno == Posix.EAGAIN ? this::watchInput : this::expectExit);
        return errno == Posix.EAGAIN ? Flush.BLOCKED : Flush.BROKEN;
      }
    }
    return Flush.DONE;
  }

  @Override
  public void closeInput() {
    if (inputOpen) {
      inputOpen = false;
      loop.execute(
          () -> {
            Posix.close(stdin);
            stdinClosed.complete();
          });
    }
  }

  @Override
  public void discardOutput() {
    loop.execute(
        () -> {
          discarding = true;
          resume();
        });
  }

  @Override
  public void shutdown(Duration grace) {
    loop.execute(() -> shutdownNow(grace.toNanos()));
  }

  private void shutdownNow(long graceNanos) {
    if (shuttingDown || dead) {
      return;
    }
    shuttingDown = true;
    List<ProcessLoop.Timer> steps =
        List.of(
            loop.after(graceNanos, () -> signal(Posix.SIGTERM)),
            loop.after(2 * graceNanos, () -> signal(Posix.SIGKILL)),
            loop.after(2 * graceNanos + KILL_NANOS, this::giveUp));
    // They keep the whole connection in memory.
    gone.future().onComplete(over -> loop.execute(() -> steps.forEach(ProcessLoop.Timer::cancel)));
  }

  private void giveUp() {
    if (gone.tryComplete()) {
      LOG.warn("process {} still runs 5 s after SIGKILL; mcpbus no longer waits for it", pid);
    }
  }

  /**
   * While {@code dead} is false, the leader is not reaped, so its pid still belongs to this child.
   */
  private void signal(int signal) {
    if (!dead) {
      Posix.kill(-pid, signal);
    }
  }

  @Override
  public void ready(int tag) {
    switch (tag) {
      case STDIN -> inbox.writable();
      case STDOUT -> readStdout(READS_PER_TURN);
      case STDERR -> readStderr(READS_PER_TURN);
      default -> died();
    }
  }

  @Override
  public void sweep() {
    ByteBuffer info = SCRATCH.get().buffer();
    info.putInt(0, 0);
    int result =
        Posix.waitid(
            Posix.P_PID,
            pid,
            SCRATCH.get().address(),
            Posix.WEXITED | Posix.WNOHANG | Posix.WNOWAIT);
    if (result == 0 && info.getInt(0) != 0) {
      died();
    }
  }

  private void watchInput() {
    int once = Posix.EPOLLOUT | Posix.EPOLLONESHOT;
    if (stdinWatched) {
      loop.rewatch(stdin, once, serial, STDIN);
    } else {
      stdinWatched = true;
      loop.watch(stdin, once, serial, STDIN);
    }
  }

  private void resume() {
    if (!stdoutWatched && stdout >= 0) {
      stdoutWatched = true;
      loop.watch(stdout, Posix.EPOLLIN, serial, STDOUT);
    }
  }

  private void readStdout(int most) {
    Scratch scratch = SCRATCH.get();
    for (int i = 0; i < most && stdout >= 0; i++) {
      int count = (int) Posix.read(stdout, scratch.address(), BUFFER_BYTES);
      if (count > 0) {
        if (!discarding) {
          byte[] chunk = new byte[count];
          scratch.buffer().get(0, chunk);
          inbox.stdout(chunk);
          if (!dead && inbox.isFull()) {
            loop.unwatch(stdout);
            stdoutWatched = false;
            return;
          }
        }
        if (count < BUFFER_BYTES) {
          return;
        }
      } else if (count == 0 || !isTransient(Posix.errno())) {
        Posix.close(stdout);
        stdout = -1;
        expectExit();
      } else {
        return;
      }
    }
  }

  private void readStderr(int most) {
    Scratch scratch = SCRATCH.get();
    for (int i = 0; i < most && stderr >= 0; i++) {
      int count = (int) Posix.read(stderr, scratch.address(), BUFFER_BYTES);
      if (count > 0) {
        stderrTail.append(scratch.buffer().duplicate().clear().limit(count));
        if (count < BUFFER_BYTES) {
          return;
        }
      } else if (count == 0 || !isTransient(Posix.errno())) {
        Posix.close(stderr);
        stderr = -1;
      } else {
        return;
      }
    }
  }

  private static boolean isTransient(int errno) {
    return errno == Posix.EAGAIN || errno == Posix.EINTR;
  }

  private void expectExit() {
    if (!dead) {
      loop.after(
          EXIT_FOLLOWS_NANOS,
          () -> {
            if (pidfd < 0) {
              sweep();
            }
            if (!dead) {
              inbox.ended(stdout < 0 ? "closed its stdout" : "closed its stdin");
            }
          });
    }
  }

  private void died() {
    if (dead) {
      return;
    }
    dead = true;
    readStdout(READS_AT_END);
    readStderr(READS_AT_END);
    Posix.kill(-pid, Posix.SIGKILL);
    reaper.remove(pid);
    int[] status = new int[1];
    int reaped = Posix.waitpid(pid, status, Posix.WNOHANG);
    loop.leave(serial);
    for (int descriptor : new int[] {stdout, stderr, pidfd}) {
      if (descriptor >= 0) {
        Posix.close(descriptor);
      }
    }
    stdout = -1;
    stderr = -1;
    inbox.ended(reaped == pid ? ExitStatus.describe(status[0]) : "exit status unknown");
    reaper.descendants().sweep(lineage).onComplete(swept -> gone.tryComplete());
  }
}
