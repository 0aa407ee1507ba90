package dev.mcpbus.protocol;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonParseException;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.StreamReadFeature;
import io.vertx.core.buffer.Buffer;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Random;
import java.util.function.IntFunction;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Assertions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** That no member stands twice, however it is written and however many there are. */
class DuplicateMembersTest {

  private static final JsonFactory JACKSON =
      JsonFactory.builder().enable(StreamReadFeature.STRICT_DUPLICATE_DETECTION).build();

  private static RawJson checked(String json) throws ProtocolException {
    return RawJson.checkedObject(Buffer.buffer(json), ParseLimits.DEFAULT);
  }

  private static String object(int members, IntFunction<String> name) {
    return IntStream.range(0, members)
        .mapToObj(i -> "\"" + name.apply(i) + "\":0")
        .collect(Collectors.joining(",", "{", "}"));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '~',
      value = {
        "{'a':1,'a':1}|'a'|7",
        "{'a':1,'b':{'c':[{'d':1,'e':{},'d':2}]}}|'d'|31",
        "{'a':1,'\\u0061':2}|'a'|7",
        "{'\\u00e9':1,'é':2}|'\\u00e9'|12",
        "{'\\/':1,'/':2}|'/'|8",
        "{'\\uD83D\\uDE00':1,'😀':2}|'\\ud83d\\ude00'|18",
        "{'':1,'':2}|''|6",
        "{'a':{},'b':1,'a':{}}|'a'|14",
        "{'\\ud83d\\ude00':1,'😀':2}|'\\ud83d\\ude00'|18"
      })
  void a_name_that_stands_twice_is_reported_with_its_place(String json, String name, int at) {
    String text = json.replace('\'', '"');
    assertThatThrownBy(() -> checked(text))
        .isInstanceOfSatisfying(
            ProtocolException.class,
            e -> {
              assertThat(e.reason()).isEqualTo(ProtocolException.TextFault.DUPLICATE_KEY);
              assertThat(e.position()).isEqualTo(at);
              assertThat(e)
                  .hasMessage(
                      "member " + name.replace('\'', '"') + " stands twice (at byte " + at + ")");
            });
    assertThat(RawJson.of(text).ambiguity()).contains("stands twice");
  }

  @Test
  void a_name_that_is_no_text_is_refused() {
    for (String half : List.of("\\ud800", "\\udc00", "x\\ud83d\\u0041", "\\ud83d\\ud83d\\ude00")) {
      assertThatThrownBy(() -> checked("{\"a\":{\"" + half + "\":1}}"))
          .hasMessageContaining("half a surrogate pair");
    }
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '~',
      value = {
        "{}",
        "{'a':1,'A':2}",
        "{'a':{'a':{'a':1}},'b':{'a':1}}",
        "{'a':[{'a':1},{'a':1}]}",
        "{'a':1,'a ':2,'':3,'\\u0000':4}",
        "{'aXb':1,'aYb':2,'a':3,'ab':4}"
      })
  void names_that_differ_and_names_of_other_objects_are_no_matter(String json) throws Exception {
    String text = json.replace('\'', '"');
    assertThat(checked(text)).hasToString(text);
    assertThat(RawJson.of(text).ambiguity()).isNull();
  }

  @Test
  void the_same_name_is_found_at_each_place_of_objects_of_each_width() {
    for (int members = 2; members < 40; members++) {
      for (int twice = 0; twice < members - 1; twice++) {
        int as = twice;
        int last = members - 1;
        String json = object(members, i -> "n" + (i == last ? as : i));
        assertThatThrownBy(() -> checked(json)).hasMessageContaining("\"n" + as + "\" stands");
      }
    }
  }

  @Test
  void a_name_of_a_server_is_shown_short_and_printable() {
    String name = "\u001b[2J".replace("\u001b", "\\u001b") + "x".repeat(1_000) + "\u202e";
    assertThatThrownBy(() -> checked("{\"" + name + "\":1,\"" + name + "\":2}"))
        .hasMessageMatching(
            "member \"\\\\u001b\\[2Jx{56}\\.\\.\\.\" stands twice \\(at byte \\d+\\)");
  }

  @Test
  void two_hundred_thousand_names_take_no_longer_than_reading_them() {
    Assertions.assertTimeoutPreemptively(
        Duration.ofSeconds(60),
        () -> {
          // One length, and the bytes that a summary takes are the same in all of them.
          String wide = object(200_000, i -> "a" + String.format("%06d", i) + "mmmmmmmz");
          assertThat(checked(wide).length()).isEqualTo(wide.length());
          assertThatThrownBy(() -> checked(wide.replace("a199999m", "a000007m")))
              .hasMessageContaining("a000007m");
          // Of these String.hashCode() and every other polynomial to the base of 31 is the same.
          IntFunction<String> colliding =
              i ->
                  IntStream.range(0, 18)
                      .mapToObj(bit -> (i >> bit & 1) == 0 ? "Aa" : "BB")
                      .collect(Collectors.joining());
          String flood = object(200_000, colliding);
          assertThat(checked(flood).length()).isEqualTo(flood.length());
          String nested = "{\"o\":[" + wide + "," + flood + "]}";
          assertThat(checked(nested).length()).isEqualTo(nested.length());
        });
  }

  @Test
  void it_says_what_another_parser_says() throws Exception {
    long seed = 12;
    Random random = new Random(seed);
    int twice = 0;
    for (int i = 0; i < 20_000; i++) {
      String json = value(random, 3);
      boolean found = RawJson.of(json).ambiguity() != null;
      assertThat(found).as(json).isEqualTo(isRefusedByJackson(json));
      twice += found ? 1 : 0;
    }
    assertThat(twice).isBetween(2_000, 18_000);
  }

  private static boolean isRefusedByJackson(String json) throws IOException {
    try (JsonParser parser = JACKSON.createParser(json.getBytes(StandardCharsets.UTF_8))) {
      while (parser.nextToken() != null) {}
      return false;
    } catch (JsonParseException e) {
      assertThat(e).hasMessageContaining("Duplicate");
      return true;
    }
  }

  private static String value(Random random, int depth) {
    int kind = depth == 0 ? 0 : random.nextInt(4);
    if (kind < 2 && depth < 3) {
      return kind == 0 ? "1" : "\"x\\\"{\"";
    }
    int size = random.nextInt(random.nextInt(8) == 0 ? 30 : 5);
    boolean object = kind != 2 || depth == 3;
    return IntStream.range(0, size)
        .mapToObj(i -> (object ? name(random) + ":" : "") + value(random, depth - 1))
        .collect(Collectors.joining(",", object ? "{" : "[", object ? "}" : "]"));
  }

  private static String name(Random random) {
    StringBuilder name = new StringBuilder("\"");
    for (int length = random.nextInt(4); length >= 0; length--) {
      char c = "abcé😀/".charAt(random.nextInt(4));
      name.append(random.nextInt(3) == 0 ? String.format("\\u%04x", (int) c) : String.valueOf(c));
    }
    return name.append('"').toString();
  }
}
