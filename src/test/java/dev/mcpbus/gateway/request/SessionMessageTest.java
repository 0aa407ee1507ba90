package dev.mcpbus.gateway.request;

import static org.assertj.core.api.Assertions.assertThat;

import dev.mcpbus.bus.CallOrigin;
import dev.mcpbus.bus.Headers;
import io.vertx.core.MultiMap;
import io.vertx.core.eventbus.DeliveryOptions;
import java.util.List;
import org.junit.jupiter.api.Test;

class SessionMessageTest {

  /** With one name for both, a connection asked the wrong address whether the client waits. */
  @Test
  void the_origin_of_a_call_and_the_verticle_of_its_response_are_two_headers() {
    CallOrigin origin = CallOrigin.at("n1", 5_000_000, "mcp.gateway.doors.d", "7");
    DeliveryOptions options =
        origin.addTo(SessionMessage.options(SessionMessage.POST, "p", "verticle", "exchange"));

    MultiMap headers = options.getHeaders();
    assertThat(headers.getAll(SessionMessage.VERTICLE)).isEqualTo(List.of("verticle"));
    assertThat(headers.getAll(Headers.DOOR)).isEqualTo(List.of("mcp.gateway.doors.d 7"));
    assertThat(CallOrigin.of(headers)).isEqualTo(origin);
    assertThat(headers.names()).hasSize(6);
  }
}
