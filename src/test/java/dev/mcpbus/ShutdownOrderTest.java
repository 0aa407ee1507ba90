package dev.mcpbus;

import static org.assertj.core.api.Assertions.assertThat;

import dev.mcpbus.bus.Addresses;
import dev.mcpbus.testing.Http;
import dev.mcpbus.testing.TestBus;
import io.vertx.core.Future;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.eventbus.DeliveryOptions;
import io.vertx.core.eventbus.Message;
import io.vertx.core.eventbus.ReplyException;
import io.vertx.core.eventbus.ReplyFailure;
import io.vertx.core.json.JsonObject;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;

/** The order in which the parts of {@link McpBus} end. */
class ShutdownOrderTest {

  @Test
  void what_calls_in_flight_use_ends_after_doors_and_connections() throws Exception {
    try (TestBus bus = TestBus.startWithBridge(new JsonObject())) {
      // Stands for a connection on another node: its calls go on while this node ends.
      CompletableFuture<Message<Object>> accepted = new CompletableFuture<>();
      bus.vertx()
          .eventBus()
          .consumer(TestBus.address("far", Addresses.TOOLS_CALL), accepted::complete);
      CompletableFuture<Http.Answer> call =
          Http.posted(bus.port(), "/api/servers/far/tools/slow", "{}");
      Message<Object> message = accepted.get(60, TimeUnit.SECONDS);

      Future<Void> closed = bus.bus().close();

      Awaitility.await("the connections to end").until(() -> !has(bus, Addresses.SERVERS_LIST));
      assertThat(has(bus, Addresses.INPUT_PENDING)).isTrue();
      assertThat(has(bus, Addresses.ALL_TOOLS_FUNCTIONS)).isTrue();
      assertThat(has(bus, Addresses.ALL_TOOLS_LIST)).isTrue();
      assertThat(closed.isComplete()).isFalse();

      message.reply(Buffer.buffer("{\"content\":[]}"));

      assertThat(call.get(60, TimeUnit.SECONDS).status()).isEqualTo(200);
      TestBus.await(closed);
      assertThat(bus.vertx().deploymentIDs()).isEmpty();
    }
  }

  private static boolean has(TestBus bus, String address) {
    CompletableFuture<Boolean> has = new CompletableFuture<>();
    bus.vertx()
        .eventBus()
        .request(address, new JsonObject(), new DeliveryOptions().setLocalOnly(true))
        .onComplete(
            reply -> has.complete(true),
            failure ->
                has.complete(
                    !(failure instanceof ReplyException reply)
                        || reply.failureType() != ReplyFailure.NO_HANDLERS));
    return has.orTimeout(60, TimeUnit.SECONDS).join();
  }
}
