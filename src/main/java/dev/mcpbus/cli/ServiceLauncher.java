package dev.mcpbus.cli;

import dev.mcpbus.config.ConfigResult;
import dev.mcpbus.config.McpBusConfig;
import java.nio.file.Path;
import java.time.Duration;
import java.util.function.IntConsumer;
import org.jspecify.annotations.Nullable;

/** How commands start mcpbus itself; the root implements it. For the main thread. */
public interface ServiceLauncher {

  /**
   * What {@code run} starts.
   *
   * @param file where the configuration comes from, a path inside the jar for the built-in one
   * @param result what was read, with its problems
   * @param config the usable configuration of {@code result}
   * @param port in place of the configured one, null for that
   * @param cluster whether to join other nodes
   * @param clusterFile Hazelcast's own configuration, null for the built-in one
   * @param drain in place of the configured one, null for that
   * @param listening gets the port of the HTTP server as soon as it listens, on the thread of
   *     {@link #run}
   */
  record Launch(
      Path file,
      ConfigResult result,
      McpBusConfig config,
      @Nullable Integer port,
      boolean cluster,
      @Nullable Path clusterFile,
      @Nullable Duration drain,
      IntConsumer listening) {}

  /** Runs the service until the process gets SIGTERM or SIGINT. Returns the exit code. */
  int run(Launch launch);

  /**
   * Starts the servers of a configuration inside this process. Returns when the HTTP server
   * listens; the servers become ready on their own.
   *
   * @param file where the configuration comes from
   * @param result what was read
   * @param config the servers and settings of {@code result} that this service gets
   * @throws CommandFailure where the service cannot start
   */
  LocalService start(Path file, ConfigResult result, McpBusConfig config);

  /**
   * The same for a client that stays, as with {@code --stdio}: with the search over tools that the
   * configuration asks for, and with warnings in the log.
   */
  default LocalService serve(Path file, ConfigResult result, McpBusConfig config) {
    return start(file, result, config);
  }
}
