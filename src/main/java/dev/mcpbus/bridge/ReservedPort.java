package dev.mcpbus.bridge;

import java.io.IOException;
import java.net.BindException;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import org.jspecify.annotations.Nullable;

/**
 * Holds a port from before a node joins its cluster until its own HTTP server takes it: a process
 * whose port is in use ends before the cluster notices it. Meanwhile no connection at the port is
 * answered. For the main thread.
 */
public final class ReservedPort implements AutoCloseable {

  private final @Nullable ServerSocket held;

  private ReservedPort(@Nullable ServerSocket held) {
    this.held = held;
  }

  /**
   * Reserves a port.
   *
   * @param port 0 reserves nothing: any free port will do later
   * @throws BindException where it is in use, or the address is not one of this machine
   */
  public static ReservedPort of(String host, int port) throws IOException {
    if (port == 0) {
      return new ReservedPort(null);
    }
    ServerSocket socket = new ServerSocket();
    try {
      socket.bind(new InetSocketAddress(host, port), 1);
    } catch (IOException | RuntimeException taken) {
      socket.close();
      throw taken;
    }
    return new ReservedPort(socket);
  }

  /** Gives the port free. */
  @Override
  public void close() throws IOException {
    if (held != null) {
      held.close();
    }
  }
}
