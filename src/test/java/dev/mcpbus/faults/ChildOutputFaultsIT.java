package dev.mcpbus.faults;

import static org.assertj.core.api.Assertions.assertThat;

import dev.mcpbus.bus.Addresses;
import dev.mcpbus.bus.Events;
import dev.mcpbus.bus.FailureCode;
import dev.mcpbus.bus.McpFailure;
import dev.mcpbus.bus.McpFailure.Sent;
import dev.mcpbus.testing.TestBus;
import io.vertx.core.Future;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.eventbus.DeliveryOptions;
import io.vertx.core.json.JsonObject;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What a child writes, or does not read. */
class ChildOutputFaultsIT {

  private static JsonObject transport(FaultBed bed) {
    return bed.status().getJsonObject("transport");
  }

  @ParameterizedTest
  @ValueSource(strings = {"stderr-flood", "stderr-closed"})
  void case_08_stderr_is_drained_into_a_ring_or_may_be_closed(String behaviour) {
    try (FaultBed bed = FaultBed.ready(FaultBed.scripted(behaviour))) {
      for (int i = 0; i < 20; i++) {
        bed.call("echo").text();
      }
      int kept = transport(bed).getString("stderr").length();
      if (behaviour.equals("stderr-flood")) {
        assertThat(kept).isBetween(1, 16 * 1024);
        assertThat(transport(bed).getString("stderr")).contains("flood");
      }
      bed.assertUndisturbed();
    }
  }

  @Test
  void case_09_a_line_of_noise_for_each_call_is_counted_and_skipped_for_ever() {
    try (FaultBed bed = FaultBed.ready(FaultBed.scripted("good"))) {
      long pid = bed.pid();
      for (int i = 1; i <= 200; i++) {
        assertThat(bed.text("junk-line")).isEqualTo("done");
      }
      assertThat(transport(bed).getInteger("junk")).isEqualTo(200);
      assertThat(bed.pid()).isEqualTo(pid);
      bed.assertUndisturbed();
    }
  }

  @Test
  void case_09_junk_over_the_budget_instead_of_a_handshake_fails_the_handshake() {
    JsonObject backoff = new JsonObject().put("initial", 60_000).put("max", 60_000);
    JsonObject entry =
        FaultBed.scripted("junk-flood").put("restart", new JsonObject().put("backoff", backoff));
    try (FaultBed bed = FaultBed.start(entry)) {
      assertThat(bed.failure("echo", FailureCode.HANDSHAKE_FAILED, Sent.NO))
          .hasMessageContaining("logs belong on stderr");
      FaultBed.until("only the neighbour runs").until(() -> bed.processes().size() == 1);
    }
  }

  @Test
  void case_11_a_line_over_16_mib_ends_the_session_and_everything_in_flight() {
    try (FaultBed bed = FaultBed.ready(FaultBed.scripted("good", 512))) {
      long pid = bed.pid();
      Future<Ending> other = bed.sendTool("hang");
      assertThat(bed.failure("big", FailureCode.LIMIT_EXCEEDED, Sent.MAYBE))
          .hasMessageContaining("16777216");
      TestBus.await(other).failure(FailureCode.LIMIT_EXCEEDED, Sent.MAYBE);
      bed.assertBack(pid, FailureCode.LIMIT_EXCEEDED);
      Ending fits = bed.call("big", new JsonObject().put("bytes", 15 << 20), new DeliveryOptions());
      assertThat(fits.text()).hasSize(15 << 20);
    }
  }

  @Test
  void case_12_an_answer_that_is_no_utf_8_fails_its_call_alone_and_is_never_replaced() {
    try (FaultBed bed = FaultBed.ready(FaultBed.scripted("good"))) {
      assertThat(bed.failure("invalid-utf8", FailureCode.PROTOCOL_ERROR, Sent.MAYBE))
          .hasMessageContaining("UTF-8");
      bed.assertUndisturbed();
    }
  }

