package dev.mcpbus.transport.http;

import static dev.mcpbus.testing.RawHttpServer.resultOf;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.mcpbus.internals.RecordCopy;
import dev.mcpbus.testing.ChannelProbe;
import dev.mcpbus.testing.RawHttpServer;
import dev.mcpbus.transport.TransportException.Reached;
import dev.mcpbus.transport.TransportException.Reason;
import java.io.ByteArrayOutputStream;
import java.net.URI;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.zip.GZIPOutputStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Bodies that are not what they must be; numbers as in the list of faults. */
class HttpBodyTest extends HttpFixture {

  @ParameterizedTest
  @ValueSource(
      strings = {
        "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: 6\r\n\r\n<html>",
        "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n",
        "HTTP/1.1 202 Accepted\r\nContent-Length: 0\r\n\r\n",
        "HTTP/1.1 204 No Content\r\n\r\n",
        "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 0\r\n\r\n",
        "SSH-2.0-OpenSSH_9.0\r\n\r\n"
      })
  void case_43_no_reply_to_a_request_is_a_protocol_error(String bytes) throws Exception {
    RawHttpServer server = answer((request, peer) -> peer.send(bytes));
    expect(open(server).fail(1, "ping"), Reason.PROTOCOL_ERROR, Reached.MAYBE);
  }

  /** MCP 2025-03-26, Base Protocol, Batching: "MUST support receiving JSON-RPC batches". */
  @Test
  void a_batch_is_its_messages_in_a_body_and_in_a_stream_where_the_version_has_batches()
      throws Exception {
    String told = "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/x\"}";
    RawHttpServer server =
        answer(
            (request, peer) -> {
              if (request.id() < 0) {
                peer.reply("202 Accepted", "");
                return;
              }
              String batch = "[" + told + "," + RawHttpServer.resultOf(request.id()) + "]";
              if (request.id() < 3) {
                peer.json(batch);
              } else {
                peer.reply("200 OK", "data: " + batch + "\n\n", "Content-Type: text/event-stream");
              }
            });
    ChannelProbe probe = open(server);
    expect(probe.fail(1, "ping"), Reason.PROTOCOL_ERROR, Reached.MAYBE);
    probe.run(() -> probe.channel().negotiated("2025-03-26"));
    probe.call(2, "ping");
    probe.call(3, "ping");
    assertThat(probe.heard()).filteredOn(one -> one.equals("notifications/x")).hasSize(2);
  }

  @Test
  void case_44_a_wrong_content_length_is_a_protocol_error() throws Exception {
    RawHttpServer server =
        play(
            peer -> {
              long id = peer.read().id();
              int wrong = resultOf(id).length() + (id == 1 ? 10 : -10);
              peer.head("200 OK", "Content-Type: application/json", "Content-Length: " + wrong);
              peer.send(resultOf(id));
              if (id == 1) {
                peer.close();
              }
              peer.silence();
            });
    ChannelProbe probe = open(server);
    expect(probe.fail(1, "ping"), Reason.PROTOCOL_ERROR, Reached.MAYBE);
    expect(probe.fail(2, "ping"), Reason.PROTOCOL_ERROR, Reached.MAYBE);
    await().until(() -> server.open() == 0);
  }

  @Test
  void case_45_endless_chunks_end_at_the_cap() throws Exception {
    RawHttpServer server =
        play(
            peer -> {
              peer.read();
              peer.head("200 OK", "Content-Type: application/json", "Transfer-Encoding: chunked");
              while (true) {
                peer.chunk(" ".repeat(512));
              }
            });
    ChannelProbe probe = open(RecordCopy.with(options(server), "limits", SMALL));
    expect(probe.fail(1, "ping"), Reason.LIMIT_EXCEEDED, Reached.MAYBE);
    await().until(() -> server.open() == 0);
  }

  @Test
  void case_45_an_announced_length_over_the_cap_is_refused_before_the_body() throws Exception {
    RawHttpServer server =
        play(
            peer -> {
              peer.read();
              peer.head("200 OK", "Content-Type: application/json", "Content-Length: 999999999");
              peer.silence();
            });
    ChannelProbe probe = open(RecordCopy.with(options(server), "limits", SMALL));
    expect(probe.fail(1, "ping"), Reason.LIMIT_EXCEEDED, Reached.MAYBE);
    await().until(() -> server.open() == 0);
  }

  @Test
  void case_46_a_gzip_bomb_is_never_unpacked() throws Exception {
    ByteArrayOutputStream bomb = new ByteArrayOutputStream();
    try (GZIPOutputStream gzip = new GZIPOutputStream(bomb)) {
      gzip.write(new byte[10_000_000]);
    }
    RawHttpServer server =
        answer(
            (request, peer) -> {
              peer.head(
                  "200 OK",
                  "Content-Type: application/json",
                  "Content-Encoding: gzip",
                  "Content-Length: " + bomb.size());
              peer.send(bomb.toByteArray());
            });
    expect(open(server).fail(1, "ping"), Reason.PROTOCOL_ERROR, Reached.MAYBE);
  }

  @Test
  void case_53_and_55_a_body_that_is_not_strict_json_rpc_is_refused() throws Exception {
    List<String> bodies =
        List.of(
            "{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":NaN}",
            resultOf(1) + "x",
            "[" + resultOf(1) + "]",
            "{\"jsonrpc\":\"2.0\",\"id\":1,\"ID\":1,\"result\":{}}",
            "{\"jsonrpc\":\"2.0\",\"id\":1,\"id\":1,\"result\":{}}",
            resultOf(77),
            "{\"jsonrpc\":\"2.0\",\"id\":\"1\",\"result\":{}}",
            RawHttpServer.notification("notifications/message"));
    AtomicInteger next = new AtomicInteger();
    RawHttpServer server = answer((request, peer) -> peer.json(bodies.get(next.getAndIncrement())));
    for (int i = 0; i < bodies.size(); i++) {
      ChannelProbe probe = open(server);
      expect(probe.fail(1, "ping"), Reason.PROTOCOL_ERROR, Reached.MAYBE);
    }
  }

  @Test
  void case_55_a_number_of_a_million_digits_is_over_the_limit() throws Exception {
    RawHttpServer server =
        answer(
            (request, peer) ->
                peer.json(
                    "{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{\"n\":"
                        + "9".repeat(1_000_000)
                        + "}}"));
    expect(open(server).fail(1, "ping"), Reason.LIMIT_EXCEEDED, Reached.MAYBE);
  }

  @Test
  void case_56_a_server_without_tls_is_never_spoken_to_in_plain_text() throws Exception {
    RawHttpServer server =
        play(peer -> peer.send("HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\n\r\n"));
    ChannelProbe probe = open(URI.create("https://127.0.0.1:" + server.port() + "/mcp"));
    expect(probe.fail(1, "ping"), Reason.TLS_ERROR, Reached.NO);
    assertThat(server.requests()).isEmpty();
  }
}
