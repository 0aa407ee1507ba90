package dev.mcpbus.connection;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.mcpbus.bus.FailureCode;
import dev.mcpbus.bus.McpFailure;
import dev.mcpbus.protocol.Redactor;
import dev.mcpbus.protocol.Sensitive;
import dev.mcpbus.transport.OutputListener;
import dev.mcpbus.transport.OutputListener.OutputStreamName;
import io.vertx.core.json.JsonObject;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class OutputLogTest {

  private final OutputLog log = new OutputLog(() -> 1_000);

  private void write(String text) {
    log.line(OutputStreamName.STDERR, text.getBytes(StandardCharsets.UTF_8), false);
  }

  private JsonObject read(String body) {
    return log.read(new JsonObject(body), Redactor.NONE);
  }

  private static List<String> texts(JsonObject reply) {
    return reply.getJsonArray("lines").stream()
        .map(line -> ((JsonObject) line).getString("text"))
        .toList();
  }

  @Test
  void a_line_has_its_number_its_time_and_its_stream() {
    write("one");
    log.line(OutputStreamName.STDOUT, "two".getBytes(StandardCharsets.UTF_8), false);
    assertThat(read("{}"))
        .isEqualTo(
            new JsonObject(
                """
                {"lines":[
                 {"number":1,"time":"1970-01-01T00:00:01Z","from":"stderr","text":"one"},
                 {"number":2,"time":"1970-01-01T00:00:01Z","from":"stdout","text":"two"}],
                 "next":2,"lost":0}"""));
  }

  @Test
  void a_reader_that_comes_back_gets_what_came_since() {
    assertThat(read("{}").getLong("next")).isZero();
    write("a");
    write("b");
    write("c");
    JsonObject first = read("{\"after\":0,\"limit\":2}");
    assertThat(texts(first)).containsExactly("a", "b");
    JsonObject second = read("{\"after\":" + first.getLong("next") + "}");
    assertThat(texts(second)).containsExactly("c");
    assertThat(second.getLong("next")).isEqualTo(3);
    assertThat(texts(read("{\"after\":3}"))).isEmpty();
    assertThat(read("{\"after\":3}").getLong("next")).isEqualTo(3);
    assertThat(texts(read("{\"limit\":1}"))).as("without a number: the last").containsExactly("c");
  }

  @Test
  void a_log_that_began_anew_is_read_from_its_beginning() {
    write("new");
    JsonObject read = read("{\"after\":700}");
    assertThat(texts(read)).containsExactly("new");
    assertThat(read.getLong("lost")).isZero();
  }

  @Test
  void lines_and_bytes_are_bounded_and_what_is_lost_is_counted() {
    for (int i = 1; i <= 700; i++) {
      write("x" + i);
    }
    JsonObject read = read("{\"after\":100,\"limit\":500}");
    assertThat(texts(read)).hasSize(500).startsWith("x201");
    assertThat(read.getLong("lost")).isEqualTo(100);
    log.skipped(50);
    write("later");
    assertThat(read("{\"after\":700}").getLong("lost")).isEqualTo(50);

    for (int i = 0; i < 100; i++) {
      write("y".repeat(OutputListener.MAX_LINE_BYTES));
    }
    assertThat(texts(read("{\"limit\":500}"))).as("64 KiB").hasSize(32);
  }

  @Test
  void secrets_are_masked_also_a_line_of_a_key_and_one_that_the_cut_divides() {
    Redactor redactor =
        Redactor.of(
            List.of(
                Sensitive.of("-----BEGIN KEY-----\nMIIabcdef\n-----END"),
                Sensitive.of("tok-12345")));
    write("using tok-12345 now");
    write("  MIIabcdef  ");
    log.line(OutputStreamName.STDERR, "rest tok-123".getBytes(StandardCharsets.UTF_8), true);
    List<String> shown = texts(log.read(new JsonObject(), redactor));
    assertThat(shown.get(0)).isEqualTo("using *** now");
    assertThat(shown.get(1).strip()).isEqualTo("***");
    assertThat(shown.get(2)).doesNotContain("tok").endsWith("...");
  }

  @Test
  void a_secret_that_a_server_colors_in_part_is_masked() {
    Redactor redactor = Redactor.of(List.of(Sensitive.of("tok-12345"), Sensitive.of("sesame")));
    write("token \u001b[36mtok\u001b[0m-\u001b[32m12345\u001b[0m, \u001b[1msesame\u001b[0m");
    assertThat(texts(log.read(new JsonObject(), redactor))).containsExactly("token ***, ***");
  }

  @Test
  void a_line_is_printable_and_has_no_colors() {
    write("\u001b[31mred\u001b[0m\tx\u001b]0;title\u0007\u202e");
    assertThat(texts(read("{}"))).containsExactly("red    x\\u001b]0;title\\u0007\\u202e");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {"{\"after\":-1}", "{\"limit\":0}", "{\"limit\":501}", "{\"limit\":\"x\"}"})
  void a_wrong_number_is_refused(String body) {
    assertThatThrownBy(() -> read(body))
        .isInstanceOfSatisfying(
            McpFailure.class, e -> assertThat(e.code()).isEqualTo(FailureCode.BAD_REQUEST));
  }
}
