package dev.mcpbus.client;

import dev.mcpbus.bus.FailureCode;
import dev.mcpbus.bus.McpFailure;
import dev.mcpbus.protocol.PublicApi;
import dev.mcpbus.protocol.RawJson;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.util.List;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * A view on a JSON object of MCP as it arrived: its methods read what MCP defines, {@link #json}
 * has every member. What arrived as bytes is parsed once, by the first method that needs it. Any
 * thread may read.
 */
@PublicApi
public abstract class JsonView {

  private final @Nullable Buffer bytes;
  private volatile @Nullable JsonObject json;

  JsonView(JsonObject json) {
    this.bytes = null;
    this.json = json;
  }

  /**
   * @throws McpFailure {@code PROTOCOL_ERROR} if {@code bytes} are no object
   */
  JsonView(Buffer bytes) {
    if (!RawJson.of(bytes).isObject()) {
      throw invalid();
    }
    this.bytes = bytes;
  }

  /**
   * All of it, in the order in which it came. Belongs to this view: copy it to change it. Numbers
   * with a point are a {@code Double}, as Vert.x reads them; {@link #toBuffer} has all their
   * digits.
   */
  public final JsonObject json() {
    JsonObject read = json;
    if (read == null && bytes != null) {
      try {
        read = RawJson.of(bytes).toJsonObject();
      } catch (RuntimeException e) {
        throw invalid();
      }
      json = read;
    }
    return read == null ? new JsonObject() : read;
  }

  /** The bytes that came, where bytes came; else the JSON text. Do not write to it. */
  public final Buffer toBuffer() {
    return bytes == null ? json().toBuffer() : bytes;
  }

  /** {@code _meta}; empty if there is none. */
  public final JsonObject meta() {
    return object("_meta");
  }

  /** Says nothing of the content, which may contain secrets. */
  private McpFailure invalid() {
    return McpFailure.maybeSent(
        FailureCode.PROTOCOL_ERROR,
        "the message is not a valid "
            + getClass().getSimpleName()
            + "; call with send(...) to receive it unchanged");
  }

  final @Nullable String textOrNull(String name) {
    return json().getValue(name) instanceof String text ? text : null;
  }

  final String text(String name) {
    String text = textOrNull(name);
    return text == null ? "" : text;
  }

  final JsonObject object(String name) {
    return json().getValue(name) instanceof JsonObject object ? object : new JsonObject();
  }

  /**
   * The objects of a list, none if it is absent.
   *
   * @throws McpFailure {@code PROTOCOL_ERROR} if it is not a list of objects
   */
  final <T> List<T> list(String name, Function<JsonObject, T> view) {
    Object value = json().getValue(name);
    if (value == null) {
      return List.of();
    }
    if (!(value instanceof JsonArray all) || !all.stream().allMatch(JsonObject.class::isInstance)) {
      throw invalid();
    }
    return all.stream().map(JsonObject.class::cast).map(view).toList();
  }

  @Override
  public final boolean equals(@Nullable Object other) {
    return other instanceof JsonView that
        && getClass() == that.getClass()
        && json().equals(that.json());
  }

  @Override
  public final int hashCode() {
    return json().hashCode();
  }

  /** The JSON text. */
  @Override
  public final String toString() {
    return toBuffer().toString();
  }
}
