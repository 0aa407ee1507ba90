package dev.mcpbus.cluster.signing;

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
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** The sender and the receiver have to compute the same bytes. */
class SignedBodyTest {

  static List<Object> values() {
    List<Object> values = new ArrayList<>();
    values.addAll(List.of("text", "ä \u2028 \ud83d\ude00", "\ud800", 1, Long.MAX_VALUE, true));
    values.addAll(List.of(1.1f, 0.1d, 1e300, 5.0, (short) 3, (byte) 4, -0.0));
    values.addAll(
        List.of(new BigInteger("123456789012345678901234567890"), new BigDecimal("1.10")));
    values.addAll(List.of(Instant.EPOCH, new byte[] {1, 2}, TimeUnit.DAYS, Buffer.buffer("b")));
    values.addAll(List.of(new HashMap<>(Map.of("a", List.of(1.5f)))));
    return values;
  }

  @ParameterizedTest
  @MethodSource("values")
  void both_sides_sign_the_same_bytes(Object value) {
    for (int depth = 0; depth < 3; depth++) {
      JsonObject object = new JsonObject().put("null", null);
      JsonArray array = new JsonArray().add(7);
      if (depth == 0) {
        object.put("value", value);
        array.add(value);
      } else if (depth == 1) {
        object.put("in", new JsonObject().put("value", value));
        array.add(new JsonArray().add(value));
      } else {
        object.put("in", new JsonArray().add(new JsonObject().put("value", value)));
        array.add(new JsonObject().put("value", new JsonArray().add(value)));
      }
      assertThat(SignedBody.sent(object))
          .as("an object with %s", value)
          .isEqualTo(SignedBody.received(new JsonObject(object.toBuffer())));
      assertThat(SignedBody.sent(array))
          .as("an array with %s", value)
          .isEqualTo(SignedBody.received(new JsonArray(array.toBuffer())));
    }
  }

  @Test
  void bodies_of_different_types_and_contents_have_different_bytes() {
    List<byte[]> all =
        List.of(
            SignedBody.sent(null),
            SignedBody.sent("{}"),
            SignedBody.sent(Buffer.buffer("{}")),
            SignedBody.sent(new JsonObject()),
            SignedBody.sent(new JsonArray()),
            SignedBody.sent(new JsonObject().put("a", 1)),
            SignedBody.sent(new JsonObject().put("a", "1")));
    assertThat(all).doesNotHaveDuplicates();
    assertThat(SignedBody.sent(new Object())).isNull();
  }
}
