package dev.mcpbus.ai;

import static org.assertj.core.api.Assertions.assertThat;

import dev.langchain4j.data.message.UserMessage;
import dev.langchain4j.service.tool.ToolProviderRequest;
import dev.mcpbus.ai.langchain4j.McpBusToolProvider;
import dev.mcpbus.ai.spring.McpBusToolCallbackProvider;
import dev.mcpbus.bus.Addresses;
import dev.mcpbus.testing.EchoServer;
import dev.mcpbus.testing.TestBus;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.time.Duration;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** The tools of a server that was added a moment ago. */
class JustAddedServerTest {

  private static final FrameworkOptions OPTIONS = FrameworkOptions.DEFAULT;
  private static final ToolProviderRequest ASKED =
      new ToolProviderRequest("memory", UserMessage.from("Anything"));

  @Test
  void a_framework_waits_for_them() {
    try (TestBus bus = TestBus.start(new JsonObject());
        McpBusToolProvider langChain = McpBusToolProvider.create(bus.vertx(), OPTIONS);
        McpBusToolCallbackProvider spring =
            McpBusToolCallbackProvider.create(bus.vertx(), OPTIONS)) {
      add(bus, "one", EchoServer.shell());
      assertThat(names(langChain)).contains("one__echo");

      add(bus, "two", EchoServer.shell());
      assertThat(Stream.of(spring.getToolCallbacks()).map(tool -> tool.getToolDefinition().name()))
          .contains("one__echo", "two__echo");
    }
  }

  @Test
  void a_server_that_stays_silent_delays_the_others_for_a_bounded_time() {
    JsonObject silent =
        new JsonObject().put("command", "sleep").put("args", new JsonArray().add("600"));
    try (TestBus bus = TestBus.start(TestBus.server("one", EchoServer.shell()));
        McpBusToolProvider brief =
            McpBusToolProvider.create(bus.vertx(), OPTIONS.withPatience(Duration.ofMillis(100)));
        McpBusToolProvider other =
            McpBusToolProvider.create(
                bus.vertx(), OPTIONS.withPatience(Duration.ofHours(1)).withServers("one"))) {
      bus.awaitState("one", "READY");
      add(bus, "silent", silent);

      assertThat(names(brief)).contains("one__echo");
      // It waits for the servers that it offers, and for no other.
      assertThat(names(other)).contains("one__echo");
    }
  }

  private static void add(TestBus bus, String name, JsonObject entry) {
    bus.request(Addresses.SERVERS_ADD, new JsonObject().put("name", name).put("config", entry));
  }

  private static List<String> names(McpBusToolProvider provider) {
    return provider.provideTools(ASKED).aiServiceTools().stream().map(tool -> tool.name()).toList();
  }
}
