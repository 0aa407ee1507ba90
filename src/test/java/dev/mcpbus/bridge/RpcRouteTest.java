package dev.mcpbus.bridge;

import static dev.mcpbus.bridge.BridgeFixture.ALPHA;
import static org.assertj.core.api.Assertions.assertThat;

import dev.mcpbus.bridge.BridgeFixture.Answer;
import dev.mcpbus.bridge.BridgeFixture.Seen;
import dev.mcpbus.bridge.options.BridgeOptions;
import dev.mcpbus.bus.Addresses;
import dev.mcpbus.bus.FailureCode;
import dev.mcpbus.bus.Headers;
import dev.mcpbus.bus.McpFailure;
import dev.mcpbus.protocol.JsonRpcError;
import io.vertx.core.Vertx;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import io.vertx.junit5.VertxExtension;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

@ExtendWith(VertxExtension.class)
class RpcRouteTest {

  private static final String ODD = "{\"z\":1.50e+2 ,\"a\":12345678901234567890123,\"\\u0061\":1}";

  private static String request(String method, String params) {
    return "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"" + method + "\",\"params\":" + params + "}";
  }

  @ParameterizedTest
  @ValueSource(strings = {"1", "-7", "1.50", "12345678901234567890", "\"a\\u0062\"", "\"\""})
  void id_and_result_pass_as_they_were_written(String id, Vertx vertx) {
    BridgeFixture bridge = new BridgeFixture(vertx);
    bridge.on(Addresses.of(ALPHA, Addresses.TOOLS_CALL), ODD);

    Answer answer =
        bridge.post(
            "/rpc",
            "{\"method\":\"tools/call\", \"id\": "
                + id
                + " ,\"x\":0,\"params\":{\"name\":\"alpha:t\"},\"jsonrpc\":\"2.0\"}\n");

    assertThat(answer.status()).isEqualTo(200);
    assertThat(answer.body())
        .isEqualTo("{\"jsonrpc\":\"2.0\",\"id\":" + id + ",\"result\":" + ODD + "}\n");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '\0',
      value = {
        // name given | beside params | bus address | name sent
        "alpha:t|-|mcp.alpha.tools.call|t",
        "alpha.t|-|mcp.alpha.tools.call|t",
        "alpha:a.b:c|-|mcp.alpha.tools.call|a.b:c",
        "alpha.a:b|-|mcp.alpha.tools.call|a:b",
        "t|alpha|mcp.alpha.tools.call|t",
        "alpha:t|alpha|mcp.alpha.tools.call|t",
        "alpha.t|alpha|mcp.alpha.tools.call|alpha.t",
        "beta:t|alpha|mcp.beta.tools.call|t",
        "gamma:t|alpha|mcp.alpha.tools.call|gamma:t",
        "Not An Id:t|alpha|mcp.alpha.tools.call|Not An Id:t",
        "t|-|mcp.tools.call|t",
        "Not An Id:t|-|mcp.tools.call|Not An Id:t",
        ":t|-|mcp.tools.call|:t"
      })
  void a_tool_is_found_by_its_prefix_or_its_server(
      String name, String server, String address, String sent, Vertx vertx) {
    BridgeFixture bridge = new BridgeFixture(vertx);
    bridge.service();
    bridge.on("mcp.alpha.tools.call", "{}");
    bridge.on("mcp.beta.tools.call", "{}");
    bridge.on("mcp.tools.call", "{}");
    JsonObject request = new JsonObject(request("tools/call", "{}"));
    request
        .getJsonObject("params")
        .put("name", name)
        .put("arguments", new JsonObject().put("a", 1));
    if (!server.equals("-")) {
      request.put("serverId", server);
    }

    assertThat(bridge.post("/rpc", request.encode()).json().containsKey("result")).isTrue();

    assertThat(bridge.seen).hasSize(1);
    Seen seen = bridge.seen.get(0);
    assertThat(seen.address()).isEqualTo(address);
    assertThat(new JsonObject(seen.body()))
        .isEqualTo(
            new JsonObject().put("name", sent).put("arguments", new JsonObject().put("a", 1)));
    assertThat(seen.headers().contains(Headers.CALL_ID)).isTrue();
  }

