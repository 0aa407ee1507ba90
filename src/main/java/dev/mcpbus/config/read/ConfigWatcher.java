package dev.mcpbus.config.read;

import dev.mcpbus.config.ConfigChange;
import dev.mcpbus.config.ConfigDiff;
import dev.mcpbus.config.ConfigProblem;
import dev.mcpbus.config.ConfigResult;
import dev.mcpbus.config.McpBusConfig;
import io.vertx.core.Context;
import io.vertx.core.Future;
import io.vertx.core.Handler;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import io.vertx.core.file.FileProps;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Watches a configuration file and every {@code envFile} that it names. A changed file is read
 * after two checks in a row have seen the same sizes and times, and used if these are still the
 * same after reading, so a half-written file is never used. If the file has any problem, the whole
 * live configuration stays and the problems are reported. This differs from the start, where a
 * server with problems is left out, as no better definition of it runs.
 *
 * <p>All state belongs to the context that created the watcher; files are read on a worker thread.
 */
public final class ConfigWatcher {

  public static final Duration DEFAULT_INTERVAL = Duration.ofMillis(500);

  private static final long NO_TIMER = -1;

  private final Vertx vertx;
  private final Context context;
  private final Supplier<ConfigResult> reader;
  private final Handler<ConfigChange> handler;

  private McpBusConfig live;
  private List<Path> files;
  private List<ConfigProblem> problems;
  private Map<Path, String> used = Map.of();
  private Map<Path, String> lastStamps = Map.of();
  private @Nullable Future<Void> running;
  private long timer = NO_TIMER;
  private boolean closed;

  /**
   * @param reader reads the file; called on a worker thread
   * @param current the result of {@code reader} at the start
   * @param live what runs; the configuration of {@code current} if it has one
   * @param handler receives every change, on this context
   */
  public ConfigWatcher(
      Vertx vertx,
      Supplier<ConfigResult> reader,
      ConfigResult current,
      McpBusConfig live,
      Handler<ConfigChange> handler) {
    this.vertx = vertx;
    this.context = vertx.getOrCreateContext();
    this.reader = reader;
    this.files = current.files();
    this.problems = current.problems();
    this.live = live;
    this.handler = handler;
  }

  /**
   * Checks the files every {@code interval} until {@link #close}. Completes after the first check.
   */
  public Future<Void> start(Duration interval) {
    return look()
        .onSuccess(
            done -> {
              if (timer == NO_TIMER && !closed) {
                timer = vertx.setPeriodic(interval.toMillis(), id -> look());
              }
            });
  }

  /**
   * Stops checking; the result of a reading in progress is dropped. Completes when the handler
   * receives nothing any more.
   */
  public Future<Void> close() {
    Promise<Void> done = Promise.promise();
    context.runOnContext(
        now -> {
          vertx.cancelTimer(timer);
          timer = NO_TIMER;
          closed = true;
          done.complete();
        });
    return done.future();
  }

  /**
   * Checks once. Completes when a change, if there was one, has been read and passed to the
   * handler. Checks do not overlap: a second one shares the result of the first. The second check
   * after the start always reads the files, so a change before the first check is not missed; the
   * same problems are not reported twice.
   */
  public Future<Void> look() {
    Promise<Void> done = Promise.promise();
    context.runOnContext(
        now -> {
          Future<Void> current = running;
          if (current == null) {
            current = stamps().compose(this::compare);
            running = current;
            current.onComplete(end -> running = null);
          }
          current.onComplete(done);
        });
    return done.future();
  }

  private Future<Void> compare(Map<Path, String> stamps) {
    boolean settled = stamps.equals(lastStamps);
    lastStamps = stamps;
    boolean due = settled && !stamps.equals(used) && !closed;
    return due ? read(stamps) : Future.succeededFuture();
  }

  private Future<Void> read(Map<Path, String> stamps) {
    return vertx
        .executeBlocking(reader::get)
        .compose(
            result ->
                stamps()
                    .map(
                        after -> {
                          if (after.equals(stamps) && !closed) {
                            used = stamps;
                            use(result);
                          }
                          // Otherwise the file changed during the reading, and the next checks
                          // read it again. Files that the configuration names for the first time
                          // also cause one more reading.
                          return (Void) null;
                        }));
  }

  private void use(ConfigResult result) {
    files = result.files();
    McpBusConfig next = result.config();
    if (next == null || !result.problems().isEmpty()) {
      if (!result.problems().equals(problems)) {
        problems = result.problems();
        handler.handle(new ConfigChange(null, result));
      }
      return;
    }
    ConfigDiff diff = ConfigDiff.between(live, next);
    boolean report = !problems.isEmpty() || !diff.isEmpty();
    live = next;
    problems = List.of();
    if (report) {
      handler.handle(new ConfigChange(diff, result));
    }
  }

  /** Size and times of every file, {@code absent} for a missing one. */
  private Future<Map<Path, String>> stamps() {
    Map<Path, String> stamps = new TreeMap<>();
    Future<Void> all = Future.succeededFuture();
    for (Path file : files) {
      all =
          all.compose(
              before ->
                  vertx
                      .fileSystem()
                      .props(file.toString())
                      .map(ConfigWatcher::stamp)
                      .otherwise("absent")
                      .map(
                          stamp -> {
                            stamps.put(file, stamp);
                            return (Void) null;
                          }));
    }
    return all.map(done -> stamps);
  }

  private static String stamp(FileProps props) {
    return props.size() + "@" + props.lastModifiedTime() + "/" + props.creationTime();
  }
}
