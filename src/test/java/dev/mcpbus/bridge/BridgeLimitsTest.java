package dev.mcpbus.bridge;

import static dev.mcpbus.bridge.BridgeFixture.await;
import static org.assertj.core.api.Assertions.assertThat;

import dev.mcpbus.bridge.options.BridgeLimitOptions;
import dev.mcpbus.bridge.options.BridgeOptions;
import dev.mcpbus.bridge.options.BridgeTlsOptions;
import dev.mcpbus.bus.Addresses;
import dev.mcpbus.internals.RecordCopy;
import dev.mcpbus.testing.Certificates;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.eventbus.Message;
import io.vertx.core.http.HttpClient;
import io.vertx.core.http.HttpClientOptions;
import io.vertx.core.http.HttpClientRequest;
import io.vertx.core.http.HttpClientResponse;
import io.vertx.core.http.HttpMethod;
import io.vertx.core.http.HttpVersion;
import io.vertx.core.http.RequestOptions;
import io.vertx.core.http.StreamResetException;
import io.vertx.core.json.JsonObject;
import io.vertx.core.net.HostAndPort;
import io.vertx.core.net.PemTrustOptions;
import io.vertx.junit5.VertxExtension;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** The limits of the bridge, over HTTP/1.1, TLS and HTTP/2. */
@ExtendWith(VertxExtension.class)
class BridgeLimitsTest {

  private static final BridgeOptions OPTIONS = BridgeOptions.DEFAULT.withPort(0);

  @TempDir Path folder;

  private static String get(BridgeFixture bridge, String path, String... headers) {
    return "GET "
        + path
        + " HTTP/1.1\r\nHost: localhost:"
        + bridge.port
        + "\r\n"
        + String.join("", headers)
        + "\r\n";
  }

  @Test
  void headers_beyond_the_cap_are_a_431_and_a_long_path_a_414(Vertx vertx) throws IOException {
    BridgeFixture bridge =
        new BridgeFixture(
            vertx,
            RecordCopy.with(
                OPTIONS,
                "limits",
                new BridgeLimitOptions(
                    2_048, 9, BridgeLimitOptions.share(9), 9, Duration.ofSeconds(9), 0)));

    assertThat(bridge.raw(get(bridge, "/health/live", "X: " + "x".repeat(3_000) + "\r\n")))
        .startsWith("HTTP/1.1 431 ")
        .contains("bridge.maxHeaderBytes");
    assertThat(bridge.raw(get(bridge, "/" + "x".repeat(9_000)))).contains(" 414 ");
    assertThat(
            bridge.raw(
                get(
                    bridge,
                    "/health/live",
                    "X: " + "x".repeat(1_500) + "\r\n",
                    "Connection: close\r\n")))
        .startsWith("HTTP/1.1 200 ");
  }

  private BridgeOptions tls() {
    Certificates certificates = new Certificates(folder).selfSigned("front", "dns:localhost");
    return RecordCopy.with(
        OPTIONS,
        "tls",
        new BridgeTlsOptions(
            certificates.certificate("front", "front.crt"),
            certificates.key("front", "front.key")));
  }

  private HttpClient client(Vertx vertx, HttpVersion version) {
    return vertx.createHttpClient(
        new HttpClientOptions()
            .setSsl(true)
            .setUseAlpn(version == HttpVersion.HTTP_2)
            .setProtocolVersion(version)
            .setTrustOptions(
                new PemTrustOptions().addCertPath(folder.resolve("front.crt").toString())));
  }

  private record Answer(int status, HttpVersion version, Buffer body) {}

  private static RequestOptions request(BridgeFixture bridge, HttpMethod method, String path) {
    return new RequestOptions()
        .setMethod(method)
        .setHost("localhost")
        .setPort(bridge.port)
        .setURI(path);
  }

  private static Answer send(HttpClient client, RequestOptions options, String body) {
    return await(
        client
            .request(options)
            .compose(
                request ->
                    request
                        .send(Buffer.buffer(body))
                        .compose(
                            response ->
                                response
                                    .body()
                                    .map(
                                        bytes ->
                                            new Answer(
                                                response.statusCode(),
                                                request.version(),
                                                bytes)))));
  }

  @ParameterizedTest
  @EnumSource(
      value = HttpVersion.class,
      names = {"HTTP_1_1", "HTTP_2"})
  void over_tls_everything_is_the_same(HttpVersion version, Vertx vertx) {
    BridgeFixture bridge = new BridgeFixture(vertx, tls());
    bridge.on("mcp.alpha.tools.call", "{ \"n\":1.0 }");
    HttpClient client = client(vertx, version);
    RequestOptions call = request(bridge, HttpMethod.POST, "/api/servers/alpha/tools/t");

    Answer answer = send(client, call, "{}");
    assertThat(answer.status()).isEqualTo(200);
    assertThat(answer.version()).isEqualTo(version);
    assertThat(answer.body().toString()).isEqualTo("{ \"n\":1.0 }");

    String own = "https://localhost:" + bridge.port;
    assertThat(send(client, new RequestOptions(call).putHeader("Origin", own), "{}").status())
        .isEqualTo(200);
    for (String origin : List.of("http://localhost:" + bridge.port, "https://evil", "null")) {
      assertThat(send(client, new RequestOptions(call).putHeader("Origin", origin), "{}").status())
          .as(origin)
          .isEqualTo(403);
    }
    assertThat(send(client, request(bridge, HttpMethod.GET, "/nope"), "").status()).isEqualTo(404);
  }

