package dev.mcpbus.gateway.client;

import static org.assertj.core.api.Assertions.assertThat;

import dev.mcpbus.internals.ByteBudget;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.junit5.VertxExtension;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

@ExtendWith(VertxExtension.class)
class SessionStreamsTest {

  @Test
  void a_session_that_goes_on_knows_which_streams_were_lost(Vertx vertx) {
    SessionStreams streams = new SessionStreams(vertx.eventBus(), ByteBudget.unbounded());
    assertThat(streams.isLost("gone-1_3")).isFalse();
    String before = streams.standing().id();

    streams.resume();

    assertThat(streams.isLost("gone-1_3")).isTrue();
    assertThat(streams.isLost(before + "_7")).isFalse();
    assertThat(streams.isLost(null)).isFalse();
    assertThat(streams.isLost("nonsense")).isFalse();
    streams.begin("here-1", "door");
    assertThat(streams.isLost("here-1_0")).isFalse();
    assertThat(streams.standing().id()).isNotEqualTo(before);
  }

  @Test
  void events_that_wait_for_a_client_are_paid_for_until_their_stream_is_forgotten(Vertx vertx) {
    ByteBudget budget = new ByteBudget(4 << 20, 0);
    SessionStreams streams =
        new SessionStreams(vertx.eventBus(), budget.account(ByteBudget.ByteUse.KEPT, "ann"));
    byte[] event = new byte[100 * 1024];
    for (int i = 0; i < 100; i++) {
      ResumableStream stream = streams.begin("here-" + i, "door");
      stream.keep();
      stream.detach();
      for (int more = 0; more < i % 4; more++) {
        stream.send(event);
      }
      stream.finish(Buffer.buffer(event));
      assertThat(budget.used())
          .as("half of what one use has, without its part for small ones")
          .isLessThan(1 << 20);
    }
    assertThat(budget.used()).isPositive();
    streams.close();
    assertThat(budget.used()).isZero();
  }
}
