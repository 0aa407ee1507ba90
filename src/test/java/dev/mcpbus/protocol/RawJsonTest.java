package dev.mcpbus.protocol;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.vertx.core.buffer.Buffer;
import io.vertx.core.json.JsonObject;
import java.util.Random;
import org.junit.jupiter.api.Test;

class RawJsonTest {

  @Test
  void a_member_is_found_wherever_it_stands_and_nested_ones_are_not() {
    RawJson json = RawJson.of("{\"x\":{\"a\":1}, \"\\u0061\" : [2] , \"b\":\"c\"}");
    assertThat(json.member("a")).hasToString("[2]");
    assertThat(json.member("b")).hasToString("\"c\"");
    assertThat(json.member("nope")).isNull();
    assertThat(RawJson.EMPTY_OBJECT.member("a")).isNull();
    assertThat(RawJson.of("[1]").member("a")).isNull();
  }

  @Test
  void a_member_is_found_by_names_of_any_script_and_not_by_what_only_begins_so() {
    RawJson json = RawJson.of("{\"äöü\":1,\"tasks\":2,\"v\":\"task\",\"as\":3}");
    assertThat(json.member("äöü")).hasToString("1");
    assertThat(json.member("äö")).isNull();
    assertThat(json.member("task")).isNull();
    assertThat(json.member("as")).hasToString("3");
    assertThat(RawJson.of("{\"t\\u0061sk\":4}").member("task")).hasToString("4");
    assertThat(RawJson.of("{}").member("a very long name that is not there")).isNull();
  }

  @Test
  void with_replaces_or_adds_one_member_and_leaves_every_other_byte() {
    assertThat(RawJson.of("{\"a\" : 1.0 , \"b\":2}").with("a", RawJson.of("7")))
        .hasToString("{\"a\" : 7 , \"b\":2}");
    assertThat(RawJson.of("{ \"b\":2}").with("a", RawJson.of("7")))
        .hasToString("{\"a\":7, \"b\":2}");
    assertThat(RawJson.of("{ }").with("a", RawJson.of("7"))).hasToString("{\"a\":7 }");
  }

  @Test
  void without_takes_one_member_out_and_the_rest_stays_valid() {
    assertThat(RawJson.of("{\"a\":1,\"b\":2,\"c\":3}").without("b"))
        .hasToString("{\"a\":1,\"c\":3}");
    assertThat(RawJson.of("{\"a\":1 , \"b\":2 }").without("b")).hasToString("{\"a\":1 }");
    assertThat(RawJson.of("{\"b\":2}").without("b")).hasToString("{}");
    assertThat(RawJson.of("{\"b\":2, \"c\":1}").without("b")).hasToString("{ \"c\":1}");
    assertThat(RawJson.of("{\"b\":2}").without("x")).hasToString("{\"b\":2}");
  }

  @Test
  void with_and_without_agree_with_a_json_library_on_random_objects() {
    Random random = new Random(42);
    for (int round = 0; round < 2_000; round++) {
      JsonObject object = new JsonObject();
      for (int i = random.nextInt(5); i > 0; i--) {
        object.put(
            key(random),
            random.nextBoolean() ? "v\"\\," + random.nextInt() : new JsonObject().put("k", 1));
      }
      String key = key(random);
      RawJson raw = RawJson.of(object);
      assertThat(raw.with(key, RawJson.of("5")).toJsonObject())
          .isEqualTo(object.copy().put(key, 5));
      JsonObject less = object.copy();
      less.remove(key);
      assertThat(raw.without(key).toJsonObject()).isEqualTo(less);
    }
  }

  private static String key(Random random) {
    String[] keys = {"a", "b", "_meta", "q\"uote", "back\\slash", "é", ""};
    return keys[random.nextInt(keys.length)];
  }

  @Test
  void elements_are_the_slices_of_an_array() {
    assertThat(RawJson.of("[ 1, {\"a\":[2]} ,\"x\" ]").elements())
        .extracting(RawJson::toString)
        .containsExactly("1", "{\"a\":[2]}", "\"x\"");
    assertThat(RawJson.of("[ ]").elements()).isEmpty();
  }

  @Test
  void members_are_the_slices_of_an_object_and_make_one_again() {
    RawJson object =
        RawJson.of(" { \"a\" : 1.0 ,\"\\u00e9\":{ \"x\":[1e2]}, \"c\":\"\\/\"}".strip());
    assertThat(object.members().keySet()).containsExactly("a", "é", "c");
    assertThat(object.members().values().stream().map(RawJson::toString))
        .containsExactly("1.0", "{ \"x\":[1e2]}", "\"\\/\"");
    assertThat(RawJson.object(object.members()))
        .hasToString("{\"a\":1.0,\"é\":{ \"x\":[1e2]},\"c\":\"\\/\"}");
    assertThat(RawJson.object(RawJson.of("{ }").members())).hasToString("{}");
    assertThat(RawJson.of("[1]").members()).isEmpty();
  }

  @Test
  void absent_params_come_back_absent_and_an_empty_object_as_one() {
    assertThat(RawJson.ofParams(RawJson.EMPTY_OBJECT.paramsBuffer()).isAbsent()).isTrue();
    assertThat(RawJson.ofParams(RawJson.of("{}").paramsBuffer()).isAbsent()).isFalse();
    assertThat(RawJson.ofParams(RawJson.of("{}").paramsBuffer())).isEqualTo(RawJson.EMPTY_OBJECT);
  }

  @Test
  void a_callers_object_loses_its_line_breaks_but_no_string_content() throws ProtocolException {
    RawJson checked =
        RawJson.checkedObject(Buffer.buffer(" {\r\n \"a\":\"x\\ny\"\n}\n"), ParseLimits.DEFAULT);
    assertThat(checked).hasToString("{   \"a\":\"x\\ny\" }");
  }

  @Test
  void a_callers_body_must_be_exactly_one_object() {
    for (String bad : new String[] {"", "[]", "1", "{", "{}{}", "{\"a\":NaN}", "null"}) {
      assertThatThrownBy(() -> RawJson.checkedObject(Buffer.buffer(bad), ParseLimits.DEFAULT))
          .isInstanceOf(ProtocolException.class);
    }
  }

  @Test
  void case_81_an_oversized_body_is_refused() {
    assertThatThrownBy(
            () ->
                RawJson.checkedObject(
                    Buffer.buffer("{\"a\":12345}"), ParseLimits.DEFAULT.withMaxBytes(5)))
        .isInstanceOfSatisfying(
            ProtocolException.class,
            e -> assertThat(e.reason()).isEqualTo(ProtocolException.TextFault.TOO_LARGE));
  }

  @Test
  void a_written_message_reads_back_as_it_was() throws ProtocolException {
    byte[] bytes = MessageWriter.request(5, "odd \"method\" é", RawJson.of("{\"a\": 1}"));
    Envelope message = Envelope.parse(bytes, 0, bytes.length, ParseLimits.DEFAULT);
    assertThat(message.integerId()).isEqualTo(5);
    assertThat(message.method()).isEqualTo("odd \"method\" é");
    assertThat(message.params()).hasToString("{\"a\": 1}");
  }
}
