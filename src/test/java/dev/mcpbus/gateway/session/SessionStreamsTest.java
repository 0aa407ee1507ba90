package dev.mcpbus.gateway.session;

import static org.assertj.core.api.Assertions.assertThat;

import dev.mcpbus.internals.ByteBudget;
import io.vertx.core.Vertx;
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
}
