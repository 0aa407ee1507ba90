package dev.mcpbus.bus;

import org.jspecify.annotations.Nullable;

/**
 * The instruments of one connection, which calls them on its context. {@link Telemetry} makes them
 * when the connection is deployed.
 */
public interface ConnectionTelemetry {

  /**
   * The connection sends a request.
   *
   * @return its operation; null if the request is not measured
   */
  @Nullable TelemetryOperation sent(OutboundSpan request);

  /** A message has left, or has come, with that many bytes. */
  void bytes(int out, int in);

  /** Notifications of the server were dropped, because it sends too many. */
  void dropped();

  /** The supervisor starts the connection again. */
  void restarted();

  /**
   * A session is ready.
   *
   * @param version of the protocol; null where it is not known
   * @param pid of the child process; -1 where there is none
   */
  void ready(@Nullable String version, long pid);

  /**
   * The session that was ready has ended.
   *
   * @param reason null if it was stopped
   */
  void ended(@Nullable McpFailure reason);

  /** The connection has ended: its instruments go. */
  void close();
}
