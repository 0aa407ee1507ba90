package dev.mcpbus.transport.socket;

import dev.mcpbus.internals.InternalContext;
import dev.mcpbus.internals.RecordCopy;
import dev.mcpbus.protocol.Envelope;
import dev.mcpbus.transport.Acceptor;
import dev.mcpbus.transport.Channel;
import dev.mcpbus.transport.SocketOptions;
import dev.mcpbus.transport.TransportException;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.net.NetServer;
import io.vertx.core.net.SocketAddress;
import java.net.URI;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/** The server's end of a socket transport: the same channel on an accepted connection. */
final class SocketServer {

  private SocketServer() {}

  /** Call on the context that is to own the connections. Refuses the first line that is junk. */
  static Future<NetServer> listen(Vertx vertx, SocketAddress at, Acceptor acceptor) {
    SocketOptions options =
        RecordCopy.with(SocketOptions.of(URI.create("tcp://peer:1")), "junkLines", 0);
    return vertx
        .createNetServer()
        .connectHandler(
            socket -> {
              socket.pause();
              Late receiver = new Late();
              SocketChannel channel =
                  new SocketChannel(
                      InternalContext.current(vertx),
                      socket,
                      "the client",
                      options,
                      receiver,
                      Future::succeededFuture);
              receiver.to.set(acceptor.accept(channel));
              channel.start();
            })
        .listen(at);
  }

  private static final class Late implements Channel.Receiver {

    private final AtomicReference<Channel.@Nullable Receiver> to = new AtomicReference<>();

    @Override
    public void onMessage(Envelope message) {
      to().onMessage(message);
    }

    @Override
    public void onRequestFailed(long id, TransportException reason) {}

    @Override
    public void onClosed(TransportException reason) {
      to().onClosed(reason);
    }

    private Channel.Receiver to() {
      return java.util.Objects.requireNonNull(to.get());
    }
  }
}
