package dev.mcpbus.gateway;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.mcpbus.TestOptions;
import dev.mcpbus.bridge.options.BridgeOptions;
import dev.mcpbus.security.ApiKeys;
import dev.mcpbus.security.AuthOptions;
import dev.mcpbus.testing.McpHttp;
import dev.mcpbus.testing.ScriptedPeer;
import dev.mcpbus.testing.TestBus;
import io.vertx.core.json.JsonObject;
import java.security.SecureRandom;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * Clients of the {@code discover} era that try to use what is another client's: its session at an
 * older server, its call that waits, its questions, its {@code Mcp-Session-Id}.
 */
class ForeignRetryTest {

  private static final JsonObject NOTHING = new JsonObject();
  private static final JsonObject ANSWERS = new JsonObject().put("elicitation", NOTHING);
  private static final ApiKeys.Fresh ADA = ApiKeys.generate(new SecureRandom());
  private static final ApiKeys.Fresh BOB = ApiKeys.generate(new SecureRandom());

  private TestBus bus;
  private ScriptedPeer peer;
  private int sequence;

  @BeforeEach
  void start() {
    bus =
        TestBus.startWithAuth(
            NOTHING,
            BridgeOptions.DEFAULT.withPort(0),
            TestOptions.ofKeys(List.of(key("ada", ADA), key("bob", BOB))));
    peer =
        Peers.initialize(
            bus,
            "s",
            (method, params, connection) ->
                switch (method) {
                  case "tools/list" -> Peers.tools("now", "wait");
                  case "tools/call" ->
                      params.getString("name").equals("now")
                          ? Peers.text("from " + connection)
                          : null;
                  default -> null;
                });
  }

  private static AuthOptions.ApiKey key(String name, ApiKeys.Fresh key) {
    return new AuthOptions.ApiKey(name, key.hash(), Set.of(), false, null, null);
  }

  @AfterEach
  void close() {
    bus.close();
  }

  private CompletableFuture<McpHttp.Answer> sent(
      ApiKeys.Fresh who, String path, JsonObject params, String... more) {
    JsonObject request =
        new JsonObject()
            .put("jsonrpc", "2.0")
            .put("id", "r" + ++sequence)
            .put("method", "tools/call")
            .put("params", params.copy().put("_meta", McpHttp.meta(ANSWERS)));
    String[] described = McpHttp.headers(request);
    String[] headers = new String[described.length + more.length + 2];
    System.arraycopy(described, 0, headers, 2, described.length);
    System.arraycopy(more, 0, headers, described.length + 2, more.length);
    headers[0] = "Authorization";
    headers[1] = "Bearer " + who.key();
    return new McpHttp(bus.port(), path).posted(request.encode(), headers);
  }

  private String now(ApiKeys.Fresh who, String... more) {
    return sent(who, "/mcp/s", Peers.call("now"), more).join().body();
  }

  /** The state of a call of ada's whose server asks. */
  private JsonObject asked() {
    CompletableFuture<McpHttp.Answer> call = sent(ADA, "/mcp/s", Peers.call("wait"));
    await().until(() -> peer.received("tools/call").size() == 1);
    peer.say(
        2,
        "{\"jsonrpc\":\"2.0\",\"id\":7,\"method\":\"elicitation/create\",\"params\":{"
            + "\"message\":\"?\",\"requestedSchema\":{\"type\":\"object\"}}}");
    JsonObject result = call.join().result();
    assertThat(result.getJsonObject("inputRequests").fieldNames()).containsExactly("input-1");
    return result;
  }

  private static JsonObject retry(String tool, @Nullable Object state) {
    JsonObject accepted = new JsonObject().put("action", "accept").put("content", NOTHING);
    return Peers.call(tool)
        .put("requestState", state)
        .put("inputResponses", new JsonObject().put("input-1", accepted));
  }

  private void refused(ApiKeys.Fresh who, JsonObject retry) {
    int before = peer.received("tools/call").size();
    JsonObject error = sent(who, "/mcp/s", retry).join().error();
    assertThat(error.getInteger("code")).as(retry.encode()).isEqualTo(-32602);
    assertThat(error.getString("message")).contains("requestState");
    assertThat(peer.received("tools/call")).as("nothing was sent").hasSize(before);
    assertThat(peer.answers(7)).isEmpty();
  }

  @Test
  void clients_of_one_name_and_two_principals_have_a_session_each() {
    assertThat(now(ADA)).contains("from 2");
    assertThat(now(BOB)).contains("from 3");
    assertThat(now(ADA, "X-Forwarded-User", "bob", "X-Forwarded-For", "10.0.0.1"))
        .contains("from 2");
  }

  @Test
  void the_state_of_a_call_is_good_for_one_retry_of_that_call_by_its_principal() {
    String state = asked().getString("requestState");
    refused(BOB, retry("wait", state));
    refused(ADA, retry("now", state));
    JsonObject other = retry("wait", state);
    refused(ADA, other.copy().put("arguments", new JsonObject().put("to", "eve")));

    CompletableFuture<McpHttp.Answer> good = sent(ADA, "/mcp/s", other);
    await().until(() -> !peer.answers(7).isEmpty());
    JsonObject again = sent(ADA, "/mcp/s", other).join().error();
    assertThat(again.getInteger("code")).as("a replay").isEqualTo(-32602);
    JsonObject call = peer.received("tools/call").get(0);
    peer.say(
        2, "{\"jsonrpc\":\"2.0\",\"id\":" + call.getValue("id") + "," + Peers.text("ok") + "}");
    assertThat(good.join().body()).contains("ok");
    assertThat(peer.received("tools/call")).hasSize(1);
    assertThat(peer.answers(7)).hasSize(1);
  }

  /** Else a retry for which no call waits would do again what the first call has done. */
  @Test
  void a_state_that_no_host_has_made_sends_nothing() {
    String state = asked().getString("requestState");
    String host = state.substring(0, state.indexOf('.'));
    for (Object forged :
        List.of(
            "",
            "x",
            1,
            NOTHING,
            List.of(state),
            state.toUpperCase(Locale.ROOT) + " ",
            host + "." + "0".repeat(32),
            "0".repeat(16) + "." + "0".repeat(32),
            "x".repeat(100_000))) {
      refused(ADA, retry("wait", forged));
    }
  }

  @Test
  void an_answer_to_another_calls_question_has_no_effect() {
    asked();
    JsonObject answers = retry("now", null);
    assertThat(sent(BOB, "/mcp/s", answers).join().body()).contains("from 3");
    assertThat(sent(ADA, "/mcp/s", answers).join().body()).contains("from 2");
    assertThat(peer.answers(7)).isEmpty();
  }

  @Test
  void the_session_id_of_another_client_has_no_effect_beside_messages_that_describe_themselves() {
    McpHttp.Session adas =
        new McpHttp(bus.port(), "/mcp/s")
            .initialize("2025-11-25", NOTHING, "Authorization", "Bearer " + ADA.key());
    assertThat(adas.call("tools/call", Peers.call("now")).body()).contains("from 2");
    assertThat(now(BOB, "Mcp-Session-Id", adas.id())).contains("from 3");
    assertThat(adas.call("tools/call", Peers.call("now")).body()).contains("from 2");
  }
}
