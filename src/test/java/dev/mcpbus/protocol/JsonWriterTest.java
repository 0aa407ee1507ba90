package dev.mcpbus.protocol;

import static org.assertj.core.api.Assertions.assertThat;

import io.vertx.core.buffer.Buffer;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** Vert.x's own encoder is the standard: the same bytes, in every case. */
class JsonWriterTest {

  private static void same(JsonObject json) {
    assertThat(RawJson.of(json).equals(RawJson.of(json.toBuffer()))).isTrue();
  }

  @Test
  void every_character_is_written_as_vertx_does() {
    for (int code = 0; code <= Character.MAX_CODE_POINT; code++) {
      if (code < 0x300 || code % 61 == 0) {
        JsonObject json = new JsonObject().put("k" + Character.toString(code), "v");
        json.put("v", "ab" + Character.toString(code) + "c");
        assertThat(JsonWriter.write(json)).isEqualTo(RawJson.of(json.toBuffer()));
      }
    }
  }

  @Test
  void random_objects_are_written_as_vertx_does() {
    Random random = new Random(7);
    for (int round = 0; round < 3_000; round++) {
      JsonObject json = new JsonObject();
      for (int i = random.nextInt(6); i > 0; i--) {
        json.put(text(random), value(random, 0));
      }
      assertThat(JsonWriter.write(json)).isEqualTo(RawJson.of(json.toBuffer()));
    }
  }

  private static Object value(Random random, int depth) {
    return switch (random.nextInt(depth > 3 ? 5 : 9)) {
      case 0 -> random.nextInt();
      case 1 -> random.nextLong();
      case 2 -> random.nextBoolean();
      case 3 -> Double.longBitsToDouble(random.nextLong() & ~(1L << 62));
      case 4 -> text(random);
      case 5 -> new JsonObject().put(text(random), value(random, depth + 1)).putNull("none");
      case 6 -> new JsonArray().add(value(random, depth + 1)).addNull();
      case 7 -> new HashMap<>(Map.of(text(random), value(random, depth + 1)));
      default -> new ArrayList<>(List.of(value(random, depth + 1), 1));
    };
  }

  private static String text(Random random) {
    int[] codes =
        random.ints(random.nextInt(40), 0, random.nextBoolean() ? 0x80 : 0x11000).toArray();
    return new String(codes, 0, codes.length);
  }

  @Test
  void long_texts_of_any_kind_grow_the_output() {
    same(new JsonObject().put("a", "x".repeat(10_000)).put("b", "\u00e9".repeat(10_000)));
    same(new JsonObject().put("a", "\u0001".repeat(10_000)).put("b", "\uD83D\uDE00".repeat(5_000)));
  }

  @Test
  void what_json_does_not_know_is_written_by_vertx() {
    same(new JsonObject().put("a", Instant.EPOCH).put("b", new byte[] {1, 2}));
    same(
        new JsonObject().put("a", new BigDecimal("1.10")).put("b", new BigInteger("9".repeat(30))));
    same(new JsonObject().put("a", 1.5f).put("b", (short) 3).put("c", Thread.State.NEW));
    same(new JsonObject().put("a", Buffer.buffer("x")).put("b", Double.NaN));
    same(new JsonObject(new HashMap<>(Map.of("a", Map.of(1, 2)))));
  }

  @Test
  void what_is_nested_deeply_is_left_to_vertx() {
    JsonObject deep = new JsonObject();
    for (int i = 0; i < 75; i++) {
      same(deep);
      deep = new JsonObject().put("d", new JsonArray().add(deep));
    }
    assertThat(JsonWriter.write(deep)).isNull();
  }
}
