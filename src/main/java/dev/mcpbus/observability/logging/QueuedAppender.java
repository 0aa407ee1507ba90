package dev.mcpbus.observability.logging;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.LoggerContext;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.classic.spi.LoggingEvent;
import ch.qos.logback.core.UnsynchronizedAppenderBase;
import ch.qos.logback.core.encoder.Encoder;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Writes the log to a stream that may stall or fail: a pipe that its reader does not read, a file
 * on a full disk. Loggers encode their lines and give them to a queue; a thread {@code mcpbus-log}
 * writes them. Lines beyond {@value #MAX_BYTES} bytes, and those that the stream refuses, are lost;
 * a later line says how many. Any thread may log, and none waits for the stream, except while the
 * JVM ends: then each line is written by its own thread, so that the last ones are not lost.
 */
public final class QueuedAppender extends UnsynchronizedAppenderBase<ILoggingEvent> {

  static final int MAX_BYTES = 1024 * 1024;

  /** How long the end of the JVM waits for a stream that stalls. */
  private static final long END_MILLIS = 1_000;

  private final OutputStream out;
  private final Encoder<ILoggingEvent> encoder;

  // What follows is guarded by lines.
  private final Deque<byte[]> lines = new ArrayDeque<>();
  private int bytes;
  private int lost;
  private boolean writing;

  /** Whether the stream has failed last; only the thread that writes uses it. */
  private boolean torn;

  private boolean direct;
  private @Nullable Thread writer;

  QueuedAppender(OutputStream out, Encoder<ILoggingEvent> encoder) {
    this.out = out;
    this.encoder = encoder;
  }

  /** What makes bytes of an event. */
  public Encoder<ILoggingEvent> encoder() {
    return encoder;
  }

  @Override
  protected void append(ILoggingEvent event) {
    byte[] line = encoder.encode(event);
    synchronized (lines) {
      if (bytes + line.length > MAX_BYTES) {
        lost++;
        return;
      }
      lines.add(line);
      bytes += line.length;
      if (direct) {
        write(take());
      } else if (writer == null) {
        writer = new Thread(this::run, "mcpbus-log");
        writer.setDaemon(true);
        writer.start();
      }
      lines.notifyAll();
    }
  }

  private void run() {
    try {
      while (true) {
        Deque<byte[]> batch;
        synchronized (lines) {
          writing = false;
          lines.notifyAll();
          while (lines.isEmpty()) {
            lines.wait();
          }
          batch = take();
          writing = true;
        }
        write(batch);
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private Deque<byte[]> take() {
    Deque<byte[]> batch = new ArrayDeque<>(lines);
    lines.clear();
    bytes = 0;
    return batch;
  }

  private void write(Deque<byte[]> batch) {
    int missing;
    synchronized (lines) {
      missing = lost;
      lost = 0;
    }
    ByteArrayOutputStream all = new ByteArrayOutputStream();
    if (torn) {
      all.write('\n'); // a line that the stream took in part ends here
    }
    if (missing > 0) {
      all.writeBytes(encoder.encode(notice(missing)));
    }
    batch.forEach(all::writeBytes);
    try {
      out.write(all.toByteArray());
      out.flush();
      torn = false;
    } catch (IOException e) {
      torn = true;
      synchronized (lines) {
        lost += missing + batch.size();
      }
    }
  }

  private LoggingEvent notice(int missing) {
    Logger logger = ((LoggerContext) getContext()).getLogger(QueuedAppender.class);
    return new LoggingEvent(
        "",
        logger,
        Level.WARN,
        "{} lines of this log are lost: what takes it was full or did not read",
        null,
        new Object[] {missing});
  }

  /** The JVM ends: writes what waits, then each line at once; unless the stream stalls. */
  void end() {
    long until = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(END_MILLIS);
    synchronized (lines) {
      try {
        for (long left = END_MILLIS; left > 0 && (writing || !lines.isEmpty()); ) {
          lines.wait(left);
          left = TimeUnit.NANOSECONDS.toMillis(until - System.nanoTime());
        }
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
      }
      direct = !writing && lines.isEmpty();
    }
  }
}
