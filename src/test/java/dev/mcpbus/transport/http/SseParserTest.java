package dev.mcpbus.transport.http;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.mcpbus.internals.ByteBudget;
import dev.mcpbus.protocol.ProtocolException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class SseParserTest {

  private static final int CAP = 200;

  private final List<String> heard = new ArrayList<>();

  private SseParser parser() {
    return new SseParser(
        CAP,
        ByteBudget.unbounded(),
        new SseParser.EventSink() {
          @Override
          public boolean event(String type, byte[] data, int length, @Nullable String id) {
            String text = new String(data, 0, length, StandardCharsets.UTF_8);
            heard.add(type + "|" + text + "|" + id);
            return !text.equals("stop");
          }

          @Override
          public void retry(long millis) {
            heard.add("retry " + millis);
          }
        });
  }

  /** In one piece, and again byte by byte, which must make no difference. */
  private List<String> parse(String text) throws ProtocolException {
    byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
    parser().feed(bytes, 0, bytes.length);
    List<String> whole = List.copyOf(heard);
    heard.clear();
    SseParser parser = parser();
    for (int i = 0; i < bytes.length; i++) {
      if (!parser.feed(bytes, i, i + 1)) {
        break;
      }
    }
    assertThat(heard).isEqualTo(whole);
    heard.clear();
    return whole;
  }

  @ParameterizedTest
  @ValueSource(strings = {"\n", "\r", "\r\n"})
  void every_line_ending_ends_a_line(String eol) throws Exception {
    String text = "event: x\ndata: a\ndata: b\nid: 7\n\ndata:c\n\n".replace("\n", eol);
    assertThat(parse(text)).containsExactly("x|a\nb|7", "message|c|null");
  }

  @Test
  void case_50_comments_unknown_fields_and_a_missing_event_follow_the_standard() throws Exception {
    assertThat(parse(": hi\nfoo: 1\ndata: a\ndata\nfoo\n:\n\n"))
        .containsExactly("message|a\n|null");
    assertThat(parse("data:  two blanks\n\n")).containsExactly("message| two blanks|null");
    assertThat(parse("DATA: a\n\n")).isEmpty();
    assertThat(parse("event: gone\n\ndata: a\n\n")).containsExactly("message|a|null");
  }

  @Test
  void a_byte_order_mark_is_skipped_at_the_start_only() throws Exception {
    assertThat(parse("\uFEFFdata: a\n\n\uFEFFdata: b\n\n")).containsExactly("message|a|null");
  }

  @Test
  void case_48_a_last_event_without_a_blank_line_is_discarded() throws Exception {
    assertThat(parse("data: a\n\ndata: b\nid: 2\n")).containsExactly("message|a|null");
  }

  @Test
  void an_id_without_data_counts_for_the_id_only() throws Exception {
    assertThat(parse("id: 1\ndata:\n\n")).containsExactly("message||1");
    assertThat(parse("id: 1\n\n")).containsExactly("message||1");
    assertThat(parse("id: a\0b\ndata: x\n\n")).containsExactly("message|x|null");
  }

  @Test
  void retry_takes_digits_only() throws Exception {
    assertThat(parse("retry: 250\nretry: 2s\nretry:\nretry: -1\nretry: " + "9".repeat(30) + "\n"))
        .containsExactly("retry 250");
  }

  @Test
  void utf8_is_kept_across_cuts() throws Exception {
    assertThat(parse("data: äöü€😀\n\n")).containsExactly("message|äöü€😀|null");
  }

  @Test
  void nothing_is_parsed_after_the_sink_has_stopped() throws Exception {
    assertThat(parse("data: stop\n\ndata: more\n\n")).containsExactly("message|stop|null");
  }

  @Test
  void case_49_a_line_and_an_event_are_bounded() {
    assertThatThrownBy(() -> parse("data: " + "x".repeat(10 * CAP))).hasMessageContaining("line");
    assertThatThrownBy(() -> parse(("data: " + "x".repeat(CAP / 2) + "\n").repeat(3)))
        .hasMessageContaining("event");
    assertThatThrownBy(() -> parse("data: " + "x".repeat(CAP + 1) + "\n"))
        .isInstanceOf(ProtocolException.class);
  }

  @Test
  void data_of_exactly_the_bound_passes() throws Exception {
    assertThat(parse("data: " + "x".repeat(CAP) + "\n\n")).hasSize(1);
  }

  @Test
  void case_51_an_id_seen_before_a_reconnection_is_a_replay() {
    StreamPosition position = new StreamPosition();
    assertThat(position.replayed("1")).isFalse();
    assertThat(position.replayed("2")).isFalse();
    position.reconnected();
    assertThat(position.replayed("2")).isTrue();
    assertThat(position.replayed("3")).isFalse();
    assertThat(position.lastId()).isEqualTo("3");
  }

  @Test
  void an_id_that_a_server_gives_to_all_events_tells_nothing() {
    StreamPosition position = new StreamPosition();
    assertThat(position.replayed("same")).isFalse();
    assertThat(position.replayed("same")).isFalse();
    position.reconnected();
    assertThat(position.replayed("same")).isFalse();
  }

  @Test
  void the_reconnection_time_is_clamped_and_a_hostile_id_is_not_sent() {
    StreamPosition position = new StreamPosition();
    assertThat(position.retryMillis()).isEqualTo(1_000);
    position.retry(0);
    assertThat(position.retryMillis()).isEqualTo(50);
    position.retry(Long.MAX_VALUE);
    assertThat(position.retryMillis()).isEqualTo(60_000);
    assertThat(position.replayed("a\u0001b")).isFalse();
    assertThat(position.lastId()).isNull();
  }
}
