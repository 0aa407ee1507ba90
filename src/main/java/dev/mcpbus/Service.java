package dev.mcpbus;

import dev.mcpbus.bridge.ReservedPort;
import dev.mcpbus.cli.AdminTokenPublisher;
import dev.mcpbus.cli.FileConsent;
import dev.mcpbus.cli.ServiceLauncher;
import dev.mcpbus.cluster.engine.HazelcastCluster;
import dev.mcpbus.config.ClusterOptions;
import dev.mcpbus.config.ConfigChange;
import dev.mcpbus.config.ConfigDiff;
import dev.mcpbus.config.ConfigEnvironment;
import dev.mcpbus.config.ConfigProblem;
import dev.mcpbus.config.ConfigReport;
import dev.mcpbus.config.ConfigResult;
import dev.mcpbus.config.McpBusConfig;
import dev.mcpbus.config.read.ConfigReader;
import dev.mcpbus.config.read.ConfigWatcher;
import dev.mcpbus.hosting.ConfigurationState;
import dev.mcpbus.internals.ProcessSignals;
import dev.mcpbus.observability.logging.LogLevels;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import java.io.IOException;
import java.io.PrintStream;
import java.net.BindException;
import java.nio.file.FileSystems;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * mcpbus as a process: Vert.x, the {@link McpBus}, the watched configuration file, and an orderly
 * end on SIGTERM. Runs on the main thread; the end runs on the thread {@code mcpbus-end}.
 */
final class Service {

  private static final Logger LOG = LoggerFactory.getLogger(Service.class);

  /** How long an orderly end may take: by itself Vert.x ends abruptly on SIGTERM. */
  private static final long SHUTDOWN_SECONDS = 10;

  /**
   * A balancer that looks every second or two has noticed by then. A node alone does not wait: it
   * is on a terminal, or it has no other node to which a balancer could turn.
   */
  private static final Duration CLUSTER_DRAIN = Duration.ofSeconds(5);

  private Service() {}

  /** Runs until the process gets SIGTERM or SIGINT. Returns an exit code. */
  static int run(ServiceLauncher.Launch launch, PrintStream out, PrintStream err) {
    McpBusConfig config = launch.config();
    int listenPort = launch.port() == null ? config.port() : launch.port();
    String doors = config.host() + ":" + listenPort;
    Vertx vertx;
    try {
      vertx = launch.cluster() ? join(launch, listenPort) : Vertx.vertx(McpBus.vertxOptions());
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return 1;
    } catch (StartException e) {
      String why = e.inUse ? describe(e, doors) : String.valueOf(e.getMessage());
      err.println("mcpbus could not join a cluster: " + why);
      return 1;
    }
    CountDownLatch over = new CountDownLatch(1);
    try {
      McpBus bus = await(McpBus.start(vertx, options(launch, listenPort)));
      AdminTokenPublisher admin =
          new AdminTokenPublisher(bus.adminToken(), bus.port(), System.getenv());
      admin.open();
      ConfigWatcher watcher = watch(vertx, launch, bus);
      Runtime.getRuntime()
          .addShutdownHook(
              new Thread(() -> end(vertx, watcher, bus, admin, drain(launch), over), "mcpbus-end"));
      new StartReport(vertx, config, out).print(bus.port(), admin);
      launch.listening().accept(bus.port());
      over.await();
      return 0;
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return 1;
    } catch (StartException e) {
      err.println("mcpbus could not start: " + describe(e, doors));
      leave(vertx);
      return 1;
    }
  }

  /**
   * Joins the cluster, which takes seconds and moves data of all nodes: not before the port of the
   * doors is this process's own. Its HTTP server takes the port after this; should another process
   * be faster, this node ends before it owns a connection.
   */
  private static Vertx join(ServiceLauncher.Launch launch, int port)
      throws InterruptedException, StartException {
    ClusterOptions cluster = launch.config().cluster();
    try (ReservedPort doors = ReservedPort.of(launch.config().host(), port)) {
      Objects.requireNonNull(doors); // held until this block ends
      InProcessService.warmUp();
      return await(HazelcastCluster.start(McpBus.vertxOptions(), cluster, launch.clusterFile()));
    } catch (IOException taken) {
      throw new StartException(taken, true);
    }
  }