  @Test
  void only_the_name_is_rewritten(Vertx vertx) {
    BridgeFixture bridge = new BridgeFixture(vertx);
    bridge.on(Addresses.of(ALPHA, Addresses.TOOLS_CALL), "{}");

    bridge.post(
        "/rpc",
        request(
            "tools/call",
            "{ \"arguments\" : {\"n\":1.0E2,\"serverId\":\"mine\"},\"serverId\" : \"alpha\" ,"
                + "\"name\":\"alpha:t\",\"_meta\":{\"progressToken\":07.5e1}}".replace("07", "7")));

    assertThat(bridge.seen.get(0).body())
        .isEqualTo(
            "{ \"arguments\" : {\"n\":1.0E2,\"serverId\":\"mine\"},\"name\":\"t\","
                + "\"_meta\":{\"progressToken\":7.5e1}}");
  }

  @ParameterizedTest
  @ValueSource(strings = {"{\"name\":\"alpha:t\"}", "{\"name\":\"alpha:t\",\"arguments\":null}"})
  void absent_arguments_become_an_empty_object(String params, Vertx vertx) {
    BridgeFixture bridge = new BridgeFixture(vertx);
    bridge.on(Addresses.of(ALPHA, Addresses.TOOLS_CALL), "{}");

    bridge.post("/rpc", request("tools/call", params));

    assertThat(new JsonObject(bridge.seen.get(0).body()))
        .isEqualTo(new JsonObject().put("name", "t").put("arguments", new JsonObject()));
  }

  @ParameterizedTest
  @CsvSource({
    "tools/list,tools.list",
    "resources/list,resources.list",
    "resources/templates/list,resources.templates",
    "resources/read,resources.read",
    "resources/subscribe,resources.subscribe",
    "resources/unsubscribe,resources.unsubscribe",
    "prompts/list,prompts.list",
    "prompts/get,prompts.get",
    "completion/complete,completion",
    "logging/setLevel,loglevel",
    "ping,ping"
  })
  void methods_of_mcp_go_to_their_address(String method, String suffix, Vertx vertx) {
    BridgeFixture bridge = new BridgeFixture(vertx);
    bridge.on(Addresses.of(ALPHA, suffix), ODD);

    Answer answer =
        bridge.postAsAdmin("/rpc", request(method, "{\"serverId\":\"alpha\",\"uri\":\"u\"}"));

    assertThat(answer.body()).endsWith(",\"result\":" + ODD + "}\n");
    assertThat(bridge.seen.get(0).body()).isEqualTo("{\"uri\":\"u\"}");
  }

  @ParameterizedTest
  @ValueSource(strings = {"tools", "resources", "prompts"})
  void a_list_without_a_server_is_the_list_of_all(String kind, Vertx vertx) {
    BridgeFixture bridge = new BridgeFixture(vertx);
    bridge.on("mcp." + kind + ".list", ODD);

    Answer answer = bridge.post("/rpc", request(kind + "/list", "{}"));

    assertThat(answer.body()).endsWith(",\"result\":" + ODD + "}\n");
  }

  @Test
  void any_other_method_is_an_admins_and_goes_through_raw(Vertx vertx) {
    BridgeFixture bridge = new BridgeFixture(vertx);
    bridge.on(Addresses.of(ALPHA, Addresses.REQUEST), ODD);

    String request =
        "{\"jsonrpc\":\"2.0\",\"serverId\":\"alpha\",\"id\":1,\"method\":\"x/y\\u007a\","
            + "\"params\":{\"serverId\" : 1.0}}";
    assertThat(bridge.post("/rpc", request).body()).contains("FORBIDDEN");
    assertThat(bridge.seen).isEmpty();

    Answer answer = bridge.postAsAdmin("/rpc", request);

    assertThat(answer.body()).endsWith(",\"result\":" + ODD + "}\n");
    assertThat(bridge.seen.get(0).body())
        .isEqualTo("{\"method\":\"x/yz\",\"params\":{\"serverId\" : 1.0}}");
  }

  @Test
  void the_bridge_answers_a_ping_of_its_own(Vertx vertx) {
    assertThat(new BridgeFixture(vertx).post("/rpc", request("ping", "{}")).body())
        .isEqualTo("{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{}}\n");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '\0',
      value = {
        "resources/read|{\"uri\":\"u\"}|-32600|serverId:",
        "x/y|{}|-32600|serverId:",
        "tools/list|{\"serverId\":7}|-32600|serverId: must be a string",
        "tools/list|{\"serverId\":\"-\"}|-32001|serverId:",
        "tools/list|{\"serverId\":\"gamma\"}|-32001|server 'gamma' does not answer",
        "tools/call|{}|-32600|params.name:",
        "tools/call|{\"name\":7}|-32600|params.name:",
        "tools/call|{\"name\":\"gamma:t\"}|-32001|server 'gamma' does not answer"
      })
  void what_cannot_be_routed_is_an_error_with_the_remedy(
      String method, String params, int code, String message, Vertx vertx) {
    Answer answer = new BridgeFixture(vertx).post("/rpc", request(method, params));

    assertThat(answer.status()).isEqualTo(200);
    assertThat(answer.json().getInteger("id")).isEqualTo(1);
    JsonObject error = answer.json().getJsonObject("error");
    assertThat(error.getInteger("code")).isEqualTo(code);
    assertThat(error.getString("message")).startsWith(message);
    assertThat(error.getJsonObject("data").getString("sent")).isEqualTo("no");
  }

