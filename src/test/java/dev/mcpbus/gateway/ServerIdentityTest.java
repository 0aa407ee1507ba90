package dev.mcpbus.gateway;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.mcpbus.protocol.ServerId;
import dev.mcpbus.testing.McpHttp;
import dev.mcpbus.testing.ScriptedPeer;
import dev.mcpbus.testing.TestBus;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What a client learns of a server by the handshake at the server's own endpoint. */
class ServerIdentityTest {

  private static final String INFO =
      "{\"name\":\"peer\",\"title\":\"A \\u0070eer\",\"version\":\"1\",\"websiteUrl\":"
          + "\"https://example.com\",\"icons\":[{\"src\":\"data:,\",\"sizes\":[\"any\"]}],\"x\":1e2}";

  private static final String CAPABILITIES =
      "{\"tools\":{},\"prompts\":{\"listChanged\":false},\"extensions\":{\"com.example/a\":"
          + "{\"n\":1.50}},\"experimental\":{\"e\":{}},\"unknown\":{\"u\":[ 1 ]}}";

  private final TestBus bus = TestBus.startWithBridge(new JsonObject());

  @AfterEach
  void close() {
    bus.close();
  }

  private static String initialized(String version, String capabilities) {
    return "\"result\":{\"protocolVersion\":\""
        + version
        + "\",\"capabilities\":"
        + capabilities
        + ",\"serverInfo\":"
        + INFO
        + ",\"instructions\":\"Be kind.\",\"other\":{\"kept\":1.0},\"_meta\":{\"own/m\":[1]}}";
  }

  private static String discovered(String capabilities) {
    return "\"result\":{\"resultType\":\"complete\",\"supportedVersions\":[\"2026-07-28\","
        + "\"2099-01-01\"],\"capabilities\":"
        + capabilities
        + ",\"instructions\":\"Be kind.\",\"ttlMs\":1234,\"cacheScope\":\"public\",\"other\":"
        + "{\"kept\":1.0},\"_meta\":{\"own/m\":[1],\"io.modelcontextprotocol/serverInfo\":"
        + INFO
        + "}}";
  }

  private ScriptedPeer older(String id, String initialized) {
    return Peers.connected(
        bus,
        id,
        new ScriptedPeer(
            bus.vertx(),
            (method, params, connection) ->
                switch (method) {
                  case "server/discover" -> ScriptedPeer.error(-32601, "no such method");
                  case "initialize" -> initialized;
                  default -> listed(method);
                }));
  }

  private ScriptedPeer modern(String id, String discovered) {
    return Peers.connected(
        bus,
        id,
        new ScriptedPeer(
            bus.vertx(),
            (method, params, connection) ->
                method.equals("server/discover") ? discovered : listed(method)));
  }

  private static String listed(String method) {
    return switch (method) {
      case "tools/list" -> Peers.tools("t");
      case "tools/call" -> Peers.text("called");
      default -> ScriptedPeer.error(-32601, "no such method");
    };
  }

  private McpHttp.Answer initialize(String path, String version) {
    McpHttp client = new McpHttp(bus.port(), path);
    return client.post(
        client.request(
            "initialize",
            new JsonObject()
                .put("protocolVersion", version)
                .put("capabilities", new JsonObject())
                .put("clientInfo", new JsonObject().put("name", "c").put("version", "1"))));
  }

  private McpHttp.Answer discover(String path) {
    return new McpHttp(bus.port(), path).discover("server/discover", new JsonObject());
  }

  /** The result without what mcpbus has added. */
  private static JsonObject own(McpHttp.Answer answer) {
    JsonObject result = answer.result().copy();
    JsonObject meta = result.getJsonObject("_meta");
    assertThat(meta.remove("dev.mcpbus/via")).isNotNull();
    assertThat(((JsonObject) meta.remove("dev.mcpbus/gateway")).getString("name"))
        .isEqualTo("mcpbus");
    return result;
  }

  private static JsonObject result(String answer) {
    return new JsonObject("{" + answer + "}").getJsonObject("result");
  }

