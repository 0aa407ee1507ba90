package dev.mcpbus.client;

import dev.mcpbus.bus.FailureCode;
import dev.mcpbus.bus.McpFailure;
import io.modelcontextprotocol.json.McpJsonDefaults;
import io.modelcontextprotocol.json.McpJsonMapper;
import io.modelcontextprotocol.spec.McpSchema;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.json.JsonObject;
import java.io.IOException;
import java.util.function.Supplier;

/**
 * Converts raw bytes to records of the MCP SDK and back, with the SDK's own mapper. Thread-safe.
 */
final class SdkJson {

  private static final McpJsonMapper MAPPER = McpJsonDefaults.getMapper();

  private SdkJson() {}

  /**
   * @param record the type, as a function, so that a caller links without the SDK
   * @throws McpFailure {@code PROTOCOL_ERROR}; its message does not contain {@code json}, which may
   *     contain secrets
   */
  static <T> T read(Buffer json, Supplier<Class<T>> record) {
    Class<T> type = record.get();
    try {
      return MAPPER.readValue(json.getBytes(), type);
    } catch (IOException | RuntimeException e) {
      throw McpFailure.maybeSent(
          FailureCode.PROTOCOL_ERROR,
          "the message is not a valid "
              + type.getSimpleName()
              + "; call with a JsonObject or a Buffer to receive it unchanged");
    }
  }

  /** A task, or the result of a tool. */
  static ToolCallOutcome toolAnswer(JsonObject answer) {
    McpTask task = McpTask.ofAnswer(answer);
    return task != null
        ? new ToolCallOutcome(task, null)
        : new ToolCallOutcome(null, read(answer.toBuffer(), () -> McpSchema.CallToolResult.class));
  }

  static JsonObject write(Object value) {
    try {
      return new JsonObject(Buffer.buffer(MAPPER.writeValueAsBytes(value)));
    } catch (IOException | RuntimeException e) {
      throw McpFailure.badRequest(
          value.getClass().getSimpleName() + " cannot be written as a JSON object");
    }
  }
}
