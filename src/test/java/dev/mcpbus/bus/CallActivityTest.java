package dev.mcpbus.bus;

import static org.assertj.core.api.Assertions.assertThat;

import dev.mcpbus.protocol.Methods;
import io.vertx.core.json.JsonObject;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import org.junit.jupiter.api.Test;

/** The minutes of the last hour: how they move on, and what a clock that is set does to them. */
class CallActivityTest {

  private Instant now = Instant.parse("2026-03-01T11:58:30Z");
  private final CallActivity activity = new CallActivity(() -> now);

  private void call(long millis) {
    activity.ended(Methods.TOOLS_CALL, "OK", millis);
  }

  private void pass(long seconds) {
    now = now.plusSeconds(seconds);
  }

  private List<Long> numbers(String list) {
    List<Long> all = new ArrayList<>();
    JsonObject json = activity.toJson();
    json.getJsonArray(list).forEach(one -> all.add(((Number) one).longValue()));
    assertThat(all).hasSize(CallActivity.MINUTES);
    return all;
  }

  /** An hour with these numbers in its last minutes, and 0 before. */
  private static List<Long> hour(long... last) {
    List<Long> all = new ArrayList<>(Collections.nCopies(CallActivity.MINUTES - last.length, 0L));
    for (long one : last) {
      all.add(one);
    }
    return all;
  }

  @Test
  void without_a_call_every_minute_is_zero() {
    for (String list : List.of("calls", "failed", "millis", "longest")) {
      assertThat(numbers(list)).isEqualTo(hour());
    }
  }

  @Test
  void the_present_minute_is_the_last_one() {
    call(10);
    call(30);
    activity.ended(Methods.TOOLS_CALL, "TOOL_ERROR", 20);
    activity.ended("request", "CALL_TIMEOUT", 5);
    assertThat(numbers("calls")).isEqualTo(hour(4));
    assertThat(numbers("failed")).isEqualTo(hour(2));
    assertThat(numbers("millis")).isEqualTo(hour(65));
    assertThat(numbers("longest")).isEqualTo(hour(30));
  }

  @Test
  void lists_and_pings_are_no_calls() {
    activity.ended(Methods.TOOLS_LIST, "OK", 10);
    activity.ended(Methods.PING, "CALL_TIMEOUT", 10);
    assertThat(numbers("calls")).isEqualTo(hour());
    activity.ended(Methods.COMPLETE, "OK", 10);
    assertThat(numbers("calls")).isEqualTo(hour(1));
  }

  @Test
  void a_minute_begins_with_the_minute_of_the_clock() {
    call(1);
    pass(29);
    call(1);
    pass(1);
    assertThat(numbers("calls")).isEqualTo(hour(2, 0));
    call(1);
    pass(120);
    call(7);
    assertThat(numbers("calls")).isEqualTo(hour(2, 1, 0, 1));
    assertThat(numbers("longest")).isEqualTo(hour(1, 1, 0, 7));
  }

  @Test
  void a_minute_leaves_after_an_hour_and_its_place_is_empty() {
    call(9);
    pass(59 * 60);
    assertThat(numbers("millis").get(0)).isEqualTo(9);
    pass(60);
    assertThat(numbers("millis")).isEqualTo(hour());
    call(4);
    assertThat(numbers("millis")).isEqualTo(hour(4));
    assertThat(numbers("longest")).isEqualTo(hour(4));
  }

  @Test
  void after_more_than_an_hour_of_silence_nothing_is_left() {
    for (int i = 0; i < CallActivity.MINUTES; i++) {
      call(1);
      pass(60);
    }
    pass(3 * 3_600 + 17 * 60);
    call(2);
    assertThat(numbers("calls")).isEqualTo(hour(1));
    assertThat(numbers("millis")).isEqualTo(hour(2));
    pass(86_400);
    assertThat(numbers("calls")).isEqualTo(hour());
  }

  @Test
  void where_the_clock_goes_back_a_little_the_newest_minute_goes_on() {
    call(1);
    pass(60);
    call(2);
    pass(-60L * CallActivity.MAX_BACK);
    call(3);
    assertThat(numbers("calls")).isEqualTo(hour(1, 2));
    assertThat(numbers("millis")).isEqualTo(hour(1, 5));
    pass(60L * CallActivity.MAX_BACK + 60);
    call(4);
    assertThat(numbers("calls")).isEqualTo(hour(1, 2, 1));
  }

  @Test
  void where_the_clock_goes_back_by_more_the_hour_begins_anew() {
    call(1);
    pass(-3_600);
    call(2);
    assertThat(numbers("calls")).isEqualTo(hour(1));
    assertThat(numbers("millis")).isEqualTo(hour(2));
  }
}
