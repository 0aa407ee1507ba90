package dev.mcpbus.testing;

import dev.mcpbus.client.ToolCallResult;
import dev.mcpbus.protocol.PublicApi;
import io.vertx.core.json.JsonObject;
import java.util.Objects;

/** Assertions on the result of a tool, which every failure shows whole. Any thread may call. */
@PublicApi
public final class ToolResultAssert {

  private final ToolCallResult result;

  private ToolResultAssert(ToolCallResult result) {
    this.result = result;
  }

  public static ToolResultAssert assertThatResult(ToolCallResult result) {
    return new ToolResultAssert(result);
  }

  public static ToolResultAssert assertThatResult(JsonObject result) {
    return new ToolResultAssert(new ToolCallResult(result));
  }

  /** The tool has not failed. */
  public ToolResultAssert isSuccess() {
    return check(!result.isError(), "the tool has failed");
  }

  /** The tool ran and failed. */
  public ToolResultAssert isError() {
    return check(result.isError(), "the tool has not failed");
  }

  /** All text of the result, one text a line, is this. */
  public ToolResultAssert hasText(String expected) {
    return check(result.text().equals(expected), "the text is not \"" + expected + "\"");
  }

  public ToolResultAssert containsText(String expected) {
    return check(result.text().contains(expected), "no text contains \"" + expected + "\"");
  }

  /**
   * @param expected any JSON value, such as a {@code JsonObject}
   */
  public ToolResultAssert hasStructuredContent(Object expected) {
    return check(
        Objects.equals(result.structured(), expected), "the structured content is not " + expected);
  }

  private ToolResultAssert check(boolean fine, String problem) {
    if (!fine) {
      throw new AssertionError(problem + "; the result is " + result);
    }
    return this;
  }
}
