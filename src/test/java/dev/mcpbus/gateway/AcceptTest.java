package dev.mcpbus.gateway;

import static org.assertj.core.api.Assertions.assertThat;

import dev.mcpbus.testing.McpHttp;
import dev.mcpbus.testing.McpHttp.Answer;
import io.vertx.core.json.JsonObject;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** A client gets its answers in a form that its header {@code Accept} takes. */
class AcceptTest extends GatewayFixture {

  AcceptTest() {
    super("/mcp");
  }

  @BeforeEach
  void begin() {
    Peers.initialize(
        bus,
        "s",
        (method, params, connection) -> method.equals("tools/list") ? Peers.tools("t") : null);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "application/json | false",
        "text/event-stream | true",
        "text/event-stream;charset=utf-8 | true",
        "text/* | true",
        "*/* | false",
        "application/* | false",
        "application/json;q=0.9, text/event-stream;q=0.8 | false",
        "application/json;q=0.5, text/event-stream | true",
        "application/json;q=0, */* | true",
      })
  void a_session_begins_and_lists_in_an_accepted_form(String accept, boolean stream) {
    for (String version : new String[] {"2025-06-18", "2025-11-25"}) {
      McpHttp.Session session = client.initialize(version, new JsonObject(), "Accept", accept);
      Answer listed = session.call("tools/list", new JsonObject());
      assertThat(listed.isStream()).isEqualTo(stream);
      assertThat(listed.messages()).hasSize(1);
      assertThat(McpHttp.names(listed.result(), "tools")).containsExactly("s__t");
      assertThat(session.end()).isEqualTo(204);
    }
  }

  @Test
  void an_error_of_http_stays_json() {
    Answer refused =
        client.post(client.request("tools/list", new JsonObject()), "Accept", "text/event-stream");
    assertThat(refused.status()).isEqualTo(400);
    assertThat(refused.isStream()).isFalse();
  }

  @ParameterizedTest
  @ValueSource(strings = {"text/event-stream", "application/json"})
  void the_discover_era_too(String accept) {
    JsonObject request = client.described("tools/list", new JsonObject());
    String[] headers = McpHttp.headers(request);
    Answer listed =
        client.post(request, headers[0], headers[1], headers[2], headers[3], "Accept", accept);
    assertThat(listed.header("content-type")).startsWith(accept);
    assertThat(McpHttp.names(listed.result(), "tools")).containsExactly("s__t");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {"text/html", "application/json;q=0", "*/*;q=0", "application/json;q=0, text/xml"})
  void what_fits_no_form_is_refused(String accept) {
    Answer refused = client.post(client.request("initialize", new JsonObject()), "Accept", accept);
    assertThat(refused.status()).isEqualTo(406);
  }

  @Test
  void a_standing_stream_wants_a_client_that_takes_one() {
    McpHttp.Session session = client.initialize();
    String[] headers = session.headers();
    for (String accept : new String[] {"application/json", "text/event-stream;q=0, */*"}) {
      assertThat(
              client.refusedGet(headers[0], headers[1], headers[2], headers[3], "Accept", accept))
          .isEqualTo(406);
    }
    try (McpHttp.Stream stream = session.listen()) {
      assertThat(stream.status()).isEqualTo(200);
    }
  }
}
