package dev.mcpbus.transport.http;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.mcpbus.protocol.Methods;
import dev.mcpbus.testing.ChannelProbe;
import dev.mcpbus.testing.RawHttpServer;
import dev.mcpbus.testing.RawHttpServer.Answer;
import dev.mcpbus.testing.RawHttpServer.Peer;
import dev.mcpbus.testing.RawHttpServer.Request;
import dev.mcpbus.transport.HttpOptions;
import java.io.IOException;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Semaphore;
import org.junit.jupiter.api.Test;

/** Servers that handle one request at a time, and those that only seem to. */
class SerialServerTest extends HttpFixture {

  private final Semaphore turn = new Semaphore(1);

  private ChannelProbe listening(RawHttpServer server) throws Exception {
    return handshake(HttpOptions.of(server.url()));
  }

  /** Plays what is not the handshake. */
  private RawHttpServer server(Answer other) {
    return answer(
        (request, peer) -> {
          if (request.calls(Methods.INITIALIZE)) {
            peer.json(RawHttpServer.resultOf(request.id()), "Mcp-Session-Id: s1");
          } else if (request.method().equals("DELETE")) {
            peer.reply("200 OK", "");
          } else if (request.calls(Methods.INITIALIZED)) {
            peer.reply("202 Accepted", "");
          } else {
            other.to(request, peer);
          }
        });
  }

  private static void reply(Request request, Peer peer) throws IOException {
    if (request.calls(Methods.PING)) {
      peer.json("{\"jsonrpc\":\"2.0\",\"id\":\"mcpbus-probe\",\"result\":{}}");
    } else {
      peer.result(request.id());
    }
  }

  /** One request at a time: the next waits until this one's answer is out, or its client gone. */
  private RawHttpServer serial() {
    return server(
        (request, peer) -> {
          turn.acquireUninterruptibly();
          try {
            if (request.method().equals("GET")) {
              peer.stream();
              peer.silence();
            } else {
              reply(request, peer);
            }
          } finally {
            turn.release();
          }
        });
  }

  private static String getStream(ChannelProbe probe) {
    return probe.channel().diagnostics().getString("getStream", "");
  }

  private static long received(RawHttpServer server, String method) {
    return server.requests("POST").stream().filter(request -> request.calls(method)).count();
  }

  @Test
  void a_serial_server_answers_each_call_once_and_its_stream_is_off_in_the_next_session_too()
      throws Exception {
    RawHttpServer server = serial();
    ChannelProbe probe = listening(server);
    await().until(() -> server.requests("GET").size() == 1);
    probe.call(1, "tools/call");
    await().until(() -> getStream(probe).equals("off: serial"));
    probe.call(2, "tools/call");
    assertThat(received(server, "tools/call")).isEqualTo(2);
    int gets = server.requests("GET").size();

    ChannelProbe next = listening(server);
    next.call(1, "tools/call");
    assertThat(getStream(next)).isEqualTo("off: serial");
    assertThat(server.requests("GET")).hasSize(gets);
    assertThat(received(server, "tools/call")).isEqualTo(3);
  }

  @Test
  void a_server_that_refuses_a_second_request_is_serial_too() throws Exception {
    RawHttpServer server =
        server(
            (request, peer) -> {
              if (request.method().equals("GET")) {
                turn.acquireUninterruptibly();
                try {
                  peer.stream();
                  peer.silence();
                } finally {
                  turn.release();
                }
              } else if (turn.availablePermits() == 0) {
                peer.reply("503 Service Unavailable", "");
              } else {
                reply(request, peer);
              }
            });
    ChannelProbe probe = listening(server);
    await().until(() -> probe.channel().diagnostics().getBoolean("listening"));
    probe.request(1, "tools/call");
    await().until(() -> getStream(probe).equals("off: serial"));
    probe.call(2, "tools/call");
    assertThat(received(server, "tools/call")).isEqualTo(2);
  }

  @Test
  void a_slow_call_of_a_server_that_answers_pings_leaves_the_stream_open() throws Exception {
    CountDownLatch pinged = new CountDownLatch(1);
    RawHttpServer server =
        server(
            (request, peer) -> {
              if (request.method().equals("GET")) {
                peer.stream();
                peer.silence();
              } else if (request.calls(Methods.PING)) {
                pinged.countDown();
              } else {
                awaitLatch(pinged);
              }
              reply(request, peer);
            });
    ChannelProbe probe = listening(server);
    await().until(() -> probe.channel().diagnostics().getBoolean("listening"));
    probe.call(1, "tools/call");
    probe.call(2, "tools/call");
    assertThat(server.requests("GET")).hasSize(1);
    assertThat(received(server, Methods.PING)).isEqualTo(1);
    assertThat(probe.channel().diagnostics().getBoolean("listening")).isTrue();
  }

  @Test
  void a_call_that_ends_by_chance_when_the_stream_is_closed_does_not_make_a_server_serial()
      throws Exception {
    CountDownLatch closed = new CountDownLatch(1);
    RawHttpServer server =
        server(
            (request, peer) -> {
              if (request.method().equals("GET")) {
                peer.stream();
                try {
                  peer.silence();
                } finally {
                  closed.countDown();
                }
              } else {
                awaitLatch(closed);
              }
              reply(request, peer);
            });
    ChannelProbe probe = listening(server);
    await().until(() -> probe.channel().diagnostics().getBoolean("listening"));
    probe.call(1, "tools/call");
    await().until(() -> server.requests("GET").size() == 2 && received(server, Methods.PING) == 2);
    await().until(() -> probe.channel().diagnostics().getBoolean("listening"));
    probe.call(2, "tools/call");
    assertThat(getStream(probe)).isEmpty();
    assertThat(received(server, "tools/call")).isEqualTo(2);
    assertThat(server.requests("GET")).hasSize(2);
  }

  @Test
  void a_server_that_is_busy_whatever_the_stream_does_gets_it_back() throws Exception {
    CountDownLatch back = new CountDownLatch(2);
    RawHttpServer server =
        server(
            (request, peer) -> {
              if (request.method().equals("GET")) {
                back.countDown();
                peer.stream();
                peer.silence();
              }
              awaitLatch(back);
              reply(request, peer);
            });
    ChannelProbe probe = listening(server);
    await().until(() -> probe.channel().diagnostics().getBoolean("listening"));
    probe.call(1, "tools/call");
    await().until(() -> probe.channel().diagnostics().getBoolean("listening"));
    assertThat(getStream(probe)).isEmpty();
    assertThat(received(server, "tools/call")).isEqualTo(1);
  }

  @Test
  void a_refused_stream_is_asked_for_once() throws Exception {
    RawHttpServer server =
        server(
            (request, peer) -> {
              if (request.method().equals("GET")) {
                peer.reply("405 Method Not Allowed", "");
              } else {
                reply(request, peer);
              }
            });
    ChannelProbe probe = listening(server);
    await().until(() -> getStream(probe).equals("off: refused"));
    probe.call(1, "tools/call");
    ChannelProbe next = listening(server);
    next.call(1, "tools/call");
    assertThat(getStream(next)).isEqualTo("off: refused");
    assertThat(server.requests("GET")).hasSize(1);
  }
}
