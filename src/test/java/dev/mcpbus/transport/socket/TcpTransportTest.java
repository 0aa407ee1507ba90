package dev.mcpbus.transport.socket;

import dev.mcpbus.internals.RecordCopy;
import dev.mcpbus.transport.Acceptor;
import dev.mcpbus.transport.SocketOptions;
import dev.mcpbus.transport.Transport;
import dev.mcpbus.transport.TransportContract;
import io.vertx.core.Future;
import io.vertx.core.net.NetServer;
import io.vertx.core.net.SocketAddress;
import java.net.URI;

class TcpTransportTest extends TransportContract {

  @Override
  protected Transport connectTo(Acceptor acceptor) throws Exception {
    SocketAddress any = SocketAddress.inetSocketAddress(0, "127.0.0.1");
    Future<NetServer> server = run(serverContext, () -> SocketServer.listen(vertx, any, acceptor));
    URI url = URI.create("tcp://127.0.0.1:" + get(server).actualPort());
    return new SocketTransport(vertx, RecordCopy.with(SocketOptions.of(url), "maxQueued", WINDOW));
  }
}
