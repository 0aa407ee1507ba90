package dev.mcpbus.config;

import dev.mcpbus.connection.options.ConnectionOptions;
import dev.mcpbus.supervisor.RestartPolicy;
import java.time.Duration;

/**
 * How a server behaves, independent of what it is: the {@code defaults} of a file, overridden by
 * each server. Immutable.
 *
 * @param connection of the actor
 * @param restart of its supervision
 * @param rpcLog where its JSON-RPC messages are logged, default {@link RpcLogMode#OFF}
 * @param closeGrace how long a child process may take to exit, default 2 s
 * @param drain how long calls in flight may take when a session is stopped, default 5 s
 * @param connectTimeout for HTTP servers and sockets, default 5 s
 */
public record ServerSettings(
    ConnectionOptions connection,
    RestartPolicy restart,
    RpcLogMode rpcLog,
    Duration closeGrace,
    Duration drain,
    Duration connectTimeout) {

  public static final ServerSettings DEFAULT =
      new ServerSettings(
          ConnectionOptions.DEFAULT,
          RestartPolicy.DEFAULT,
          RpcLogMode.OFF,
          Duration.ofSeconds(2),
          Duration.ofSeconds(5),
          Duration.ofSeconds(5));
}
