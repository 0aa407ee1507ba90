package dev.mcpbus.cluster.signing;

import io.vertx.core.buffer.Buffer;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.nio.charset.StandardCharsets;
import java.util.Collection;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The bytes of a message's body that its sender and its receiver sign: a tag for the type, and the
 * text or bytes. Of JSON they are those after one writing and reading, because values such as
 * floats may change by it.
 */
final class SignedBody {

  private static final byte[] NOTHING = {'0'};

  private SignedBody() {}

  /** The bytes of a body before it is written; null for one that never leaves this node. */
  static byte @Nullable [] sent(@Nullable Object body) {
    if (body instanceof JsonObject json && !isPlain(json)) {
      return received(new JsonObject(json.toBuffer()));
    }
    if (body instanceof JsonArray json && !isPlain(json)) {
      return received(new JsonArray(json.toBuffer()));
    }
    return received(body);
  }

  /** The bytes of a body that was read from the wire; null for a type that no node signs. */
  static byte @Nullable [] received(@Nullable Object body) {
    if (body == null) {
      return NOTHING;
    }
    if (body instanceof Buffer buffer) {
      return tagged('b', buffer.getBytes());
    }
    if (body instanceof JsonObject json) {
      return tagged('o', json.toBuffer().getBytes());
    }
    if (body instanceof JsonArray json) {
      return tagged('a', json.toBuffer().getBytes());
    }
    if (body instanceof String text) {
      return tagged('s', text.getBytes(StandardCharsets.UTF_8));
    }
    return null;
  }

  /** Whether the value is read as it was written: it needs no reading to know how. */
  private static boolean isPlain(@Nullable Object value) {
    if (value instanceof JsonObject json) {
      return isPlain(json.getMap().values());
    }
    if (value instanceof JsonArray json) {
      return isPlain(json.getList());
    }
    if (value instanceof Map<?, ?> map) {
      return isPlain(map.values());
    }
    if (value instanceof Collection<?> values) {
      return values.stream().allMatch(SignedBody::isPlain);
    }
    return value == null
        || value instanceof String
        || value instanceof Integer
        || value instanceof Long
        || value instanceof Boolean;
  }

  private static byte[] tagged(char kind, byte[] bytes) {
    byte[] all = new byte[bytes.length + 1];
    all[0] = (byte) kind;
    System.arraycopy(bytes, 0, all, 1, bytes.length);
    return all;
  }
}