  @ParameterizedTest
  @EnumSource(FailureCode.class)
  void every_failure_has_its_json_rpc_error(FailureCode code, Vertx vertx) {
    BridgeFixture bridge = new BridgeFixture(vertx);
    McpFailure failure = McpFailure.notSent(code, "what and why");
    bridge.on(Addresses.of(ALPHA, Addresses.TOOLS_CALL), failure);

    Answer answer = bridge.post("/rpc", request("tools/call", "{\"name\":\"alpha:t\"}"));

    assertThat(answer.status()).isEqualTo(200);
    assertThat(answer.json().getJsonObject("error")).isEqualTo(failure.toJsonRpcError());
    assertThat(answer.json().getJsonObject("error").getInteger("code"))
        .isEqualTo(code.jsonRpcCode());
  }

  @Test
  void an_error_of_the_server_passes(Vertx vertx) {
    BridgeFixture bridge = new BridgeFixture(vertx);
    JsonArray data = new JsonArray().add(1);
    bridge.on(
        Addresses.of(ALPHA, Addresses.TOOLS_CALL),
        McpFailure.upstream(new JsonRpcError(-7, "no", data)));

    Answer answer = bridge.post("/rpc", request("tools/call", "{\"name\":\"alpha:t\"}"));

    assertThat(answer.json().getJsonObject("error"))
        .isEqualTo(new JsonObject().put("code", -7).put("message", "no").put("data", data));
  }

  @Test
  void a_notification_is_accepted_and_goes_nowhere(Vertx vertx) {
    BridgeFixture bridge = new BridgeFixture(vertx);
    bridge.on(Addresses.of(ALPHA, Addresses.TOOLS_CALL), "{}");
    bridge.on(Addresses.of(ALPHA, Addresses.PING), "{}");

    Answer answer =
        bridge.post(
            "/rpc",
            "{\"jsonrpc\":\"2.0\",\"method\":\"tools/call\",\"params\":{\"name\":\"alpha:t\"}}");

    assertThat(answer.status()).isEqualTo(202);
    assertThat(answer.body()).isEmpty();
    bridge.post("/rpc", request("ping", "{\"serverId\":\"alpha\"}"));
    assertThat(bridge.seen).extracting(Seen::address).containsExactly("mcp.alpha.ping");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '\0',
      value = {
        "|-32700",
        "{|-32700",
        "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"} x|-32700",
        "{\"jsonrpc\":\"2.0\",\"id\":01,\"method\":\"ping\"}|-32700",
        "[]|-32600",
        "{}|-32600",
        "{\"jsonrpc\":\"1.0\",\"id\":1,\"method\":\"ping\"}|-32600",
        "{\"jsonrpc\":\"2.0\",\"id\":1,\"id\":2,\"method\":\"ping\"}|-32600",
        "{\"jsonrpc\":\"2.0\",\"ID\":1,\"method\":\"ping\"}|-32600",
        "{\"jsonrpc\":\"2.0\",\"id\":null,\"method\":\"ping\"}|-32600",
        "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\",\"params\":[]}|-32600",
        "{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{}}|-32600"
      })
  void what_is_no_request_is_a_400_with_a_null_id(String body, int code, Vertx vertx) {
    Answer answer = new BridgeFixture(vertx).post("/rpc", body == null ? "" : body);

    assertThat(answer.status()).isEqualTo(400);
    assertThat(answer.json().containsKey("id")).isTrue();
    assertThat(answer.json().getValue("id")).isNull();
    assertThat(answer.json().getJsonObject("error").getInteger("code")).isEqualTo(code);
  }

  @Test
  void a_defect_is_a_bare_internal_error(Vertx vertx) {
    BridgeFixture bridge =
        new BridgeFixture(
            vertx,
            BridgeOptions.DEFAULT.withPort(0),
            () -> {
              throw new IllegalStateException("canary");
            });

    Answer answer = bridge.post("/rpc", request("ping", "{\"serverId\":\"alpha\"}"));

    assertThat(answer.json().getJsonObject("error").getInteger("code")).isEqualTo(-32603);
    assertThat(answer.body()).doesNotContain("canary", "IllegalState");
  }
}
