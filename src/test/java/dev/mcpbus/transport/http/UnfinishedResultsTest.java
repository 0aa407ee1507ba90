package dev.mcpbus.transport.http;

import static dev.mcpbus.testing.RawHttpServer.resultOf;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.mcpbus.hosting.BuiltInTransports;
import dev.mcpbus.internals.ByteBudget;
import dev.mcpbus.protocol.Envelope;
import dev.mcpbus.testing.ChannelProbe;
import dev.mcpbus.testing.RawHttpServer;
import dev.mcpbus.transport.AuthenticatorFactory;
import dev.mcpbus.transport.SocketOptions;
import dev.mcpbus.transport.TransportException;
import dev.mcpbus.transport.TransportException.Reached;
import dev.mcpbus.transport.TransportException.Reason;
import java.net.URI;
import java.util.Random;
import java.util.concurrent.CountDownLatch;
import java.util.stream.LongStream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What a server has begun to answer is paid for before it is held, and given back at each end. */
class UnfinishedResultsTest extends HttpFixture {

  private static final int KIB = 1024;
  private static final String PART = "a".repeat(64 * KIB);

  private ByteBudget budget;

  /** 4 MiB in all: 2 of results, so that one server may hold less than one. */
  @BeforeEach
  void limit() {
    budget = ByteBudget.of(vertx);
    budget.limit(4 * KIB * KIB);
  }

  /** Begins a result of 768 KiB, of which one of each form is stopped by the latch. */
  private static void begin(RawHttpServer.Peer peer, String form, long id, CountDownLatch rest)
      throws Exception {
    boolean stream = form.equals("stream");
    if (form.equals("length")) {
      String length = "Content-Length: " + (12 * PART.length() + resultOf(id).length());
      peer.head("200 OK", "Content-Type: application/json", length);
    } else if (stream) {
      peer.stream();
      peer.chunk("data: ");
    } else {
      peer.head("200 OK", "Content-Type: application/json", "Transfer-Encoding: chunked");
    }
    String blanks = PART.replace('a', ' ');
    for (int i = 0; i < 12; i++) {
      if (form.equals("length")) {
        peer.send(blanks);
      } else {
        peer.chunk(blanks);
      }
      if (i == 10) {
        rest.await();
      }
    }
    if (form.equals("length")) {
      peer.send(resultOf(id));
    } else {
      peer.chunk(resultOf(id) + (stream ? "\n\n" : ""));
      peer.end();
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"length", "chunks", "stream"})
  void unfinished_results_of_one_server_take_its_share_and_others_pass(String form)
      throws Exception {
    CountDownLatch rest = new CountDownLatch(1);
    RawHttpServer server =
        play(
            peer -> {
              long id = peer.read().id();
              try {
                begin(peer, form, id, rest);
              } catch (Exception refused) {
                peer.close();
              }
              peer.silence();
            });
    ChannelProbe probe = open(options(server));
    for (int id = 1; id <= 20; id++) {
      probe.request(id, "ping");
    }
    await().until(() -> endings(probe) >= 19);
    assertThat(budget.used()).isLessThan(1_000 * KIB);
    for (int id = 1; id <= 20; id++) {
      if (probe.endings(id) > 0) {
        TransportException failure = probe.failure(id);
        expect(failure, Reason.OVERLOADED, Reached.MAYBE);
        assertThat(failure).hasMessageContaining("unfinished messages");
      }
    }

    RawHttpServer other = answer((request, peer) -> peer.json(" ".repeat(600 * KIB) + resultOf(1)));
    assertThat(open(other).call(1, "ping").kind()).isEqualTo(Envelope.Kind.RESULT);
    rest.countDown();
    await().until(() -> endings(probe) == 20);
    assertThat(probe.messages()).as("what fitted").hasSizeLessThan(2);
    await().until(() -> budget.used() == 0);
  }

  private static long endings(ChannelProbe probe) {
    return LongStream.rangeClosed(1, 20).filter(id -> probe.endings(id) > 0).count();
  }

  @Test
  void a_line_that_its_server_cannot_pay_ends_the_stream() throws Exception {
    RawHttpServer server =
        play(
            peer -> {
              for (int i = 0; i < 30; i++) {
                peer.send(PART);
              }
              peer.silence();
            });
    ChannelProbe probe =
        own(
            ChannelProbe.open(
                vertx,
                BuiltInTransports.create(
                    vertx,
                    SocketOptions.of(URI.create("tcp://127.0.0.1:" + server.port())),
                    AuthenticatorFactory.NONE)));
    await().until(() -> !probe.closings().isEmpty());
    expect(probe.closings().get(0), Reason.OVERLOADED, Reached.MAYBE);
    assertThat(budget.used()).isZero();
  }

  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3})
  void whatever_ends_an_answer_nothing_is_left(long seed) throws Exception {
    Random random = new Random(seed);
    RawHttpServer server =
        play(
            peer -> {
              long id = peer.read().id();
              Random own = new Random(seed + id);
              boolean stream = own.nextBoolean();
              if (stream) {
                peer.stream();
                peer.chunk("data: ");
              } else {
                peer.head("200 OK", "Content-Type: application/json", "Transfer-Encoding: chunked");
              }
              for (int i = own.nextInt(8); i > 0; i--) {
                peer.chunk(PART.replace('a', own.nextInt(20) == 0 ? '\n' : ' '));
              }
              switch (own.nextInt(4)) {
                case 0 -> peer.reset();
                case 1 -> peer.close();
                case 2 -> {
                  peer.chunk(resultOf(id) + "\n\n");
                  peer.end();
                }
                default -> peer.silence();
              }
            });
    ChannelProbe probe = open(options(server));
    for (int id = 1; id <= 30; id++) {
      probe.request(id, "ping");
      int which = id;
      if (random.nextInt(3) == 0) {
        probe.run(() -> probe.channel().forget(which));
      }
    }
    await().until(() -> server.accepted() > 5);
    probe.close();
    await().until(() -> budget.used() == 0);
  }
}
