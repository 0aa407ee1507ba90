package dev.mcpbus.client;

import dev.mcpbus.protocol.PublicApi;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.util.List;

/** The values that complete an argument. */
@PublicApi
public final class Completion extends JsonView {

  public Completion(JsonObject json) {
    super(json);
  }

  Completion(Buffer json) {
    super(json);
  }

  /** At most 100, the best first. */
  public List<String> values() {
    return object("completion").getValue("values") instanceof JsonArray values
        ? values.stream().map(String::valueOf).toList()
        : List.of();
  }

  /** Whether there are more values than these. */
  public boolean hasMore() {
    return Boolean.TRUE.equals(object("completion").getValue("hasMore"));
  }
}
