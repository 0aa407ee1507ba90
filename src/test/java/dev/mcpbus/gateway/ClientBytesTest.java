package dev.mcpbus.gateway;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.mcpbus.protocol.RawJson;
import dev.mcpbus.testing.McpHttp;
import dev.mcpbus.testing.ScriptedPeer;
import io.vertx.core.json.JsonObject;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * What a client says at the endpoint of one server reaches that server byte for byte: clients of
 * both eras on servers of both eras, with forms that a parser would write in another way.
 */
class ClientBytesTest extends GatewayFixture {

  /** Numbers, escapes, order and unknown members that no parser and writer would keep. */
  private static final String ODD =
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

  private int id = 100;

  ClientBytesTest() {
    super("/mcp/p");
  }

  private ScriptedPeer peer(boolean older) {
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

  static String request(int id, String method, String params) {
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
    RawJson params = RawJson.of(last(peer, method)).member("params");
    return params == null ? RawJson.NULL : params;
  }

  private static String last(ScriptedPeer peer, String method) {
    return peer.texts().stream()
        .filter(text -> says(text, method))
        .reduce((a, b) -> b)
        .orElseThrow();
  }

  private static boolean says(String text, String method) {
    return text.contains("\"method\":\"" + method + "\"");
  }

  /** The params without what each request of the {@code discover} era states. */
  static String plain(RawJson params) {
    RawJson meta = params.member("_meta");
    return meta == null ? params.toString() : params.with("_meta", meta.without(STATED)).toString();
  }

  private static void assertStated(RawJson params) {
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
    assertThat(received(peer, "com.example/told"))
        .hasToString(older ? plain(RawJson.of(told)) : told);
  }

  @Test
  void what_each_request_of_the_discover_era_states_leaves_nothing_at_an_older_server() {
    ScriptedPeer peer = peer(true);
    String stating =
        "{\"name\":\"t\",\"_meta\":{\"io.modelcontextprotocol/protocolVersion\":\"2026-07-28\","
            + "\"io.modelcontextprotocol/clientInfo\":{\"name\":\"c\",\"version\":\"1\"},"
            + "\"io.modelcontextprotocol/clientCapabilities\":{},\"dev.mcpbus/client\":\"window\"}}";
    client.post(request(++id, "tools/call", stating), discoverHeaders("tools/call", stating));
    assertThat(received(peer, "tools/call")).hasToString("{\"name\":\"t\"}");
    tell("com.example/told", stating, discoverHeaders("com.example/told", stating));
    assertThat(received(peer, "com.example/told")).hasToString("{\"name\":\"t\"}");
    assertThat(peer.texts()).noneMatch(text -> text.contains("dev.mcpbus/client"));
  }

  @ParameterizedTest
  @ValueSource(strings = {"", ",\"params\":{}", ",\"params\":{ }"})
  void what_has_no_params_reaches_an_older_server_without_them(String params) {
    ScriptedPeer peer = peer(true);
    String[] headers = opened();
    for (String method :
        List.of(
            "notifications/initialized", "com.example/told", "notifications/roots/list_changed")) {
      String told = "{\"jsonrpc\":\"2.0\",\"method\":\"" + method + "\"" + params + "}";
      client.post(told, headers);
      if (method.equals("notifications/initialized")) {
        client.post(request(++id, "tools/call", "{\"name\":\"t\"}"), headers);
      }
      await().alias(method).until(() -> peer.texts().stream().anyMatch(text -> says(text, method)));
      assertThat(last(peer, method)).isEqualTo(told);
    }
    client.post(
        "{\"jsonrpc\":\"2.0\",\"id\":7,\"method\":\"com.example/do\"" + params + "}", headers);
    assertThat(last(peer, "com.example/do"))
        .endsWith(",\"method\":\"com.example/do\"" + params + "}");
  }

  /** JSON-RPC knows no other members, and SDKs refuse a message that has one. */
  @Test
  void a_member_beside_those_of_json_rpc_ends_at_the_gateway() {
    ScriptedPeer peer = peer(true);
    String[] headers = opened();
    client.post(
        "{\"x-odd\":1,\"jsonrpc\":\"2.0\",\"id\":7,\"method\":\"com.example/do\",\"params\":"
            + "{\"a\":1.0},\"other\":{}}",
        headers);
    assertThat(last(peer, "com.example/do"))
        .matches(
            "\\{\"jsonrpc\":\"2.0\",\"id\":\\d+,\"method\":\"com.example/do\",\"params\":"
                + "\\{\"a\":1.0}}");
  }

  /** The server itself says what they are worth. */
  @ParameterizedTest
  @ValueSource(
      strings = {
        "\"argument\":{\"name\":\"a\",\"value\":1.0}",
        "\"ref\":{\"type\":\"ref/t\\u006fol\",\"name\":\"t\"},\"argument\":{}",
        "\"ref\":{\"type\":\"ref/prompt\",\"name\":1.0}",
        "\"ref\":{\"type\":\"ref/prompt\",\"name\":\"unlisted\"}",
        "\"ref\":{\"type\":\"ref/resource\",\"uri\":\"x-odd:\\/\\/{+a}\"}"
      })
  void a_completion_that_mcp_does_not_define_reaches_the_server(String params) {
    ScriptedPeer peer = peer(true);
    client.post(request(++id, "completion/complete", "{" + params + "}"), opened());
    assertThat(received(peer, "completion/complete")).hasToString("{" + params + "}");
    String stated = "{" + params + "," + STATING + "}";
    client.post(
        request(++id, "completion/complete", stated),
        discoverHeaders("completion/complete", stated));
    await().until(() -> peer.received("completion/complete").size() == 2);
    assertThat(received(peer, "completion/complete")).hasToString(plain(RawJson.of(stated)));
  }

  /** MCP has no message to tell it anew, and a new session would lose its state. */
  @Test
  void an_older_server_is_told_the_capabilities_of_the_request_that_begins_the_session() {
    ScriptedPeer peer = peer(true);
    for (String can : List.of("{\"sampling\":{\"n\": 1.0}}", "{\"elicitation\":{}}", "{}")) {
      String sent = "{\"name\":\"t\"," + STATING.replace(CAPABILITIES, can) + "}";
      client.post(request(++id, "tools/call", sent), discoverHeaders("tools/call", sent)).result();
    }
    assertThat(peer.connections()).as("the shared connection, and one session").isEqualTo(2);
    assertThat(received(peer, "initialize").member("capabilities"))
        .hasToString("{\"sampling\":{\"n\": 1.0}}");
  }

  @Test
  void a_modern_server_is_told_the_capabilities_of_each_request() {
    ScriptedPeer peer = peer(false);
    for (String can : List.of("{\"sampling\":{\"n\": 1.0}}", "{\"elicitation\":{}}", "{}")) {
      String sent = "{\"name\":\"t\"," + STATING.replace(CAPABILITIES, can) + "}";
      client.post(request(++id, "tools/call", sent), discoverHeaders("tools/call", sent)).result();
      assertThat(received(peer, "tools/call")).hasToString(sent);
    }
  }

  @Test
  void words_of_a_filter_that_mcp_does_not_define_are_not_acknowledged() {
    peer(false);
    String sent =
        "{\"notifications\":{\"com.example/x\":true,\"toolsListChanged\":true,"
            + "\"promptsListChanged\":1.0},"
            + STATING
            + "}";
    JsonObject listen = new JsonObject(request(++id, "subscriptions/listen", sent));
    try (McpHttp.Stream stream =
        client.streamed(listen, discoverHeaders("subscriptions/listen", sent))) {
      await().until(() -> !stream.messages().isEmpty());
      assertThat(stream.messages().get(0).getJsonObject("params").getJsonObject("notifications"))
          .isEqualTo(new JsonObject("{\"toolsListChanged\":true}"));
    }
  }

  // ---- tasks

  private ScriptedPeer taskPeer() {
    String task =
        "{\"taskId\":\"1\",\"status\":\"completed\",\"createdAt\":\"2026-11-21T10:00:00Z\","
            + "\"lastUpdatedAt\":\"2026-11-21T10:00:00Z\",\"ttl\":60000}";
    String initialized =
        Peers.INITIALIZE.replace(
            "\"capabilities\":{",
            "\"capabilities\":{\"tasks\":{\"list\":{},\"cancel\":{},\"requests\":{\"tools\":"
                + "{\"call\":{}}}},");
    ScriptedPeer.Script script =
        (method, params, connection) ->
            switch (method) {
              case "server/discover" -> ScriptedPeer.error(-32601, "no such method");
              case "initialize" -> initialized;
              case "tools/list" ->
                  "\"result\":{\"tools\":[{\"name\":\"work\",\"inputSchema\":{\"type\":\"object\"},"
                      + "\"execution\":{\"taskSupport\":\"optional\"}},{\"name\":\"plain\","
                      + "\"inputSchema\":{\"type\":\"object\"}}]}";
              case "tools/call" ->
                  params.getString("name").equals("work")
                      ? "\"result\":{\"task\":" + task + "}"
                      : "\"result\":{\"content\":[],\"own\":1.0}";
              case "tasks/get", "tasks/cancel" -> "\"result\":" + task;
              case "resources/list" -> "\"result\":{\"resources\":[]}";
              case "prompts/list" -> "\"result\":{\"prompts\":[]}";
              case "resources/templates/list" -> "\"result\":{\"resourceTemplates\":[]}";
              default -> "\"result\":{}";
            };
    return Peers.connected(bus, "p", new ScriptedPeer(bus.vertx(), script));
  }

  @Test
  void what_an_initialize_client_says_about_its_task_is_the_same_bytes_but_for_the_id() {
    ScriptedPeer peer = taskPeer();
    String[] headers = opened();
    String call =
        "{\"task\":{\"ttl\":1e5, " + ODD + "},\"name\":\"work\",\"arguments\":{}," + META + "}";
    JsonObject made = client.post(request(++id, "tools/call", call), headers).result();
    assertThat(received(peer, "tools/call")).hasToString(call);

    String taskId = made.getJsonObject("task").getString("taskId");
    assertThat(taskId).isNotEqualTo("1");
    for (String method : List.of("tasks/get", "tasks/result", "tasks/cancel")) {
      String about = "{" + ODD + ",\"taskId\":\"%s\", " + META + "}";
      int before = peer.received(method).size();
      client.post(request(++id, method, about.formatted(taskId)), headers);
      await().until(() -> peer.received(method).size() > before);
      assertThat(
              peer.texts().stream()
                  .filter(text -> says(text, method))
                  .map(text -> String.valueOf(RawJson.of(text).member("params"))))
          .as(method)
          .contains(about.formatted("1"));
    }
  }

  @Test
  void
      a_wish_for_a_task_that_the_tool_does_not_take_reaches_the_server_and_its_answer_the_client() {
    ScriptedPeer peer = taskPeer();
    String[] headers = opened();
    String call = "{\"task\":{\"ttl\":1e5}, \"name\":\"plain\",\"arguments\":{}}";
    McpHttp.Answer answer = client.post(request(++id, "tools/call", call), headers);
    assertThat(received(peer, "tools/call")).hasToString(call);
    assertThat(answer.body()).endsWith("\"result\":{\"content\":[],\"own\":1.0}}");
  }

  /** It may have been told to keep its name to itself. */
  @Test
  void a_modern_server_gets_no_name_of_a_client_that_states_none() {
    ScriptedPeer peer = peer(false);
    String sent =
        "{\"name\":\"t\","
            + STATING.replace("\"io.modelcontextprotocol/clientInfo\":" + CLIENT_INFO + ",", "")
            + "}";
    client.post(request(++id, "tools/call", sent), discoverHeaders("tools/call", sent)).result();
    assertThat(received(peer, "tools/call")).hasToString(sent);
    assertThat(sent).doesNotContain("clientInfo");
  }

  /** A client of 2025-11-25 may answer a question with a task, of which the server then asks. */
  @Test
  void the_tasks_of_a_client_are_the_same_bytes_both_ways() {
    ScriptedPeer peer = peer(true);
    String can = CAPABILITIES.replace("\"sampling\":{}", "\"sampling\":{},\"tasks\":{\"list\":{}}");
    McpHttp.Answer opened =
        client.post(request(1, "initialize", initialize().replace(CAPABILITIES, can)));
    String[] headers = {
      "Mcp-Session-Id", opened.header("mcp-session-id"), "MCP-Protocol-Version", "2025-11-25"
    };
    client.post(request(2, "tools/call", "{\"name\":\"t\"}"), headers).result();
    String about = "{\"taskId\":\"own\\u002d1\", " + ODD + "}";
    try (McpHttp.Stream stream = client.get(headers)) {
      int asked = 70;
      for (String method : List.of("sampling/createMessage", "tasks/get", "tasks/result")) {
        peer.say(request(++asked, method, about));
        await().until(() -> stream.methods().contains(method));
        McpHttp.Event question = stream.events().get(stream.events().size() - 1);
        assertThat(question.data()).endsWith(",\"params\":" + about + "}");
        String answer = "\"result\":{\"task\":" + about + "," + ODD + "}";
        client.post(
            "{\"jsonrpc\":\"2.0\",\"id\":\""
                + question.json().getValue("id")
                + "\","
                + answer
                + "}",
            headers);
        int id = asked;
        await().until(() -> !peer.answers(id).isEmpty());
        assertThat(peer.texts().get(peer.texts().size() - 1))
            .isEqualTo("{\"jsonrpc\":\"2.0\",\"id\":" + id + "," + answer + "}");
      }
      tell("notifications/tasks/status", about, headers);
      assertThat(received(peer, "notifications/tasks/status")).hasToString(about);
    }
  }

  @Test
  void a_meta_that_is_no_object_is_the_same_bytes_at_an_older_server() {
    ScriptedPeer peer = peer(true);
    client.post(request(++id, "tools/call", "{\"name\":\"t\",\"_meta\":1.0}"), opened());
    assertThat(received(peer, "tools/call")).hasToString("{\"name\":\"t\",\"_meta\":1.0}");
  }

  // ---- lists

  private static final List<String> LISTS =
      List.of("tools/list", "prompts/list", "resources/list", "resources/templates/list");

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void a_list_that_says_more_of_an_initialize_client_is_the_same_bytes(boolean older) {
    ScriptedPeer peer = peer(older);
    String[] headers = opened();
    for (String method : LISTS) {
      for (String sent :
          List.of("{" + META + "}", "{\"lang\": 1.0," + ODD + "}", "{\"x\":{}, " + META + "}")) {
        int before = peer.received(method).size();
        JsonObject result = client.post(request(++id, method, sent), headers).json();
        assertThat(result.getJsonObject("result").fieldNames())
            .as(method)
            .doesNotContain("ttlMs", "cacheScope", "resultType");
        await().until(() -> peer.received(method).size() > before);
        assertThat(plain(received(peer, method)))
            .as(method)
            .isEqualTo(
                older || sent.contains("_meta") ? sent : "{\"_meta\":{}," + sent.substring(1));
      }
    }
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void a_list_that_says_more_of_a_discover_client_is_the_same_bytes(boolean older) {
    ScriptedPeer peer = peer(older);
    for (String method : LISTS) {
      for (String sent :
          List.of("{" + STATING + "}", "{" + STATING + ",\"lang\": 1.0," + ODD + "}")) {
        int before = peer.received(method).size();
        JsonObject result =
            client.post(request(++id, method, sent), discoverHeaders(method, sent)).json();
        assertThat(result.getJsonObject("result").fieldNames())
            .as(method)
            .contains("ttlMs", "cacheScope", "resultType");
        await().until(() -> peer.received(method).size() > before);
        RawJson got = received(peer, method);
        assertThat(got.toString()).as(method).isEqualTo(older ? plain(RawJson.of(sent)) : sent);
      }
    }
  }

  /** What every client states, a cursor and a progress token decide nothing: a kept list serves. */
  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void a_list_that_says_nothing_to_the_server_is_the_kept_one(boolean older) {
    ScriptedPeer peer = peer(older);
    String stated =
        "{\"_meta\":{\"progressToken\":1,\"traceparent\":\"00-0af7651916cd43dd8448eb211c80319c-"
            + "b7ad6b7169203331-01\",\"io.modelcontextprotocol/protocolVersion\":\"2026-07-28\","
            + "\"io.modelcontextprotocol/clientInfo\":{\"name\":\"c\",\"version\":\"1\"},"
            + "\"io.modelcontextprotocol/clientCapabilities\":{}}}";
    for (String method : LISTS) {
      client.post(request(++id, method, stated), discoverHeaders(method, stated)).result();
      int before = peer.received(method).size();
      client.post(request(++id, method, stated), discoverHeaders(method, stated)).result();
      assertThat(peer.received(method)).as(method).hasSize(before);
    }
    assertThat(peer.connections()).isEqualTo(1);
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

  @ParameterizedTest
  @ValueSource(strings = {"resources/subscribe", "resources/unsubscribe"})
  void a_subscription_without_a_uri_gets_the_servers_own_refusal(String method) {
    ScriptedPeer peer = peer(true);
    String[] headers = opened();
    for (String params : List.of("{\"uri\":1.0}", "{\"x\":{}, \"y\":1.0}")) {
      McpHttp.Answer answer = client.post(request(++id, method, params), headers);
      assertThat(received(peer, method)).hasToString(params);
      assertThat(answer.body()).endsWith(",\"result\":{\"resultType\":\"complete\"}}");
    }
  }

  @ParameterizedTest
  @ValueSource(
      strings = {"{\"level\":\"tr\\u0061ce\"}", "{\"level\":1.0, \"x\":{}}", "{\"x\":1.0}"})
  void a_log_level_that_mcp_does_not_define_reaches_the_server(String params) {
    ScriptedPeer peer = peer(true);
    String[] headers = opened();
    McpHttp.Answer answer = client.post(request(++id, "logging/setLevel", params), headers);
    assertThat(received(peer, "logging/setLevel")).hasToString(params);
    assertThat(answer.body()).endsWith(",\"result\":{\"resultType\":\"complete\"}}");
  }

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
