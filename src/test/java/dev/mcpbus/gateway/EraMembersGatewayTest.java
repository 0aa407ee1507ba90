package dev.mcpbus.gateway;

import static org.assertj.core.api.Assertions.assertThat;

import dev.mcpbus.testing.McpHttp;
import dev.mcpbus.testing.TestBus;
import io.vertx.core.json.JsonObject;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** A client of one era gets nothing that only the protocol of the other era says. */
class EraMembersGatewayTest {

  private static final String SERVER_INFO = "io.modelcontextprotocol/serverInfo";

  private static final String RESULT =
      "\"result\":{\"resultType\":\"complete\",\"ttlMs\":5,\"cacheScope\":\"private\",%s,"
          + "\"own\":1e2,\"_meta\":{\"io.modelcontextprotocol/serverInfo\":{\"name\":\"s\"},"
          + "\"own\":1}}";

  private TestBus bus;

  @BeforeEach
  void start() {
    bus = TestBus.startWithBridge(new JsonObject());
  }

  @AfterEach
  void close() {
    bus.close();
  }

  @Test
  void results_of_each_method_have_the_members_of_the_clients_era() {
    Peers.discover(
        bus,
        "s",
        (method, params, connection) ->
            switch (method) {
              case "tools/list" -> Peers.tools("t");
              case "prompts/list" -> "\"result\":{\"prompts\":[{\"name\":\"p\"}],\"ttlMs\":60000}";
              case "resources/list" ->
                  "\"result\":{\"resources\":[{\"uri\":\"x:a\",\"name\":\"a\"}],\"ttlMs\":60000}";
              case "tools/call" -> RESULT.formatted("\"content\":[]");
              case "prompts/get" -> RESULT.formatted("\"messages\":[]");
              case "resources/read" -> RESULT.formatted("\"contents\":[]");
              default -> null;
            });
    McpHttp client = new McpHttp(bus.port(), "/mcp/s");
    McpHttp.Session session = client.initialize();
    for (JsonObject request :
        List.of(
            client.request("tools/call", Peers.call("t")),
            client.request("prompts/get", new JsonObject().put("name", "p")),
            client.request("resources/read", new JsonObject().put("uri", "x:a")))) {
      String method = request.getString("method");
      McpHttp.Answer old = session.called(request).join();
      assertThat(old.result().fieldNames())
          .as(method)
          .doesNotContain("resultType", "ttlMs", "cacheScope")
          .contains("own");
      assertThat(old.body()).as(method).contains("\"own\":1e2", "\"_meta\":{\"own\":1}");
      JsonObject young = client.discover(method, request.getJsonObject("params")).result();
      assertThat(young.fieldNames()).as(method).contains("resultType", "ttlMs", "cacheScope");
      assertThat(young.getJsonObject("_meta").fieldNames()).as(method).contains(SERVER_INFO);
    }
  }

  @Test
  void a_result_of_an_older_server_keeps_members_of_these_names_and_loses_the_mark_of_its_task() {
    Peers.initialize(
        bus,
        "o",
        (method, params, connection) ->
            switch (method) {
              case "tools/list" -> Peers.tools("t");
              case "tools/call" ->
                  "\"result\":{\"content\":[],\"ttlMs\":7,\"_meta\":{"
                      + "\"io.modelcontextprotocol/related-task\":{\"taskId\":\"x\"},\"own\":1}}";
              default -> null;
            });
    McpHttp client = new McpHttp(bus.port(), "/mcp/o");
    assertThat(client.initialize().call("tools/call", Peers.call("t")).result().getInteger("ttlMs"))
        .isEqualTo(7);
    JsonObject young = client.discover("tools/call", Peers.call("t")).result();
    assertThat(young.getInteger("ttlMs")).isEqualTo(7);
    assertThat(young.getJsonObject("_meta").fieldNames()).containsExactly("own");
  }
}
