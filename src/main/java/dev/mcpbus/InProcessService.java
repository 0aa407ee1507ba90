package dev.mcpbus;

import dev.mcpbus.bridge.options.BridgeOptions;
import dev.mcpbus.bus.TelemetryOptions;
import dev.mcpbus.cli.CommandFailure;
import dev.mcpbus.cli.ExitCode;
import dev.mcpbus.cli.LocalService;
import dev.mcpbus.config.ConfigResult;
import dev.mcpbus.config.McpBusConfig;
import dev.mcpbus.demo.DemoServer;
import dev.mcpbus.demo.WarmUp;
import dev.mcpbus.observability.logging.LogLevels;
import dev.mcpbus.security.ApiKeys;
import dev.mcpbus.security.AuthOptions;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.json.JsonObject;
import java.net.URI;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A service in this process, on a free loopback port, with one admin key that nothing outside this
 * process knows: the servers of a configuration for one command, or the demo server that warms up a
 * node. Used on the main thread.
 */
final class InProcessService implements LocalService {

  private static final Logger LOG = LoggerFactory.getLogger(InProcessService.class);

  private static final long END_SECONDS = 10;

  private static final AtomicBoolean WARM = new AtomicBoolean();

  private final Vertx vertx;
  private final McpBus bus;
  private final String key;

  /** The level of the root logger that {@link #close} restores, null to leave it. */
  private final @Nullable String level;

  private boolean closed;

  private InProcessService(Vertx vertx, McpBus bus, String key, @Nullable String level) {
    this.vertx = vertx;
    this.bus = bus;
    this.key = key;
    this.level = level;
  }

  /** Returns when the bridge listens. */
  static InProcessService start(Path file, ConfigResult result, McpBusConfig config) {
    String level = quiet("OFF");
    ApiKeys.Fresh fresh = ApiKeys.generate(new SecureRandom());
    return start(options(file, result, config, fresh.hash()).withSearch(false), fresh.key(), level);
  }

  /** For a client that stays: see {@link dev.mcpbus.cli.ServiceLauncher#serve}. */
  static InProcessService serve(Path file, ConfigResult result, McpBusConfig config) {
    String level = quiet("WARN");
    ApiKeys.Fresh fresh = ApiKeys.generate(new SecureRandom());
    return start(options(file, result, config, fresh.hash()), fresh.key(), level);
  }

  /**
   * Makes the code of calls fast before this node takes part in a cluster; once in the life of the
   * process. What fails here, fails for a client later, who hears why.
   */
  static void warmUp() {
    LogLevels levels = LogLevels.find();
    if (levels == null || WARM.getAndSet(true)) {
      return;
    }
    String level = levels.set(LogLevels.ROOT, "OFF"); // nothing else runs yet
    ApiKeys.Fresh fresh = ApiKeys.generate(new SecureRandom());
    JsonObject demo = new JsonObject().put("type", "bus").put("address", DemoServer.ADDRESS);
    JsonObject servers = new JsonObject().put(WarmUp.SERVER, demo);
    BusSettings options =
        McpBus.Options.of(new JsonObject().put("mcpServers", servers))
            .settings()
            .withBridge(BridgeOptions.DEFAULT);
    try (InProcessService service = start(of(options, fresh.hash()), fresh.key(), null)) {
      await(WarmUp.calls(service.vertx, service.bus.port(), service.key));
    } catch (RuntimeException notStarted) {
      LOG.debug("the warm-up has not started", notStarted);
    } finally {
      levels.set(LogLevels.ROOT, level);
    }
  }

  private static InProcessService start(BusSettings options, String key, @Nullable String level) {
    Vertx vertx = Vertx.vertx(McpBus.vertxOptions());
    Future<McpBus> started = McpBus.start(vertx, options);
    if (!await(started) || started.failed()) {
      vertx.close();
      throw new CommandFailure(
          ExitCode.UNREACHABLE,
          "NOT_STARTED",
          "mcpbus could not start for this command: " + started.cause());
    }
    return new InProcessService(vertx, started.result(), key, level);
  }

  /** The command's own output says what matters; MCPBUS_LOG shows the rest. */
  private static @Nullable String quiet(String level) {
    LogLevels levels = LogLevels.find();
    return levels == null || System.getenv("MCPBUS_LOG") != null
        ? null
        : levels.set(LogLevels.ROOT, level);
  }

  private static BusSettings options(
      Path file, ConfigResult result, McpBusConfig config, String hash) {
    return of(BusSettings.of(file, result, config), hash);
  }

  private static BusSettings of(BusSettings options, String hash) {
    return options
        .withTelemetry(TelemetryOptions.OFF)
        .withAuth(
            new AuthOptions(
                List.of(new AuthOptions.ApiKey("command", hash, Set.of(), true, null, null)),
                List.of(),
                null,
                AuthOptions.Dpop.DEFAULT,
                List.of(),
                AuthOptions.Limits.UNBOUNDED,
                false,
                null))
        .withBridge(
            (options.bridge() == null ? BridgeOptions.DEFAULT : options.bridge()).withPort(0));
  }

  @Override
  public URI url() {
    return URI.create("http://127.0.0.1:" + bus.port());
  }

  @Override
  public String token() {
    return key;
  }

  @Override
  public synchronized void close() {
    if (!closed) {
      closed = true;
      await(bus.close());
      await(vertx.close());
      LogLevels levels = LogLevels.find();
      if (level != null && levels != null) {
        levels.set(LogLevels.ROOT, level);
      }
    }
  }

  private static boolean await(Future<?> future) {
    CountDownLatch done = new CountDownLatch(1);
    future.onComplete(result -> done.countDown());
    try {
      return done.await(END_SECONDS, TimeUnit.SECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return false;
    }
  }
}
