package dev.mcpbus.protocol.schema;

import static java.util.stream.Collectors.joining;
import static org.assertj.core.api.Assertions.assertThat;

import dev.mcpbus.protocol.RawJson;
import dev.mcpbus.protocol.schema.ArgumentValidator.Violation;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.util.Collections;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Whatever a schema and a value are, a check ends after a bounded number of steps. */
class CountedSchemaTest {

  private static @Nullable Violation check(String schema, Object value) {
    return ArgumentValidator.of(RawJson.of(schema)).check(value);
  }

  private static Violation wrong(String schema, Object value) {
    return Objects.requireNonNull(check(schema, value));
  }

  private static void isTooLong(@Nullable Violation violation) {
    assertThat(violation).isNotNull().extracting(Violation::unchecked).isEqualTo(true);
  }

  @Test
  void a_url_of_any_length_is_decided() {
    String schema = "{\"format\":\"url\"}";
    assertThat(check(schema, "http://a.b/" + "x".repeat(100_000))).isNull();
    assertThat(check(schema, "http://" + "a".repeat(800) + "!")).isNull();
    assertThat(check(schema, "http" + "a:".repeat(5_000))).isNotNull();
    assertThat(check("{\"format\":\"uri\"}", "data:,".repeat(1) + "x".repeat(100_000))).isNull();
  }

  @Test
  void an_international_name_is_decided_at_once() {
    String schema = "{\"format\":\"idn-hostname\"}";
    assertThat(check(schema, "\u00b7".repeat(100_000))).isNotNull();
    assertThat(check(schema, "\u4f8b\u5b50.\u6d4b\u8bd5")).isNull();
  }

  @Test
  void deep_elements_are_compared_once_each() {
    JsonArray array = new JsonArray();
    for (int i = 0; i < 300; i++) {
      Object deep = i;
      for (int depth = 0; depth < 50; depth++) {
        deep = new JsonArray().add(deep);
      }
      array.add(deep);
    }
    String schema = "{\"uniqueItems\":true}";
    assertThat(check(schema, array)).isNull();
    array.add(array.getValue(7));
    assertThat(wrong(schema, array).message())
        .isEqualTo("has the same item twice, at indexes 7 and 300");
  }

  @Test
  void elements_that_are_equal_as_json_are_the_same() {
    String schema = "{\"uniqueItems\":true}";
    assertThat(check(schema, new JsonArray("[1,1.0]"))).isNotNull();
    assertThat(check(schema, new JsonArray("[1,true,\"1\",null,[1],{\"a\":1}]"))).isNull();
    assertThat(check(schema, new JsonArray("[{\"a\":1,\"b\":2},{\"b\":2,\"a\":1}]"))).isNotNull();
  }