  @Test
  void case_12_text_that_is_no_json_and_names_no_call_is_refused() {
    try (FaultBed bed = FaultBed.ready(FaultBed.scripted("good"))) {
      long pid = bed.pid();
      assertThat(bed.failure("not-json", FailureCode.PROTOCOL_ERROR, Sent.MAYBE))
          .hasMessageContaining("byte");
      bed.assertBack(pid, FailureCode.PROTOCOL_ERROR);
    }
  }

  @Test
  void case_13_a_byte_order_mark_crlf_and_blank_lines_are_tolerated() {
    try (FaultBed bed = FaultBed.ready(FaultBed.scripted("tolerated"))) {
      JsonObject hello = new JsonObject().put("text", "hello");
      assertThat(bed.call("echo", hello, new DeliveryOptions()).text()).isEqualTo("hello");
      assertThat(transport(bed).getInteger("junk")).isZero();
      bed.assertUndisturbed();
    }
  }

  @Test
  void case_14_line_separators_and_nul_in_strings_are_kept_both_ways() {
    try (FaultBed bed = FaultBed.ready(FaultBed.scripted("good"))) {
      assertThat(bed.text("unicode")).isEqualTo("a\u2028b\0c");
      Buffer raw =
          bed.bus()
              .request(
                  TestBus.address(FaultBed.VICTIM, Addresses.TOOLS_CALL),
                  TestBus.toolCall("unicode", new JsonObject()).toBuffer());
      assertThat(raw.toString()).contains("a\u2028b\\u0000c");
      String text = "\u2028\u2029\0\uFEFF\uD83D\uDE80";
      JsonObject arguments = new JsonObject().put("text", text);
      assertThat(bed.call("echo", arguments, new DeliveryOptions()).text()).isEqualTo(text);
      bed.assertUndisturbed();
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"batch", "two-on-a-line"})
  void case_15_a_batch_or_two_objects_on_a_line_are_a_protocol_error(String tool) {
    try (FaultBed bed = FaultBed.ready(FaultBed.scripted("good"))) {
      long pid = bed.pid();
      assertThat(bed.failure(tool, FailureCode.PROTOCOL_ERROR, Sent.MAYBE))
          .hasMessageContaining(tool.equals("batch") ? "batch" : "of stdout");
      bed.assertBack(pid, FailureCode.PROTOCOL_ERROR);
    }
  }

  @Test
  void case_17_one_that_stops_reading_fills_a_bounded_queue_and_then_calls_are_refused() {
    JsonObject entry =
        ShServer.of("", "*'\"name\":\"echo\"'*) text 'reading no more'; exec sleep 1000 ;;");
    try (FaultBed bed = FaultBed.ready(entry)) {
      assertThat(bed.text("echo")).isEqualTo("reading no more");
      JsonObject mebibyte = new JsonObject().put("text", "x".repeat(1 << 20));
      List<Future<Ending>> sent = new ArrayList<>();
      for (int i = 0; i < 20; i++) {
        sent.add(bed.sendTool("echo", mebibyte, FaultBed.within(1_500)));
      }
      List<Ending> refused = new ArrayList<>();
      List<Ending> late = new ArrayList<>();
      for (int i = 0; i < sent.size(); i++) {
        Ending ending = bed.ending(sent.get(i));
        McpFailure failure = ending.failed();
        assertThat(failure).isNotNull();
        if (failure != null && failure.code() == FailureCode.OVERLOADED) {
          ending.failure(FailureCode.OVERLOADED, Sent.NO);
          refused.add(ending);
        } else {
          ending.failure(FailureCode.CALL_TIMEOUT, Sent.MAYBE);
          late.add(ending);
        }
      }
      long firstLate = late.stream().mapToLong(Ending::endedAt).min().orElseThrow();
      assertThat(refused).as("at once").allMatch(ending -> ending.endedAt() < firstLate);
      assertThat(refused).hasSizeBetween(4, 6);
      assertThat(transport(bed).getInteger("pending")).isZero();
      // What timed out left the queue: there is room again.
      bed.call("echo", mebibyte, FaultBed.within(100))
          .failure(FailureCode.CALL_TIMEOUT, Sent.MAYBE);
      bed.assertUndisturbed();
    }
  }

