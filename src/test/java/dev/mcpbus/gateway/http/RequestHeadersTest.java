package dev.mcpbus.gateway.http;

import static org.assertj.core.api.Assertions.assertThat;

import dev.mcpbus.testing.McpHttp;
import dev.mcpbus.testing.McpHttp.Answer;
import dev.mcpbus.testing.TestBus;
import io.vertx.core.json.JsonObject;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A request of the discover era must describe itself in headers and body, equally in both. */
class RequestHeadersTest {

  private static TestBus bus;

  @BeforeAll
  static void start() {
    bus =
        TestBus.startWithBridge(
            TestBus.server(
                "demo", new JsonObject().put("type", "bus").put("address", "mcpbus.demo")));
  }

  @AfterAll
  static void close() {
    bus.close();
  }

  private McpHttp client = new McpHttp(0, "/mcp");

  @BeforeEach
  void connect() {
    client = new McpHttp(bus.port(), "/mcp");
  }

  private JsonObject echo(String name) {
    return client.described(
        "tools/call",
        new JsonObject().put("name", name).put("arguments", new JsonObject().put("text", "x")));
  }

  private static void isRefused(Answer answer, int status, int code) {
    assertThat(answer.status()).as(answer.body()).isEqualTo(status);
    assertThat(answer.error().getInteger("code")).isEqualTo(code);
  }

  @Test
  void a_name_in_the_header_that_is_not_the_one_in_the_body_is_refused() {
    isRefused(
        client.post(
            echo("demo__echo"),
            "MCP-Protocol-Version",
            "2026-07-28",
            "Mcp-Method",
            "tools/call",
            "Mcp-Name",
            "demo__add"),
        400,
        -32020);
  }

  @Test
  void a_name_in_base64_is_decoded_before_it_is_compared() {
    Answer answer =
        client.post(
            echo("demo__echo"),
            "MCP-Protocol-Version",
            "2026-07-28",
            "Mcp-Method",
            "tools/call",
            "Mcp-Name",
            "=?base64?ZGVtb19fZWNobw==?=");
    assertThat(McpHttp.text(answer.result())).isEqualTo("x");
  }

  @Test
  void base64_without_its_padding_is_refused() {
    isRefused(
        client.post(
            echo("demo__echo"),
            "MCP-Protocol-Version",
            "2026-07-28",
            "Mcp-Method",
            "tools/call",
            "Mcp-Name",
            "=?base64?ZGVtb19fZWNobw?="),
        400,
        -32020);
  }

  @Test
  void missing_headers_are_refused() {
    isRefused(client.post(echo("demo__echo")), 400, -32020);
    isRefused(client.post(echo("demo__echo"), "MCP-Protocol-Version", "2026-07-28"), 400, -32020);
    isRefused(
        client.post(
            echo("demo__echo"), "MCP-Protocol-Version", "2026-07-28", "Mcp-Method", "tools/call"),
        400,
        -32020);
  }

  @Test
  void a_request_without_its_meta_is_refused() {
    isRefused(
        client.post(
            client.request("tools/list", new JsonObject()),
            "MCP-Protocol-Version",
            "2026-07-28",
            "Mcp-Method",
            "tools/list"),
        400,
        -32602);
    JsonObject noCapabilities = client.described("tools/list", new JsonObject());
    noCapabilities
        .getJsonObject("params")
        .getJsonObject("_meta")
        .remove("io.modelcontextprotocol/clientCapabilities");
    isRefused(client.post(noCapabilities, McpHttp.headers(noCapabilities)), 400, -32602);
  }

  @Test
  void an_unknown_version_is_refused_with_those_that_are_known() {
    JsonObject request = client.described("tools/list", new JsonObject());
    request
        .getJsonObject("params")
        .getJsonObject("_meta")
        .put("io.modelcontextprotocol/protocolVersion", "2099-01-01");
    Answer answer =
        client.post(request, "MCP-Protocol-Version", "2099-01-01", "Mcp-Method", "tools/list");
    isRefused(answer, 400, -32022);
    JsonObject data = answer.error().getJsonObject("data");
    assertThat(data.getString("requested")).isEqualTo("2099-01-01");
    assertThat(data.getJsonArray("supported")).containsExactly("2026-07-28");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {"initialize", "ping", "logging/setLevel", "resources/subscribe", "foo/bar"})
  void methods_that_the_era_does_not_have_are_not_found(String method) {
    isRefused(client.discover(method, new JsonObject()), 404, -32601);
  }

  @Test
  void get_and_delete_without_a_session_are_not_allowed() {
    try (McpHttp.Stream stream = client.get("MCP-Protocol-Version", "2026-07-28")) {
      assertThat(stream.status()).isEqualTo(405);
    }
    assertThat(client.delete()).isEqualTo(405);
  }

  @Test
  void what_is_no_message_is_refused() {
    isRefused(client.post("{"), 400, -32700);
    isRefused(client.post("[]"), 400, -32600);
    isRefused(client.post("{\"jsonrpc\":\"1.0\",\"id\":1,\"method\":\"ping\"}"), 400, -32600);
    isRefused(client.post(client.request("tools/list", new JsonObject())), 400, -32600);
  }

  @Test
  void a_cursor_that_is_none_is_refused() {
    Answer answer = client.discover("tools/list", new JsonObject().put("cursor", "nonsense"));
    assertThat(answer.error().getInteger("code")).isEqualTo(-32602);
  }
}
