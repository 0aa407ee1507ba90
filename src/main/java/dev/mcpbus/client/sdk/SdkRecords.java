package dev.mcpbus.client.sdk;

import dev.mcpbus.bus.FailureCode;
import dev.mcpbus.bus.McpFailure;
import dev.mcpbus.client.JsonView;
import dev.mcpbus.internals.OptionalLibrary;
import dev.mcpbus.protocol.PublicApi;
import io.modelcontextprotocol.json.McpJsonDefaults;
import io.modelcontextprotocol.json.McpJsonMapper;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import java.io.IOException;

/**
 * Makes records of the MCP SDK, for a program that has code for them:
 *
 * <pre>{@code
 * client.callTool("git.status", Map.of(), CallOptions.DEFAULT)
 *     .compose(result -> SdkRecords.read(vertx, result, CallToolResult.class))
 * }</pre>
 */
@PublicApi
public final class SdkRecords {

  private SdkRecords() {}

  /** Loaded by the first use, which takes up to seconds: on a worker. */
  private static final class LoadedMapper {
    private static final McpJsonMapper MAPPER = McpJsonDefaults.getMapper();
  }

  /**
   * Reads the record on a worker thread, with the SDK's own mapper; it drops the members that the
   * SDK does not define.
   *
   * @param record such as {@code McpSchema.CallToolResult.class}
   * @return completes on the caller's context; fails with {@code PROTOCOL_ERROR} if the SDK does
   *     not take the JSON, with {@code BAD_REQUEST} if the SDK is not there
   */
  public static <T> Future<T> read(Vertx vertx, JsonView view, Class<T> record) {
    return vertx.executeBlocking(() -> read(view, record), false);
  }

  private static <T> T read(JsonView view, Class<T> record) {
    if (!OptionalLibrary.MCP_SDK.isPresent()) {
      throw McpFailure.badRequest(OptionalLibrary.MCP_SDK.missing());
    }
    try {
      return LoadedMapper.MAPPER.readValue(view.toBuffer().getBytes(), record);
    } catch (IOException | RuntimeException e) {
      // Its message may have secrets of the result.
      throw McpFailure.maybeSent(
          FailureCode.PROTOCOL_ERROR, "the SDK takes no such " + record.getSimpleName());
    }
  }
}