  @Test
  void case_17_calls_that_wait_for_the_first_list_are_bounded_too() {
    JsonObject entry = FaultBed.scripted("stops-reading").put("maxStash", 10);
    try (FaultBed bed = FaultBed.ready(entry)) {
      List<Future<Ending>> sent = new ArrayList<>();
      for (int i = 0; i < 30; i++) {
        sent.add(bed.sendTool("echo", new JsonObject(), FaultBed.within(500)));
      }
      int overloaded = 0;
      for (Future<Ending> one : sent) {
        Ending ending = bed.ending(one);
        McpFailure failure = ending.failed();
        if (failure != null && failure.code() == FailureCode.OVERLOADED) {
          ending.failure(FailureCode.OVERLOADED, Sent.NO);
          overloaded++;
        } else {
          ending.failure(FailureCode.CALL_TIMEOUT, Sent.NO);
        }
      }
      assertThat(overloaded).isEqualTo(20);
    }
  }

  @Test
  void case_18_no_answer_times_out_and_is_cancelled_at_the_server() {
    try (FaultBed bed = FaultBed.ready(FaultBed.scripted("good"))) {
      bed.text("echo");
      Ending ending = bed.call("hang", new JsonObject(), FaultBed.within(200));
      ending.failure(FailureCode.CALL_TIMEOUT, Sent.MAYBE);
      assertThat(ending.millis()).isGreaterThanOrEqualTo(199L);
      assertThat(bed.text("cancelled-ids")).matches("\\d+");
      assertThat(transport(bed).getInteger("pending")).isZero();
      bed.assertUndisturbed();
    }
  }

  @Test
  void case_18_without_a_deadline_of_the_caller_the_request_timeout_holds() {
    try (FaultBed bed = FaultBed.ready(FaultBed.scripted("good").put("requestTimeout", 300))) {
      Ending ending = bed.call("hang");
      ending.failure(FailureCode.CALL_TIMEOUT, Sent.MAYBE);
      assertThat(ending.millis()).isGreaterThanOrEqualTo(299L);
      assertThat(transport(bed).getInteger("pending")).isZero();
      bed.assertUndisturbed();
    }
  }

  @Test
  void case_19_a_second_answer_is_counted_and_dropped() {
    try (FaultBed bed = FaultBed.ready(FaultBed.scripted("good"))) {
      assertThat(bed.text("twice")).isEqualTo("done");
      FaultBed.until("the second is counted")
          .until(() -> transport(bed).getInteger("unmatched") == 1);
      bed.text("echo");
      bed.assertUndisturbed();
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"wrong-id", "null-id", "string-id"})
  void case_20_an_answer_with_an_id_that_is_not_ours_matches_no_call(String tool) {
    try (FaultBed bed = FaultBed.ready(FaultBed.scripted("good"))) {
      bed.text("echo");
      Future<Ending> other =
          bed.sendTool("sleep", new JsonObject().put("ms", 600), new DeliveryOptions());
      bed.call(tool, new JsonObject(), FaultBed.within(300))
          .failure(FailureCode.CALL_TIMEOUT, Sent.MAYBE);
      assertThat(transport(bed).getInteger("unmatched")).isEqualTo(1);
      assertThat(TestBus.await(other).text()).isEqualTo("slept");
      bed.assertUndisturbed();
    }
  }

  @Test
  void case_21_one_byte_a_second_does_not_move_the_deadline() {
    try (FaultBed bed = FaultBed.ready(FaultBed.scripted("slow"))) {
      Ending ending = bed.call("echo", new JsonObject(), FaultBed.within(1_200));
      ending.failure(FailureCode.CALL_TIMEOUT, Sent.MAYBE);
      assertThat(ending.millis()).isGreaterThanOrEqualTo(1_199L);
      assertThat(bed.events(Events.DISCONNECTED)).isEmpty();
      bed.assertUndisturbed();
    }
  }
}
