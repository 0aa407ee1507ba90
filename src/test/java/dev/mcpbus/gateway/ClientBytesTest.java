package dev.mcpbus.gateway;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.mcpbus.protocol.RawJson;
import dev.mcpbus.testing.McpHttp;
import dev.mcpbus.testing.ScriptedPeer;
import dev.mcpbus.testing.TestBus;
import io.vertx.core.json.JsonObject;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * What a client says at the endpoint of one server reaches that server byte for byte: clients of
 * both eras on servers of both eras, with forms that a parser would write in another way.
 */
class ClientBytesTest {

  /** Numbers, escapes, order and unknown members that no parser and writer would keep. */
  private static final String ODD =
      "\"x-odd\": {\"b\":1.0,\"a\":[1e2, -0, 1.50,12345678901234567890,{},[],\"\",null,false],"
          + "\"\\u00e9\":\"\\u00e9\\/\",\"\\ud83d\\ude00\":\"\\uD83D\\uDE00 \u00e9\"}";

  private static final String CAPABILITIES =
      "{\"sampling\":{},\"extensions\":{\"com.example\\/a\":{\"n\":1.0}},\"roots\":{"
          + "\"listChanged\":true,\"r\": 1e1},"
          + ODD
          + "}";

  private static final String CLIENT_INFO =
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

  private static final String META = "\"_meta\":{\"com.example/k\": 1.0,\"e\":{}," + ODD + "}";

  private static final String STATING =
      "\"_meta\":{\"com.example/k\": 1.0,\"io.modelcontextprotocol/protocolVersion\":"
          + "\"2026-07-28\",\"e\":{},\"io.modelcontextprotocol/clientInfo\":"
          + CLIENT_INFO
          + ",\"io.modelcontextprotocol/clientCapabilities\":"
          + CAPABILITIES
          + ","
          + ODD
          + "}";

  private TestBus bus;
  private McpHttp client;
  private int id = 100;

  @BeforeEach
  void start() {
    bus = TestBus.startWithBridge(new JsonObject());
    client = new McpHttp(bus.port(), "/mcp/p");
  }

  @AfterEach
  void close() {
    bus.close();
  }

  private ScriptedPeer peer(boolean older) {
    ScriptedPeer.Script script =
        (method, params, connection) ->
            switch (method) {
              case "server/discover" ->
                  older ? ScriptedPeer.error(-32601, "no such method") : ScriptedPeer.DISCOVERED;
              case "initialize" -> Peers.INITIALIZE;
              case "tools/list" -> Peers.tools("t");
              case "prompts/list" -> "\"result\":{\"prompts\":[{\"name\":\"g\"}],\"ttlMs\":60000}";
              case "resources/list" ->
                  "\"result\":{\"resources\":[{\"uri\":\"file:///a\",\"name\":\"a\"}],"
                      + "\"ttlMs\":60000}";
              case "resources/templates/list" ->
                  "\"result\":{\"resourceTemplates\":[],\"ttlMs\":60000}";
              case "subscriptions/listen" -> null;
              default -> "\"result\":{\"resultType\":\"complete\"}";
            };
    return Peers.connected(bus, "p", new ScriptedPeer(bus.vertx(), script));
  }

