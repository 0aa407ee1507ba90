package dev.mcpbus.bus;

import static org.assertj.core.api.Assertions.assertThat;

import dev.mcpbus.bus.CallDeadline.Layer;
import io.vertx.core.MultiMap;
import io.vertx.core.eventbus.DeliveryOptions;
import java.time.Duration;
import java.util.Arrays;
import org.junit.jupiter.api.Test;

class CallDeadlineTest {

  @Test
  void each_layer_waits_longer_than_the_layer_below_it() {
    assertThat(Layer.values())
        .containsExactly(
            Layer.ROUTING, Layer.SERVICE, Layer.CALLER, Layer.ENDPOINT, Layer.BLOCKING);
    for (long left : new long[] {CallDeadline.NONE, 0, 1, 120_000}) {
      long[] waits = Arrays.stream(Layer.values()).mapToLong(each -> each.timeout(left)).toArray();
      assertThat(waits).isSorted().doesNotHaveDuplicates();
      assertThat(waits[0]).as("longer than the connection").isGreaterThan(left);
    }
  }

  @Test
  void without_a_deadline_the_bus_waits_an_hour_at_the_least() {
    assertThat(Layer.ROUTING.timeout(CallDeadline.NONE)).isGreaterThan(3_600_000);
    assertThat(CallDeadline.of(null)).isEqualTo(CallDeadline.NONE);
  }

  @Test
  void the_header_is_read_as_milliseconds() {
    assertThat(CallDeadline.read("5000")).isEqualTo(5_000);
    assertThat(CallDeadline.read(" 0 ")).isZero();
    assertThat(CallDeadline.read(null)).isEqualTo(CallDeadline.NONE);
    assertThat(CallDeadline.read("soon")).isEqualTo(CallDeadline.NONE);
    assertThat(CallDeadline.read("-5")).isEqualTo(CallDeadline.NONE);
    assertThat(CallDeadline.read("5.5")).isEqualTo(CallDeadline.NONE);
  }

  @Test
  void no_deadline_is_so_long_that_the_sum_overflows() {
    assertThat(Layer.BLOCKING.timeout(CallDeadline.read(Long.toString(Long.MAX_VALUE))))
        .isPositive();
    assertThat(Layer.BLOCKING.timeout(CallDeadline.of(Duration.ofSeconds(Long.MAX_VALUE))))
        .isPositive();
  }

  @Test
  void a_new_call_carries_its_name_and_the_time_left() {
    DeliveryOptions options = CallHeaders.of("call-1", 3_000, Layer.CALLER);

    assertThat(options.getHeaders().get(Headers.CALL_ID)).isEqualTo("call-1");
    assertThat(options.getHeaders().get(Headers.DEADLINE)).isEqualTo("3000");
    assertThat(options.getSendTimeout()).isEqualTo(8_000);
  }

  @Test
  void a_new_call_without_a_deadline_carries_none() {
    DeliveryOptions options = CallHeaders.of("call-1", CallDeadline.NONE, Layer.CALLER);

    assertThat(options.getHeaders().contains(Headers.DEADLINE)).isFalse();
    assertThat(options.getSendTimeout()).isEqualTo(Layer.CALLER.timeout(CallDeadline.NONE));
  }

  @Test
  void a_passed_on_call_keeps_its_headers_and_ends_before_its_caller_times_out() {
    MultiMap headers = MultiMap.caseInsensitiveMultiMap().add(Headers.DEADLINE, "3000");

    DeliveryOptions options = CallHeaders.passedOn(headers.add("x", "y"), Layer.SERVICE);

    assertThat(options.getHeaders().names()).containsExactlyInAnyOrder(Headers.DEADLINE, "x");
    assertThat(options.getSendTimeout()).isBetween(3_001L, Layer.CALLER.timeout(3_000) - 1);
    assertThat(options.getHeaders()).isNotSameAs(headers);
  }
}