  /** Leaves the cluster in good order, so that the other nodes do not take this one for lost. */
  private static void leave(Vertx vertx) {
    try {
      awaitUntil(vertx.close(), System.nanoTime() + TimeUnit.SECONDS.toNanos(SHUTDOWN_SECONDS));
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private static String describe(StartException e, String place) {
    return e.inUse || e.getCause() instanceof BindException
        ? "port "
            + place
            + " is in use, or the address is not one of this machine; choose another port"
            + " with --port, or \"bridge\": {\"port\": ...} in the configuration; 0 takes a free one"
        : String.valueOf(e.getMessage());
  }

  private static final class StartException extends Exception {
    private static final long serialVersionUID = 1;

    /** Whether the port of the doors cannot be had. */
    private final boolean inUse;

    StartException(Throwable cause) {
      this(cause, false);
    }

    StartException(Throwable cause, boolean inUse) {
      super(cause.getMessage(), cause);
      this.inUse = inUse;
    }
  }

  private static <T> T await(Future<T> future) throws InterruptedException, StartException {
    CountDownLatch done = new CountDownLatch(1);
    future.onComplete(result -> done.countDown());
    done.await();
    if (future.failed()) {
      throw new StartException(future.cause());
    }
    return future.result();
  }

  private static BusSettings options(ServiceLauncher.Launch launch, int port)
      throws StartException {
    McpBusConfig config = launch.config();
    try {
      return BusSettings.of(launch.file(), launch.result(), config)
          .withTelemetry(config.telemetry().ofService(System.getenv()))
          .withBridge(config.bridge().withPort(port));
    } catch (IllegalArgumentException e) {
      throw new StartException(e);
    }
  }

  /** False for the configuration inside the jar. */
  static boolean isFile(Path source) {
    return source.getFileSystem().equals(FileSystems.getDefault());
  }

  /** Null for the configuration inside the jar, which does not change. */
  private static @Nullable ConfigWatcher watch(
      Vertx vertx, ServiceLauncher.Launch launch, McpBus bus) {
    Path file = launch.file();
    if (!isFile(file)) {
      return null;
    }
    ConfigWatcher watcher =
        new ConfigWatcher(
            vertx,
            () -> readAgain(file),
            launch.result(),
            launch.config(),
            change -> reload(file, change, bus));
    bus.configured(loaded(file, launch.config().problems()));
    watcher.start(ConfigWatcher.DEFAULT_INTERVAL);
    return watcher;
  }

  private static ConfigResult readAgain(Path file) {
    ConfigResult read = ConfigReader.read(file, ConfigEnvironment.system());
    if (read.problems().isEmpty()) {
      FileConsent.of(Path.of(System.getProperty("user.home", "."))).renew(file, read);
    }
    return read;
  }

  private static ConfigurationState loaded(Path file, List<ConfigProblem> problems) {
    Path place = isFile(file) ? file.toAbsolutePath().normalize() : file;
    return ConfigurationState.loaded(place.toString(), Instant.now(), problems);
  }

  private static void reload(Path file, ConfigChange change, McpBus bus) {
    if (change.applicable().isEmpty()) {
      bus.configured(bus.configuration().broken(Instant.now(), change.problems()));
      LOG.warn(
          "the changed configuration has problems, nothing is changed\n{}",
          ConfigReport.lines(change.problems()).stripTrailing());
      return;
    }
    if (!change.result().notes().isEmpty()) {
      LOG.warn("{}", ConfigReport.notes(change.result().notes()).stripTrailing());
    }
    ConfigDiff diff = change.applicable().get();
    if (!diff.needsRestart().isEmpty()) {
      LOG.warn(
          "these settings have changed, and only a restart of mcpbus applies them: {}",
          diff.needsRestart());
    }
    LOG.info(
        "configuration changed: {} added, {} changed, {} removed, {} untouched",
        diff.added().size(),
        diff.changed().size(),
        diff.removed().size(),
        diff.unchanged().size());
    bus.configured(loaded(file, List.of()));
    bus.apply(diff)
        .onFailure(failure -> LOG.error("the changed configuration was not applied", failure));
  }

  /**
   * Runs on the shutdown hook's own thread: closing Vert.x from one of its contexts is not allowed.
   * First it serves on for {@code drain}, while balancers turn away; the node keeps its connections
   * until then. The watcher ends before the tree, so that no change of the file starts a server
   * while the tree ends.
   */
  private static void end(
      Vertx vertx,
      @Nullable ConfigWatcher watcher,
      McpBus bus,
      AdminTokenPublisher admin,
      Duration drain,
      CountDownLatch over) {
    try {
      drain(bus, drain);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    admin.close();
    LogLevels.doorsClose();
    LOG.info("mcpbus is ending: calls in flight may finish, within {} s in all", SHUTDOWN_SECONDS);
    long until = System.nanoTime() + TimeUnit.SECONDS.toNanos(SHUTDOWN_SECONDS);
    try {
      boolean ended =
          (watcher == null || awaitUntil(watcher.close(), until))
              && awaitUntil(bus.close(), until)
              && awaitUntil(vertx.close(), until);
      if (ended) {
        LOG.info("mcpbus has ended");
      } else {
        LOG.warn("mcpbus ends now; not everything has ended within {} s", SHUTDOWN_SECONDS);
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    over.countDown();
  }

  private static Duration drain(ServiceLauncher.Launch launch) {
    Duration configured = launch.config().bridge().drain();
    Duration wanted = launch.drain() == null ? configured : launch.drain();
    return wanted != null ? wanted : launch.cluster() ? CLUSTER_DRAIN : Duration.ZERO;
  }

  /** Serves on until the time has passed or a second signal comes. */
  private static void drain(McpBus bus, Duration drain) throws InterruptedException {
    bus.leave();
    if (drain.isZero()) {
      return;
    }
    CountDownLatch hurry = new CountDownLatch(1);
    boolean signals = ProcessSignals.onNext(hurry::countDown);
    LOG.info(
        "mcpbus serves for {} ms more and is not ready, so that a balancer turns to other nodes{}",
        drain.toMillis(),
        signals ? "; a second signal ends this wait" : "");
    if (hurry.await(drain.toMillis(), TimeUnit.MILLISECONDS)) {
      LOG.info("a second signal has ended the wait");
    }
  }

  private static boolean awaitUntil(Future<?> future, long until) throws InterruptedException {
    CountDownLatch done = new CountDownLatch(1);
    future.onComplete(result -> done.countDown());
    return done.await(until - System.nanoTime(), TimeUnit.NANOSECONDS);
  }
}
