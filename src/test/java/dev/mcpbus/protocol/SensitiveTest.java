package dev.mcpbus.protocol;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.SerializationFeature;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.io.ByteArrayOutputStream;
import java.io.NotSerializableException;
import java.io.ObjectOutputStream;
import java.text.MessageFormat;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.Callable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class SensitiveTest {

  private static final String CANARY = "canary-7f3a";

  private record Holder(String name, Sensitive one, Map<String, Sensitive> all) {}

  private final Sensitive sensitive = Sensitive.of(CANARY);
  private final Holder holder =
      new Holder("holder", sensitive, Sensitive.values(Map.of("A", CANARY)));

  @Test
  void whatever_makes_a_text_of_it_makes_three_stars() {
    assertThat(
            List.of(
                sensitive.toString(),
                String.valueOf(sensitive),
                "" + sensitive,
                String.format("%s", sensitive),
                MessageFormat.format("{0}", sensitive),
                Objects.toString(sensitive)))
        .containsOnly("***");
    assertThat(Optional.of(sensitive).toString() + List.of(sensitive) + Arrays.asList(sensitive))
        .isEqualTo("Optional[***][***][***]");
    assertThat(holder).hasToString("Holder[name=holder, one=***, all={A=***}]");
  }

  /** With databind on the class path, as programs have it that embed us, and whatever may fail. */
  @Test
  void no_json_of_it_holds_the_text() throws Exception {
    JsonObject json = new JsonObject().put("one", sensitive);
    ObjectMapper mapper = new ObjectMapper().disable(SerializationFeature.FAIL_ON_EMPTY_BEANS);
    List<Callable<Object>> ways =
        List.of(
            json::encode,
            json::encodePrettily,
            json::toString,
            json::copy,
            () -> json.getString("one"),
            () -> json.getValue("one"),
            () -> new JsonArray().add(sensitive).encode(),
            () -> JsonObject.mapFrom(holder).encode(),
            () -> mapper.writeValueAsString(holder),
            () -> mapper.convertValue(holder, Map.class),
            () -> RawJson.of(json).toString(),
            () -> Buffer.buffer().appendBytes(mapper.writeValueAsBytes(sensitive)));
    StringBuilder out = new StringBuilder();
    for (Callable<Object> way : ways) {
      try {
        out.append(way.call()).append('\n');
      } catch (RuntimeException e) {
        for (Throwable at = e; at != null; at = at.getCause()) {
          out.append(at).append('\n');
        }
      }
    }
    assertThat(out).doesNotContain(CANARY).contains("***", "holder");
  }

  @Test
  void it_cannot_be_serialized() throws Exception {
    try (ObjectOutputStream out = new ObjectOutputStream(new ByteArrayOutputStream())) {
      assertThatThrownBy(() -> out.writeObject(sensitive))
          .isInstanceOf(NotSerializableException.class)
          .hasMessageNotContaining(CANARY);
    }
  }

  @Test
  void it_is_equal_by_its_text_and_its_hash_tells_nothing() {
    assertThat(sensitive).isEqualTo(Sensitive.of(CANARY)).isNotEqualTo(Sensitive.of("1234"));
    assertThat(sensitive.equals((Object) CANARY)).isFalse();
    assertThat(sensitive).hasSameHashCodeAs(Sensitive.of("1234"));
    assertThat(sensitive.hashCode()).isNotEqualTo(CANARY.hashCode());
  }

  @Test
  void reveal_gives_the_text_and_questions_about_it_need_no_reveal() {
    assertThat(sensitive.reveal()).isEqualTo(CANARY);
    assertThat(sensitive.anyMatch(c -> c == '7')).isTrue();
    assertThat(sensitive.anyMatch(c -> c == 0)).isFalse();
    assertThat(Sensitive.ofNullable(null)).isNull();
    assertThat(Sensitive.all(List.of("b", "a"))).extracting(Sensitive::reveal).contains("b", "a");
  }

  @ParameterizedTest
  @ValueSource(strings = {"", " ", "\t\n", "x", " x "})
  void it_is_empty_and_blank_as_its_text_is(String text) {
    assertThat(Sensitive.of(text).isEmpty()).isEqualTo(text.isEmpty());
    assertThat(Sensitive.of(text).isBlank()).isEqualTo(text.isBlank());
  }
}
