package dev.mcpbus.testing;

import java.io.Closeable;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Listens on TCP or a Unix socket and joins each connection to something else: a new process's
 * stdin and stdout, or a TCP port of loopback. The end of either side is the end of the other.
 * {@link #close()} ends the processes too.
 */
public final class StreamBridge implements AutoCloseable {

  /** Opens the other side of one connection. */
  @FunctionalInterface
  public interface Opener {
    Side open() throws IOException;
  }

  /** The other side. */
  public record Side(InputStream in, OutputStream out, Closeable end) {}

  private final ServerSocketChannel server;
  private final Opener opener;
  private final Set<Closeable> open = ConcurrentHashMap.newKeySet();

  private StreamBridge(ServerSocketChannel server, Opener opener) {
    this.server = server;
    this.opener = opener;
    daemon("bridge", this::accept);
  }

  /** On a free port of loopback. */
  public static StreamBridge onTcp(Opener opener) {
    try {
      ServerSocketChannel server = ServerSocketChannel.open();
      server.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
      return new StreamBridge(server, opener);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  public static StreamBridge onUnix(Path socket, Opener opener) {
    try {
      ServerSocketChannel server = ServerSocketChannel.open(StandardProtocolFamily.UNIX);
      server.bind(UnixDomainSocketAddress.of(socket));
      return new StreamBridge(server, opener);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** A process of its own for each connection. */
  public static Opener process(List<String> command) {
    return () -> {
      Process process =
          new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.DISCARD).start();
      return new Side(
          process.getInputStream(), process.getOutputStream(), process::destroyForcibly);
    };
  }

  public static Opener tcp(int port) {
    return () -> {
      Socket socket = new Socket(InetAddress.getLoopbackAddress(), port);
      return new Side(socket.getInputStream(), socket.getOutputStream(), socket);
    };
  }

  /** {@code tcp://127.0.0.1:port} or {@code unix:///path}. */
  public String url() {
    try {
      return server.getLocalAddress() instanceof InetSocketAddress tcp
          ? "tcp://127.0.0.1:" + tcp.getPort()
          : "unix://" + server.getLocalAddress();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  @Override
  public void close() {
    end(server);
    open.forEach(StreamBridge::end);
  }

  private void accept() {
    while (server.isOpen()) {
      try {
        join(server.accept());
      } catch (IOException e) {
        return;
      }
    }
  }

  private void join(SocketChannel near) throws IOException {
    Side far = opener.open();
    Closeable both =
        () -> {
          end(near);
          end(far.end());
        };
    open.add(both);
    // Not Channels.newInputStream: on JDK 17 its read holds a lock that a write needs.
    daemon("bridge-in", () -> untilEnd(both, () -> pump(near, far.out())));
    daemon("bridge-out", () -> untilEnd(both, () -> pump(far.in(), near)));
  }

  private static void pump(SocketChannel from, OutputStream to) throws IOException {
    ByteBuffer piece = ByteBuffer.allocate(8_192);
    while (from.read(piece) >= 0) {
      to.write(piece.array(), 0, piece.position());
      to.flush();
      piece.clear();
    }
  }

  private static void pump(InputStream from, SocketChannel to) throws IOException {
    byte[] piece = new byte[8_192];
    for (int count = from.read(piece); count >= 0; count = from.read(piece)) {
      ByteBuffer rest = ByteBuffer.wrap(piece, 0, count);
      while (rest.hasRemaining()) {
        to.write(rest);
      }
    }
  }

  private interface Pump {
    void run() throws IOException;
  }

  private static void untilEnd(Closeable both, Pump pump) {
    try {
      pump.run();
    } catch (IOException e) {
      // the end of this connection
    }
    end(both);
  }

  private static void end(Closeable what) {
    try {
      what.close();
    } catch (IOException e) {
      // it is over in any case
    }
  }

  private static void daemon(String name, Runnable task) {
    Thread thread = new Thread(task, name);
    thread.setDaemon(true);
    thread.start();
  }
}
