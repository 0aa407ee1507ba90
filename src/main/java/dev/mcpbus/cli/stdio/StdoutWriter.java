package dev.mcpbus.cli.stdio;

import dev.mcpbus.protocol.RawJson;
import java.io.BufferedOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.util.Arrays;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Writes messages to stdout, one line each, in order. Its thread {@code mcpbus-stdout} blocks where
 * the client does not read; the bridge stops reading from the service while many bytes wait. Any
 * thread may call.
 */
final class StdoutWriter {

  /** With more than this the writer is full, until less than {@link #LOW} wait. */
  private static final long HIGH = 4L * 1024 * 1024;

  private static final long LOW = 1024L * 1024;
  private static final int BUFFER = 64 * 1024;

  /** Ends the thread; no message is empty. */
  private static final RawJson END = RawJson.of("");

  /** Receives the state of the writer, on any thread. */
  interface FlowListener {

    /** {@link #isFull} may have changed. */
    void changed();

    /** The client reads no more: nothing can be written. */
    void broken();
  }

  private final LinkedBlockingQueue<RawJson> queue = new LinkedBlockingQueue<>();
  private final AtomicLong waiting = new AtomicLong();
  private final CountDownLatch ended = new CountDownLatch(1);
  private final OutputStream out;
  private volatile @Nullable FlowListener listener;

  StdoutWriter(OutputStream out) {
    this.out = new BufferedOutputStream(out, BUFFER);
  }

  /** Begins to write; to be called once. */
  void start(FlowListener reportsTo) {
    listener = reportsTo;
    Thread thread = new Thread(this::run, "mcpbus-stdout");
    thread.setDaemon(true);
    thread.start();
  }

  /**
   * Queues one message; never blocks.
   *
   * @param message must not change any more
   */
  void write(RawJson message) {
    long before = waiting.getAndAdd(message.length());
    queue.add(message);
    if (before <= HIGH && before + message.length() > HIGH) {
      report(FlowListener::changed);
    }
  }

  private void report(Consumer<FlowListener> what) {
    FlowListener present = listener;
    if (present != null) {
      what.accept(present);
    }
  }

  /**
   * Whether so many bytes wait for the client that no more should be read for it.
   *
   * @param before the last answer
   */
  boolean isFull(boolean before) {
    return waiting.get() > (before ? LOW : HIGH);
  }

  /**
   * Writes what waits, and ends; blocks for {@code millis} at most.
   *
   * @return false if the client did not read everything in that time
   */
  boolean end(long millis) throws InterruptedException {
    queue.add(END);
    return ended.await(millis, TimeUnit.MILLISECONDS);
  }

  private void run() {
    try {
      for (RawJson message = next(); message != null; message = next()) {
        line(message);
        long after = waiting.addAndGet(-message.length());
        if (after <= LOW && after + message.length() > LOW) {
          report(FlowListener::changed);
        }
      }
      out.flush();
    } catch (IOException e) {
      report(FlowListener::broken);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    } finally {
      ended.countDown();
    }
  }

  /** The next message, null at the end; writes what is buffered before it waits. */
  private @Nullable RawJson next() throws IOException, InterruptedException {
    RawJson message = queue.poll();
    if (message == null) {
      out.flush();
      message = queue.take();
    }
    return message.length() == 0 ? null : message;
  }

  private void line(RawJson message) throws IOException {
    byte[] bytes = message.array();
    int from = message.offset();
    int to = from + message.length();
    if (hasBreak(bytes, from, to)) {
      // Between tokens alone: in a JSON string a line break is an escape.
      bytes = Arrays.copyOfRange(bytes, from, to);
      for (int i = 0; i < bytes.length; i++) {
        bytes[i] = bytes[i] == '\n' || bytes[i] == '\r' ? (byte) ' ' : bytes[i];
      }
      out.write(bytes);
    } else {
      out.write(bytes, from, to - from);
    }
    out.write('\n');
  }

  private static boolean hasBreak(byte[] bytes, int from, int to) {
    for (int i = from; i < to; i++) {
      if (bytes[i] == '\n' || bytes[i] == '\r') {
        return true;
      }
    }
    return false;
  }
}
