package dev.mcpbus.gateway;

import static org.assertj.core.api.Assertions.assertThat;

import dev.mcpbus.testing.McpHttp;
import dev.mcpbus.testing.ScriptedPeer;
import dev.mcpbus.testing.TestBus;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * A server of 2025-11-25 answers a call with the error -32042, "open these URLs first". In
 * 2026-07-28 there is no such error: its clients get questions, and the call is sent again.
 */
class UrlElicitationsTest {

  private static final JsonObject NOTHING = new JsonObject();
  private static final JsonObject OPENS_URLS =
      new JsonObject().put("elicitation", new JsonObject().put("url", NOTHING));
  private static final JsonObject FILLS_FORMS = new JsonObject().put("elicitation", NOTHING);
  private static final String COMPLETE = "notifications/elicitation/complete";

  private TestBus bus;
  private ScriptedPeer peer;
  private volatile boolean open;

  /** In place of {@link #required}. */
  private volatile @Nullable String other;

  @BeforeEach
  void start() {
    bus = TestBus.startWithBridge(NOTHING);
    peer =
        Peers.initialize(
            bus,
            "s",
            (method, params, connection) ->
                switch (method) {
                  case "tools/list" -> Peers.tools("pay");
                  case "tools/call" ->
                      open ? Peers.text("paid") : other == null ? required() : other;
                  default -> null;
                });
  }

  @AfterEach
  void close() {
    bus.close();
  }

  private static String required() {
    JsonArray urls = new JsonArray();
    for (String id : new String[] {"a", "b"}) {
      urls.add(
          new JsonObject()
              .put("mode", "url")
              .put("elicitationId", id)
              .put("url", "https://pay.example.com/" + id)
              .put("message", "Pay " + id));
    }
    JsonObject data = new JsonObject().put("elicitations", urls).put("more", 1);
    return "\"error\":"
        + new JsonObject().put("code", -32042).put("message", "Pay first.").put("data", data);
  }

  private CompletableFuture<McpHttp.Answer> call(JsonObject can, JsonObject params) {
    JsonObject request =
        new JsonObject()
            .put("jsonrpc", "2.0")
            .put("id", 1)
            .put("method", "tools/call")
            .put("params", params.copy().put("_meta", McpHttp.meta(can)));
    return new McpHttp(bus.port(), "/mcp/s").posted(request.encode(), McpHttp.headers(request));
  }

  private JsonObject asked() {
    JsonObject result = call(OPENS_URLS, Peers.call("pay")).join().result();
    assertThat(result.getString("resultType")).isEqualTo("input_required");
    JsonObject first = result.getJsonObject("inputRequests").getJsonObject("input-1");
    assertThat(first.getString("method")).isEqualTo("elicitation/create");
    assertThat(first.getJsonObject("params").getString("url"))
        .isEqualTo("https://pay.example.com/a");
    assertThat(result.getJsonObject("inputRequests").size()).isEqualTo(2);
    return result;
  }

  private static JsonObject answered(JsonObject asked, String first, String second) {
    return Peers.call("pay")
        .put("requestState", asked.getString("requestState"))
        .put(
            "inputResponses",
            new JsonObject()
                .put("input-1", new JsonObject().put("action", first))
                .put("input-2", new JsonObject().put("action", second)));
  }

  private void complete(String... ids) {
    for (String id : ids) {
      peer.notify(COMPLETE, new JsonObject().put("elicitationId", id));
    }
  }

  @Test
  void the_call_is_sent_again_when_the_server_reports_that_the_user_is_done() {
    CompletableFuture<McpHttp.Answer> retry =
        call(OPENS_URLS, answered(asked(), "accept", "accept"));
    complete("a", "unknown", "a");
    assertThat(peer.received("tools/call")).hasSize(1);
    open = true;
    complete("b");
    String answer = retry.join().body();
    assertThat(answer).contains("paid").doesNotContain(COMPLETE);
    assertThat(peer.received("tools/call")).hasSize(2);
    assertThat(peer.received("tools/call").get(1).getJsonObject("params"))
        .isEqualTo(peer.received("tools/call").get(0).getJsonObject("params"));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        ",\"data\":null",
        ",\"data\":\"quota\"",
        ",\"data\":[1.50]",
        ",\"data\":{\"left\":0.10}",
        ",\"data\":{\"elicitations\":[]}",
        ",\"data\":{\"elicitations\":[\"https://a\"]}",
        ",\"data\":{\"elicitations\":{\"a\":1}}"
      })
  void an_error_of_that_number_which_names_no_urls_passes_as_it_is(String data) {
    other = "\"error\":{\"code\":-32042,\"message\":\"Slow down\"" + data + "}";
    for (JsonObject can : new JsonObject[] {NOTHING, OPENS_URLS}) {
      assertThat(call(can, Peers.call("pay")).join().body()).contains(other);
    }
  }

  @Test
  void a_user_may_be_done_before_the_client_answers() {
    JsonObject asked = asked();
    open = true;
    complete("a", "b");
    assertThat(call(OPENS_URLS, answered(asked, "accept", "accept")).join().body())
        .contains("paid");
  }

  @Test
  void a_url_that_the_client_does_not_accept_ends_the_call() {
    JsonObject error = call(OPENS_URLS, answered(asked(), "accept", "decline")).join().error();
    assertThat(error.getInteger("code")).isEqualTo(-32603);
    assertThat(error.getString("message")).contains("decline");
    assertThat(error.getJsonObject("data").getString("code")).isEqualTo("CANCELLED");
    assertThat(peer.received("tools/call")).hasSize(1);
  }

  @Test
  void a_client_that_opens_no_urls_learns_which_capability_it_lacks() {
    for (JsonObject can : new JsonObject[] {NOTHING, FILLS_FORMS}) {
      McpHttp.Answer answer = call(can, Peers.call("pay")).join();
      assertThat(answer.status()).isEqualTo(400);
      JsonObject error = answer.error();
      assertThat(error.getInteger("code")).isEqualTo(-32021);
      assertThat(error.getString("message")).isEqualTo("Pay first.");
      assertThat(error.getJsonObject("data").getJsonObject("requiredCapabilities"))
          .isEqualTo(OPENS_URLS);
      assertThat(error.getJsonObject("data").getJsonArray("elicitations")).hasSize(2);
      assertThat(error.getJsonObject("data").getInteger("more")).isEqualTo(1);
    }
  }

  @Test
  void a_client_of_2025_gets_the_error_as_the_server_sent_it() {
    McpHttp.Session session =
        new McpHttp(bus.port(), "/mcp/s").initialize("2025-11-25", OPENS_URLS);
    assertThat(session.call("tools/call", Peers.call("pay")).body()).contains(required());
  }
}
