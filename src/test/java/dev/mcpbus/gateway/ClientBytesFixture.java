package dev.mcpbus.gateway;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.mcpbus.protocol.RawJson;
import dev.mcpbus.testing.McpHttp;
import dev.mcpbus.testing.ScriptedPeer;
import io.vertx.core.json.JsonObject;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;

/**
 * Clients of both eras at the endpoint of one server of either era, with messages in forms that a
 * parser would write in another way.
 */
abstract class ClientBytesFixture extends GatewayFixture {

  /** Numbers, escapes, order and unknown members that no parser and writer would keep. */
  static final String ODD =
      "\"x-odd\": {\"b\":1.0,\"a\":[1e2, -0, 1.50,12345678901234567890,{},[],\"\",null,false],"
          + "\"\\u00e9\":\"\\u00e9\\/\",\"\\ud83d\\ude00\":\"\\uD83D\\uDE00 \u00e9\"}";

  static final String CAPABILITIES =
      "{\"sampling\":{},\"extensions\":{\"com.example\\/a\":{\"n\":1.0}},\"roots\":{"
          + "\"listChanged\":true,\"r\": 1e1},"
          + ODD
          + "}";

  static final String CLIENT_INFO =
      "{\"version\":\"1\\u002e0\",\"name\":\"an \\u00e9ditor\",\"title\":\"E\",\"icons\":[{\"src\":"
          + "\"data:,\",\"sizes\":[\"any\"],\"x\":1.0}],\"websiteUrl\":\"https:\\/\\/example.com\","
          + ODD
          + "}";

  /** Members of {@code _meta} that each request of the {@code discover} era has. */
  private static final Set<String> STATED =
      Set.of(
          "io.modelcontextprotocol/protocolVersion",
          "io.modelcontextprotocol/clientInfo",
          "io.modelcontextprotocol/clientCapabilities",
          "io.modelcontextprotocol/logLevel");

  static final String META = "\"_meta\":{\"com.example/k\": 1.0,\"e\":{}," + ODD + "}";

  static final String STATING =
      "\"_meta\":{\"com.example/k\": 1.0,\"io.modelcontextprotocol/protocolVersion\":"
          + "\"2026-07-28\",\"e\":{},\"io.modelcontextprotocol/clientInfo\":"
          + CLIENT_INFO
          + ",\"io.modelcontextprotocol/clientCapabilities\":"
          + CAPABILITIES
          + ","
          + ODD
          + "}";

  int id = 100;

  ClientBytesFixture() {
    super("/mcp/p");
  }

  ScriptedPeer peer(boolean older) {
    String kept =
        older ? "}" : ",\"resultType\":\"complete\",\"ttlMs\":60000,\"cacheScope\":\"public\"}";
    ScriptedPeer.Script script =
        (method, params, connection) ->
            switch (method) {
              case "server/discover" ->
                  older ? ScriptedPeer.error(-32601, "no such method") : ScriptedPeer.DISCOVERED;
              case "initialize" -> Peers.INITIALIZE;
              case "tools/list" ->
                  "\"result\":{\"tools\":[{\"name\":\"t\",\"inputSchema\":{\"type\":\"object\"}}]"
                      + kept;
              case "prompts/list" -> "\"result\":{\"prompts\":[{\"name\":\"g\"}]" + kept;
              case "resources/list" ->
                  "\"result\":{\"resources\":[{\"uri\":\"file:///a\",\"name\":\"a\"}]" + kept;
              case "resources/templates/list" -> "\"result\":{\"resourceTemplates\":[]" + kept;
              case "subscriptions/listen" -> null;
              default -> "\"result\":{\"resultType\":\"complete\"}";
            };
    return Peers.connected(bus, "p", new ScriptedPeer(bus.vertx(), script));
  }

  /** Requests of both eras, {@code META} in place of {@code _meta}. */
  static Map<String, String> requests() {
    Map<String, String> all = new LinkedHashMap<>();
    all.put(
        "tools/call",
        "{\"arguments\":{\"n\":1.0,\"e\":{},\"l\":[],\"s\":\"\\/\","
            + ODD
            + "},\"name\":\"t\",META, "
            + ODD
            + "}");
    all.put(
        "prompts/get",
        "{META,\"name\":\"\\u0067\", \"arguments\":{\"a\":\"\\u0031\"}," + ODD + "}");
    all.put("resources/read", "{" + ODD + ",\"uri\":\"file:\\/\\/\\/a\",META}");
    all.put(
        "completion/complete",
        "{\"ref\":{\"type\":\"ref\\/prompt\",\"name\":\"g\",\"y\":1.0},\"argument\":{\"name\":"
            + "\"a\",\"value\":\"\\u00e9\",\"y\":1e2},\"context\":{\"arguments\":{},"
            + ODD
            + "},META}");
    all.put("com.example/do", "{\"a\":[1.0], META,\"name\":\"x\\u0079\"," + ODD + "}");
    return all;
  }

  /** The params of the last message with that method, as the server got them. */
  static RawJson received(ScriptedPeer peer, String method) {
    await().alias(method).until(() -> peer.texts().stream().anyMatch(text -> says(text, method)));
    RawJson params = RawJson.of(last(peer, method)).member("params");
    return params == null ? RawJson.NULL : params;
  }

  static String last(ScriptedPeer peer, String method) {
    return peer.texts().stream()
        .filter(text -> says(text, method))
        .reduce((a, b) -> b)
        .orElseThrow();
  }

  static boolean says(String text, String method) {
    return text.contains("\"method\":\"" + method + "\"");
  }

  /** The params without what each request of the {@code discover} era states. */
  static String plain(RawJson params) {
    RawJson meta = params.member("_meta");
    return meta == null ? params.toString() : params.with("_meta", meta.without(STATED)).toString();
  }

  static void assertStated(RawJson params) {
    RawJson meta = RawJson.of(String.valueOf(params.member("_meta")));
    assertThat(meta.member("io.modelcontextprotocol/clientInfo")).hasToString(CLIENT_INFO);
    assertThat(meta.member("io.modelcontextprotocol/clientCapabilities")).hasToString(CAPABILITIES);
  }

  static String initialize() {
    return "{\"clientInfo\":"
        + CLIENT_INFO
        + ", \"protocolVersion\":\"2025-06-18\","
        + META
        + ",\"capabilities\":"
        + CAPABILITIES
        + ","
        + ODD
        + "}";
  }

  /** The headers of a session. */
  String[] opened() {
    McpHttp.Answer answer = client.post(Peers.request(1, "initialize", initialize()));
    assertThat(answer.status()).as(answer.body()).isEqualTo(200);
    return new String[] {
      "Mcp-Session-Id", answer.header("mcp-session-id"), "MCP-Protocol-Version", "2025-06-18"
    };
  }

  void tell(String method, String params, String... headers) {
    McpHttp.Answer answer =
        client.post(
            "{\"jsonrpc\":\"2.0\",\"method\":\"" + method + "\",\"params\":" + params + "}",
            headers);
    assertThat(answer.status()).as(answer.body()).isEqualTo(202);
  }

  String[] discoverHeaders(String method, String params) {
    return McpHttp.headers(
        new JsonObject().put("method", method).put("params", new JsonObject(params)));
  }
}
