package dev.mcpbus.transport.socket;

import static org.assertj.core.api.Assertions.assertThat;

import dev.mcpbus.testing.TestBus;
import dev.mcpbus.transport.SocketOptions;
import dev.mcpbus.transport.TlsFiles;
import io.vertx.core.Future;
import io.vertx.core.VerticleBase;
import io.vertx.core.Vertx;
import io.vertx.core.net.NetClient;
import io.vertx.junit5.VertxExtension;
import java.net.ConnectException;
import java.net.URI;
import java.util.Objects;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/**
 * A scope closes at its end what it has kept until then. So a client that works after the end of
 * its owner was not kept by the owner's scope: one that a session closes leaves nothing there.
 */
@ExtendWith(VertxExtension.class)
class SocketClientScopeTest {

  @Test
  void the_owners_scope_keeps_no_client_of_a_channel(Vertx vertx) {
    SocketTransport transport =
        new SocketTransport(vertx, SocketOptions.of(URI.create("tcp://127.0.0.1:1")));
    NetClient client = ofEndedOwner(vertx, () -> transport.client(TlsFiles.NONE));
    assertThat(failure(client)).isInstanceOf(ConnectException.class);
    TestBus.await(client.close());
    assertThat(failure(client)).hasMessageContaining("closed");
  }

  /** The other side: this is how Vert.x would have it. */
  @Test
  void the_owners_scope_keeps_a_client_that_is_built_on_it(Vertx vertx) {
    assertThat(failure(ofEndedOwner(vertx, vertx::createNetClient)))
        .isInstanceOf(IllegalStateException.class);
  }

  private static NetClient ofEndedOwner(Vertx vertx, Supplier<NetClient> build) {
    Owner owner = new Owner(build);
    TestBus.await(vertx.undeploy(TestBus.await(vertx.deployVerticle(owner))));
    return Objects.requireNonNull(owner.client);
  }

  private static Throwable failure(NetClient client) {
    return TestBus.await(
        Future.succeededFuture()
            .compose(now -> client.connect(1, "127.0.0.1")) // throws, too
            .map(any -> (Throwable) new AssertionError("nothing listens on port 1"))
            .otherwise(failure -> failure));
  }

  private static final class Owner extends VerticleBase {
    private final Supplier<NetClient> build;
    @Nullable NetClient client;

    Owner(Supplier<NetClient> build) {
      this.build = build;
    }

    @Override
    public Future<?> start() {
      client = build.get();
      return Future.succeededFuture();
    }
  }
}
