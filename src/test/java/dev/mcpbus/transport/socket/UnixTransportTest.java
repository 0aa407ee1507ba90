package dev.mcpbus.transport.socket;

import dev.mcpbus.internals.RecordCopy;
import dev.mcpbus.transport.Acceptor;
import dev.mcpbus.transport.SocketOptions;
import dev.mcpbus.transport.Transport;
import dev.mcpbus.transport.TransportContract;
import io.vertx.core.net.SocketAddress;
import java.net.URI;
import java.nio.file.Path;
import org.junit.jupiter.api.io.TempDir;

class UnixTransportTest extends TransportContract {

  @TempDir Path folder;

  @Override
  protected Transport connectTo(Acceptor acceptor) throws Exception {
    Path path = folder.resolve("mcp.sock");
    SocketAddress at = SocketAddress.domainSocketAddress(path.toString());
    get(run(serverContext, () -> SocketServer.listen(vertx, at, acceptor)));
    return new SocketTransport(
        vertx,
        RecordCopy.with(SocketOptions.of(URI.create("unix://" + path)), "maxQueued", WINDOW));
  }
}
