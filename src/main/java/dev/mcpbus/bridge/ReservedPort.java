package dev.mcpbus.bridge;

import java.io.IOException;
import java.net.BindException;
import java.net.InetSocketAddress;
import java.net.Socket;
import org.jspecify.annotations.Nullable;

/**
 * Holds a port from before a node joins its cluster until its own HTTP server takes it: a process
 * whose port is in use ends before the cluster notices it. The port is bound, but nothing listens:
 * a connection to it is refused at once. For the main thread.
 */
public final class ReservedPort implements AutoCloseable {

  private final @Nullable Socket held;

  private ReservedPort(@Nullable Socket held) {
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
    Socket socket = new Socket();
    try {
      // Also where connections of a process that has just ended are in TIME_WAIT.
      socket.setReuseAddress(true);
      socket.bind(new InetSocketAddress(host, port));
      socket.setReuseAddress(false); // on Linux nothing else can bind the port from now on
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
