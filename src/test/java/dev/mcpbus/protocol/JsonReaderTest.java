package dev.mcpbus.protocol;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.vertx.core.buffer.Buffer;
import io.vertx.core.json.DecodeException;
import io.vertx.core.json.JsonObject;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.Random;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Vert.x's own decoder is the standard: the same values of the same types, in the same order. */
class JsonReaderTest {

  private static final String ALPHABET =
      "{}[]\",:\\u0041n truefalsnl-0123456789.eE/\u00e9\uD83D\uDE00\n";

  private static @Nullable JsonObject read(byte[] json) {
    return JsonReader.read(json, 0, json.length);
  }

  /** Whatever is read is what Vert.x reads; where that refuses, nothing is read. */
  private static boolean agrees(byte[] json) {
    JsonObject mine = read(json);
    if (mine == null) {
      return false;
    }
    Map<String, Object> standard = new JsonObject(Buffer.buffer(json)).getMap();
    assertThat(mine.getMap()).isEqualTo(standard).hasToString(standard.toString());
    assertThat(mine.encode()).isEqualTo(new JsonObject(standard).encode());
    return true;
  }

  private static boolean agrees(String json) {
    return agrees(json.getBytes(StandardCharsets.UTF_8));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "{}",
        " { } ",
        "{\"b\":1,\"a\":[],\"c\":[{},[null]],\"b\":2}",
        "{\"t\":true,\"f\":false,\"n\":null,\"x\":[true,null]}",
        "{\"n\":[0,-0,-1,2147483647,2147483648,-2147483648,-2147483649,999999999999999999]}",
        "{\"e\":\"\\\"\\\\\\/\\b\\f\\n\\r\\t\\u00e9\\u00E9x\\ud83d\\uDE00\",\"\\u0061\":\"\"}",
        "{\"\u00e9\":\"\u20ac\uD83D\uDE00 a\\n\u00e9\"}",
        "{\r\n\t\"a\" : [ 1 , 2 ] , \"b\" : { \"c\" : \"d\" } }\n"
      })
  void the_usual_is_read_as_vertx_reads_it(String json) {
    assertThat(agrees(json)).isTrue();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "{\"a\":0.10}",
        "{\"a\":1e3}",
        "{\"a\":1234567890123456789}",
        "{\"a\":\"\uFFFD\"}",
        "{/* c */\"a\":1}"
      })
  void the_unusual_is_left_to_vertx(String json) {
    assertThat(agrees(json)).isFalse();
    assertThat(RawJson.of(json).toJsonObject()).isEqualTo(new JsonObject(json));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "[]",
        "{\"a\":}",
        "{\"a\":1,}",
        "{,}",
        "{\"a\" 1}",
        "{\"a\":[1,]}",
        "{\"a\":[1 2]}",
        "{\"a\":01}",
        "{\"a\":-}",
        "{\"a\":+1}",
        "{\"a\":tru}",
        "{\"a\":nullx}",
        "{\"a\":\"\\x\"}",
        "{\"a\":\"\\u00g0\"}",
        "{\"a\":\"\n\"}",
        "{\"a\":\"b",
        "{\"a\":1} {}",
        "{\"a\":1",
        "{1:2}"
      })
  void what_is_no_json_object_is_refused_by_vertx(String json) {
    assertThat(agrees(json)).isFalse();
    assertThatThrownBy(() -> RawJson.of(json).toJsonObject()).isInstanceOf(DecodeException.class);
  }

  @Test
  void broken_encoding_is_refused_by_vertx() {
    byte[] json = "{\"a\":\"xy\"}".getBytes(StandardCharsets.US_ASCII);
    json[6] = (byte) 0xC3;
    assertThat(read(json)).isNull();
  }

  @Test
  void deep_nesting_is_left_to_vertx() {
    String deep = "{\"a\":" + "[".repeat(200) + "]".repeat(200) + "}";
    assertThat(agrees(deep)).isFalse();
    assertThat(RawJson.of(deep).toJsonObject()).isEqualTo(new JsonObject(deep));
  }

  @Test
  void it_agrees_on_every_prefix_and_on_random_changes() {
    String json =
        "{\"content\":[{\"type\":\"text\",\"text\":\"a \\\"b\\\" \\u00e9 \u20ac\"}],\"n\":[1,-20,3.5],"
            + "\"isError\":false,\"_meta\":{\"x\":null,\"y\":{\"z\":[]}}}";
    byte[] bytes = json.replace("3.5", "35").getBytes(StandardCharsets.UTF_8);
    assertThat(agrees(bytes)).isTrue();
    Random random = new Random(11);
    byte[] letters = ALPHABET.getBytes(StandardCharsets.UTF_8);
    int read = 0;
    for (int round = 0; round < 30_000; round++) {
      byte[] changed = bytes.clone();
      for (int i = random.nextInt(3); i >= 0; i--) {
        changed[random.nextInt(changed.length)] = letters[random.nextInt(letters.length)];
      }
      read += agrees(changed) ? 1 : 0;
    }
    assertThat(read).isGreaterThan(1_000);
    for (int length = 0; length < bytes.length; length++) {
      assertThat(JsonReader.read(bytes, 0, length)).isNull();
    }
  }

  @Test
  void only_the_slice_is_read() {
    byte[] json = "xx{\"a\":12}34".getBytes(StandardCharsets.US_ASCII);
    assertThat(JsonReader.read(json, 2, 8)).isEqualTo(new JsonObject().put("a", 12));
    assertThat(JsonReader.read(json, 2, 7)).isNull();
  }
}
