package dev.mcpbus.transport.socket;

import static org.assertj.core.api.Assertions.assertThat;

import dev.mcpbus.internals.OwnContext;
import dev.mcpbus.testing.TestBus;
import dev.mcpbus.transport.SocketOptions;
import dev.mcpbus.transport.TlsFiles;
import io.vertx.core.Future;
import io.vertx.core.VerticleBase;
import io.vertx.core.Vertx;
import io.vertx.core.net.NetClient;
import io.vertx.core.net.impl.CleanableNetClient;
import java.lang.ref.WeakReference;
import java.net.URI;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;

class SocketClientScopeTest {

  private final List<WeakReference<NetClient>> clients = new ArrayList<>();

  @Test
  void a_closed_client_is_not_kept_while_its_owner_lives() {
    Vertx vertx = Vertx.vertx();
    try {
      TestBus.await(vertx.deployVerticle(new Owner()));
      assertThat(clients).hasSize(20);
      Awaitility.await("every client to be collected")
          .atMost(Duration.ofSeconds(20))
          .pollInterval(Duration.ofMillis(50))
          .until(
              () -> {
                System.gc();
                return clients.stream().allMatch(client -> client.get() == null);
              });
    } finally {
      TestBus.await(vertx.close());
    }
  }

  /** Makes and closes clients as sessions do, and lives on. */
  private final class Owner extends VerticleBase {

    @Override
    public Future<?> start() {
      SocketTransport transport =
          new SocketTransport(vertx, SocketOptions.of(URI.create("tcp://127.0.0.1:1")));
      Future<Void> all = Future.succeededFuture();
      for (int i = 0; i < 20; i++) {
        all =
            all.compose(
                before -> {
                  NetClient client = transport.client(OwnContext.of(context), TlsFiles.NONE);
                  // What the scope keeps is not what it hands out.
                  clients.add(new WeakReference<>(((CleanableNetClient) client).unwrap()));
                  return client.close();
                });
      }
      return all;
    }
  }
}
