package dev.mcpbus.transport.http;

import static org.assertj.core.api.Assertions.assertThat;

import dev.mcpbus.hosting.BuiltInTransports;
import dev.mcpbus.internals.RecordCopy;
import dev.mcpbus.protocol.Methods;
import dev.mcpbus.protocol.ParseLimits;
import dev.mcpbus.testing.ChannelProbe;
import dev.mcpbus.testing.RawHttpServer;
import dev.mcpbus.testing.RawHttpServer.Answer;
import dev.mcpbus.transport.AuthenticatorFactory;
import dev.mcpbus.transport.HttpOptions;
import dev.mcpbus.transport.TransportException;
import dev.mcpbus.transport.TransportException.Reached;
import dev.mcpbus.transport.TransportException.Reason;
import io.vertx.core.Vertx;
import java.net.URI;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;

/** A Vert.x, a raw server and a channel per test, closed in reverse. */
abstract class HttpFixture {

  static final ParseLimits SMALL = ParseLimits.DEFAULT.withMaxBytes(4_096);

  private final List<AutoCloseable> open = new ArrayList<>();
  Vertx vertx;

  @BeforeEach
  void start() {
    vertx = Vertx.vertx();
  }

  @AfterEach
  void stop() throws Exception {
    for (int i = open.size() - 1; i >= 0; i--) {
      open.get(i).close();
    }
    vertx.close().await();
  }

  /** Owned by the test from now on. */
  RawHttpServer serve(RawHttpServer server) {
    open.add(server);
    return server;
  }

  /** Plays the script on each connection. */
  RawHttpServer play(RawHttpServer.Script script) {
    return serve(RawHttpServer.start(script));
  }

  /** Gives the same answer to each request. */
  RawHttpServer answer(Answer answer) {
    return serve(RawHttpServer.answering(answer));
  }

  /**
   * A server with session {@code s1} and no GET stream; {@code calls} answers the other requests.
   */
  RawHttpServer session(Answer calls) {
    return answer(
        (request, peer) -> {
          if (request.calls(Methods.INITIALIZE)) {
            peer.json(RawHttpServer.resultOf(request.id()), "Mcp-Session-Id: s1");
          } else if (request.method().equals("DELETE")) {
            peer.reply("200 OK", "");
          } else if (request.method().equals("POST") && !request.body().contains("\"id\":")) {
            peer.reply("202 Accepted", "");
          } else {
            calls.to(request, peer);
          }
        });
  }

  HttpOptions options(RawHttpServer server) {
    return RecordCopy.with(HttpOptions.of(server.url()), "listen", false);
  }

  ChannelProbe open(RawHttpServer server) throws Exception {
    return open(options(server));
  }

  ChannelProbe open(URI url) throws Exception {
    return open(RecordCopy.with(HttpOptions.of(url), "listen", false));
  }

  ChannelProbe open(HttpOptions options) throws Exception {
    return own(
        ChannelProbe.open(
            vertx, BuiltInTransports.create(vertx, options, AuthenticatorFactory.NONE)));
  }

  /** Closed by the test's end. */
  ChannelProbe own(ChannelProbe probe) {
    open.add(probe::close);
    return probe;
  }

  /** Through the handshake: request 0, the version, the notification. */
  ChannelProbe handshake(HttpOptions options) throws Exception {
    ChannelProbe probe = open(options);
    probe.call(0, Methods.INITIALIZE);
    probe.run(() -> probe.channel().negotiated("2025-11-25"));
    probe.notify(Methods.INITIALIZED);
    return probe;
  }

  static void expect(TransportException failure, Reason reason, Reached sent) {
    assertThat(failure.reason()).as(failure.getMessage()).isEqualTo(reason);
    assertThat(failure.reached()).as(failure.getMessage()).isEqualTo(sent);
  }

  static void awaitLatch(CountDownLatch latch) {
    try {
      assertThat(latch.await(60, TimeUnit.SECONDS)).isTrue();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
