package dev.mcpbus.security;

import dev.mcpbus.internals.PrivateFile;
import dev.mcpbus.security.AuthOptions.AuditFile;
import dev.mcpbus.security.WholeLineFile.PartlyWrittenException;
import io.vertx.core.Promise;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.channels.SeekableByteChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileSystemException;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.LongFunction;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The audit log in a file of its own. Callers give their lines to a queue, and a thread {@code
 * mcpbus-audit} writes them, so a disk that is slow, full or gone holds up no caller. While a line
 * cannot be written, lines wait in the queue, up to {@value #MAX_BYTES} bytes; those beyond are
 * lost and counted. The log says when such a time begins and when it ends; then the file itself
 * gets a line with the number of lost lines. Any thread may call.
 */
final class AuditLogFile {

  private static final Logger LOG = LoggerFactory.getLogger(AuditLogFile.class);

  /** Bytes of lines that wait. */
  static final int MAX_BYTES = 8 * 1024 * 1024;

  /** Bytes of one write, unless one line is longer. */
  private static final int BATCH_BYTES = 256 * 1024;

  /** Pause before another attempt after one that failed, while there are lines. */
  private static final long RETRY_MILLIS = 100;

  private static final long CLOSE_MILLIS = 2_000;

  /** A line that waits. */
  private static final class WaitingLine {

    private final byte[] bytes;

    /**
     * Completes when the line is on the disk, and fails if it cannot be written now; null for a
     * line that waits until it can.
     */
    private final @Nullable Promise<Void> written;

    WaitingLine(byte[] bytes, @Nullable Promise<Void> written) {
      this.bytes = bytes;
      this.written = written;
    }
  }

  private final AuditFile options;
  private final WholeLineFile file;
  private final LongFunction<String> lostLine;
  private final LongSupplier nanos;

  // What follows is guarded by this.
  private final Deque<WaitingLine> waiting = new ArrayDeque<>();
  private int waitingBytes;
  private long lost;
  private @Nullable String problem;

  /** Whether the log has said that lines wait or are lost, and not yet that this has ended. */
  private boolean told;

  private long toldAt;
  private long lostAtEnd;
  private @Nullable Thread writer;
  private boolean closing;

  /**
   * @param lostLine makes the line that says how many lines were lost
   */
  AuditLogFile(AuditFile options, LongFunction<String> lostLine) {
    this(options, lostLine, new RealFiles(), System::nanoTime);
  }

  AuditLogFile(
      AuditFile options,
      LongFunction<String> lostLine,
      WholeLineFile.Opener opener,
      LongSupplier nanos) {
    this.options = options;
    this.lostLine = lostLine;
    this.nanos = nanos;
    this.file =
        new WholeLineFile(Path.of(options.path()), options.maxBytes(), options.keep(), opener);
  }

  private static final class RealFiles implements WholeLineFile.Opener {
    @Override
    public SeekableByteChannel open(Path path) throws IOException {
      return PrivateFile.of(path).openForAppend();
    }

    @Override
    public void force(SeekableByteChannel channel) throws IOException {
      ((FileChannel) channel).force(false);
    }
  }

  /** Whether calls are refused while their beginnings cannot be written. */
  boolean refuses() {
    return options.onFailure() == AuthOptions.OnAuditFailure.REFUSE;
  }

  /** Opens the file, so that the log says at the start if that fails. Does not wait for it. */
  synchronized void open() {
    start();
  }

  private void start() {
    if (writer == null && !closing) {
      Thread thread = new Thread(this::run, "mcpbus-audit");
      thread.setDaemon(true);
      thread.start();
      writer = thread;
    }
  }

  /** Writes a line later, or loses and counts it if too many wait. */
  void write(String line) {
    if (add(line, null)) {
      return;
    }
    boolean first;
    synchronized (this) {
      lost++;
      first = begins();
    }
    if (first) {
      LOG.warn(
          "audit: lines are lost and counted, because {} is written more slowly than they come",
          options.path());
    }
  }

  private synchronized boolean begins() {
    if (told) {
      return false;
    }
    told = true;
    toldAt = nanos.getAsLong();
    return true;
  }

  /**
   * Writes a line now.
   *
   * @param written completes when the line is on the disk; fails with an {@link
   *     AuditRefusedException} if it cannot be written, and then it is not written later
   */
  void write(String line, Promise<Void> written) {
    if (!add(line, written)) {
      String why = problem();
      written.tryFail(new AuditRefusedException(why == null ? "too many lines wait" : why));
    }
  }

  private synchronized boolean add(String line, @Nullable Promise<Void> written) {
    byte[] bytes = (line + "\n").getBytes(StandardCharsets.US_ASCII);
    if (closing || waitingBytes + bytes.length > MAX_BYTES) {
      return false;
    }
    waiting.add(new WaitingLine(bytes, written));
    waitingBytes += bytes.length;
    start();
    notifyAll();
    return true;
  }

  /** Why lines cannot be written now; null if they can. */
  synchronized @Nullable String problem() {
    return problem;
  }

  /** Lines that were lost since the start. */
  synchronized long lost() {
    return lost;
  }

  /** Lines that wait now. */
  synchronized int waiting() {
    return waiting.size();
  }

  /**
   * Writes what waits, for at most two seconds, and ends the thread. Blocks. Lines that come later
   * are lost.
   */
  void close() {
    Thread thread;
    synchronized (this) {
      closing = true;
      thread = writer;
      notifyAll();
    }
    if (thread == null) {
      return;
    }
    try {
      thread.join(CLOSE_MILLIS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    List<WaitingLine> left;
    synchronized (this) {
      left = List.copyOf(waiting);
      waiting.clear();
      waitingBytes = 0;
      lost += left.size();
    }
    if (!left.isEmpty()) {
      LOG.error("audit: the last {} lines are lost: {}", left.size(), options.path());
    }
    left.forEach(line -> complete(line, new AuditRefusedException("mcpbus is ending")));
  }

  // ---- the writer's thread

  private void run() {
    try {
      attempt(List.of());
      for (List<WaitingLine> batch = next(); !batch.isEmpty(); batch = next()) {
        attempt(batch);
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    } finally {
      file.close();
    }
  }

  /** The lines to write next; they stay in the queue. Empty at the end. */
  private synchronized List<WaitingLine> next() throws InterruptedException {
    while (waiting.isEmpty() && !closing) {
      wait();
    }
    List<WaitingLine> batch = new ArrayList<>();
    int bytes = 0;
    for (WaitingLine line : waiting) {
      bytes += line.bytes.length;
      if (!batch.isEmpty() && bytes > BATCH_BYTES) {
        break;
      }
      batch.add(line);
    }
    return batch;
  }

  private void attempt(List<WaitingLine> batch) throws InterruptedException {
    ByteArrayOutputStream lines = new ByteArrayOutputStream();
    boolean forced = false;
    for (WaitingLine line : batch) {
      lines.writeBytes(line.bytes);
      forced |= line.written != null;
    }
    try {
      if (batch.isEmpty()) {
        file.open();
      } else {
        file.append(lines.toByteArray(), forced);
      }
      written(lines.size());
    } catch (PartlyWrittenException e) {
      written(e.bytes());
      failed(e);
    } catch (IOException | RuntimeException e) {
      failed(e);
    }
  }

  private void written(int bytes) {
    List<WaitingLine> done = new ArrayList<>();
    String end = null;
    synchronized (this) {
      for (int left = bytes; left > 0 && !waiting.isEmpty(); ) { // close() may have emptied it
        WaitingLine line = waiting.remove();
        left -= line.bytes.length;
        waitingBytes -= line.bytes.length;
        done.add(line);
      }
      problem = null;
      if (told && waitingBytes <= MAX_BYTES / 2) {
        told = false;
        end = end(lost - lostAtEnd);
        lostAtEnd = lost;
      }
    }
    done.forEach(line -> complete(line, null));
    if (end != null) {
      LOG.warn(end);
    }
  }

  /** The line of the log about the end; gives the file its own line where lines were lost. */
  private String end(long missing) {
    if (missing > 0) {
      byte[] line = (lostLine.apply(missing) + "\n").getBytes(StandardCharsets.US_ASCII);
      waiting.addFirst(new WaitingLine(line, null));
      waitingBytes += line.length;
    }
    return String.format(
        "audit: %s is written again after %d s: %d lines are lost",
        options.path(), TimeUnit.NANOSECONDS.toSeconds(nanos.getAsLong() - toldAt), missing);
  }

  private void failed(Exception why) throws InterruptedException {
    file.close();
    String text = text(why);
    List<WaitingLine> refused = new ArrayList<>();
    boolean first;
    synchronized (this) {
      problem = text;
      waiting.removeIf(line -> line.written != null && refused.add(line));
      refused.forEach(line -> waitingBytes -= line.bytes.length);
      first = begins();
    }
    refused.forEach(line -> complete(line, new AuditRefusedException(text)));
    if (first) {
      LOG.error(
          "audit: {} cannot be written: {}. {}; mend it, and mcpbus goes on by itself",
          options.path(),
          text,
          refuses()
              ? "Calls are refused, as auth.audit.onFailure says"
              : "Calls go on; their lines wait in memory, up to "
                  + MAX_BYTES / 1024 / 1024
                  + " MiB, and those beyond are lost");
    }
    synchronized (this) {
      long until = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(RETRY_MILLIS);
      for (long left = RETRY_MILLIS; left > 0 && !closing; ) {
        wait(left);
        left = TimeUnit.NANOSECONDS.toMillis(until - System.nanoTime());
      }
      if (closing) {
        throw new InterruptedException("the file cannot be written, and mcpbus is ending");
      }
    }
  }

  private static void complete(WaitingLine line, @Nullable AuditRefusedException why) {
    Promise<Void> written = line.written;
    if (written == null) {
      return;
    }
    if (why == null) {
      written.tryComplete();
    } else {
      written.tryFail(why);
    }
  }

  /** Without the path, which the log names. */
  private static String text(Exception why) {
    if (why instanceof AccessDeniedException) {
      return "permission denied";
    }
    if (why instanceof NoSuchFileException) {
      return "no such folder";
    }
    String reason = why instanceof FileSystemException file ? file.getReason() : why.getMessage();
    return reason == null ? why.getClass().getSimpleName() : reason;
  }
}
