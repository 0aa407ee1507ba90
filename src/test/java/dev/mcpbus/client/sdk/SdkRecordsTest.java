package dev.mcpbus.client.sdk;

import static dev.mcpbus.bus.BusTests.await;
import static dev.mcpbus.bus.BusTests.failure;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.annotation.JsonCreator;
import dev.mcpbus.bus.FailureCode;
import dev.mcpbus.bus.McpFailure;
import dev.mcpbus.client.ListResult;
import dev.mcpbus.client.McpTool;
import dev.mcpbus.client.ToolCallResult;
import io.modelcontextprotocol.spec.McpSchema;
import io.vertx.core.Context;
import io.vertx.core.Vertx;
import io.vertx.core.json.JsonObject;
import io.vertx.junit5.VertxExtension;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

@ExtendWith(VertxExtension.class)
class SdkRecordsTest {

  /** Remembers which thread the SDK's mapper makes it on. */
  record WhereItWasMade(boolean onEventLoop) {
    @JsonCreator
    static WhereItWasMade of(Map<String, Object> any) {
      return new WhereItWasMade(Context.isOnEventLoopThread());
    }
  }

  @Test
  void results_and_lists_become_records_of_the_sdk(Vertx vertx) {
    ToolCallResult result =
        new ToolCallResult(
            new JsonObject("{\"content\":[{\"type\":\"text\",\"text\":\"clean\"}]}"));
    ListResult<McpTool> tools =
        new ListResult<>(
            new JsonObject("{\"tools\":[{\"name\":\"a\",\"inputSchema\":{\"type\":\"object\"}}]}"),
            "tools",
            McpTool::new);

    McpSchema.CallToolResult record =
        await(SdkRecords.read(vertx, result, McpSchema.CallToolResult.class));

    assertThat(((McpSchema.TextContent) record.content().get(0)).text()).isEqualTo("clean");
    assertThat(await(SdkRecords.read(vertx, tools, McpSchema.ListToolsResult.class)).tools())
        .extracting(McpSchema.Tool::name)
        .containsExactly("a");
  }

  @Test
  void the_mapper_never_works_on_an_event_loop(Vertx vertx) {
    ToolCallResult result = new ToolCallResult(new JsonObject());
    var made =
        vertx
            .timer(1)
            .compose(
                onEventLoop -> {
                  assertThat(Context.isOnEventLoopThread()).isTrue();
                  return SdkRecords.read(vertx, result, WhereItWasMade.class);
                });

    assertThat(await(made).onEventLoop()).isFalse();
  }

  @Test
  void what_the_sdk_does_not_take_is_a_protocol_error_without_its_text(Vertx vertx) {
    ToolCallResult wrong = new ToolCallResult(new JsonObject("{\"content\":\"s3cret\"}"));

    McpFailure failure = failure(SdkRecords.read(vertx, wrong, McpSchema.CallToolResult.class));

    assertThat(failure.code()).isEqualTo(FailureCode.PROTOCOL_ERROR);
    assertThat(failure.getMessage()).contains("CallToolResult").doesNotContain("s3cret");
  }
}
