package dev.mcpbus.transport.socket;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.mcpbus.hosting.BuiltInTransports;
import dev.mcpbus.internals.RecordCopy;
import dev.mcpbus.protocol.ParseLimits;
import dev.mcpbus.testing.Certificates;
import dev.mcpbus.testing.ChannelProbe;
import dev.mcpbus.testing.RawHttpServer;
import dev.mcpbus.testing.RawHttpServer.Script;
import dev.mcpbus.transport.AuthenticatorFactory;
import dev.mcpbus.transport.OutboundMessage;
import dev.mcpbus.transport.SocketOptions;
import dev.mcpbus.transport.TlsOptions;
import dev.mcpbus.transport.TransportException;
import dev.mcpbus.transport.TransportException.Reached;
import dev.mcpbus.transport.TransportException.Reason;
import io.vertx.core.Vertx;
import io.vertx.core.VertxOptions;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.dns.AddressResolverOptions;
import io.vertx.core.net.NetServerOptions;
import io.vertx.core.net.NetSocket;
import io.vertx.core.net.PemKeyCertOptions;
import io.vertx.junit5.VertxExtension;
import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What the socket transport makes of what a raw peer says. */
@ExtendWith(VertxExtension.class)
class SocketTransportTest {

  private static final String PONG = "{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{\"n\":1}}";

  private static ChannelProbe open(Vertx vertx, SocketOptions options) throws Exception {
    return ChannelProbe.open(
        vertx, BuiltInTransports.create(vertx, options, AuthenticatorFactory.NONE));
  }

  private static SocketOptions to(RawHttpServer server) {
    return SocketOptions.of(URI.create("tcp://127.0.0.1:" + server.port()));
  }

  /** Any byte server will do; this one is there. */
  private static RawHttpServer play(Script script) {
    return RawHttpServer.start(script);
  }

  @Test
  void every_address_of_a_name_is_tried() throws Exception {
    Vertx vertx =
        Vertx.vertx(
            new VertxOptions()
                .setAddressResolverOptions(
                    new AddressResolverOptions()
                        .setHostsValue(Buffer.buffer("127.0.0.77 localhost\n"))));
    Script script =
        peer -> {
          peer.send(PONG + "\n");
          peer.silence();
        };
    try (RawHttpServer server = play(script)) {
      ChannelProbe probe =
          open(vertx, SocketOptions.of(URI.create("tcp://localhost:" + server.port())));
      assertThat(probe.call(1, "ping").integerId()).isEqualTo(1);
    } finally {
      vertx.close().await();
    }
  }

  private static TransportException refusal(Vertx vertx, SocketOptions options) throws Exception {
    try {
      open(vertx, options);
    } catch (TransportException e) {
      return e;
    }
    throw new AssertionError("it was opened");
  }

  @Test
  void lines_are_messages_however_they_are_cut(Vertx vertx) throws Exception {
    try (RawHttpServer server =
        play(
            peer -> {
              peer.send("starting up\n[INFO] ready\n\r\n" + PONG.substring(0, 9));
              peer.silenceFor(20);
              peer.send(PONG.substring(9) + "\r\n" + PONG.replace("1,", "2,") + "\n");
              peer.silence();
            })) {
      ChannelProbe probe = open(vertx, to(server));
      assertThat(probe.reply(1).payload()).hasToString("{\"n\":1}");
      assertThat(probe.reply(2).integerId()).isEqualTo(2);
      assertThat(probe.channel().diagnostics().getLong("junk")).isEqualTo(2);
      assertThat(probe.foreignCallbacks()).isZero();
      probe.close();
      await().until(() -> server.open() == 0);
    }
  }

  @Test
  void a_logged_answer_fails_its_request_only_where_the_answer_does_not_follow(Vertx vertx)
      throws Exception {
    AtomicBoolean negotiated = new AtomicBoolean();
    try (RawHttpServer server =
        play(
            peer -> {
              await().untilTrue(negotiated);
              peer.send("Sending response: " + PONG + "\n" + PONG + "\n");
              peer.send("Sending response: " + PONG.replace("1,", "2,") + "\n");
              peer.silence();
            })) {
      ChannelProbe probe = open(vertx, to(server));
      probe.run(() -> probe.channel().negotiated("2025-06-18"));
      negotiated.set(true);
      TransportException failure = probe.failure(2);
      assertThat(failure.reason()).isEqualTo(Reason.PROTOCOL_ERROR);
      assertThat(failure).hasMessageContaining("stands behind other text");
      assertThat(probe.reply(1).payload()).hasToString("{\"n\":1}");
      assertThat(probe.endings(1)).isEqualTo(1);
      probe.close();
    }
  }

  @Test
  void more_junk_than_the_budget_ends_the_channel(Vertx vertx) throws Exception {
    try (RawHttpServer server =
        play(
            peer -> {
              peer.send("log\n".repeat(4));
              peer.silence();
            })) {
      ChannelProbe probe = open(vertx, RecordCopy.with(to(server), "junkLines", 3));
      await().until(() -> !probe.closings().isEmpty());
      assertThat(probe.closings().get(0).reason()).isEqualTo(Reason.PROTOCOL_ERROR);
      await().until(() -> server.open() == 0);
      probe.close();
    }
  }

  @Test
  void a_line_over_the_limit_ends_the_channel(Vertx vertx) throws Exception {
    try (RawHttpServer server =
        play(
            peer -> {
              peer.send("{" + " ".repeat(5_000));
              peer.silence();
            })) {
      ChannelProbe probe =
          open(
              vertx,
              RecordCopy.with(to(server), "limits", ParseLimits.DEFAULT.withMaxBytes(4_096)));
      await().until(() -> !probe.closings().isEmpty());
      assertThat(probe.closings().get(0).reason()).isEqualTo(Reason.LIMIT_EXCEEDED);
      probe.close();
    }
  }