  /** Requests of both eras, {@code META} in place of {@code _meta}. */
  private static Map<String, String> requests() {
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

  private static String request(int id, String method, String params) {
    return "{\"jsonrpc\":\"2.0\",\"id\":"
        + id
        + ",\"method\":\""
        + method
        + "\",\"params\":"
        + params
        + "}";
  }

  /** The params of the last message with that method, as the server got them. */
  private static RawJson received(ScriptedPeer peer, String method) {
    await().alias(method).until(() -> peer.texts().stream().anyMatch(text -> says(text, method)));
    RawJson params =
        RawJson.of(
                peer.texts().stream()
                    .filter(text -> says(text, method))
                    .reduce((a, b) -> b)
                    .orElseThrow())
            .member("params");
    return params == null ? RawJson.NULL : params;
  }

  private static boolean says(String text, String method) {
    return text.contains("\"method\":\"" + method + "\"");
  }

  /** The params without what each request of the {@code discover} era states. */
  private static String plain(RawJson params) {
    RawJson meta = params.member("_meta");
    return meta == null ? params.toString() : params.with("_meta", meta.without(STATED)).toString();
  }

  private static void assertStated(RawJson params) {
    RawJson meta = RawJson.of(String.valueOf(params.member("_meta")));
    assertThat(meta.member("io.modelcontextprotocol/clientInfo")).hasToString(CLIENT_INFO);
    assertThat(meta.member("io.modelcontextprotocol/clientCapabilities")).hasToString(CAPABILITIES);
  }

  private static String initialize() {
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
  private String[] opened() {
    McpHttp.Answer answer = client.post(request(1, "initialize", initialize()));
    assertThat(answer.status()).as(answer.body()).isEqualTo(200);
    return new String[] {
      "Mcp-Session-Id", answer.header("mcp-session-id"), "MCP-Protocol-Version", "2025-06-18"
    };
  }

  private void tell(String method, String params, String... headers) {
    McpHttp.Answer answer =
        client.post(
            "{\"jsonrpc\":\"2.0\",\"method\":\"" + method + "\",\"params\":" + params + "}",
            headers);
    assertThat(answer.status()).as(answer.body()).isEqualTo(202);
  }

  private String[] discoverHeaders(String method, String params) {
    return McpHttp.headers(
        new JsonObject().put("method", method).put("params", new JsonObject(params)));
  }

  // ---- requests

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void what_an_initialize_client_asks_is_the_same_bytes_at_the_server(boolean older) {
    ScriptedPeer peer = peer(older);
    String[] headers = opened();
    requests()
        .forEach(
            (method, params) -> {
              String sent = params.replace("META", META);
              McpHttp.Answer answer = client.post(request(++id, method, sent), headers);
              assertThat(answer.body()).as(method).contains("\"result\"");
              RawJson got = received(peer, method);
              assertThat(older ? got.toString() : plain(got))
                  .as(method)
                  .isEqualTo(older ? sent : plain(RawJson.of(sent)));
              if (!older) {
                assertStated(got);
              }
            });
    String told = "{\"a\":1.0, " + META + "," + ODD + "}";
    tell("com.example/told", told, headers);
    assertThat(received(peer, "com.example/told")).hasToString(told);
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void what_a_discover_client_asks_is_the_same_bytes_at_the_server(boolean older) {
    ScriptedPeer peer = peer(older);
    requests()
        .forEach(
            (method, params) -> {
              String sent = params.replace("META", STATING);
              McpHttp.Answer answer =
                  client.post(request(++id, method, sent), discoverHeaders(method, sent));
              assertThat(answer.body()).as(method).contains("\"result\"");
              RawJson got = received(peer, method);
              assertThat(got.toString())
                  .as(method)
                  .isEqualTo(older ? plain(RawJson.of(sent)) : sent);
            });
    String told = "{\"a\":1.0, " + STATING + "," + ODD + "}";
    tell("com.example/told", told, discoverHeaders("com.example/told", told));
    assertThat(plain(received(peer, "com.example/told"))).isEqualTo(plain(RawJson.of(told)));
  }

  // ---- the handshake

  @Test
  void the_handshake_of_an_initialize_client_is_the_same_bytes_at_an_older_server() {
    ScriptedPeer peer = peer(true);
    String[] headers = opened();
    String initialized = "{\"a\":1.0, " + META + "," + ODD + "}";
    tell("notifications/initialized", initialized, headers);
    client.post(request(2, "tools/call", "{\"name\":\"t\"}"), headers);

    assertThat(received(peer, "initialize")).hasToString(initialize());
    assertThat(received(peer, "notifications/initialized")).hasToString(initialized);

    String roots = "{" + ODD + ", " + META + "}";
    tell("notifications/roots/list_changed", roots, headers);
    assertThat(received(peer, "notifications/roots/list_changed")).hasToString(roots);
  }

  @Test
  void what_a_discover_client_states_is_the_same_bytes_in_the_handshake_of_an_older_server() {
    ScriptedPeer peer = peer(true);
    String sent = "{\"name\":\"t\"," + STATING + "}";
    client.post(request(2, "tools/call", sent), discoverHeaders("tools/call", sent));

    RawJson got = received(peer, "initialize");
    assertThat(got.member("clientInfo")).hasToString(CLIENT_INFO);
    assertThat(got.member("capabilities")).hasToString(CAPABILITIES);
  }

  @Test
  void line_breaks_of_a_handshake_are_blanks_at_the_server() {
    ScriptedPeer peer = peer(true);
    String initialize =
        "{\n\"clientInfo\":{\"name\":\"c\",\r\n\"version\":\"1\"},\n\"capabilities\":{\n},"
            + "\"protocolVersion\":\"2025-06-18\"}";
    McpHttp.Answer answer = client.post(request(1, "initialize", initialize));
    client.post(
        request(2, "tools/call", "{\"name\":\"t\"}"),
        "Mcp-Session-Id",
        answer.header("mcp-session-id"));
    assertThat(received(peer, "initialize"))
        .hasToString(initialize.replace('\n', ' ').replace('\r', ' '));
  }

  // ---- what a session keeps

  @Test
  void a_log_level_and_a_subscription_are_the_same_bytes_at_an_older_server() {
    ScriptedPeer peer = peer(true);
    String[] headers = opened();
    String early = "{\"level\":\"w\\u0061rning\", " + META + "," + ODD + "}";
    client.post(request(2, "logging/setLevel", early), headers);
    client.post(request(3, "tools/call", "{\"name\":\"t\"}"), headers);
    assertThat(received(peer, "logging/setLevel")).as("before the session").hasToString(early);

    for (List<String> one :
        List.of(
            List.of("logging/setLevel", "{" + ODD + ",\"level\":\"inf\\u006f\"," + META + "}"),
            List.of(
                "resources/subscribe", "{" + META + ",\"uri\":\"file:\\/\\/\\/a\"," + ODD + "}"),
            List.of(
                "resources/unsubscribe",
                "{" + ODD + ", \"uri\":\"file:///\\u0061\"," + META + "}"))) {
      client.post(request(++id, one.get(0), one.get(1)), headers);
      assertThat(received(peer, one.get(0))).hasToString(one.get(1));
    }
  }
}
