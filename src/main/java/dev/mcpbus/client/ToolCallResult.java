package dev.mcpbus.client;

import dev.mcpbus.protocol.PublicApi;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.json.JsonObject;
import java.util.List;
import java.util.Objects;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** What a tool has answered. */
@PublicApi
public final class ToolCallResult extends JsonView {

  public ToolCallResult(JsonObject json) {
    super(json);
  }

  ToolCallResult(Buffer json) {
    super(json);
  }

  /** Whether the tool itself says that it has failed; {@link #text} then says why. */
  public boolean isError() {
    return Boolean.TRUE.equals(json().getValue("isError"));
  }

  /** The blocks of the content, in order. */
  public List<ContentBlock> content() {
    return list("content", ContentBlock::new);
  }

  /** The text of all blocks that have one, each on lines of its own; empty if none has. */
  public String text() {
    return content().stream()
        .map(ContentBlock::text)
        .filter(Objects::nonNull)
        .collect(Collectors.joining("\n"));
  }

  /** {@code structuredContent}: any JSON value, null if there is none. */
  public @Nullable Object structured() {
    return json().getValue("structuredContent");
  }
}
