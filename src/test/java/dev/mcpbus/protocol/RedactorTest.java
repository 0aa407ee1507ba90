package dev.mcpbus.protocol;

import static org.assertj.core.api.Assertions.assertThat;

import io.vertx.core.json.Json;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Base64;
import java.util.HexFormat;
import java.util.List;
import java.util.Random;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

class RedactorTest {

  private static final String SECRET = "s3/cr&t\"k\u00fcy+<7>";

  private static Redactor of(String... secrets) {
    return Redactor.of(Sensitive.all(List.of(secrets)));
  }

  private static String escaped(String text, String format) {
    StringBuilder out = new StringBuilder();
    text.chars().forEach(c -> out.append(String.format(format, c)));
    return out.toString();
  }

  private static String bytes(String text, String format) {
    StringBuilder out = new StringBuilder();
    for (byte one : text.getBytes(StandardCharsets.UTF_8)) {
      out.append(String.format(format, one));
    }
    return out.toString();
  }

  private static String json(String text) {
    String quoted = Json.encode(text);
    return quoted.substring(1, quoted.length() - 1);
  }

  private static String asciiJson(String text) {
    StringBuilder out = new StringBuilder();
    json(text).chars().forEach(c -> out.append(c < 0x7f ? (char) c : String.format("\\u%04x", c)));
    return out.toString();
  }

  private static String percent(String text) {
    return URLEncoder.encode(text, StandardCharsets.UTF_8).replace("+", "%20");
  }

  private static String html(String text) {
    return text.replace("&", "&amp;")
        .replace("<", "&lt;")
        .replace(">", "&gt;")
        .replace("\"", "&quot;");
  }

  /** Ways of writing a text in which a reader of logs sees it, or can read it at once. */
  private static final List<UnaryOperator<String>> SPELLINGS =
      List.of(
          RedactorTest::json,
          RedactorTest::asciiJson,
          text -> json(text).replace("/", "\\/"),
          text -> json(text).replace("&", "\\u0026").replace("<", "\\u003C"),
          text -> escaped(text, "\\u%04x"),
          text -> escaped(text, "\\u{%X}"),
          RedactorTest::percent,
          text -> percent(text).toLowerCase(java.util.Locale.ROOT),
          text -> bytes(text, "%%%02X"),
          text -> bytes(text, "\\x%02x"),
          RedactorTest::html,
          text -> escaped(text, "&#%d;"),
          text -> escaped(text, "&#x%X;"));

  static Stream<UnaryOperator<String>> spellings() {
    return SPELLINGS.stream();
  }

  @ParameterizedTest
  @MethodSource("spellings")
  void a_secret_is_found_in_every_spelling_and_the_rest_stays_as_it_was(
      UnaryOperator<String> spelling) {
    Redactor redactor = of(SECRET);
    String text = "at \\u0041%41&amp; \"" + spelling.apply(SECRET) + "\" 100% &c. \\d";

    assertThat(redactor.redact(text)).isEqualTo("at \\u0041%41&amp; \"***\" 100% &c. \\d");
    assertThat(redactor.redact(text.replace("3", "4").replace("33", "34"))).doesNotContain("***");
  }

  @Test
  void spellings_within_spellings_hide_no_secret() {
    Random random = new Random(29);
    String alphabet = "abXY07/&\"\\%+<;#u \u00fc\u20ac'=";
    for (int i = 0; i < 5_000; i++) {
      StringBuilder secret = new StringBuilder("q7");
      for (int length = 4 + random.nextInt(20); length > 0; length--) {
        secret.append(alphabet.charAt(random.nextInt(alphabet.length())));
      }
      secret.append("7q");
      String written = secret.toString();
      List<Integer> used = new ArrayList<>();
      for (int depth = random.nextInt(4); depth > 0; depth--) {
        int way = random.nextInt(SPELLINGS.size());
        used.add(way);
        written = way == 7 ? written : SPELLINGS.get(way).apply(written);
      }

      assertThat(of(secret.toString()).redact("[" + written + "]"))
          .as("%s as %s", secret, used)
          .isEqualTo("[***]");
    }
  }

