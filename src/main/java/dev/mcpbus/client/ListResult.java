package dev.mcpbus.client;

import dev.mcpbus.protocol.PublicApi;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.json.JsonObject;
import java.util.Iterator;
import java.util.List;
import java.util.function.Function;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * A list of a server: of tools, resources, templates, prompts, or the contents that were read.
 *
 * @param <T> a view on one entry
 */
@PublicApi
public final class ListResult<T> extends JsonView implements Iterable<T> {

  private final List<T> items;

  /**
   * @param member the name of the list in the result, such as {@code tools}
   * @throws dev.mcpbus.bus.McpFailure {@code PROTOCOL_ERROR} if it is not a list of objects
   */
  public ListResult(JsonObject json, String member, Function<JsonObject, T> view) {
    super(json);
    this.items = list(member, view);
  }

  ListResult(Buffer json, String member, Function<JsonObject, T> view) {
    super(json);
    this.items = list(member, view);
  }

  public List<T> items() {
    return items;
  }

  public Stream<T> stream() {
    return items.stream();
  }

  @Override
  public Iterator<T> iterator() {
    return items.iterator();
  }

  /** Where the next page begins; null after the last one, and if all pages are here. */
  public @Nullable String nextCursor() {
    return textOrNull("nextCursor");
  }
}