  @Test
  void the_endpoint_of_an_older_server_answers_initialize_as_that_server_does() {
    older("old", initialized("2025-11-25", CAPABILITIES));

    McpHttp.Answer answer = initialize("/mcp/old", "2025-11-25");

    assertThat(own(answer)).isEqualTo(result(initialized("2025-11-25", CAPABILITIES)));
    assertThat(answer.body()).contains(INFO, CAPABILITIES, "\"other\":{\"kept\":1.0}");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "/mcp/io.github.Org/name",
        "/mcp/IO.GITHUB.ORG/name%20",
        "/mcp/io.github.Org/n%D0%B0me"
      })
  void a_path_takes_the_name_of_a_server_as_written(String path) {
    older(ServerId.of("io.github.Org/name"), initialized("2025-11-25", CAPABILITIES));

    assertThat(initialize(path, "2025-11-25").body()).contains(INFO);
    assertThat(initialize("/mcp/io.github.Org-name", "2025-11-25").status()).isEqualTo(404);
  }

  @Test
  void the_endpoint_of_a_modern_server_answers_discover_as_that_server_does() {
    modern("new", discovered(CAPABILITIES));

    McpHttp.Answer answer = discover("/mcp/new");

    assertThat(own(answer))
        .isEqualTo(
            result(discovered(CAPABILITIES))
                .put("supportedVersions", new JsonArray().add("2026-07-28")));
    assertThat(answer.body()).contains(INFO, CAPABILITIES, "\"other\":{\"kept\":1.0}");
  }

  @Test
  void a_client_of_the_other_era_gets_the_same_in_its_own_form() {
    older("old", initialized("2025-11-25", CAPABILITIES));
    modern("new", discovered(CAPABILITIES));

    McpHttp.Answer ofNew = initialize("/mcp/new", "2025-06-18");
    assertThat(own(ofNew)).isEqualTo(result(initialized("2025-06-18", CAPABILITIES)));
    assertThat(ofNew.body()).contains(INFO, CAPABILITIES);

    McpHttp.Answer ofOld = discover("/mcp/old");
    assertThat(own(ofOld))
        .isEqualTo(
            result(discovered(CAPABILITIES))
                .put("supportedVersions", new JsonArray().add("2026-07-28"))
                .put("cacheScope", "private")
                .put("ttlMs", 60_000));
    assertThat(ofOld.body()).contains(INFO, CAPABILITIES);
  }

  @Test
  void a_server_gets_the_clients_name_version_and_capabilities_with_what_is_unknown() {
    ScriptedPeer old = older("old", initialized("2025-11-25", CAPABILITIES));
    ScriptedPeer modern = modern("new", discovered(CAPABILITIES));
    JsonObject info =
        new JsonObject().put("name", "editor").put("title", "E").put("version", "2").put("x", 1);
    JsonObject can =
        new JsonObject(
            "{\"roots\":{},\"extensions\":{\"com.example/a\":{\"n\":1}},\"experimental\":{\"e\":{}},"
                + "\"unknown\":{\"u\":[1]}}");
    for (String id : List.of("old", "new")) {
      McpHttp client = new McpHttp(bus.port(), "/mcp/" + id);
      McpHttp.Session session = client.initialize("2025-03-26", can, info);
      session.call("tools/call", Peers.call("t"));
      client.discover(
          "tools/call",
          Peers.call("t")
              .put(
                  "_meta",
                  new JsonObject()
                      .put("io.modelcontextprotocol/clientInfo", info)
                      .put("io.modelcontextprotocol/clientCapabilities", can)));
    }

    List<JsonObject> handshakes = old.received("initialize");
    assertThat(handshakes).hasSize(3);
    assertThat(handshakes.get(1).getJsonObject("params").getString("protocolVersion"))
        .isEqualTo("2025-03-26");
    for (JsonObject handshake : handshakes.subList(1, 3)) {
      JsonObject stated = handshake.getJsonObject("params");
      assertThat(stated.getJsonObject("clientInfo")).isEqualTo(info);
      assertThat(stated.getJsonObject("capabilities")).isEqualTo(can);
    }
    List<JsonObject> calls = modern.received("tools/call");
    assertThat(calls).hasSize(2);
    for (JsonObject call : calls) {
      JsonObject stated = call.getJsonObject("params").getJsonObject("_meta");
      assertThat(stated.getValue("io.modelcontextprotocol/clientInfo")).isEqualTo(info);
      assertThat(stated.getValue("io.modelcontextprotocol/clientCapabilities")).isEqualTo(can);
    }
    assertThat(old.received("server/discover")).hasSize(1);
    assertThat(handshakes.get(0).getJsonObject("params").getValue("capabilities"))
        .isEqualTo(new JsonObject());
  }

  @Test
  void tasks_are_stated_in_the_form_of_the_clients_era() {
    String core = "{\"tasks\":{\"requests\":{\"tools\":{\"call\":{}}}},\"tools\":{}}";
    String extension =
        "{\"extensions\":{\"io.modelcontextprotocol/tasks\":{}},\"tools\":{\"listChanged\":true}}";
    older("old", initialized("2025-11-25", core));
    modern("new", discovered(extension));

    assertThat(own(initialize("/mcp/old", "2025-11-25")).getJsonObject("capabilities"))
        .isEqualTo(new JsonObject(core));
    assertThat(own(discover("/mcp/old")).getJsonObject("capabilities"))
        .isEqualTo(
            new JsonObject("{\"extensions\":{\"io.modelcontextprotocol/tasks\":{}},\"tools\":{}}"));
    assertThat(own(discover("/mcp/new")).getJsonObject("capabilities"))
        .isEqualTo(new JsonObject(extension));
    assertThat(own(initialize("/mcp/new", "2025-11-25")).getJsonObject("capabilities"))
        .isEqualTo(
            new JsonObject(
                "{\"tasks\":{\"list\":{},\"cancel\":{},\"requests\":{\"tools\":{\"call\":{}}}},"
                    + "\"tools\":{\"listChanged\":true}}"));
    assertThat(own(initialize("/mcp/new", "2025-06-18")).getJsonObject("capabilities"))
        .isEqualTo(new JsonObject("{\"tools\":{\"listChanged\":true}}"));
  }

  @Test
  void a_client_gets_no_later_version_than_the_server_speaks() {
    older("old", initialized("2025-03-26", CAPABILITIES));

    assertThat(initialize("/mcp/old", "2025-11-25").result().getString("protocolVersion"))
        .isEqualTo("2025-03-26");
    assertThat(initialize("/mcp/old", "2024-11-05").result().getString("protocolVersion"))
        .isEqualTo("2024-11-05");
    assertThat(initialize("/mcp", "2025-11-25").result().getString("protocolVersion"))
        .isEqualTo("2025-11-25");
  }

  @Test
  void a_server_that_is_down_is_what_it_was_last() {
    older("old", initialized("2025-11-25", CAPABILITIES));
    assertThat(own(initialize("/mcp/old", "2025-11-25")).getString("instructions"))
        .isEqualTo("Be kind.");
    TestBus.await(bus.vertx().eventBus().request("mcp.old.disconnect", new JsonObject()));
    bus.awaitState("old", "IDLE");

    assertThat(own(initialize("/mcp/old", "2025-11-25")))
        .isEqualTo(result(initialized("2025-11-25", CAPABILITIES)));
  }

  @Test
  void several_servers_are_mcpbus_with_what_they_extend_merged() {
    older("old", initialized("2025-11-25", CAPABILITIES));
    modern(
        "new",
        discovered(
            "{\"extensions\":{\"com.example/a\":{\"m\":[1],\"n\":2},\"com.example/b\":{}},"
                + "\"experimental\":{\"f\":{}}}"));
    JsonObject extensions =
        new JsonObject("{\"com.example/a\":{\"m\":[1],\"n\":2},\"com.example/b\":{}}");

    await()
        .atMost(Duration.ofSeconds(60))
        .untilAsserted(
            () -> {
              for (McpHttp.Answer answer :
                  new McpHttp.Answer[] {initialize("/mcp", "2025-11-25"), discover("/mcp")}) {
                JsonObject capabilities = answer.result().getJsonObject("capabilities");
                assertThat(capabilities.getJsonObject("extensions")).isEqualTo(extensions);
                assertThat(capabilities.getJsonObject("experimental"))
                    .isEqualTo(new JsonObject("{\"e\":{},\"f\":{}}"));
                assertThat(capabilities.getJsonObject("resources").getBoolean("subscribe"))
                    .isTrue();
              }
            });
    assertThat(
            initialize("/mcp", "2025-11-25").result().getJsonObject("serverInfo").getString("name"))
        .isEqualTo("mcpbus");
  }
}
