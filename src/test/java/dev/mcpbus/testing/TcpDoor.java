package dev.mcpbus.testing;

import io.vertx.core.Vertx;
import io.vertx.core.net.NetClient;
import io.vertx.core.net.NetServer;
import io.vertx.core.net.NetSocket;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

/**
 * Hands each connection to the next of several ports, as a load balancer that leaves TLS to them
 * does. A port at which nobody listens is passed over.
 */
public final class TcpDoor implements AutoCloseable {

  private final Vertx vertx = Vertx.vertx();
  private final NetClient nodes = vertx.createNetClient();
  private final NetServer server;
  private final List<Integer> served = new CopyOnWriteArrayList<>();
  private volatile List<Integer> ports = List.of();
  private int next;

  public TcpDoor() {
    server =
        TestBus.await(
            vertx
                .createNetServer()
                .connectHandler(
                    client -> {
                      client.pause();
                      pass(client, next++, ports.size());
                    })
                .listen(0, "127.0.0.1"));
  }

  public int port() {
    return server.actualPort();
  }

  /** Where connections go from now on. */
  public void leadsTo(List<Integer> others) {
    ports = List.copyOf(others);
  }

  /** The port that each connection so far went to, in order. */
  public List<Integer> served() {
    return List.copyOf(served);
  }

  private void pass(NetSocket client, int index, int tries) {
    int port = ports.get(index % ports.size());
    nodes
        .connect(port, "127.0.0.1")
        .onSuccess(
            node -> {
              served.add(port);
              client.pipeTo(node);
              node.pipeTo(client);
            })
        .onFailure(
            refused -> {
              if (tries > 1) {
                pass(client, index + 1, tries - 1);
              } else {
                client.close();
              }
            });
  }

  @Override
  public void close() {
    TestBus.await(vertx.close());
  }
}
