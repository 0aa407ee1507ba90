package dev.mcpbus.gateway.http;

import static org.assertj.core.api.Assertions.assertThat;

import dev.mcpbus.internals.ByteBudget;
import dev.mcpbus.security.Admission;
import dev.mcpbus.testing.OpenAccess;
import dev.mcpbus.testing.TestBus;
import io.vertx.core.Context;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import io.vertx.core.http.HttpServer;
import io.vertx.junit5.VertxExtension;
import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.function.Supplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** Responses whose client stays connected and does not read. */
@ExtendWith(VertxExtension.class)
class StuckReaderTest {

  /** More than the buffers of both sides of a loopback connection take. */
  private static final byte[] EVENT = new byte[64 * 1024];

  static {
    Arrays.fill(EVENT, (byte) '1');
  }

  private final Promise<HttpReply> opened = Promise.promise();
  private final Promise<Context> context = Promise.promise();
  private final Promise<Void> gone = Promise.promise();
  private HttpServer server;
  private Socket client;

  @BeforeEach
  void connect(Vertx vertx) throws IOException {
    server =
        TestBus.await(
            vertx
                .createHttpServer()
                .requestHandler(
                    request -> {
                      context.complete(vertx.getOrCreateContext());
                      Admission caller =
                          OpenAccess.control().admissionControl(vertx).admit(request).result();
                      request.response().closeHandler(closed -> caller.end());
                      HttpReply reply = new HttpReply(request, true, caller, ByteBudget.of(vertx));
                      reply.onGone(gone::complete);
                      reply.standing().open();
                      opened.complete(reply);
                    })
                .listen(0, "127.0.0.1"));
    client = new Socket(InetAddress.getLoopbackAddress(), server.actualPort());
    client.setSoTimeout(10_000);
    client
        .getOutputStream()
        .write("GET / HTTP/1.1\r\nHost: h\r\n\r\n".getBytes(StandardCharsets.US_ASCII));
  }

  @AfterEach
  void close() throws IOException {
    client.close();
    TestBus.await(server.close());
  }

  private <T> T on(Supplier<T> step) {
    Promise<T> done = Promise.promise();
    TestBus.await(context.future()).runOnContext(now -> done.complete(step.get()));
    return TestBus.await(done.future());
  }

  private int send(HttpReply reply, int most) {
    for (int i = 0; i < most; i++) {
      boolean over =
          on(
              () -> {
                reply.event(null, EVENT);
                return reply.isOver();
              });
      if (over) {
        return i;
      }
    }
    return most;
  }

  @Test
  void case_100_a_reader_that_takes_nothing_is_dropped_at_a_bound_of_bytes() {
    HttpReply reply = TestBus.await(opened.future());
    int sent = send(reply, 1_000);
    assertThat(sent).as("of 64 MB").isLessThan(400);
    TestBus.await(gone.future());
  }

  @Test
  void case_100_a_reader_that_takes_nothing_is_dropped_after_a_few_beats() {
    HttpReply reply = TestBus.await(opened.future());
    while (on(reply::queued) == 0) {
      assertThat(send(reply, 1)).isEqualTo(1);
    }
    int beats = 0;
    while (!on(reply::isOver)) {
      assertThat(beats++).isLessThanOrEqualTo(HttpReply.PATIENCE + 1);
      on(
          () -> {
            reply.beat();
            return true;
          });
    }
    assertThat(beats).as("not at once").isGreaterThan(HttpReply.PATIENCE);
    TestBus.await(gone.future());
  }

  @Test
  void a_reader_that_is_slow_is_kept() throws IOException {
    HttpReply reply = TestBus.await(opened.future());
    while (on(reply::queued) == 0) {
      assertThat(send(reply, 1)).isEqualTo(1);
    }
    byte[] some = new byte[EVENT.length];
    for (int beat = 0; beat < 3 * HttpReply.PATIENCE; beat++) {
      long before = on(reply::taken);
      while (on(reply::taken) == before) {
        assertThat(client.getInputStream().read(some)).isPositive();
      }
      // Only then more: the kernel may keep much of it, and what waits must not grow to the bound.
      while (on(reply::queued) == 0) {
        assertThat(send(reply, 1)).isEqualTo(1);
      }
      on(
          () -> {
            reply.beat();
            return true;
          });
      assertThat(on(reply::isOver)).isFalse();
    }
    client.close();
    TestBus.await(gone.future());
  }

  @Test
  void case_100_the_place_of_a_reader_who_goes_away_is_free_at_once() throws IOException {
    TestBus.await(opened.future());
    client.close();
    TestBus.await(gone.future());
  }
}
