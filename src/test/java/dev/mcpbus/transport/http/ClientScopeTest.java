package dev.mcpbus.transport.http;

import static org.assertj.core.api.Assertions.assertThat;

import dev.mcpbus.internals.OwnContext;
import dev.mcpbus.testing.TestBus;
import dev.mcpbus.transport.HttpOptions;
import dev.mcpbus.transport.TlsFiles;
import io.vertx.core.Future;
import io.vertx.core.VerticleBase;
import io.vertx.core.Vertx;
import io.vertx.core.http.HttpClientAgent;
import java.lang.ref.WeakReference;
import java.net.URI;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;

class ClientScopeTest {

  private final List<WeakReference<HttpClientAgent>> clients = new ArrayList<>();

  @Test
  void a_closed_client_is_not_kept_while_its_owner_lives() {
    Vertx vertx = Vertx.vertx();
    try {
      HttpOptions options = HttpOptions.of(URI.create("http://127.0.0.1:1/mcp"));
      TestBus.await(vertx.deployVerticle(new Owner(options)));
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

  /** Opens and closes channels as sessions do, and lives on. */
  private final class Owner extends VerticleBase {
    private final HttpOptions options;

    Owner(HttpOptions options) {
      this.options = options;
    }

    @Override
    public Future<?> start() {
      Future<Void> all = Future.succeededFuture();
      for (int i = 0; i < 20; i++) {
        all = all.compose(before -> openAndClose());
      }
      return all;
    }

    private Future<Void> openAndClose() {
      HttpEndpoint endpoint = HttpEndpoint.of(options.url());
      HttpClientAgent client =
          HttpClients.create(OwnContext.of(context), endpoint, options, 1, TlsFiles.NONE);
      clients.add(new WeakReference<>(client));
      return client.close();
    }
  }
}
