package dev.mcpbus.transport.http;

import static org.assertj.core.api.Assertions.assertThat;

import dev.mcpbus.protocol.Envelope;
import dev.mcpbus.testing.TestBus;
import dev.mcpbus.transport.Channel;
import dev.mcpbus.transport.HttpOptions;
import dev.mcpbus.transport.TransportException;
import io.vertx.core.Future;
import io.vertx.core.VerticleBase;
import io.vertx.core.Vertx;
import io.vertx.core.http.HttpClientAgent;
import java.lang.ref.WeakReference;
import java.lang.reflect.Field;
import java.net.URI;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;

class ClientScopeTest {

  private final List<WeakReference<HttpClientAgent>> clients = new ArrayList<>();

  @Test
  void a_closed_channel_leaves_no_http_client_behind_while_its_owner_lives() {
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
      return new StreamableHttpTransport(options, null)
          .open(context, new HttpChannelTestReceiver())
          .compose(
              channel -> {
                clients.add(new WeakReference<>(clientOf(channel)));
                return channel.close();
              });
    }
  }

  private static HttpClientAgent clientOf(Channel channel) {
    try {
      Field field = HttpChannel.class.getDeclaredField("client");
      field.setAccessible(true);
      return (HttpClientAgent) field.get(channel);
    } catch (ReflectiveOperationException e) {
      throw new LinkageError(e.getMessage(), e);
    }
  }

  /** Hears nothing: no request is made. */
  private static final class HttpChannelTestReceiver implements Channel.Receiver {
    @Override
    public void onMessage(Envelope message) {}

    @Override
    public void onRequestFailed(long id, TransportException reason) {}

    @Override
    public void onClosed(TransportException reason) {}
  }
}
