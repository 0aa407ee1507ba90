package dev.mcpbus.protocol.schema;

import static org.assertj.core.api.Assertions.assertThat;

import dev.mcpbus.protocol.RawJson;
import dev.mcpbus.protocol.schema.ArgumentValidator.Violation;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.IntFunction;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What a check costs: it counts its steps, which grow with the text, or it is refused. */
class CheckCostTest {

  private static ArgumentValidator of(String schema) {
    return ArgumentValidator.of(RawJson.of(schema));
  }

  /** The least effort with which the check is done. */
  private static long steps(ArgumentValidator validator, Object value) {
    long enough = 1;
    while (isUnchecked(validator, value, enough)) {
      enough *= 2;
      assertThat(enough).as("steps").isLessThan(1L << 40);
    }
    long tooFew = enough / 2;
    while (enough - tooFew > Math.max(1, enough / 100)) {
      long middle = (enough + tooFew) / 2;
      if (isUnchecked(validator, value, middle)) {
        tooFew = middle;
      } else {
        enough = middle;
      }
    }
    return enough;
  }

  private static boolean isUnchecked(ArgumentValidator validator, Object value, long effort) {
    Violation found = validator.check(value, effort, () -> false);
    return found != null && found.unchecked();
  }

  private static void growsWithItsSize(String schema, IntFunction<Object> value) {
    ArgumentValidator validator = of(schema);
    long once = steps(validator, value.apply(2_000));
    assertThat(steps(validator, value.apply(4_000)))
        .as("steps for twice the size, %s", schema)
        .isLessThanOrEqualTo((long) (2.5 * once) + 100);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "byte",
        "date",
        "time",
        "date-time",
        "duration",
        "uri",
        "uri-reference",
        "uri-template",
        "url",
        "email",
        "idn-email",
        "hostname",
        "idn-hostname",
        "ipv4",
        "ipv6",
        "uuid",
        "iri",
        "json-pointer",
        "json-pointer-uri-fragment",
        "relative-json-pointer",
        "unknown"
      })
  void a_format_costs_as_much_as_its_text_is_long(String format) {
    for (String part :
        new String[] {"a", "l\u00b7", "a.", "/", "%41", "{a}", "1", "http://a", "a@", "-"}) {
      growsWithItsSize(
          "{\"properties\":{\"a\":{\"format\":\"" + format + "\"}}}",
          size -> new JsonObject().put("a", part.repeat(size / part.length())));
    }
  }

  /** The effort of a check with 400 such letters was seconds, and grew with the cube. */
  @Test
  void a_url_of_a_million_letters_is_decided_on_an_event_loop_or_on_a_worker() {
    ArgumentValidator url = of("{\"properties\":{\"a\":{\"format\":\"url\"}}}");
    JsonObject value = new JsonObject().put("a", "http://" + "a".repeat(1_000_000) + "\n");
    assertThat(Objects.requireNonNull(url.check(value)).unchecked()).isFalse();
    value.put("a", "http://" + "a".repeat(800) + " ");
    assertThat(Objects.requireNonNull(url.check(value, 10_000, () -> false)).message())
        .isEqualTo("is not of the format \"url\"");
  }

  @Test
  void elements_that_must_differ_cost_as_much_as_they_are_large() {
    growsWithItsSize(
        "{\"properties\":{\"a\":{\"uniqueItems\":true}}}",
        size ->
            new JsonObject()
                .put(
                    "a",
                    new JsonArray(
                        IntStream.range(0, size)
                            .mapToObj(i -> nested(i, 10))
                            .collect(Collectors.toList()))));
  }

  private static Object nested(int leaf, int depth) {
    return depth == 0 ? leaf : new JsonObject().put("a", nested(leaf, depth - 1)).put("b", 1);
  }

  @Test
  void elements_whose_hashes_collide_are_told_apart() {
    JsonArray colliding = new JsonArray();
    for (int i = 0; i < 1 << 13; i++) {
      StringBuilder text = new StringBuilder();
      for (int bit = 0; bit < 13; bit++) {
        text.append((i >> bit & 1) == 0 ? "Aa" : "BB");
      }
      colliding.add(text.toString());
    }
    ArgumentValidator unique = of("{\"properties\":{\"a\":{\"uniqueItems\":true}}}");
    JsonObject value = new JsonObject().put("a", colliding);
    assertThat(unique.check(value)).isNull();
    colliding.add(colliding.getString(77));
    assertThat(Objects.requireNonNull(unique.check(value)).path()).isEqualTo("/a");
  }

  /** These filled a heap of 256 MiB and blocked an event loop for 19 s. */
  @Test
  void thousands_of_errors_below_a_long_name_cost_as_much_as_the_value_is_large() {
    String name = "n".repeat(10_000);
    JsonArray wrong = new JsonArray();
    IntStream.range(0, 15_000).forEach(wrong::add);
    Violation found =
        of("{\"additionalProperties\":{\"items\":{\"type\":\"string\"}}}")
            .check(new JsonObject().put(name, wrong));
    assertThat(Objects.requireNonNull(found).message()).isEqualTo("does not fit the schema");
    assertThat(found.unchecked()).isFalse();
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '~',
      value = {
        "{\"pattern\":\"(.*a){25}x\"}",
        "{\"anyOf\":[{\"pattern\":\"b\"},{\"pattern\":\"(.*a){20}!{9}\"}]}",
        "{\"allOf\":[{\"pattern\":\"(.*,){20}x\"}]}"
      })
  void a_pattern_that_would_run_for_years_is_refused_on_an_event_loop(String schema) {
    JsonObject value = new JsonObject().put("a", ("a".repeat(40) + "!,").repeat(40) + "\n");
    Violation found =
        of("{\"properties\":{\"a\":" + schema + "}}")
            .check(value, ArgumentValidator.SMALL_EFFORT, () -> false);
    assertThat(Objects.requireNonNull(found).unchecked()).isTrue();
  }

  /** The expression itself is what takes long: the JDK compares a word with itself. */
  @Test
  void a_pattern_of_hundreds_of_thousands_of_letters_is_not_compiled() {
    String regex = "a".repeat(500_000);
    Violation found =
        of("{\"properties\":{\"a\":{\"pattern\":\"" + regex + "\"}}}")
            .check(new JsonObject().put("a", ""));
    assertThat(Objects.requireNonNull(found).unchecked()).isTrue();
    found =
        of("{\"properties\":{\"a\":{\"format\":\"regex\"}}}")
            .check(new JsonObject().put("a", regex));
    assertThat(Objects.requireNonNull(found).unchecked()).isTrue();
  }

  @Test
  void alternatives_of_alternatives_are_counted_and_refused() {
    StringBuilder schema = new StringBuilder("{\"$defs\":{\"d0\":{\"type\":\"string\"}");
    for (int i = 1; i < 40; i++) {
      String last = "{\"$ref\":\"#/$defs/d" + (i - 1) + "\"}";
      schema.append(",\"d" + i + "\":{\"anyOf\":[" + last + "," + last + "]}");
    }
    schema.append("},\"properties\":{\"a\":{\"$ref\":\"#/$defs/d39\"}}}");
    Violation found = of(schema.toString()).check(new JsonObject().put("a", 1));
    assertThat(Objects.requireNonNull(found).unchecked()).isTrue();
  }

  @Test
  void a_check_ends_when_its_call_ends() {
    AtomicInteger asked = new AtomicInteger();
    Violation found =
        of("{\"properties\":{\"a\":{\"pattern\":\"(.*a){25}x\"}}}")
            .check(
                new JsonObject().put("a", "a".repeat(60) + "!"),
                Long.MAX_VALUE,
                () -> asked.incrementAndGet() > 3);
    assertThat(Objects.requireNonNull(found).unchecked()).isTrue();
    assertThat(asked).as("asked for the end, and never again").hasValue(4);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '~',
      value = {
        "date|2026-02-28|2026-02-30",
        "time|23:59:60Z|24:00:00Z",
        "date-time|2026-02-28T10:00:00.5+02:00|2026-02-28 25:00:00Z",
        "duration|P1Y2M3DT4H|P",
        "uri|urn:a:b|//a/b",
        "uri-reference|../a?b#c|a b",
        "uri-template|/a/{b,c:3}{?d*}|/a/{b",
        "url|https://localhost:8080/a|file:///a",
        "email|a.b@example.com|a..b@example.com",
        "idn-email|\u00fc@b\u00fccher.example|@b\u00fccher.example",
        "hostname|a-b.example|-a.example",
        "idn-hostname|b\u00fccher.example|\u302eb.example",
        "ipv4|127.0.0.1|127.0.0.256",
        "ipv6|::ffff:1.2.3.4|1::2::3",
        "regex|[a-z]+|[a-z",
        "uuid|123e4567-e89b-12d3-a456-426614174000|123e4567",
        "json-pointer|/a~1b/0|a",
        "json-pointer-uri-fragment|#/a%25|/a",
        "relative-json-pointer|1/a|01/a",
        "byte|QUI=|QUI"
      })
  void each_format_is_checked(String format, String right, String wrong) {
    ArgumentValidator validator = of("{\"items\":{\"format\":\"" + format + "\"}}");
    assertThat(validator.check(new JsonArray().add(right))).isNull();
    assertThat(validator.check(new JsonArray().add(wrong))).isNotNull();
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '~',
      value = {
        "{\"propertyNames\":{\"maxLength\":1}}|{\"ab\":1}|is too long: 2 in place of 1",
        "{\"patternProperties\":{\"^x\":{\"type\":\"null\"}},\"additionalProperties\":false}|{\"x\":1}|must"
            + " be null, not number",
        "{\"allOf\":[{\"properties\":{\"a\":true}}],\"unevaluatedProperties\":false}|{\"a\":1,\"c\":1}|\"c\""
            + " is no member that the schema knows",
        "{\"properties\":{\"a\":{\"multipleOf\":0.1}}}|{\"a\":0.35}|0.35 is not a multiple of 0.1",
        "{\"properties\":{\"a\":{\"$ref\":\"#/$defs/x%25~1y\"}},\"$defs\":{\"x%/y\":{\"enum\":[{\"b\":[1]}]}}}|{\"a\":{\"b\":[2]}}|must"
            + " be one of [{\"b\":[1]}]",
        "{\"not\":{\"required\":[\"a\"]}}|{\"a\":1}|has a form that is excluded"
      })
  void each_keyword_says_what_is_wrong(String schema, String value, String text) {
    Violation found = of(schema).check(new JsonObject(value));
    assertThat(Objects.requireNonNull(found).message()).isEqualTo(text);
  }
}
