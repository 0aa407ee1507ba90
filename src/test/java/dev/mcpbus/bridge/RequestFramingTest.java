package dev.mcpbus.bridge;

import static org.assertj.core.api.Assertions.assertThat;

import dev.mcpbus.bridge.options.BridgeOptions;
import dev.mcpbus.internals.RecordCopy;
import io.vertx.core.Vertx;
import io.vertx.junit5.VertxExtension;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The end of a request: a request whose end a proxy could read differently is refused. */
@ExtendWith(VertxExtension.class)
class RequestFramingTest {

  private static final String SMUGGLED =
      "POST /api/servers/alpha/ping HTTP/1.1\r\nHost: localhost:PORT\r\nContent-Length: 0\r\n\r\n";

  private static String send(BridgeFixture bridge, String request) throws IOException {
    return bridge.raw(request.replace("PORT", "" + bridge.port));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "Content-Length: 4\r\nTransfer-Encoding: chunked\r\n",
        "Transfer-Encoding: chunked\r\nContent-Length: 4\r\n",
        "Transfer-Encoding: chunked\r\nContent-Length: 0\r\n",
        "Content-Length: 4\r\nTransfer-Encoding: xchunked\r\n",
        "Content-Length: 4\r\nTransfer-Encoding: identity\r\n",
        "Transfer-Encoding: xchunked\r\n",
        "Transfer-Encoding: chunked, chunked\r\n",
        "Transfer-Encoding: gzip, chunked\r\n",
        "Transfer-Encoding: chunked, identity\r\n",
        "Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n",
        "Transfer-Encoding: chunked\r\nTransfer-Encoding: identity\r\n",
        "Transfer-Encoding: \"chunked\"\r\n",
        "Transfer-Encoding: \u000bchunked\r\n",
        "Transfer-Encoding: gzip,\r\n chunked\r\n",
        "Transfer-Encoding : chunked\r\n",
        "Content-Length: 4\r\n Transfer-Encoding: chunked\r\n",
        "Content-Length: 4\r\nContent-Length: 4\r\n",
        "Content-Length: 4\r\nContent-Length: 0\r\n",
        "Content-Length: 4, 4\r\n",
        "Content-Length: +4\r\n",
        "Content-Length: -4\r\n",
        "Content-Length: 0x4\r\n",
        "Content-Length: 4 4\r\n",
        "Content-Length: 99999999999999999999\r\n",
        "Content-Length: \r\n",
        "Content-Length: 4\r\n: chunked\r\n",
        ": x\r\n",
        "Host : localhost\r\n",
        "X\u0000: y\r\n",
        "X: a\rTransfer-Encoding: chunked\r\n",
        "Content-Length 4\r\n",
        "Transfer-Encoding:\r\n chunked\r\n"
      })
  void an_end_that_is_not_certain_is_a_400_and_nothing_behind_it_is_read(
      String headers, Vertx vertx) throws IOException {
    BridgeFixture bridge = new BridgeFixture(vertx);
    bridge.on("mcp.alpha.ping", "{}");

    String answer =
        send(
            bridge,
            "POST /api/servers/alpha/tools/t HTTP/1.1\r\nHost: localhost:PORT\r\n"
                + headers
                + "\r\n0\r\n\r\n"
                + SMUGGLED
                + SMUGGLED);

    assertThat(answer).startsWith("HTTP/1.1 400 ").contains("application/problem+json");
    assertThat(answer.split("HTTP/1.1 ", -1)).as(answer).hasSize(2);
    assertThat(bridge.seen).isEmpty();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "GET /health/../x HTTP/1.1\r\nHost: localhost:PORT\r\n\r\n",
        "GET /health/live HTTP/1.1\r\nHost: evil.example\r\n\r\n",
        "GET /health/live HTTP/1.1\r\nHost: localhost:PORT\r\nHost: localhost:PORT\r\n\r\n",
        "GET http://evil.example/health/live HTTP/1.1\r\nHost: localhost:PORT\r\n\r\n",
        "GET /health/live HTTP/1.1\r\nHost: localhost:PORT\r\nOrigin: null\r\n\r\n",
        "POST /rpc HTTP/1.1\r\nHost: evil.example\r\nContent-Length: 2\r\n\r\n{}",
        "POST /rpc HTTP/1.1\r\nHost: evil.example\r\nTransfer-Encoding: chunked\r\n\r\n2;x=y\r\n{}\r\n0\r\n\r\n"
      })
  void behind_a_refused_request_nothing_is_served_and_the_connection_closes(
      String refused, Vertx vertx) throws IOException {
    BridgeFixture bridge = new BridgeFixture(vertx);
    bridge.on("mcp.alpha.ping", "{}");

    assertThat(send(bridge, refused + SMUGGLED + SMUGGLED))
        .matches("(?s)HTTP/1.1 40[0-9] .*")
        .containsIgnoringCase("connection: close");
    assertThat(bridge.seen).isEmpty();
    assertThat(send(bridge, refused)).matches("(?s)HTTP/1.1 40[0-9] .*"); // until it closes
  }

  @ParameterizedTest
  @ValueSource(
      strings = {"Transfer-Encoding: chunked\r\n", "Content-Length: 4\r\nContent-Length: 4\r\n"})
  void of_http_1_0_too(String headers, Vertx vertx) throws IOException {
    BridgeFixture bridge = new BridgeFixture(vertx);

    assertThat(
            send(
                bridge,
                "POST /rpc HTTP/1.0\r\nHost: localhost:PORT\r\n" + headers + "\r\n0\r\n\r\n"))
        .contains(" 400 ");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "GET /health/live HTTP/1.1\nHost: localhost:PORT\r\n\r\n",
        "GET /health/live HTTP/1.1\r\nHost: localhost:PORT\n\r\n",
        "GET /health/live HTTP/1.1\r\nHost: localhost:PORT\r\nX: a\n\n"
      })
  void a_bare_line_feed_is_no_line_end(String request, Vertx vertx) throws IOException {
    BridgeFixture bridge = new BridgeFixture(vertx);

    assertThat(send(bridge, request)).matches("(?s)HTTP/1.[01] 400 .*");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "5 \r\nhello\r\n0\r\n\r\n",
        "5\nhello\n0\n\n",
        "-5\r\nhello\r\n0\r\n\r\n",
        "0x5\r\nhello\r\n0\r\n\r\n",
        "fffffffff\r\nhello\r\n0\r\n\r\n",
        "g\r\nhello\r\n0\r\n\r\n",
        "5\r\nhello!\r\n0\r\n\r\n"
      })
  void chunks_that_are_none_reach_no_bus(String chunks, Vertx vertx) throws IOException {
    BridgeFixture bridge =
        new BridgeFixture(
            vertx,
            RecordCopy.with(
                BridgeOptions.DEFAULT.withPort(0), "receiveTimeout", Duration.ofSeconds(1)));
    bridge.on("mcp.alpha.ping", "{}");

    String answer =
        send(
            bridge,
            "POST /api/servers/alpha/ping HTTP/1.1\r\nHost: localhost:PORT\r\n"
                + "Transfer-Encoding: chunked\r\n\r\n"
                + chunks
                + SMUGGLED);

    assertThat(answer).doesNotContain(" 200 ");
    assertThat(bridge.seen).isEmpty();
  }

  @Test
  void a_body_in_chunks_is_read(Vertx vertx) throws IOException {
    BridgeFixture bridge = new BridgeFixture(vertx);
    bridge.on("mcp.alpha.tools.call", "{}");

    String answer =
        send(
            bridge,
            String.join(
                "\r\n",
                "POST /api/servers/alpha/tools/t HTTP/1.1",
                "Host: localhost:PORT",
                "Connection: close",
                "Transfer-Encoding: Chunked",
                "",
                "2",
                "{}",
                "0",
                "",
                ""));

    assertThat(answer).startsWith("HTTP/1.1 200 ");
  }

  @Test
  void sockets_speak_no_compression(Vertx vertx) throws IOException {
    BridgeFixture bridge = new BridgeFixture(vertx);
    try (var socket = bridge.connect()) {
      BridgeFixture.write(
          socket,
          "GET /eventbus/websocket HTTP/1.1\r\nHost: localhost:"
              + bridge.port
              + "\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\n"
              + "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n"
              + "Sec-WebSocket-Extensions: permessage-deflate, x-webkit-deflate-frame\r\n\r\n");
      byte[] head = socket.getInputStream().readNBytes(120);
      socket.shutdownOutput();
      String rest = BridgeFixture.readAll(socket);
      assertThat(new String(head, StandardCharsets.US_ASCII) + rest)
          .startsWith("HTTP/1.1 101 ")
          .doesNotContainIgnoringCase("Sec-WebSocket-Extensions");
    }
  }
}
