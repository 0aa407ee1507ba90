package dev.mcpbus.testing;

import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.AppenderBase;
import java.io.IOException;
import java.lang.management.GarbageCollectorMXBean;
import java.lang.management.ManagementFactory;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.slf4j.LoggerFactory;

/**
 * Remembers what Vert.x says of blocked event loops. Vert.x measures by the clock on the wall; that
 * a thread was ready to run and the machine had no processor for it is not counted here, where
 * Linux says how long that was, nor that the collector stopped all threads: tests that weigh the
 * heap ask for that. All else is: work, sleep, a lock, a call of the system.
 */
final class LoopWatch extends AppenderBase<ILoggingEvent> implements AutoCloseable {

  private static final String LOGGER = "io.vertx.core.impl.BlockedThreadChecker";
  private static final Pattern BLOCKED = Pattern.compile("has been blocked for (?<ms>\\d+) ms");
  private static final Path TASKS = Path.of("/proc/self/task");

  /** As much of a thread's name as Linux keeps. */
  private static final String LOOP = "vert.x-eventloo";

  private static final long PAUSE_MILLIS = 400;
  private static final int KEPT = 150;

  private final long limitMillis;
  private final List<String> found = new CopyOnWriteArrayList<>();
  private final Deque<Sample> samples = new ArrayDeque<>();
  private final Thread sampler = new Thread(this::sample, "loop-watch");

  /**
   * @param collected for how many ms the collector has stopped all threads so far
   * @param waits of each event loop's thread for a processor since it began, in ns, by its id
   */
  private record Sample(long nanos, long collected, Map<String, Long> waits) {}

  private LoopWatch(long limitMillis) {
    this.limitMillis = limitMillis;
    sampler.setDaemon(true);
  }

  /**
   * @param limitMillis what Vert.x was given as its limit
   */
  static LoopWatch begin(long limitMillis) {
    LoopWatch watch = new LoopWatch(limitMillis);
    watch.start();
    watch.sampler.start();
    ((Logger) LoggerFactory.getLogger(LOGGER)).addAppender(watch);
    return watch;
  }

  /** What was blocked, in Vert.x' words and ours. */
  List<String> found() {
    return found;
  }

  @Override
  protected void append(ILoggingEvent event) {
    String text = event.getFormattedMessage();
    Matcher millis = BLOCKED.matcher(text);
    if (!millis.find()) {
      found.add(text);
      return;
    }
    long blocked = Long.parseLong(millis.group("ms"));
    long starved = starved(blocked);
    if (blocked - starved >= limitMillis) {
      found.add(text + ", of which it waited " + starved + " ms for a processor or the collector");
    }
  }

  /**
   * The most that any event loop waited for a processor in the last {@code millis}, and for which
   * the collector stopped all.
   */
  private synchronized long starved(long millis) {
    Sample now = look();
    long since = now.nanos - TimeUnit.MILLISECONDS.toNanos(millis);
    Sample before = samples.isEmpty() ? now : samples.getFirst();
    for (Sample older : samples) { // the newest comes last
      if (older.nanos <= since) {
        before = older;
      }
    }
    long most = 0;
    for (Map.Entry<String, Long> one : now.waits.entrySet()) {
      Long then = before.waits.get(one.getKey());
      most = Math.max(most, then == null ? one.getValue() : one.getValue() - then);
    }
    return TimeUnit.NANOSECONDS.toMillis(most) + now.collected - before.collected;
  }

  private void sample() {
    while (!Thread.currentThread().isInterrupted()) {
      keep();
      LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(PAUSE_MILLIS));
    }
  }

  private synchronized void keep() {
    samples.add(look());
    if (samples.size() > KEPT) {
      samples.poll();
    }
  }

  private static Sample look() {
    Map<String, Long> waits = new HashMap<>();
    if (Files.isDirectory(TASKS)) {
      try (DirectoryStream<Path> tasks = Files.newDirectoryStream(TASKS)) {
        for (Path task : tasks) {
          read(task, waits);
        }
      } catch (IOException e) {
        waits.clear(); // then nothing is forgiven
      }
    }
    return new Sample(System.nanoTime(), collected(), waits);
  }

  private static long collected() {
    return ManagementFactory.getGarbageCollectorMXBeans().stream()
        .filter(collector -> !collector.getName().contains("Concurrent"))
        .mapToLong(GarbageCollectorMXBean::getCollectionTime)
        .sum();
  }

  private static void read(Path task, Map<String, Long> waits) {
    try {
      if (Files.readString(task.resolve("comm")).startsWith(LOOP)) {
        String[] times = Files.readString(task.resolve("schedstat")).split(" ", -1);
        waits.put(String.valueOf(task.getFileName()), Long.valueOf(times[1]));
      }
    } catch (IOException | RuntimeException gone) {
      // The thread has ended meanwhile.
    }
  }

  @Override
  public void close() {
    ((Logger) LoggerFactory.getLogger(LOGGER)).detachAppender(this);
    sampler.interrupt();
    stop();
  }
}
