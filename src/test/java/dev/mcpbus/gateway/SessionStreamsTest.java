package dev.mcpbus.gateway;

import static org.assertj.core.api.Assertions.assertThat;

import io.vertx.core.Vertx;
import io.vertx.junit5.VertxExtension;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

@ExtendWith(VertxExtension.class)
class SessionStreamsTest {

  @Test
  void a_session_that_goes_on_knows_which_streams_were_lost(Vertx vertx) {
    SessionStreams streams = new SessionStreams(vertx.eventBus());
    assertThat(streams.hasLost("gone-1_3")).isFalse();
    String before = streams.standing().id();

    streams.goOn();

    assertThat(streams.hasLost("gone-1_3")).isTrue();
    assertThat(streams.hasLost(before + "_7")).isFalse();
    assertThat(streams.hasLost(null)).isFalse();
    assertThat(streams.hasLost("nonsense")).isFalse();
    streams.begin("here-1", "door");
    assertThat(streams.hasLost("here-1_0")).isFalse();
    assertThat(streams.standing().id()).isNotEqualTo(before);
  }
}