  @Test
  void base64_and_hexadecimal_digits_are_spellings_too() {
    byte[] secret = "hunter22".getBytes(StandardCharsets.UTF_8);
    for (String before : List.of("", "u:", "user:", "some.one:")) {
      byte[] pair = (before + "hunter22").getBytes(StandardCharsets.UTF_8);
      for (Base64.Encoder encoder : List.of(Base64.getEncoder(), Base64.getUrlEncoder())) {
        String text = "Authorization: Basic " + encoder.encodeToString(pair);
        assertThat(of("hunter22").redact(text)).as(text).contains("***");
      }
    }
    assertThat(of("hunter22").redact("x" + HexFormat.of().formatHex(secret))).isEqualTo("x***");
    assertThat(of("hunter22").redact(HexFormat.of().withUpperCase().formatHex(secret) + "x"))
        .isEqualTo("***x");
    String basic = Base64.getEncoder().encodeToString("ada:pa/ss".getBytes(StandardCharsets.UTF_8));
    assertThat(of("Basic " + basic).redact("pa\\/ss, ada%3Apa%2Fss, " + basic))
        .isEqualTo("***, ***, ***");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "information",
        "an informed infos",
        "https://login.example/information?reinfo=1",
        "{\"infos\":1}",
        "Info",
        "xinfo",
      })
  void a_word_is_found_as_a_whole_word_alone(String text) {
    assertThat(of("info", "1234").redact(text)).isEqualTo(text);
  }

  @Test
  void a_word_or_a_number_is_found_between_signs_of_every_kind() {
    Redactor redactor = of("info", "1234");
    assertThat(redactor.redact("info \"info\" level=info, info; \\ninfo\\n %2Finfo%2F pin:1234!"))
        .isEqualTo("*** \"***\" level=***, ***; \\n***\\n %2F***%2F pin:***!");
    assertThat(redactor.redact("12345 a1234 1234.5")).isEqualTo("12345 a1234 ***.5");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "\u001b[31m%s\u001b[0m",
        "\u001b[1;38;5;208m%s\u001b[K",
        "\\u001b[31m%s\\u001b[0m",
        "\u5bc6\u7801%s\u65e0\u6548",
        "%%E5%%AF%%86%s%%E5%%AF%%86",
      })
  void a_word_is_found_behind_colors_and_beside_letters_of_another_alphabet(String around) {
    assertThat(of("correcthorse").redact(around.formatted("correcthorse")))
        .isEqualTo(around.formatted("***"));
    assertThat(of("!sesame!").redact("x!sesame!y")).isEqualTo("x***y");
  }

  @Test
  void a_secret_that_is_no_word_is_found_wherever_it_stands() {
    assertThat(of("x7Gh2kQ9").redact("prefixx7Gh2kQ9suffix")).isEqualTo("prefix***suffix");
  }

  @Test
  void of_secrets_that_overlap_no_part_is_left() {
    assertThat(of("abc123def", "123def456").redact("abc123def456 abc123deF")).startsWith("*** a");
    assertThat(of("key-1", "key-1-and-2", "key-1-and-2-and-3").redact("key-1-and-2-and-4 key-1-x"))
        .isEqualTo("***-and-4 ***-x");
  }

  @Test
  void json_is_redacted_in_names_texts_and_numbers_at_every_depth() {
    JsonObject json =
        new JsonObject()
            .put("x7Gh2kQ9", new JsonArray().add(new JsonObject().put("pin", 771234)).add(77))
            .put("text", "{\"a\":\"\\u00787Gh2kQ9\"}");

    assertThat(of("x7Gh2kQ9", "771234").redact(json))
        .isEqualTo(
            new JsonObject()
                .put("***", new JsonArray().add(new JsonObject().put("pin", "***")).add(77))
                .put("text", "{\"a\":\"***\"}"));
    assertThat(Redactor.NONE.redact(json)).isSameAs(json);
  }

  @Test
  void a_page_that_a_person_has_to_open_stays_as_the_server_sent_it() {
    String page = "https://login.example/x7Gh2kQ9/start?client=x7Gh2kQ9";
    JsonObject data =
        new JsonObject()
            .put("note", "x7Gh2kQ9")
            .put(
                "elicitations",
                new JsonArray().add(new JsonObject().put("url", page).put("message", "x7Gh2kQ9")));
    Redactor redactor = of("x7Gh2kQ9");

    JsonRpcError shown =
        new JsonRpcError(JsonRpcError.URL_ELICITATION_REQUIRED, "open " + page, data)
            .redacted(redactor);

    assertThat(shown.data())
        .isEqualTo(
            new JsonObject()
                .put("note", "***")
                .put(
                    "elicitations",
                    new JsonArray().add(new JsonObject().put("url", page).put("message", "***"))));
    assertThat(new JsonRpcError(-1, page, data).redacted(redactor).toString())
        .doesNotContain("x7Gh2kQ9");
  }

  @Test
  void what_it_leaves_has_the_same_characters_as_before_whatever_the_text() {
    Random random = new Random(7);
    String alphabet = "\\\\%%&&ux0{};#amp41Cc\u00fc\ud83d\ude00\"/ k9";
    Redactor redactor = of("k9k9");
    for (int i = 0; i < 50_000; i++) {
      StringBuilder text = new StringBuilder();
      for (int length = random.nextInt(40); length > 0; length--) {
        text.append(alphabet.charAt(random.nextInt(alphabet.length())));
      }
      String shown = redactor.redact(text.toString());
      if (!shown.contains("***")) {
        assertThat(shown).isEqualTo(text.toString());
      }
      assertThat(redactor.redact(shown)).doesNotContain("k9k9");
    }
  }
}
