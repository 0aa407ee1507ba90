package dev.mcpbus.protocol;

import dev.mcpbus.internals.RawBuffers;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.json.JsonObject;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;

/**
 * Writes JSON-RPC 2.0 messages around raw payloads. The payload is copied once and never parsed.
 * Stateless.
 */
public final class MessageWriter {

  private static final byte[] VERSION = ascii("{\"jsonrpc\":\"2.0\"");
  private static final byte[] ID = ascii(",\"id\":");
  private static final byte[] METHOD = ascii(",\"method\":");
  private static final byte[] PARAMS = ascii(",\"params\":");
  private static final byte[] RESULT = ascii(",\"result\":");
  private static final byte[] COMPLETE_RESULT = ascii(",\"result\":{\"resultType\":\"complete\",");
  private static final byte[] ERROR = ascii(",\"error\":");
  private static final byte[] END = ascii("}");

  /** From this length on a copy costs more than writing several pieces. */
  public static final int LONG = 16 * 1024;

  private MessageWriter() {}

  /** A request with an id of ours; null {@code params} are omitted. */
  public static byte[] request(long id, String method, @Nullable RawJson params) {
    return write(ascii(Long.toString(id)), RawJson.quoted(method), PARAMS, params);
  }

  public static byte[] notification(String method, @Nullable RawJson params) {
    return write(null, RawJson.quoted(method), PARAMS, params);
  }

  /** The answer to a request; the request's {@code id} is echoed byte for byte. */
  public static byte[] result(RawJson id, RawJson result) {
    return write(bytes(id), null, RESULT, result);
  }

  /**
   * As {@link #result}, for a caller that only writes the bytes: a long result is not copied, so it
   * must not change.
   */
  public static Buffer written(RawJson id, RawJson result) {
    if (result.length() < LONG) {
      return RawBuffers.of(result(id, result));
    }
    return pieces(id, RESULT, result, 0);
  }

  /**
   * As {@link #written}, with {@code "resultType": "complete"} before the members of the result.
   *
   * @param result an object with at least one member and without {@code resultType}
   */
  public static Buffer writtenComplete(RawJson id, RawJson result) {
    return pieces(id, COMPLETE_RESULT, result, 1);
  }

  private static Buffer pieces(RawJson id, byte[] name, RawJson result, int from) {
    byte[] head = new byte[VERSION.length + ID.length + id.length() + name.length];
    int p = append(head, append(head, append(head, 0, VERSION), ID), bytes(id));
    append(head, p, name);
    return RawBuffers.of(head, result.array(), result.offset() + from, result.length() - from, END);
  }

  public static byte[] error(RawJson id, int code, String message, @Nullable JsonObject data) {
    JsonObject error = new JsonObject().put("code", code).put("message", message);
    if (data != null) {
      error.put("data", data);
    }
    return write(bytes(id), null, ERROR, RawJson.of(error));
  }

  /** The answer with an existing error object. */
  public static byte[] failure(RawJson id, RawJson error) {
    return write(bytes(id), null, ERROR, error);
  }

  /** A request whose id is any JSON string or number. */
  public static byte[] request(RawJson id, String method, @Nullable RawJson params) {
    return write(bytes(id), RawJson.quoted(method), PARAMS, params);
  }

  private static byte[] write(
      byte @Nullable [] id, byte @Nullable [] method, byte[] name, @Nullable RawJson payload) {
    int length = VERSION.length + 1;
    length += id == null ? 0 : ID.length + id.length;
    length += method == null ? 0 : METHOD.length + method.length;
    length += payload == null ? 0 : name.length + payload.length();
    byte[] out = new byte[length];
    int p = append(out, 0, VERSION);
    if (id != null) {
      p = append(out, append(out, p, ID), id);
    }
    if (method != null) {
      p = append(out, append(out, p, METHOD), method);
    }
    if (payload != null) {
      p = append(out, p, name);
      System.arraycopy(payload.array(), payload.offset(), out, p, payload.length());
      p += payload.length();
    }
    out[p] = '}';
    return out;
  }

  private static int append(byte[] out, int at, byte[] part) {
    System.arraycopy(part, 0, out, at, part.length);
    return at + part.length;
  }

  private static byte[] bytes(RawJson value) {
    byte[] out = new byte[value.length()];
    System.arraycopy(value.array(), value.offset(), out, 0, out.length);
    return out;
  }

  private static byte[] ascii(String text) {
    return text.getBytes(StandardCharsets.US_ASCII);
  }
}
