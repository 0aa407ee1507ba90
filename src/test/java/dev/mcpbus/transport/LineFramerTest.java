package dev.mcpbus.transport;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.mcpbus.internals.ByteBudget;
import dev.mcpbus.protocol.ParseLimits;
import dev.mcpbus.protocol.Quirk;
import dev.mcpbus.transport.TransportException.Reason;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class LineFramerTest {

  private static final String ONE = "{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{}}";
  private static final String TWO = "{\"jsonrpc\":\"2.0\",\"id\":2,\"result\":{}}";

  private final List<String> messages = new ArrayList<>();
  private final List<String> unusable = new ArrayList<>();
  private final Set<Quirk> tolerated = EnumSet.noneOf(Quirk.class);
  private boolean strict;
  private final LineFramer framer = framer(ParseLimits.DEFAULT);

  private LineFramer framer(ParseLimits limits) {
    LineFramer.SkippedLine strays =
        new LineFramer.SkippedLine() {
          @Override
          public void skipped(byte[] bytes, int from, int to) {}

          @Override
          public boolean tolerates(Quirk quirk) {
            tolerated.add(quirk);
            return !strict;
          }

          @Override
          public void unusable(long id, String why) {
            unusable.add(id + ": " + why);
          }
        };
    return new LineFramer(
        "stdout",
        limits,
        new NoiseBudget(2, () -> 0),
        message -> messages.add(message.text().toString()),
        strays,
        ByteBudget.unbounded(),
        null);
  }

  private static byte[] bytes(String text) {
    return text.getBytes(StandardCharsets.UTF_8);
  }

  private TransportException refused(LineFramer framer, byte[] chunk) {
    return catchThrowableOfType(TransportException.class, () -> framer.feed(chunk));
  }

  @Test
  void cuts_several_lines_of_one_chunk() throws Exception {
    framer.feed(bytes(ONE + "\n" + TWO + "\n"));
    assertThat(messages).containsExactly(ONE, TWO);
    assertThat(framer.pending()).isZero();
  }

  @Test
  void gives_the_same_messages_wherever_the_stream_is_cut() throws Exception {
    byte[] stream = bytes("\uFEFF" + ONE + "\r\n\n  \r\nlog\n" + TWO + "\n");
    for (int first = 0; first <= stream.length; first++) {
      for (int second = first; second <= stream.length; second += 7) {
        messages.clear();
        LineFramer fresh = framer(ParseLimits.DEFAULT);
        fresh.feed(Arrays.copyOfRange(stream, 0, first));
        fresh.feed(Arrays.copyOfRange(stream, first, second));
        fresh.feed(Arrays.copyOfRange(stream, second, stream.length));
        assertThat(messages).containsExactly(ONE, TWO);
        assertThat(fresh.junk()).isEqualTo(1);
      }
    }
  }

  @Test
  void a_message_keeps_its_bytes_when_later_chunks_come() throws Exception {
    List<dev.mcpbus.protocol.Envelope> kept = new ArrayList<>();
    LineFramer keeping = new LineFramer("stdout", ParseLimits.DEFAULT, 0, kept::add);
    for (byte b : bytes(ONE + "\n" + TWO + "\n")) {
      keeping.feed(new byte[] {b});
    }
    assertThat(kept).extracting(m -> m.text().toString()).containsExactly(ONE, TWO);
  }

  @Test
  void a_batch_is_its_messages_where_the_version_has_batches() throws Exception {
    framer.negotiated("2025-03-26");
    framer.feed(bytes(" [" + ONE + " ,\t" + TWO + "]\n[INFO] a log line\n" + ONE + "\n"));
    assertThat(messages).containsExactly(ONE, TWO, ONE);
    assertThat(framer.junk()).isEqualTo(1);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "[" + ONE + ",{\"jsonrpc\":\"2.0\"}]",
        "[" + ONE + ",[" + TWO + "]]",
        "[" + ONE + "] " + TWO,
        "[" + ONE + ",]",
        "[" + ONE
      })
  void of_a_batch_that_is_none_no_message_counts(String line) {
    framer.negotiated("2025-03-26");
    assertThat(refused(framer, bytes(line + "\n")).reason())
        .isEqualTo(TransportException.Reason.PROTOCOL_ERROR);
    assertThat(messages).isEmpty();
  }

  @ParameterizedTest
  @ValueSource(strings = {"2024-11-05", "2025-06-18", "2025-11-25", "2026-07-28"})
  void other_versions_have_no_batches(String version) {
    framer.negotiated(version);
    assertThat(refused(framer, bytes("[" + ONE + "]\n")).getMessage()).contains("2025-03-26");
  }

  @Test
  void a_partial_line_is_held_and_never_parsed() throws Exception {
    framer.feed(bytes(ONE));
    assertThat(messages).isEmpty();
    assertThat(framer.pending()).isEqualTo(ONE.length());
  }

  @Test
  void noise_is_skipped_up_to_a_burst_and_a_flood_ends_the_stream() throws Exception {
    framer.feed(bytes("starting\n[INFO] up\n"));
    TransportException third = refused(framer, bytes("third\n"));
    assertThat(third.reason()).isEqualTo(Reason.PROTOCOL_ERROR);
    assertThat(third)
        .hasMessage(
            "stdout is flooded with lines that are not JSON-RPC (3 so far); logs belong on stderr."
                + " The first lines: starting\n[INFO] up\nthird");
  }

  @Test
  void a_log_line_for_each_message_is_never_too_much() throws Exception {
    for (int i = 0; i < 5_000; i++) {
      framer.feed(bytes("[MCP] tools/call requested\n" + ONE + "\n"));
    }
    assertThat(messages).hasSize(5_000);
    assertThat(framer.junk()).isEqualTo(5_000);
  }

  /** A tool whose child process writes to the stdout that it has inherited. */
  @Test
  void the_output_of_a_build_at_once_is_no_flood() throws Exception {
    LineFramer real =
        new LineFramer(
            "stdout",
            ParseLimits.DEFAULT,
            StdioOptions.of("x", List.of()).junkLines(),
            message -> messages.add(message.text().toString()));
    real.feed(bytes("[INFO] Compiling module\n".repeat(9_000) + ONE + "\n"));
    assertThat(messages).containsExactly(ONE);
  }

  @Test
  void the_room_for_noise_fills_up_with_time_and_is_bounded_in_bytes_too() throws Exception {
    AtomicLong nanos = new AtomicLong();
    LineFramer clocked =
        new LineFramer(
            "stdout",
            ParseLimits.DEFAULT,
            new NoiseBudget(2, nanos::get),
            message -> {},
            (line, from, to) -> {},
            ByteBudget.unbounded(),
            null);
    for (int i = 0; i < 1_000; i++) {
      clocked.feed(bytes("one\ntwo\n"));
      nanos.addAndGet(2_000_000_000L / NoiseBudget.LINES_PER_SECOND);
    }
    byte[] long1 = bytes("x".repeat(NoiseBudget.BURST_BYTES) + "\n");
    nanos.addAndGet(60_000_000_000L);
    clocked.feed(long1);
    nanos.addAndGet(1_000_000_000L);
    assertThat(refused(clocked, long1)).hasMessageContaining("flooded");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "{\"level\":30,\"time\":1760000000000,\"pid\":5,\"msg\":\"listens\"}",
        "{\"level\":\"error\",\"error\":\"connect ECONNREFUSED\"}",
        "{\"level\":30,\"method\":\"tools/list\",\"id\":\"a1\",\"params\":{}}",
        "{\"level\":30,\"received\":{\"jsonrpc\":\"2.0\",\"id\":7,\"result\":{}}}",
        "{\"logger\":\"jsonrpc\",\"msg\":\"up\"}",
        "{}",
        "{",
        "}",
        "{not json}",
        "{ level: 'info' }",
        "{'error': 'python'}",
        "{\"level\":30} {\"level\":30}",
        "[]",
        "[{}]",
        "[{\"name\":\"a\"},{\"id\":1,\"result\":{}}]",
        "[1,2]",
        "null",
        "true",
        "3",
        "\"text\"",
        "npm notice New major version of npm available!",
        "Received: {\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/call\",\"params\":{}}",
        "[INFO] Received: {\"jsonrpc\":\"2.0\",\"id\":3,\"method\":\"tools/call\",\"params\":{}}",
        "[INFO] args {\"jsonrpc\": 1}",
        "[ 12:00 ] {\"jsonrpc\":\"2.0\",\"method\":\"x\"} sent",
        "[",
        "Content-Length: 120",
        "\u001b[32mINFO\u001b[0m up",
        "10%\r20%\r100%"
      })
  void what_cannot_be_a_message_is_noise(String line) throws Exception {
    framer.negotiated("2025-03-26");
    framer.feed(bytes(line + "\n" + ONE + "\n"));
    assertThat(messages).containsExactly(ONE);
    assertThat(framer.junk()).isEqualTo(1);
    assertThat(unusable).isEmpty();
  }

  @Test
  void a_strict_owner_has_no_noise() {
    strict = true;
    assertThat(refused(framer, bytes("{\"level\":30}\n")))
        .hasMessage(
            "a line on stdout is not JSON-RPC, and the entry is \"strict\"; logs belong on stderr;"
                + " the line: {\"level\":30}");
  }

  @ParameterizedTest
  @ValueSource(strings = {"Loading tools... ", "{\"level\":30}", "\u001b[2K\r[x] ", "{", "10%\r"})
  void during_the_handshake_an_answer_behind_text_counts(String text) throws Exception {
    framer.feed(bytes(text + ONE + "\n" + TWO + "\n"));
    assertThat(messages).containsExactly(ONE, TWO);
    assertThat(tolerated).contains(Quirk.ANSWER_BEHIND_TEXT);
  }

  @Test
  void later_an_answer_behind_text_fails_its_request_alone() throws Exception {
    framer.negotiated("2025-06-18");
    framer.feed(bytes("Working... " + ONE + "\n" + TWO + "\n"));
    assertThat(messages).containsExactly(TWO);
    assertThat(unusable)
        .containsExactly(
            "1: the answer on line 1 of stdout stands behind other text, which needs a line break"
                + " and belongs on stderr; the line: Working... "
                + ONE);
  }

  @Test
  void colours_before_an_answer_are_not_text() throws Exception {
    framer.negotiated("2025-06-18");
    framer.feed(bytes("\u001b[?25h\u001b[2K\r" + ONE + "\n"));
    assertThat(messages).containsExactly(ONE);
  }

  @Test
  void an_answer_without_a_version_fails_its_request_alone() throws Exception {
    framer.negotiated("2025-06-18");
    framer.feed(
        bytes("{\"id\":1,\"result\":{}}\n{\"id\":2,\"error\":{\"code\":1}}\n" + TWO + "\n"));
    assertThat(messages).containsExactly(TWO);
    assertThat(unusable).hasSize(2).first().asString().contains("\"jsonrpc\" must be \"2.0\"");
  }

  /** Whatever is wrong with an answer whose request is known: nobody else waits for it. */
  @ParameterizedTest
  @ValueSource(
      strings = {
        "{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{\"structuredContent\":{\"mean\":NaN}}}",
        "{\"id\":1,\"jsonrpc\":\"2.0\",\"result\":{\"x\":-Infinity}}",
        "{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{\"text\":\"a\tb\"}}",
        "{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{\"text\":\"C:\\dir\"}}",
        "{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{\"a\":1,}}",
        "{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{\"content\":[{\"type\":\"te",
        "{\"id\":1,\"result\":{\"content\":[{\"type\":\"te",
        "{\"jsonrpc\":\"2.0\",\"id\":1,\"error\":\"no such tool\"}",
        "{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{},\"error\":{\"code\":1,\"message\":\"a\"}}",
        "{\"jsonrpc\":\"2.0\",\"id\":1}",
        "{\"jsonrpc\":2.0,\"id\":1,\"result\":{}}",
        "{\"jsonrpc\":\"1.0\",\"id\":1,\"result\":{}}",
        "{\"jsonRPC\":\"2.0\",\"id\":1,\"result\":{}}",
        ONE + "done"
      })
  void an_answer_that_is_no_message_fails_its_request_alone(String line) throws Exception {
    framer.negotiated("2025-06-18");
    framer.feed(bytes(line + "\n" + TWO + "\n"));
    assertThat(messages).containsExactly(TWO);
    assertThat(unusable)
        .singleElement()
        .asString()
        .startsWith("1: the answer on line 1 of stdout is no JSON-RPC message: ")
        .endsWith("; the line: " + line);
    assertThat(tolerated).containsExactly(Quirk.NOISE);
  }

  /** Answers to notifications, and notifications: nobody waits for them. */
  @ParameterizedTest
  @ValueSource(
      strings = {
        "{\"jsonrpc\":\"2.0\"}",
        "{\"jsonrpc\":\"2.0\",\"id\":null}",
        "{\"jsonrpc\":\"2.0\",\"id\":null,\"error\":null}",
        "{\"jsonrpc\":\"2.0\",\"id\":null,\"error\":\"unknown method\"}",
        "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/x\",\"params\":[]}",
        "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/message\",\"params\":{\"data\":NaN}}",
        "{\"jsonrpc\":\"2.0\",\"method\":\"notifications\\/x\",\"params\":{\"d\":NaN,\"id\":1}}",
        "{\"jsonrpc\":\"2.0\",\"id\":null,\"method\":\"x\",\"params\":{\"data\":NaN}}",
        "{\"id\":7,\"method\":\"GET\",\"status\":200}"
      })
  void what_nobody_waits_for_is_noise(String line) throws Exception {
    framer.negotiated("2025-06-18");
    framer.feed(bytes(line + "\n" + ONE + "\n"));
    assertThat(messages).containsExactly(ONE);
    assertThat(unusable).isEmpty();
    assertThat(framer.junk()).isEqualTo(1);
  }

  /** The server waits for an answer, which nobody would give. */
  @ParameterizedTest
  @ValueSource(
      strings = {
        "{\"jsonrpc\":\"2.0\",\"id\":5,\"method\":\"elicitation/create\",\"params\":{\"x\":NaN}}",
        "{\"jsonrpc\":\"2.0\",\"method\":\"elicitation/create\",\"params\":{\"x\":NaN},\"id\":\"a\"}",
        "{\"method\":\"roots/list\",\"id\":0,\"jsonrpc\":\"2.0\",\"params\":[}"
      })
  void a_broken_request_of_the_server_ends_the_session(String line) {
    framer.negotiated("2025-06-18");
    assertThat(refused(framer, bytes(line + "\n")))
        .hasMessageStartingWith("line 1 of stdout is no JSON-RPC message: ");
  }

  /** Their form is right but for the request that they answer, which there is not. */
  @ParameterizedTest
  @ValueSource(
      strings = {
        "{\"jsonrpc\":\"2.0\",\"id\":null,\"result\":{}}",
        "{\"jsonrpc\":\"2.0\",\"result\":{}}",
        "{\"jsonrpc\":\"2.0\",\"id\":null,\"result\":null,\"error\":null}",
        "{\"jsonrpc\":\"2.0\",\"error\":{\"code\":-32601,\"message\":\"no\",\"data\":null}}",
        "{\"jsonrpc\":\"2.0\",\"id\":null,\"error\":{\"code\":-32601,\"message\":\"no\"}}"
      })
  void an_answer_to_a_notification_is_a_message(String line) throws Exception {
    framer.feed(bytes(line + "\n" + ONE + "\n"));
    assertThat(messages).containsExactly(line, ONE);
    assertThat(framer.junk()).isZero();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "{\"jsonrpc\":\"2.0\",\"id\":1,\"res",
        "{\"jsonrpc\":\"2.0\",\"result\":{\"content\":[{\"type\":\"te",
        "{\"jsonrpc\":\"2.0\",\"id\":1,\"id\":2,\"result\":{}}",
        "{\"jsonrpc\":\"2.0\",\"id\":1,\"ID\":2,\"result\":{}}",
        "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"x\",\"result\":{}}",
        ONE + TWO,
        "{\"jsonrpc\":\"2.0\",\"id\":1,\"res" + TWO,
        "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/x\",\"params\":{\"a" + TWO,
        "\"jsonrpc\": \"2.0\",",
        "[" + ONE + "]",
        "[{\"jsonrpc\":\"2.0\"",
        "[ \t{\"jsonrpc\":\"2.0\"",
        "{\"id\":1,\"id\":1"
      })
  void what_may_be_a_part_of_a_message_ends_the_stream_and_is_quoted(String line) {
    TransportException refused = refused(framer, bytes("\n" + line + "\n"));
    assertThat(refused.reason()).isEqualTo(Reason.PROTOCOL_ERROR);
    assertThat(refused)
        .hasMessageStartingWith("line 2 of stdout is no JSON-RPC message: ")
        .hasMessageEndingWith("; the line: " + line);
    assertThat(messages).isEmpty();
  }

  @Test
  void case_9_a_long_junk_line_is_kept_by_its_length_so_that_no_secret_is_cut() throws Exception {
    framer.feed(bytes("x".repeat(295) + "canary\n"));
    assertThat(framer.firstJunk()).containsExactly("(a line of 301 bytes)");
  }

  @Test
  void a_line_of_exactly_the_limit_passes_and_one_byte_more_is_refused() throws Exception {
    ParseLimits limits = ParseLimits.DEFAULT.withMaxBytes(ONE.length());
    framer(limits).feed(bytes(ONE + "\r\n"));
    assertThat(messages).containsExactly(ONE);
    assertThat(refused(framer(limits), bytes(" " + ONE + "\n")).reason())
        .isEqualTo(Reason.LIMIT_EXCEEDED);
  }

  @Test
  void an_endless_line_is_refused_before_it_ends() throws Exception {
    LineFramer small = framer(ParseLimits.DEFAULT.withMaxBytes(100));
    small.feed(new byte[100]);
    TransportException refused = refused(small, new byte[2]);
    assertThat(refused.reason()).isEqualTo(Reason.LIMIT_EXCEEDED);
    assertThat(refused.reached()).isEqualTo(TransportException.Reached.MAYBE);
    assertThat(small.pending()).isLessThanOrEqualTo(101);
  }

  @Test
  void invalid_utf8_fails_its_request_and_deep_nesting_is_over_the_limit() throws Exception {
    framer.feed((ONE.replace("{}", "\"\u00FF\"") + "\n").getBytes(StandardCharsets.ISO_8859_1));
    assertThat(unusable).singleElement().asString().startsWith("1: ");
    assertThat(messages).isEmpty();
    String deep = ONE.replace("{}", "[".repeat(600) + "]".repeat(600)) + "\n";
    assertThat(refused(framer(ParseLimits.DEFAULT), bytes(deep)).reason())
        .isEqualTo(Reason.LIMIT_EXCEEDED);
  }

  @Test
  void line_separators_and_escaped_nul_inside_strings_are_kept() throws Exception {
    String message = ONE.replace("{}", "\"a\u2028b\\u0000c\"");
    framer.feed(bytes(message + "\n"));
    assertThat(messages).containsExactly(message);
  }

  @Test
  void a_tolerant_framer_reports_each_bad_line_wherever_the_stream_is_cut() throws Exception {
    ParseLimits limits = ParseLimits.DEFAULT.withMaxBytes(60);
    String stream =
        "log\n[{}]\n" + ONE + "\n" + "{".repeat(200) + "\r\n\n" + TWO + "\n{\n" + ONE + "\n";
    byte[] all = bytes(stream);
    for (int first = 0; first <= all.length; first++) {
      List<String> seen = new ArrayList<>();
      LineFramer tolerant =
          LineFramer.tolerant(
              "stdin",
              limits,
              message -> seen.add(message.text().toString()),
              fault -> seen.add(fault.reason().name()));
      tolerant.feed(Arrays.copyOf(all, first));
      tolerant.feed(Arrays.copyOfRange(all, first, all.length));
      assertThat(seen)
          .as("cut at %d", first)
          .containsExactly("NOT_JSON", "BATCH", ONE, "TOO_LARGE", TWO, "NOT_JSON", ONE);
      assertThat(tolerant.junk()).isZero();
    }
  }
}
