package dev.mcpbus.bench;

import io.vertx.core.buffer.Buffer;
import io.vertx.core.json.JsonObject;
import java.util.Map;

/** What every contender says and expects to hear: about 200 bytes each way. */
public final class Payload {

  static final String TEXT =
      "The quick brown fox jumps over the lazy dog. ".repeat(2) + "0123456789";
  static final Map<String, Object> ARGUMENTS = Map.of("text", TEXT);
  static final JsonObject PARAMS =
      new JsonObject().put("name", "echo").put("arguments", new JsonObject().put("text", TEXT));
  public static final Buffer RAW_PARAMS = PARAMS.toBuffer();

  /** The result as {@code src/bench/c/rpc.h} writes it. */
  public static final String RESULT =
      "{\"content\":[{\"type\":\"text\",\"text\":\"" + TEXT + "\"}],\"isError\":false}";

  private static final String HEAD = "{\"jsonrpc\":\"2.0\",\"id\":";
  private static final String TAIL = ",\"method\":\"tools/call\",\"params\":" + PARAMS + "}";

  private Payload() {}

  /** The whole JSON-RPC request. */
  static String request(long id) {
    return HEAD + id + TAIL;
  }

  /** Length of the whole JSON-RPC answer to request {@code id}. */
  static int answerLength(long id) {
    return HEAD.length() + Long.toString(id).length() + ",\"result\":}".length() + RESULT.length();
  }
}
