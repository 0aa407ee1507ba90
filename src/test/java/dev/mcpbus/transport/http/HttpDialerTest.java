package dev.mcpbus.transport.http;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.mcpbus.internals.InternalContext;
import dev.mcpbus.internals.RecordCopy;
import dev.mcpbus.protocol.Sensitive;
import dev.mcpbus.testing.RawHttpServer;
import dev.mcpbus.testing.TestBus;
import dev.mcpbus.transport.HttpOptions;
import dev.mcpbus.transport.TlsFiles;
import dev.mcpbus.transport.TransportException.Reached;
import dev.mcpbus.transport.TransportException.Reason;
import io.vertx.core.Vertx;
import io.vertx.core.VertxOptions;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.dns.AddressResolverOptions;
import io.vertx.core.http.HttpClientResponse;
import io.vertx.core.http.HttpMethod;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.Base64;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Over which connections requests go: idle ones, other addresses, proxies. */
class HttpDialerTest extends HttpFixture {

  /** How far the dialer's clock is ahead of the system's. */
  private final AtomicLong ahead = new AtomicLong();

  /** Sends one GET to its end. */
  private Runnable dial(RawHttpServer server) {
    InternalContext owner = InternalContext.create(vertx);
    HttpOptions options = options(server);
    HttpEndpoint to = HttpEndpoint.of(options.url());
    HttpDialer dialer =
        TestBus.await(
            owner.call(
                () ->
                    owner.succeededFuture(
                        new HttpDialer(
                            owner,
                            to,
                            options,
                            0,
                            TlsFiles.NONE,
                            () -> Instant.now().plusMillis(ahead.get())))));
    return () ->
        TestBus.await(
            owner.call(
                () ->
                    dialer
                        .request(to.request(HttpMethod.GET))
                        .compose(
                            request ->
                                request
                                    .send()
                                    .onSuccess(response -> dialer.answered(response))
                                    .compose(HttpClientResponse::body))));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "''                          | 3900 | 1",
        "''                          | 4100 | 2",
        "Keep-Alive: timeout=5       | 3900 | 1",
        "Keep-Alive: timeout=5       | 4100 | 2",
        "Keep-Alive: timeout=1       | 400  | 1",
        "Keep-Alive: timeout=1       | 600  | 2",
        "Keep-Alive: timeout=0       | 0    | 2",
        "Keep-Alive: timeout=60      | 50000 | 1",
        "keep-alive: max=9, TIMEOUT=60 | 50000 | 1",
        "Keep-Alive: max=9           | 4100 | 2",
      })
  void a_connection_is_not_used_in_the_last_second_of_its_time(
      String header, long idle, int connections) {
    RawHttpServer server =
        answer(
            (request, peer) -> {
              if (header.isEmpty()) {
                peer.reply("200 OK", "{}");
              } else {
                peer.reply("200 OK", "{}", header);
              }
            });
    Runnable get = dial(server);
    get.run();
    ahead.addAndGet(idle);
    get.run();
    assertThat(server.accepted()).isEqualTo(connections);
  }

  @Test
  void a_server_that_closes_idle_connections_without_a_word_teaches_its_time() {
    CountDownLatch[] closes = {new CountDownLatch(1), new CountDownLatch(1)};
    RawHttpServer server =
        play(
            peer -> {
              peer.read();
              peer.reply("200 OK", "{}");
              if (closes[0].getCount() > 0) {
                awaitLatch(closes[0]);
              } else {
                peer.read();
                peer.reply("200 OK", "{}");
                awaitLatch(closes[1]);
              }
            });
    Runnable get = dial(server);
    get.run();
    ahead.addAndGet(300);
    closes[0].countDown();
    await().until(() -> server.open() == 0);
    // The client may see the close only now.
    await()
        .ignoreExceptions()
        .until(
            () -> {
              get.run();
              return true;
            });
    ahead.set(0);
    get.run();
    assertThat(server.accepted()).as("used again at once").isEqualTo(2);
    ahead.set(290);
    get.run();
    assertThat(server.accepted()).as("not as long as that server keeps it").isEqualTo(3);
    closes[1].countDown();
  }

  @ParameterizedTest
  @ValueSource(strings = {"localhost", "my_server"})
  void every_address_of_the_name_is_tried(String name) throws Exception {
    RawHttpServer server = session((request, peer) -> peer.json("{}"));
    Vertx plain = vertx;
    vertx =
        Vertx.vertx(
            new VertxOptions()
                .setAddressResolverOptions(
                    new AddressResolverOptions()
                        .setHostsValue(
                            Buffer.buffer("127.0.0.77 localhost\n127.0.0.1 my_server\n"))));
    try {
      URI url = URI.create("http://" + name + ":" + server.port() + "/mcp");
      handshake(RecordCopy.with(HttpOptions.of(url), "listen", false));
      assertThat(server.requests().get(0).headers()).containsEntry("host", url.getAuthority());
      assertThat(server.accepted()).as("the later request is in the same pool").isEqualTo(1);
    } finally {
      plain.close().await();
    }
  }

  @Test
  void a_plain_server_is_asked_through_the_proxy_by_its_whole_url() throws Exception {
    RawHttpServer proxy = session((request, peer) -> peer.json("{}"));
    handshake(
        RecordCopy.with(
            RecordCopy.with(
                HttpOptions.of(URI.create("http://mcp.corp.test/mcp?a=b")), "listen", false),
            "proxy",
            Sensitive.of("http://ada:canary%40@127.0.0.1:" + proxy.port())));
    RawHttpServer.Request first = proxy.requests().get(0);
    assertThat(first.path()).isEqualTo("http://mcp.corp.test/mcp?a=b");
    assertThat(first.headers())
        .containsEntry("host", "mcp.corp.test")
        .containsEntry(
            "proxy-authorization",
            "Basic "
                + Base64.getEncoder()
                    .encodeToString("ada:canary@".getBytes(StandardCharsets.UTF_8)));
  }

  @Test
  void the_stream_goes_through_the_proxy_too() throws Exception {
    RawHttpServer proxy = session((request, peer) -> peer.reply("405 No", ""));
    handshake(
        RecordCopy.with(
            HttpOptions.of(URI.create("http://mcp.corp.test/mcp")),
            "proxy",
            Sensitive.of("http://127.0.0.1:" + proxy.port())));
    await().until(() -> !proxy.requests("GET").isEmpty());
    assertThat(proxy.requests("GET").get(0).path()).isEqualTo("http://mcp.corp.test/mcp");
  }

  @ParameterizedTest
  @CsvSource({"http", "https"})
  void a_proxy_that_wants_another_password_is_named_without_it(String scheme) throws Exception {
    RawHttpServer proxy =
        answer((request, peer) -> peer.reply("407 Proxy Authentication Required", ""));
    String place = "127.0.0.1:" + proxy.port();
    var failure =
        open(RecordCopy.with(
                RecordCopy.with(
                    HttpOptions.of(URI.create(scheme + "://mcp.corp.test/mcp")), "listen", false),
                "proxy",
                Sensitive.of("http://ada:canary@" + place)))
            .fail(1, "tools/list");
    expect(failure, Reason.CONNECT_FAILED, Reached.NO);
    assertThat(failure)
        .hasMessageContaining(place)
        .hasMessageContaining("407")
        .hasMessageContaining("\"proxy\" of the entry")
        .hasMessageNotContaining("canary");
    assertThat(proxy.requests().get(0).path())
        .isEqualTo(scheme.equals("http") ? "http://mcp.corp.test/mcp" : "mcp.corp.test:443");
  }

  @Test
  void a_proxy_that_is_not_there_is_named() throws Exception {
    int port = RawHttpServer.refusingPort();
    var failure =
        open(RecordCopy.with(
                RecordCopy.with(
                    RecordCopy.with(
                        HttpOptions.of(URI.create("http://mcp.corp.test/mcp")), "listen", false),
                    "connectTimeout",
                    Duration.ofSeconds(5)),
                "proxy",
                Sensitive.of("http://ada:canary@127.0.0.1:" + port)))
            .fail(1, "tools/list");
    expect(failure, Reason.CONNECT_FAILED, Reached.NO);
    assertThat(failure)
        .hasMessageContaining("through the proxy http://127.0.0.1:" + port)
        .hasMessageContaining("is the proxy running")
        .hasMessageNotContaining("canary");
  }
}
