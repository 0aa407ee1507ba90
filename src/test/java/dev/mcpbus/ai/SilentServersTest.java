package dev.mcpbus.ai;

import static org.assertj.core.api.Assertions.assertThat;

import dev.mcpbus.bus.Addresses;
import dev.mcpbus.client.McpClient;
import dev.mcpbus.testing.TestBus;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

/** How long a server that used up the wait is left aside. */
class SilentServersTest {

  private static final FrameworkOptions OPTIONS =
      FrameworkOptions.DEFAULT.withPatience(Duration.ofMillis(100));

  private final AtomicLong later = new AtomicLong();

  private SilentServers waited(TestBus bus) {
    SilentServers silent =
        new SilentServers(
            McpClient.create(bus.vertx()), OPTIONS, () -> System.nanoTime() + later.get());
    JsonObject entry =
        new JsonObject().put("command", "sleep").put("args", new JsonArray().add("600"));
    bus.request(Addresses.SERVERS_ADD, new JsonObject().put("name", "one").put("config", entry));
    TestBus.await(silent.settled());
    assertThat(silent.knows("one")).isTrue();
    return silent;
  }

  @Test
  void until_it_has_connected_or_is_another() {
    try (TestBus bus = TestBus.start(new JsonObject())) {
      SilentServers silent = waited(bus);
      silent.onEvent(new JsonObject().put("type", "stateChanged").put("id", "one"));
      silent.onEvent(new JsonObject().put("type", "connected").put("id", "two"));
      assertThat(silent.knows("one")).isTrue();
      silent.onEvent(new JsonObject().put("type", "connected").put("id", "one"));
      assertThat(silent.knows("one")).isFalse();
    }
  }

  @Test
  void for_five_minutes_at_most() {
    try (TestBus bus = TestBus.start(new JsonObject())) {
      SilentServers silent = waited(bus);
      later.set(Duration.ofMinutes(4).toNanos());
      TestBus.await(silent.settled());
      assertThat(silent.knows("one")).isTrue();
      later.set(Duration.ofMinutes(6).toNanos());
      assertThat(silent.knows("one")).as("nobody has asked since").isTrue();
      bus.request(Addresses.SERVERS_REMOVE, new JsonObject().put("id", "one"));
      TestBus.await(silent.settled());
      assertThat(silent.knows("one")).isFalse();
    }
  }
}