  @Test
  void what_is_wrong_is_named_unless_that_would_take_long() {
    JsonArray faults = new JsonArray(Collections.nCopies(15_000, "x"));
    String schema = "{\"additionalProperties\":{\"items\":{\"type\":\"integer\"}}}";
    String name = "n".repeat(10_000);
    assertThat(wrong(schema, new JsonObject().put(name, faults)).message())
        .isEqualTo("does not fit the schema");
    faults = new JsonArray(Collections.nCopies(1_000, "x"));
    assertThat(wrong(schema, new JsonObject().put("n", faults)).path()).startsWith("/n/");
    isTooLong(check(schema, new JsonObject().put("n".repeat(5_000_000), faults)));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "{\"pattern\":\"^(a*)*\\\\1$\"}",
        "{\"items\":{},\"allOf\":[{\"anyOf\":[{\"pattern\":\"^(a*)*\\\\1$\"}]}]}",
        "{\"$ref\":\"#/x/y\",\"x\":{\"y\":{\"pattern\":\"^(a*)*\\\\1$\"}}}",
        "{\"$ref\":\"#/$defs/e\",\"$defs\":{\"e\":{\"not\":{\"pattern\":\"^(a*)*\\\\1$\"}}}}"
      })
  void a_pattern_that_goes_back_without_end_is_stopped(String schema) {
    isTooLong(check(schema, "a".repeat(64) + "!"));
  }

  @Test
  void a_pattern_of_names_is_stopped() {
    JsonObject value = new JsonObject().put("a".repeat(64) + "!", 1);
    isTooLong(check("{\"patternProperties\":{\"^(a*)*\\\\1$\":{}}}", value));
    isTooLong(check("{\"propertyNames\":{\"pattern\":\"^(a*)*\\\\1$\"}}", value));
  }

  /** A reference may lead to the map of names, which then reads as a schema. */
  @ParameterizedTest
  @ValueSource(
      strings = {
        "{\"$ref\":\"#/x/properties\",\"x\":{\"properties\":{\"pattern\":\"^(a*)*\\\\1$\"}}}",
        "{\"$ref\":\"#/default\",\"default\":{\"pattern\":\"^(a*)*\\\\1$\"}}",
        "{\"$ref\":\"#/x/const\",\"x\":{\"const\":{\"pattern\":\"^(a*)*\\\\1$\"}}}"
      })
  void no_reference_makes_a_keyword_of_something_else(String schema) {
    assertThat(check(schema, "a".repeat(64) + "!")).isNull();
  }

  @Test
  void alternatives_are_counted_for_each_element() {
    String alternatives =
        IntStream.range(0, 2_000).mapToObj(i -> "false").collect(joining(",", "[", ",true]"));
    String schema = "{\"items\":{\"anyOf\":" + alternatives + "}}";
    isTooLong(check(schema, new JsonArray(Collections.nCopies(10_000, 1))));
  }

  @Test
  void an_enumeration_is_not_repeated_for_each_fault() {
    String words = IntStream.range(0, 20_000).mapToObj(i -> "\"w" + i + "\"").collect(joining(","));
    String schema = "{\"items\":{\"enum\":[" + words + "]}}";
    Violation wrong = wrong(schema, new JsonArray(Collections.nCopies(1_000, "x")));
    assertThat(wrong.message()).startsWith("must be one of [\"w0\"").hasSizeLessThan(400);
    assertThat(check(schema, new JsonArray(Collections.nCopies(15_000, "w19999")))).isNull();
  }

  @Test
  void a_schema_with_long_names_above_many_places_is_not_read() {
    String many = IntStream.range(0, 5_000).mapToObj(i -> "{}").collect(joining(","));
    String schema = "{\"properties\":{\"" + "n".repeat(100_000) + "\":{\"allOf\":[" + many + "]}}}";
    isTooLong(check(schema, new JsonObject().put("n", 1)));
  }

  @ParameterizedTest
  @CsvSource({"1,1.0,true", "1,\"1\",false", "null,null,true", "{\"a\":[1]},{\"a\":[1.0]},true"})
  void a_constant_is_compared_as_json(String constant, String value, boolean fits) {
    String schema = "{\"properties\":{\"v\":{\"const\":" + constant + "}}}";
    String enumeration = "{\"properties\":{\"v\":{\"enum\":[" + constant + ",7]}}}";
    JsonObject object = new JsonObject("{\"v\":" + value + "}");
    assertThat(check(schema, object) == null).isEqualTo(fits);
    assertThat(check(enumeration, object) == null).isEqualTo(fits);
  }

  @Test
  void a_check_ends_with_its_call() {
    ArgumentValidator schema = ArgumentValidator.of(RawJson.of("{\"items\":{\"minLength\":1}}"));
    AtomicInteger asked = new AtomicInteger();
    Object value = new JsonArray(Collections.nCopies(100_000, "x"));
    isTooLong(schema.check(value, ArgumentValidator.EFFORT, () -> asked.incrementAndGet() > 3));
    assertThat(asked).hasValue(4);
  }
}
