package dev.mcpbus.config;

import dev.mcpbus.connection.ConnectionOptions;
import dev.mcpbus.connection.ToolPolicy;
import dev.mcpbus.supervisor.RestartPolicy;
import java.time.Duration;

/**
 * How a server behaves, whatever it is: the {@code defaults} of a file, and what each server
 * changes of them.
 *
 * @param connection of the actor
 * @param restart of its supervision
 * @param rpcLog what happens to its JSON-RPC messages, default {@link RpcLogMode#OFF}
 * @param closeGrace of a child process, default 2 s
 * @param drain for calls in flight when a session is stopped, default 5 s
 * @param connectTimeout of an HTTP server, default 5 s
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

  /** With the tools that exist for callers. */
  ServerSettings withTools(ToolPolicy tools) {
    return new ServerSettings(
        connection.with().tools(tools).build(), restart, rpcLog, closeGrace, drain, connectTimeout);
  }

  ServerSettings withRpcLog(RpcLogMode other) {
    return new ServerSettings(connection, restart, other, closeGrace, drain, connectTimeout);
  }
}
