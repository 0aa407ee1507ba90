package dev.mcpbus;

import static dev.mcpbus.bus.BusTests.await;
import static dev.mcpbus.bus.BusTests.failure;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.mcpbus.client.CallOptions;
import dev.mcpbus.client.McpServerClient;
import dev.mcpbus.server.RawServer;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.json.JsonObject;
import io.vertx.junit5.VertxExtension;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** The facade with a server that has nothing but methods of its own. */
@ExtendWith(VertxExtension.class)
class BareServerTest {

  @Test
  void lists_are_empty_and_methods_of_its_own_are_called_and_notified(Vertx vertx) {
    List<String> heard = new CopyOnWriteArrayList<>();
    RawServer bare =
        RawServer.of("bare", "1.0")
            .handle("x/add", (request, params) -> Future.succeededFuture(params.put("sum", 5)))
            .onNotification("x/told", (client, params) -> heard.add(params.encode()));
    await(bare.listen(vertx, "my.bare"));
    McpBus bus =
        await(
            McpBus.start(
                vertx,
                McpBus.Options.of()
                    .withServer("bare", new JsonObject().put("address", "my.bare"))));
    await(bus.awaitReady(Duration.ofSeconds(60)));
    McpServerClient server = bus.server("bare");

    assertThat(await(server.listTools()).items()).isEmpty();
    assertThat(await(server.listResources()).items()).isEmpty();
    assertThat(await(server.listResourceTemplates()).items()).isEmpty();
    assertThat(await(server.listPrompts()).items()).isEmpty();
    assertThat(await(server.toolsMetadata())).isEmpty();
    assertThat(await(server.sessionId())).isEmpty();
    JsonObject sum = await(server.request("x/add", new JsonObject(), CallOptions.DEFAULT));
    assertThat(sum.getInteger("sum")).isEqualTo(5);
    await(server.notify("x/told", new JsonObject().put("a", 1)));
    await().until(() -> !heard.isEmpty());
    assertThat(heard.get(0)).contains("\"a\":1");
    assertThat(failure(server.notify("", new JsonObject())))
        .hasMessageContaining("\"method\" is empty");
    await(bus.close());
  }
}
