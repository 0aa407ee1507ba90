package dev.mcpbus.hosting;

import static org.assertj.core.api.Assertions.assertThat;

import dev.mcpbus.McpBus;
import dev.mcpbus.bus.Addresses;
import dev.mcpbus.bus.Events;
import dev.mcpbus.testing.TestBus;
import io.vertx.core.Vertx;
import io.vertx.core.json.JsonObject;
import io.vertx.junit5.VertxExtension;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.stream.IntStream;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

@ExtendWith(VertxExtension.class)
class ServersBeginTest {

  /** More than are announced at once, and no multiple of it. */
  private static final int SERVERS = 123;

  @Test
  void each_of_many_servers_is_announced_once(Vertx vertx) {
    List<String> announced = new CopyOnWriteArrayList<>();
    vertx
        .eventBus()
        .<JsonObject>consumer(
            Addresses.ALL_EVENTS,
            event -> {
              if (Events.SERVER_ADDED.equals(event.body().getString("type"))) {
                announced.add(event.body().getString("id"));
              }
            });
    JsonObject servers = new JsonObject();
    IntStream.range(0, SERVERS)
        .forEach(
            i -> servers.put("s" + i, new JsonObject().put("command", "no").put("lazy", true)));

    TestBus.await(
        McpBus.start(vertx, McpBus.Options.of(new JsonObject().put("mcpServers", servers))));

    Awaitility.await()
        .atMost(Duration.ofSeconds(60))
        .until(() -> announced.size() >= servers.size());
    assertThat(announced).containsExactlyInAnyOrderElementsOf(servers.fieldNames());
  }
}
