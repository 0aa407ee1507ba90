package dev.mcpbus.bridge;

import static dev.mcpbus.bridge.BridgeFixture.ALPHA;
import static org.assertj.core.api.Assertions.assertThat;

import dev.mcpbus.bridge.BridgeFixture.Answer;
import dev.mcpbus.bridge.options.BridgeOptions;
import dev.mcpbus.bus.Addresses;
import dev.mcpbus.bus.FailureCode;
import dev.mcpbus.bus.McpFailure;
import dev.mcpbus.internals.RecordCopy;
import io.vertx.core.MultiMap;
import io.vertx.core.Vertx;
import io.vertx.core.http.HttpMethod;
import io.vertx.junit5.VertxExtension;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What people see: the page at the root, and where the output of {@code curl} ends. */
@ExtendWith(VertxExtension.class)
class RootRouteTest {

  private static Answer page(BridgeFixture bridge, String accept) {
    return bridge.send(
        HttpMethod.GET, "/", "", MultiMap.caseInsensitiveMultiMap().add("Accept", accept));
  }

  @Test
  void curl_gets_text_with_the_states_of_the_servers(Vertx vertx) {
    BridgeFixture bridge = new BridgeFixture(vertx);
    bridge.service();

    Answer answer = page(bridge, "*/*");

    assertThat(answer.headers().get("Content-Type")).isEqualTo("text/plain; charset=utf-8");
    assertThat(answer.body())
        .startsWith("This is mcpbus ")
        .contains("1 FAILED (beta)", "\n  /api/servers ")
        .doesNotContain("<")
        .endsWith(".\n");
  }

  @Test
  void a_browser_gets_the_text_where_the_console_is_off(Vertx vertx) {
    BridgeFixture bridge =
        new BridgeFixture(
            vertx, RecordCopy.with(BridgeOptions.DEFAULT.withPort(0), "console", false));
    bridge.service();

    Answer answer = page(bridge, "text/html,application/xhtml+xml,*/*;q=0.8");

    assertThat(answer.headers().get("Content-Type")).isEqualTo("text/plain; charset=utf-8");
    assertThat(answer.headers().get("Content-Security-Policy")).contains("default-src 'none'");
    assertThat(answer.headers().get("Vary")).isEqualTo("Accept");
    assertThat(answer.body()).startsWith("This is mcpbus ").contains("1 FAILED (beta)");
  }

  @Test
  void the_page_comes_without_the_states_when_the_service_does_not_answer(Vertx vertx) {
    Answer answer = page(new BridgeFixture(vertx), "*/*");

    assertThat(answer.status()).isEqualTo(200);
    assertThat(answer.body()).contains("not known now", "/openapi.json");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "/",
        "/api/servers",
        "/api/servers/beta",
        "/api/servers/nowhere",
        "/api/tools",
        "/api/tools?form=openai",
        "/api/nowhere",
        "/health/live",
        "/health/ready",
        "/openapi.json",
      })
  void a_document_of_mcpbus_ends_with_a_line_break(String path, Vertx vertx) {
    BridgeFixture bridge = new BridgeFixture(vertx);
    bridge.service();
    bridge.on(Addresses.ALL_TOOLS_LIST, "{\"tools\":[]}");
    bridge.on(Addresses.ALL_TOOLS_FUNCTIONS, "[]");

    Answer answer = bridge.get(path);

    assertThat(answer.body()).endsWith("\n").doesNotEndWith("\n\n");
    assertThat(answer.headers().get("Content-Length"))
        .isEqualTo(Integer.toString(answer.body().length()));
  }

  @Test
  void an_answer_of_rpc_ends_with_a_line_break_and_a_result_alone_does_not(Vertx vertx) {
    BridgeFixture bridge = new BridgeFixture(vertx);
    bridge.on(Addresses.of(ALPHA, Addresses.TOOLS_CALL), "{\"content\":[]}");
    String call = "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/call\",\"params\":%s}";

    assertThat(bridge.post("/rpc", call.formatted("{\"name\":\"alpha.a\"}")).body())
        .endsWith("\"result\":{\"content\":[]}}\n");
    assertThat(bridge.post("/rpc", "no").body()).endsWith("}\n");
    assertThat(bridge.post("/api/servers/alpha/tools/a", "{}").body())
        .isEqualTo("{\"content\":[]}");
  }

  @Test
  void a_problem_of_a_call_ends_with_a_line_break(Vertx vertx) {
    BridgeFixture bridge = new BridgeFixture(vertx);
    bridge.on(
        Addresses.of(ALPHA, Addresses.TOOLS_CALL),
        McpFailure.notSent(FailureCode.UNAVAILABLE, "not now"));

    assertThat(bridge.post("/api/servers/alpha/tools/a", "{}").body()).endsWith("}\n");
  }
}