  @ParameterizedTest
  @EnumSource(
      value = HttpVersion.class,
      names = {"HTTP_1_1", "HTTP_2"})
  void over_tls_a_strange_name_is_refused_too(HttpVersion version, Vertx vertx) {
    BridgeFixture bridge = new BridgeFixture(vertx, tls());
    HttpClient client = client(vertx, version);
    int status =
        await(
            client
                .request(request(bridge, HttpMethod.GET, "/health/live"))
                .compose(
                    request -> request.authority(HostAndPort.create("evil.example", 443)).send())
                .map(HttpClientResponse::statusCode));
    assertThat(status).isEqualTo(403);
  }

  @Test
  void a_stream_over_http_2_is_served_and_ends_with_its_client(Vertx vertx) {
    BridgeFixture bridge =
        new BridgeFixture(
            vertx,
            RecordCopy.with(
                RecordCopy.with(tls(), "receiveTimeout", Duration.ofMillis(300)),
                "limits",
                new BridgeLimitOptions(
                    8_192, 9, BridgeLimitOptions.share(9), 1, Duration.ofMillis(50), 0)));
    HttpClient client = client(vertx, HttpVersion.HTTP_2);
    CompletableFuture<String> seen = new CompletableFuture<>();
    var stream =
        await(
            client
                .request(request(bridge, HttpMethod.GET, "/api/events"))
                .compose(
                    open ->
                        open.send()
                            .map(
                                response -> {
                                  response.handler(
                                      data -> {
                                        if (data.toString().contains("\"n\":1")) {
                                          seen.complete(data.toString());
                                        }
                                      });
                                  return open;
                                })));
    long until = System.nanoTime() + Duration.ofMillis(900).toNanos();
    Awaitility.await().until(() -> System.nanoTime() > until);
    vertx.eventBus().publish(Addresses.ALL_EVENTS, new JsonObject().put("type", "log").put("n", 1));
    assertThat(seen.orTimeout(60, TimeUnit.SECONDS).join()).contains("\"n\":1");
    assertThat(send(client, request(bridge, HttpMethod.GET, "/api/events"), "").status())
        .isEqualTo(503);
    stream.reset();
    Awaitility.await()
        .atMost(Duration.ofSeconds(60))
        .until(
            () ->
                await(
                        client
                            .request(request(bridge, HttpMethod.GET, "/api/events"))
                            .compose(HttpClientRequest::send)
                            .map(HttpClientResponse::statusCode))
                    == 200);
  }

  @Test
  void over_http_2_one_slow_body_is_reset_and_others_go_on(Vertx vertx) {
    BridgeFixture bridge =
        new BridgeFixture(vertx, RecordCopy.with(tls(), "receiveTimeout", Duration.ofMillis(300)));
    vertx
        .eventBus()
        .<Object>consumer(
            "mcp.alpha.tools.call",
            (Message<Object> call) ->
                vertx.setTimer(1_000, late -> call.reply(Buffer.buffer("{}"))));
    HttpClient client = client(vertx, HttpVersion.HTTP_2);
    RequestOptions call = request(bridge, HttpMethod.POST, "/api/servers/alpha/tools/t");
    CompletableFuture<Throwable> reset = new CompletableFuture<>();
    await(
        client
            .request(call)
            .onSuccess(
                slow -> {
                  slow.exceptionHandler(reset::complete);
                  slow.putHeader("Content-Length", "100").write("{");
                }));

    assertThat(send(client, call, "{}").status()).isEqualTo(200);
    assertThat(reset.orTimeout(60, TimeUnit.SECONDS).join())
        .isInstanceOf(StreamResetException.class);
  }

  @Test
  void connections_of_http_2_leave_nothing_and_an_idle_one_makes_room(Vertx vertx) {
    BridgeFixture bridge =
        new BridgeFixture(
            vertx,
            RecordCopy.with(
                tls(), "limits", new BridgeLimitOptions(8_192, 2, 2, 9, Duration.ofSeconds(9), 0)));
    for (int i = 0; i < 12; i++) {
      HttpClient client = client(vertx, HttpVersion.HTTP_2);
      for (int n = 0; n < 3; n++) {
        Answer answer = send(client, request(bridge, HttpMethod.GET, "/openapi.json"), "");
        assertThat(answer.status()).isEqualTo(200);
        assertThat(answer.version()).isEqualTo(HttpVersion.HTTP_2);
      }
      assertThat(bridge.bridge.connections()).isLessThanOrEqualTo(2);
      if (i % 2 == 0) {
        await(client.close());
      }
    }
    await(vertx.undeploy(bridge.deployment));
    Awaitility.await().atMost(Duration.ofSeconds(60)).until(() -> bridge.bridge.connections() == 0);
  }

  @Test
  void what_is_in_flight_may_finish_when_the_bridge_stops(Vertx vertx) {
    BridgeFixture bridge = new BridgeFixture(vertx, OPTIONS);
    CompletableFuture<Message<Object>> called = new CompletableFuture<>();
    vertx.eventBus().<Object>consumer("mcp.alpha.ping", called::complete);
    var answer =
        CompletableFuture.supplyAsync(() -> bridge.post("/api/servers/alpha/ping", "").status());
    Message<Object> call = called.orTimeout(60, TimeUnit.SECONDS).join();
    var stopped = vertx.undeploy(bridge.deployment);
    vertx.setTimer(300, then -> call.reply(Buffer.buffer("{}")));
    assertThat(answer.orTimeout(60, TimeUnit.SECONDS).join()).isEqualTo(200);
    await(stopped);
  }
}
