package dev.mcpbus.protocol.schema;

import static java.util.stream.Collectors.joining;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assertions.assertTimeoutPreemptively;

import dev.mcpbus.protocol.RawJson;
import dev.mcpbus.protocol.schema.ArgumentValidator.Violation;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.math.BigInteger;
import java.time.Duration;
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

  private static String list(String each, int size) {
    return IntStream.range(0, size)
        .mapToObj(i -> each.replace("%", String.valueOf(i)))
        .collect(joining(",", "[", "]"));
  }

  private static JsonObject members(int size) {
    JsonObject object = new JsonObject();
    IntStream.range(0, size).forEach(i -> object.put("m" + i, 1));
    return object;
  }

  /** Runs on an event loop, so the effort is that of one. */
  private static void isRefusedSoon(String schema, Object value) {
    ArgumentValidator validator = ArgumentValidator.of(RawJson.of(schema));
    assertTimeoutPreemptively(
        Duration.ofSeconds(60), // the smallest took 6 s, the first two would never end
        () -> isTooLong(validator.check(value, ArgumentValidator.SMALL_EFFORT, () -> false)));
  }

  /** Who counts the characters that are read counts nothing here: none is read. */
  @ParameterizedTest
  @ValueSource(strings = {"(|)", "(?:a*|b*)", "(?:(?:)|$|^)", "(?:x?|\\\\b)", "([\\\\Q[\\\\E]?)?"})
  void a_pattern_that_goes_back_without_reading_is_refused(String part) {
    isRefusedSoon("{\"pattern\":\"^" + part.repeat(60) + "c\"}", "");
    isRefusedSoon(
        "{\"patternProperties\":{\"^" + part.repeat(60) + "c\":{}}}", members(1).put("", 1));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "(?:(?:){2000000000}){2000000000}x",
        "(?x)( | )( | )x",
        "(?:(?:(?!)|){10000}){10000}x"
      })
  void a_pattern_that_repeats_nothing_is_refused(String pattern) {
    isRefusedSoon("{\"pattern\":\"" + pattern + "\"}", "");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "^[a-z]{2}(-[A-Z]{2})?$",
        "^(https?|ftp)://[^\\s/$.?#].[^\\s]*$",
        "^[0-9a-f]{8}-([0-9a-f]{4}-){3}[0-9a-f]{12}$",
        "^(([0-9]|[1-9][0-9]|1[0-9]{2}|2[0-4][0-9]|25[0-5])\\.){3}([0-9]|25[0-5])$",
        "^(?!.*\\.\\.)(?=.{1,64}$)[\\w.]+(?<!\\.)$",
        "^(\\d*)?(\\.\\d*)?([eE][+-]?\\d+)?$",
        "^[^]\\[]*\\p{L}{0,5}\\x{41}?$"
      })
  void a_pattern_as_people_write_them_does_little_without_reading(String pattern) {
    assertThat(QuietWork.of(pattern)).isLessThan(100);
  }

  @Test
  void a_long_name_of_the_value_counts_each_time_it_is_written() {
    String schema =
        "{\"allOf\":"
            + list("{\"$ref\":\"#/$defs/p\"}", 20_000)
            + ",\"$defs\":{\"p\":{\"additionalProperties\":{}}}}";
    isRefusedSoon(schema, new JsonObject().put("n".repeat(60_000), 1));
  }

  /** Each error repeats the way to its keyword: these filled the heap. */
  @ParameterizedTest
  @ValueSource(
      strings = {
        "\"required\":REQUIRED",
        "\"propertyNames\":false",
        "\"unevaluatedProperties\":false"
      })
  void errors_at_the_end_of_a_long_way_count_each_time(String keyword) {
    String last = "{" + keyword.replace("REQUIRED", list("\"a%\"", 60_000)) + "}";
    String name = "n".repeat(60_000);
    isRefusedSoon(
        "{\"$ref\":\"#/$defs/" + name + "\",\"$defs\":{\"" + name + "\":" + last + "}}",
        members(6_000));
    StringBuilder chain = new StringBuilder("{\"$ref\":\"#/$defs/d0\",\"$defs\":{");
    for (int i = 0; i < 500; i++) {
      chain.append("\"d" + i + "\":{\"allOf\":[{\"$ref\":\"#/$defs/d" + (i + 1) + "\"}]},");
    }
    isRefusedSoon(chain + "\"d500\":" + last + "}}", members(6_000));
  }

  @Test
  void needs_of_a_member_count_for_each_element() {
    JsonArray value = new JsonArray(Collections.nCopies(5_000, new JsonObject().put("a", 1)));
    for (String word : new String[] {"dependentRequired", "dependencies"}) {
      String needs = "{\"" + word + "\":{\"a\":" + list("\"a%\"", 80_000) + "}}";
      isRefusedSoon("{\"items\":" + needs + "}", value);
    }
    assertThat(
            wrong("{\"dependentRequired\":{\"a\":[\"b\"]}}", new JsonObject().put("a", 1))
                .message())
        .isEqualTo("\"b\" is missing");
  }

  @Test
  void alternatives_that_are_only_true_count_what_they_keep() {
    isRefusedSoon(
        "{\"$ref\":\"#/$defs/p\",\"$defs\":{\"p\":{\"additionalProperties\":true}},\"anyOf\":"
            + list("true", 150_000)
            + "}",
        members(6_000));
  }

  @Test
  void references_of_draft_07_count_each() {
    StringBuilder chain =
        new StringBuilder(
            "{\"$schema\":\"http://json-schema.org/draft-07/schema#\",\"items\":{\"$ref\":\"#/definitions/d0\"},\"definitions\":{");
    for (int i = 0; i < 400; i++) {
      chain.append("\"d" + i + "\":{\"$ref\":\"#/definitions/d" + (i + 1) + "\"},");
    }
    isRefusedSoon(chain + "\"d400\":{}}}", new JsonArray(Collections.nCopies(30_000, 1)));
  }

  /** Below an unknown word no reader of the list has looked at it. */
  @Test
  void a_type_that_does_not_exist_is_not_repeated_for_each_fault() {
    JsonArray value = new JsonArray(Collections.nCopies(30_000, 1));
    String type = "\"" + "x".repeat(500_000) + "\"";
    for (String types : new String[] {type, list(type.substring(0, 10_000) + "%\"", 50)}) {
      String schema = "{\"items\":{\"$ref\":\"#/x/y\"},\"x\":{\"y\":{\"type\":" + types + "}}}";
      assertThat(wrong(schema, value).message()).hasSizeLessThan(100);
    }
  }

  @Test
  void a_multiple_of_zero_checks_nothing() {
    Object large = new BigInteger("123456789012345678901234567890");
    assertThat(check("{\"multipleOf\":0}", large)).isNull();
  }
}