  @Test
  void the_end_of_the_connection_drops_a_partial_line_and_ends_the_channel_once(Vertx vertx)
      throws Exception {
    try (RawHttpServer server =
        play(
            peer -> {
              peer.send(PONG + "\n" + PONG.replace("1,", "2,"));
              peer.close();
            })) {
      ChannelProbe probe = open(vertx, to(server));
      await().until(() -> !probe.closings().isEmpty());
      assertThat(probe.messages()).hasSize(1);
      assertThat(probe.closings()).hasSize(1);
      assertThat(probe.closings().get(0).reason()).isEqualTo(Reason.UPSTREAM_RESET);
      assertThat(probe.closings().get(0).reached()).isEqualTo(Reached.MAYBE);
      assertThatThrownBy(() -> probe.request(2, "ping"))
          .isInstanceOfSatisfying(
              TransportException.class, e -> assertThat(e.reached()).isEqualTo(Reached.NO));
      probe.close();
    }
  }

  @Test
  void a_peer_that_does_not_read_fills_the_queue_and_close_is_bounded(Vertx vertx)
      throws Exception {
    CountDownLatch over = new CountDownLatch(1);
    try (RawHttpServer server =
        play(
            peer -> {
              try {
                over.await();
              } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
              }
            })) {
      ChannelProbe probe = open(vertx, to(server));
      byte[] mebibyte =
          ("{\"jsonrpc\":\"2.0\",\"method\":\"x\",\"params\":{\"t\":\""
                  + "x".repeat(1 << 20)
                  + "\"}}")
              .getBytes(java.nio.charset.StandardCharsets.UTF_8);
      assertThatThrownBy(
              () -> {
                for (int i = 0; i < 200; i++) {
                  probe.send(OutboundMessage.notification("x", mebibyte));
                }
              })
          .isInstanceOfSatisfying(
              TransportException.class,
              e -> {
                assertThat(e.reason()).isEqualTo(Reason.OVERLOADED);
                assertThat(e.reached()).isEqualTo(Reached.NO);
              });
      probe.request(7, "late");
      probe.run(() -> probe.channel().forget(7));
      probe.close();
      over.countDown();
    }
  }

  @Test
  void nobody_there_is_said_at_once(Vertx vertx, @TempDir Path folder) throws Exception {
    TransportException tcp =
        refusal(
            vertx, SocketOptions.of(URI.create("tcp://127.0.0.1:" + RawHttpServer.refusingPort())));
    assertThat(tcp.reason()).isEqualTo(Reason.CONNECT_FAILED);
    assertThat(tcp.reached()).isEqualTo(Reached.NO);
    TransportException unix =
        refusal(vertx, SocketOptions.of(URI.create("unix://" + folder.resolve("none.sock"))));
    assertThat(unix.reason()).isEqualTo(Reason.CONNECT_FAILED);
    assertThat(unix).hasMessageContaining("none.sock");
  }

  @Test
  void tls_is_never_given_up(Vertx vertx) throws Exception {
    try (RawHttpServer server =
        play(
            peer -> {
              peer.send("no TLS here, none at all, not a bit of it\n");
              peer.silence();
            })) {
      TransportException why =
          refusal(
              vertx,
              RecordCopy.with(
                  SocketOptions.of(URI.create("tls://127.0.0.1:" + server.port())),
                  "connectTimeout",
                  Duration.ofSeconds(5)));
      assertThat(why.reason()).isEqualTo(Reason.TLS_ERROR);
      assertThat(why.reached()).isEqualTo(Reached.NO);
    }
  }

  @Test
  void an_untrusted_certificate_is_refused_unless_it_is_configured(
      Vertx vertx, @TempDir Path folder) throws Exception {
    Certificates made = new Certificates(folder).selfSigned("front", "dns:localhost");
    Path certificate = made.certificate("front", "c.pem");
    NetServerOptions options =
        new NetServerOptions()
            .setSsl(true)
            .setKeyCertOptions(
                new PemKeyCertOptions()
                    .addCertPath(certificate.toString())
                    .addKeyPath(made.key("front", "k.pem").toString()));
    int port =
        vertx
            .createNetServer(options)
            .connectHandler(NetSocket::resume)
            .listen(0, "localhost")
            .toCompletionStage()
            .toCompletableFuture()
            .get(60, TimeUnit.SECONDS)
            .actualPort();
    TransportException why =
        refusal(vertx, SocketOptions.of(URI.create("tls://localhost:" + port)));
    assertThat(why.reason()).as(why.getMessage()).isEqualTo(Reason.TLS_ERROR);
    assertThat(why).hasMessageContaining("certification path");
    SocketOptions trusting =
        RecordCopy.with(
            SocketOptions.of(URI.create("tls://localhost:" + port)),
            "tls",
            new TlsOptions(certificate, null, null));
    open(vertx, trusting).close();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "http://h/",
        "tcp://h",
        "tcp://u:p@h:1",
        "tls://h:1/path",
        "tcp://h:70000",
        "unix://h/p.sock",
        "unix:///",
        "unix:///p.sock#/mcp"
      })
  void a_url_that_cannot_be_used_is_refused(String url, Vertx vertx) {
    assertThatThrownBy(
            () ->
                BuiltInTransports.create(
                    vertx, SocketOptions.of(URI.create(url)), AuthenticatorFactory.NONE))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("url must be")
        .hasMessageNotContaining("u:p");
  }
}
