package dev.mcpbus.transport.http;

import static org.assertj.core.api.Assertions.assertThat;

import dev.mcpbus.internals.InternalContext;
import dev.mcpbus.testing.TestBus;
import dev.mcpbus.transport.HttpOptions;
import dev.mcpbus.transport.TlsFiles;
import io.vertx.core.Context;
import io.vertx.core.Future;
import io.vertx.core.VerticleBase;
import io.vertx.core.Vertx;
import io.vertx.core.http.HttpClientAgent;
import io.vertx.core.http.HttpMethod;
import io.vertx.junit5.VertxExtension;
import java.net.ConnectException;
import java.net.URI;
import java.util.Objects;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/**
 * A scope closes at its end what it has kept until then. So a client that works after the end of
 * its owner was not kept by the owner's scope: one that a session closes leaves nothing there.
 */
@ExtendWith(VertxExtension.class)
class ClientScopeTest {

  private static final HttpOptions OPTIONS = HttpOptions.of(URI.create("http://127.0.0.1:1/mcp"));

  @Test
  void the_owners_scope_keeps_no_client_of_a_channel(Vertx vertx) {
    HttpClientAgent client =
        ofEndedOwner(
            vertx,
            context ->
                HttpClients.create(
                    InternalContext.of(context),
                    HttpEndpoint.of(OPTIONS.url()),
                    OPTIONS,
                    null,
                    1,
                    TlsFiles.NONE,
                    connection -> {}));
    assertThat(failure(client)).isInstanceOf(ConnectException.class);
    TestBus.await(client.close());
    assertThat(failure(client)).hasMessageContaining("closed");
  }

  /** The other side: this is how Vert.x would have it. */
  @Test
  void the_owners_scope_keeps_a_client_that_is_built_on_it(Vertx vertx) {
    assertThat(failure(ofEndedOwner(vertx, context -> vertx.createHttpClient())))
        .hasMessageContaining("closed");
  }

  private static HttpClientAgent ofEndedOwner(
      Vertx vertx, Function<Context, HttpClientAgent> build) {
    Owner owner = new Owner(build);
    TestBus.await(vertx.undeploy(TestBus.await(vertx.deployVerticle(owner))));
    return Objects.requireNonNull(owner.client);
  }

  private static Throwable failure(HttpClientAgent client) {
    return TestBus.await(
        Future.succeededFuture()
            .compose(now -> client.request(HttpMethod.GET, 1, "127.0.0.1", "/")) // throws, too
            .map(any -> (Throwable) new AssertionError("nothing listens on port 1"))
            .otherwise(failure -> failure));
  }

  private static final class Owner extends VerticleBase {
    private final Function<Context, HttpClientAgent> build;
    @Nullable HttpClientAgent client;

    Owner(Function<Context, HttpClientAgent> build) {
      this.build = build;
    }

    @Override
    public Future<?> start() {
      client = build.apply(context);
      return Future.succeededFuture();
    }
  }
}
