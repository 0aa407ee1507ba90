package dev.mcpbus.transport.stdio;

import dev.mcpbus.transport.StdioOptions;
import dev.mcpbus.transport.TransportException;
import dev.mcpbus.transport.TransportException.Reached;
import dev.mcpbus.transport.TransportException.Reason;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * A child process on systems where libc cannot be called. It gives weaker guarantees than {@link
 * LinuxChildProcess}: it needs three threads per child; a descendant whose parent has ended before
 * the shutdown survives; and if the JVM is killed, children that ignore the end of their stdin
 * survive.
 */
final class PortableChildProcess implements ChildProcess {

  private static final int BUFFER_BYTES = 64 * 1024;
  private static final int QUEUED_WRITES = 4;
  private static final long EXIT_FOLLOWS_MILLIS = 50;
  private static final byte[] END = new byte[0];

  private final Process process;
  private final ChildEvents inbox;
  private final StderrTail stderr;
  private final LinkedBlockingQueue<byte[]> writes = new LinkedBlockingQueue<>();
  private final Semaphore room = new Semaphore(QUEUED_WRITES);
  private final AtomicBoolean starved = new AtomicBoolean();
  private final Semaphore reading = new Semaphore(0);
  private final AtomicBoolean shuttingDown = new AtomicBoolean();
  private final Set<ProcessHandle> descendants = new LinkedHashSet<>();
  private final CompletableFuture<Void> outputRead = new CompletableFuture<>();
  private final Promise<Void> gone = Promise.promise();
  private volatile boolean discarding;
  private volatile boolean broken;
  private boolean inputOpen = true;

  private PortableChildProcess(Process process, ChildEvents inbox, StderrTail stderr) {
    this.process = process;
    this.inbox = inbox;
    this.stderr = stderr;
  }

  static PortableChildProcess launch(StdioOptions options, ChildEvents inbox, StderrTail stderr)
      throws TransportException {
    LaunchSpec launch = LaunchSpec.of(options, System.getenv(), Map.of());
    List<String> argv = new ArrayList<>(launch.argv());
    argv.set(0, launch.program().toString());
    ProcessBuilder builder = new ProcessBuilder(argv);
    builder.environment().clear();
    builder.environment().putAll(launch.env());
    if (launch.cwd() != null) {
      builder.directory(launch.cwd().toFile());
    }
    try {
      return new PortableChildProcess(builder.start(), inbox, stderr);
    } catch (IOException e) {
      throw new TransportException(
          Reason.START_FAILED,
          Reached.NO,
          "cannot start " + launch.program() + ": " + e.getMessage());
    }
  }

  @Override
  public long pid() {
    return process.pid();
  }

  @Override
  public Future<Void> gone() {
    return gone.future();
  }

  @Override
  public void start() {
    inbox.onResume(reading::release);
    thread("out", this::readOutput);
    thread("err", this::readErrors);
    thread("in", this::writeInput);
    Future.fromCompletionStage(process.onExit().thenCompose(this::drained))
        .onComplete(
            drained -> {
              discarding = true;
              inbox.ended("exit code " + process.exitValue());
              writes.add(END);
              gone.tryComplete();
            });
  }

  /** Waits for the rest of stdout, but only briefly, because a grandchild may hold stdout open. */
  private CompletableFuture<Void> drained(Process exited) {
    killDescendants();
    return outputRead.copy().completeOnTimeout(null, EXIT_FOLLOWS_MILLIS, TimeUnit.MILLISECONDS);
  }

  private void thread(String name, Runnable body) {
    Thread thread = new Thread(body, "mcpbus-stdio-" + name + "-" + process.pid());
    thread.setDaemon(true);
    thread.start();
  }

  private void readOutput() {
    byte[] buffer = new byte[BUFFER_BYTES];
    try (InputStream in = process.getInputStream()) {
      for (int count = in.read(buffer); count >= 0; count = in.read(buffer)) {
        if (!discarding) {
          inbox.stdout(Arrays.copyOf(buffer, count));
          if (inbox.isFull()) {
            reading.acquireUninterruptibly();
          }
        }
      }
    } catch (IOException e) {
      broken = true;
    }
    outputRead.complete(null);
    expectExit("closed its stdout");
  }

  private void readErrors() {
    byte[] buffer = new byte[BUFFER_BYTES];
    try (InputStream in = process.getErrorStream()) {
      for (int count = in.read(buffer); count >= 0; count = in.read(buffer)) {
        stderr.append(ByteBuffer.wrap(buffer, 0, count));
      }
    } catch (IOException e) {
      // A closed stderr does no harm.
      return;
    }
  }

  private void writeInput() {
    try (OutputStream out = process.getOutputStream()) {
      for (byte[] next = writes.take(); next != END; next = writes.take()) {
        out.write(next);
        out.flush();
        room.release();
        if (starved.compareAndSet(true, false)) {
          inbox.writable();
        }
      }
    } catch (IOException e) {
      broken = true;
      expectExit("closed its stdin");
    } catch (InterruptedException e) {
      broken = true;
    }
  }

  private void expectExit(String how) {
    CompletableFuture.delayedExecutor(EXIT_FOLLOWS_MILLIS, TimeUnit.MILLISECONDS)
        .execute(
            () -> {
              if (process.isAlive()) {
                inbox.ended(how);
              }
            });
  }

  @Override
  public Flush flush(StdinQueue queue) {
    while (!queue.isEmpty()) {
      if (!inputOpen || broken) {
        return Flush.BROKEN;
      }
      if (!room.tryAcquire()) {
        starved.set(true);
        if (!room.tryAcquire()) {
          return Flush.BLOCKED;
        }
        starved.set(false);
      }
      ByteBuffer buffer = ByteBuffer.allocate(BUFFER_BYTES);
      queue.copyTo(buffer);
      writes.add(Arrays.copyOf(buffer.array(), buffer.position()));
      queue.written(buffer.position());
    }
    return Flush.DONE;
  }

  @Override
  public void closeInput() {
    if (inputOpen) {
      inputOpen = false;
      writes.add(END);
    }
  }

  @Override
  public void discardOutput() {
    discarding = true;
    reading.release();
  }

  @Override
  public void shutdown(Duration grace) {
    if (!shuttingDown.compareAndSet(false, true)) {
      return;
    }
    recordDescendants();
    long nanos = grace.toNanos();
    CompletableFuture.delayedExecutor(nanos, TimeUnit.NANOSECONDS)
        .execute(
            () -> {
              recordDescendants();
              process.destroy();
            });
    CompletableFuture.delayedExecutor(2 * nanos, TimeUnit.NANOSECONDS)
        .execute(
            () -> {
              recordDescendants();
              process.destroyForcibly();
            });
  }

  /** Records the descendants; the system knows them only while their parents live. */
  private void recordDescendants() {
    synchronized (descendants) {
      process.descendants().forEach(descendants::add);
    }
  }

  private void killDescendants() {
    synchronized (descendants) {
      descendants.forEach(ProcessHandle::destroyForcibly);
    }
  }
}
