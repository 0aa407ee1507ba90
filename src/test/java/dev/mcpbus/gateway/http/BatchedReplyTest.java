package dev.mcpbus.gateway.http;

import static org.assertj.core.api.Assertions.assertThat;

import dev.mcpbus.internals.ByteBudget;
import dev.mcpbus.security.Admission;
import dev.mcpbus.testing.OpenAccess;
import dev.mcpbus.testing.TestBus;
import io.vertx.core.Context;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpServer;
import io.vertx.junit5.VertxExtension;
import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** The one response to the messages of a batch. */
@ExtendWith(VertxExtension.class)
class BatchedReplyTest {

  @Test
  void what_waits_for_a_client_that_leaves_is_given_back_once(Vertx vertx) throws IOException {
    ByteBudget budget = new ByteBudget(64 * 1024 * 1024, 0);
    Promise<List<BatchedReply>> begun = Promise.promise();
    Promise<Context> context = Promise.promise();
    Promise<Void> left = Promise.promise();
    HttpServer server =
        TestBus.await(
            vertx
                .createHttpServer()
                .requestHandler(
                    request -> {
                      Admission caller =
                          OpenAccess.control().admissionControl(vertx).admit(request).result();
                      request.response().closeHandler(closed -> caller.end());
                      HttpReply whole = new HttpReply(request, false, caller, budget);
                      context.complete(vertx.getOrCreateContext());
                      begun.complete(
                          BatchedReply.of(
                              whole, request, false, caller, budget, 2, left::tryComplete));
                    })
                .listen(0, "127.0.0.1"));
    try (Socket client = new Socket(InetAddress.getLoopbackAddress(), server.actualPort())) {
      client
          .getOutputStream()
          .write("GET / HTTP/1.1\r\nHost: h\r\n\r\n".getBytes(StandardCharsets.US_ASCII));
      List<BatchedReply> parts = TestBus.await(begun.future());
      Promise<Long> held = Promise.promise();
      TestBus.await(context.future())
          .runOnContext(
              now -> {
                parts.get(0).answer(200, Buffer.buffer("1".repeat(1_000)), null);
                held.complete(budget.used());
              });
      assertThat(TestBus.await(held.future())).isEqualTo(1_000);
    }
    TestBus.await(left.future());
    Promise<Void> over = Promise.promise();
    TestBus.await(context.future())
        .runOnContext(
            now -> {
              parts(begun).get(1).status(202); // the other message had nothing to cancel
              over.complete();
            });
    TestBus.await(over.future());
    assertThat(budget.used()).isZero();
    TestBus.await(server.close());
  }

  private static List<BatchedReply> parts(Promise<List<BatchedReply>> begun) {
    return begun.future().result();
  }
}
