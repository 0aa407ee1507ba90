package dev.mcpbus.bridge;

import static org.assertj.core.api.Assertions.assertThat;

import io.vertx.core.buffer.Buffer;
import org.junit.jupiter.api.Test;

class EventRingTest {

  private static EventRing with(int most, long... times) {
    EventRing ring = new EventRing(most, 1_000);
    for (long time : times) {
      Buffer frame = Buffer.buffer("x");
      ring.add(new EventRing.StoredEvent("s", "log", null, null, time, frame, frame));
    }
    return ring;
  }

  @Test
  void the_first_event_since_a_time_is_found() {
    EventRing ring = with(10, 10, 20, 20, 30);
    assertThat(ring.since(5)).isZero();
    assertThat(ring.since(20)).isEqualTo(1);
    assertThat(ring.since(21)).isEqualTo(3);
    assertThat(ring.since(31)).isEqualTo(4).isEqualTo(ring.next());
  }

  @Test
  void of_what_is_forgotten_nothing_is_found() {
    EventRing ring = with(2, 10, 20, 30);
    assertThat(ring.since(5)).isEqualTo(ring.first()).isEqualTo(1);
    assertThat(new EventRing(2, 1_000).since(5)).isZero();
  }
}
