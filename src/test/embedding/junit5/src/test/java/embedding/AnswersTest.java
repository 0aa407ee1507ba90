package embedding;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.mcpbus.McpBus;
import dev.mcpbus.Servers;
import dev.mcpbus.testing.FakeMcpServer;
import dev.mcpbus.testing.ToolResultAssert;
import dev.mcpbus.testing.junit.FakeServer;
import dev.mcpbus.testing.junit.McpBusTest;
import io.vertx.core.Vertx;
import io.vertx.junit5.VertxExtension;
import io.vertx.junit5.VertxTestContext;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** Tests of a program, by the kit and by vertx-junit5. */
class AnswersTest {

  @Nested
  @McpBusTest
  class ByTheKit {

    @FakeServer("git")
    FakeMcpServer git;

    @BeforeEach
    void script() {
      git.tool("status", "clean");
    }

    @Test
    void a_fake_server_answers(McpBus bus) throws Exception {
      assertEquals(
          "clean",
          bus.server("git").callTool("status", Map.of()).await(60, TimeUnit.SECONDS).text());
      git.assertCalled("status");
    }
  }

  @Nested
  @ExtendWith(VertxExtension.class)
  class ByTheExtensionOfVertx {

    @Test
    void a_fake_server_answers(Vertx vertx, VertxTestContext test) {
      FakeMcpServer git = FakeMcpServer.create(vertx, "git").tool("status", "clean");
      McpBus.start(
              vertx, McpBus.Options.of().withServer("git", Servers.transport(git.transport())))
          .compose(
              bus ->
                  bus.awaitReady(Duration.ofSeconds(60), "git")
                      .compose(ready -> bus.server("git").callTool("status", Map.of())))
          .onComplete(
              test.succeeding(
                  result ->
                      test.verify(
                          () -> {
                            ToolResultAssert.assertThatResult(result).isSuccess().hasText("clean");
                            test.completeNow();
                          })));
    }
  }
}
