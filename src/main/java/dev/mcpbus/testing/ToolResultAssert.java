package dev.mcpbus.testing;

import dev.mcpbus.protocol.PublicApi;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.util.Objects;
import java.util.stream.Collectors;

/**
 * Assertions on the result of a tool as a {@code JsonObject}, which every failure shows whole. Any
 * thread may call.
 */
@PublicApi
public final class ToolResultAssert {

  private final JsonObject result;

  private ToolResultAssert(JsonObject result) {
    this.result = result;
  }

  public static ToolResultAssert assertThatResult(JsonObject result) {
    return new ToolResultAssert(result);
  }

  /** The tool has not failed. */
  public ToolResultAssert isSuccess() {
    return check(!result.getBoolean("isError", false), "the tool has failed");
  }

  /** The tool ran and failed. */
  public ToolResultAssert isError() {
    return check(result.getBoolean("isError", false), "the tool has not failed");
  }

  /** All text of the result, one text a line, is this. */
  public ToolResultAssert hasText(String expected) {
    return check(text().equals(expected), "the text is not \"" + expected + "\"");
  }

  public ToolResultAssert containsText(String expected) {
    return check(text().contains(expected), "no text contains \"" + expected + "\"");
  }

  public ToolResultAssert hasStructuredContent(JsonObject expected) {
    return check(
        Objects.equals(result.getJsonObject("structuredContent"), expected),
        "the structured content is not " + expected.encode());
  }

  private String text() {
    return result.getJsonArray("content", new JsonArray()).stream()
        .filter(JsonObject.class::isInstance)
        .map(JsonObject.class::cast)
        .filter(content -> "text".equals(content.getString("type")))
        .map(content -> content.getString("text", ""))
        .collect(Collectors.joining("\n"));
  }

  private ToolResultAssert check(boolean fine, String problem) {
    if (!fine) {
      throw new AssertionError(problem + "; the result is " + result.encode());
    }
    return this;
  }
}
