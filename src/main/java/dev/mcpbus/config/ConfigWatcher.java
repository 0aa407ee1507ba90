package dev.mcpbus.config;

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
 * Watches a configuration and every {@code envFile} that it names. A change is read when two looks
 * in a row have seen the same sizes and times, and these are still the same after the reading: a
 * half-written file is never used. A file with any problem changes nothing: the live configuration
 * stays, whole, and the problems are reported. Starting is different: there a bad server is left
 * out, because no better definition of it is running.
 *
 * <p>All state belongs to the context that created the watcher; files are read on a worker.
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
  private List<ConfigProblem> troubles;
  private Map<Path, String> used = Map.of();
  private Map<Path, String> lastLook = Map.of();
  private @Nullable Future<Void> looking;
  private long timer = NO_TIMER;
  private boolean closed;

  /**
   * @param reader reads the file; called on a worker
   * @param current what {@code reader} gave at the start
   * @param live what runs; the configuration of {@code current} where it has one
   * @param handler gets every change, on this context
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
    this.troubles = current.problems();
    this.live = live;
    this.handler = handler;
  }

  /**
   * Looks at the files every {@code interval} until {@link #close}. Completes after the first look.
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

  /** Stops looking; a reading under way is not reported any more. */
  public void close() {
    context.runOnContext(
        now -> {
          vertx.cancelTimer(timer);
          timer = NO_TIMER;
          closed = true;
        });
  }

  /**
   * Looks once. Completes when a change, if there was one, has been read and handed to the handler.
   * Looks do not overlap: a second one joins the first. The second look ever reads the files in any
   * case, so that no change between the start and the first look is missed; the same problems are
   * not reported twice.
   */
  public Future<Void> look() {
    Promise<Void> done = Promise.promise();
    context.runOnContext(
        now -> {
          Future<Void> current = looking;
          if (current == null) {
            current = stamps().compose(this::compare);
            looking = current;
            current.onComplete(end -> looking = null);
          }
          current.onComplete(done);
        });
    return done.future();
  }

  private Future<Void> compare(Map<Path, String> seen) {
    boolean settled = seen.equals(lastLook);
    lastLook = seen;
    boolean due = settled && !seen.equals(used) && !closed;
    return due ? read(seen) : Future.succeededFuture();
  }

  private Future<Void> read(Map<Path, String> seen) {
    return vertx
        .executeBlocking(reader::get)
        .compose(
            result ->
                stamps()
                    .map(
                        after -> {
                          if (after.equals(seen) && !closed) {
                            used = seen;
                            use(result);
                          }
                          // Else it changed under the reading: the next looks see that. Files
                          // that are named for the first time make the next looks read once more.
                          return (Void) null;
                        }));
  }

  private void use(ConfigResult result) {
    files = result.files();
    McpBusConfig next = result.config();
    if (next == null || !result.problems().isEmpty()) {
      if (!result.problems().equals(troubles)) {
        troubles = result.problems();
        handler.handle(new ConfigChange(null, result));
      }
      return;
    }
    ConfigDiff diff = ConfigDiff.between(live, next);
    boolean worthTelling = !troubles.isEmpty() || !diff.isEmpty();
    live = next;
    troubles = List.of();
    if (worthTelling) {
      handler.handle(new ConfigChange(diff, result));
    }
  }

  /** Size and time of every file, {@code absent} for a missing one. */
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
