package dev.mcpbus;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.mcpbus.testing.McpHttp;
import dev.mcpbus.testing.McpHttp.Answer;
import dev.mcpbus.testing.NpmServers;
import dev.mcpbus.testing.TestBus;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.nio.file.Path;
import java.util.List;
import java.util.function.BiFunction;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Servers of other people twice under two ids: all their URIs and templates are the same. */
class ResourceRoutingIT {

  private static final String EVERYTHING = RealServersIT.EVERYTHING;
  private static final String OLD_EVERYTHING = "server-everything-0.6/dist/index.js";
  private static final String MEMORY = "@modelcontextprotocol/server-memory/dist/index.js";
  private static final String ZIPPED = "demo://resource/session/zipped";
  private static final String FILES = "@modelcontextprotocol/server-filesystem/dist/index.js";

  @TempDir Path folder;

  private JsonObject memory(String file) {
    return NpmServers.stdio(MEMORY)
        .put("env", new JsonObject().put("MEMORY_FILE_PATH", folder.resolve(file).toString()));
  }

  private static TestBus started(JsonObject servers) {
    TestBus bus = TestBus.startWithBridge(servers);
    servers.fieldNames().forEach(id -> bus.awaitState(id, "READY"));
    return bus;
  }

  private static BiFunction<String, JsonObject, Answer> client(TestBus bus, String era) {
    McpHttp mcp = new McpHttp(bus.port(), "/mcp");
    return era.equals("discover") ? mcp::discover : mcp.initialize()::call;
  }

  private static JsonObject uri(String uri) {
    return new JsonObject().put("uri", uri);
  }

  private static List<String> listed(Answer answer, String list, String key) {
    return answer.result().getJsonArray(list).stream()
        .map(one -> ((JsonObject) one).getString(key))
        .toList();
  }

  private static JsonObject call(String tool, JsonObject arguments) {
    return new JsonObject().put("name", tool).put("arguments", arguments);
  }

  @Tag("long")
  @ParameterizedTest
  @ValueSource(strings = {"initialize", "discover"})
  void each_of_two_memories_is_read_by_its_own_uri(String era) {
    try (TestBus bus =
        started(new JsonObject().put("mem-a", memory("a")).put("mem-b", memory("b")))) {
      BiFunction<String, JsonObject, Answer> client = client(bus, era);
      assertThat(listed(client.apply("resources/list", new JsonObject()), "resources", "uri"))
          .containsExactly("memory://mem-a/knowledge-graph", "memory://mem-b/knowledge-graph");
      client.apply("tools/call", creation("mem-b")).result();
      JsonObject a = client.apply("resources/read", uri("memory://mem-a/knowledge-graph")).result();
      JsonObject b = client.apply("resources/read", uri("memory://mem-b/knowledge-graph")).result();
      assertThat(a.encode()).doesNotContain("Ada");
      assertThat(b.encode()).contains("Ada");
      assertThat(b.getJsonArray("contents").getJsonObject(0).getString("uri"))
          .isEqualTo("memory://mem-b/knowledge-graph");
      JsonObject refused = client.apply("resources/read", uri("memory://knowledge-graph")).error();
      assertThat(refused.getJsonObject("data").getJsonArray("uris"))
          .containsExactly("memory://mem-a/knowledge-graph", "memory://mem-b/knowledge-graph");
    }
  }

  private static JsonObject creation(String server) {
    JsonObject ada =
        new JsonObject()
            .put("name", "Ada")
            .put("entityType", "person")
            .put("observations", new JsonArray());
    return call(
        server + "__create_entities", new JsonObject().put("entities", new JsonArray().add(ada)));
  }

  @Test
  void an_update_of_one_memory_has_the_uri_that_leads_to_it() {
    try (TestBus bus =
        started(new JsonObject().put("mem-a", memory("a")).put("mem-b", memory("b")))) {
      McpHttp.Session session = new McpHttp(bus.port(), "/mcp").initialize();
      try (McpHttp.Stream stream = session.listen()) {
        session.call("resources/subscribe", uri("memory://mem-b/knowledge-graph")).result();
        session.call("tools/call", creation("mem-a")).result();
        session.call("tools/call", creation("mem-b")).result();
        await().until(() -> stream.methods().contains("notifications/resources/updated"));
        assertThat(stream.messages())
            .filteredOn(one -> one.getString("method").equals("notifications/resources/updated"))
            .extracting(one -> one.getJsonObject("params").getString("uri"))
            .containsOnly("memory://mem-b/knowledge-graph");
      }
    }
  }

  @Tag("long")
  @ParameterizedTest
  @ValueSource(strings = {"initialize", "discover"})
  void links_embedded_resources_and_templates_of_two_everythings_lead_back(String era) {
    JsonObject servers =
        new JsonObject()
            .put("every-a", NpmServers.stdio(EVERYTHING))
            .put("every-b", NpmServers.stdio(EVERYTHING));
    try (TestBus bus = started(servers)) {
      BiFunction<String, JsonObject, Answer> client = client(bus, era);
      JsonArray links =
          client
              .apply("tools/call", call("every-b__get-resource-links", new JsonObject()))
              .result()
              .getJsonArray("content");
      assertThat(links.size()).isEqualTo(4);
      for (int i = 1; i < links.size(); i++) {
        String link = links.getJsonObject(i).getString("uri");
        assertThat(link).startsWith("demo://every-b/resource/dynamic/");
        assertThat(client.apply("resources/read", uri(link)).result().encode()).contains(link);
      }
      JsonArray embedded =
          client
              .apply("tools/call", call("every-b__get-resource-reference", new JsonObject()))
              .result()
              .getJsonArray("content");
      assertThat(embedded.getJsonObject(1).getJsonObject("resource").getString("uri"))
          .isEqualTo("demo://every-b/resource/dynamic/text/1");
      JsonObject prompt =
          client
              .apply(
                  "prompts/get",
                  call(
                      "every-a__resource-prompt",
                      new JsonObject().put("resourceType", "Text").put("resourceId", "1")))
              .result();
      assertThat(prompt.encode()).contains("\"uri\":\"demo://every-a/resource/dynamic/text/1\"");
      assertThat(
              listed(
                  client.apply("resources/templates/list", new JsonObject()),
                  "resourceTemplates",
                  "uriTemplate"))
          .contains(
              "demo://every-a/resource/dynamic/text/{resourceId}",
              "demo://every-b/resource/dynamic/text/{resourceId}");
      assertThat(
              completed(client, "demo://every-b/resource/dynamic/text/{resourceId}")
                  .result()
                  .encode())
          .contains("\"values\":[\"1\"]");
      assertThat(
              completed(client, "demo://resource/dynamic/text/{resourceId}")
                  .error()
                  .getJsonObject("data")
                  .getJsonArray("uris"))
          .hasSize(2);
    }
  }

  private static Answer completed(BiFunction<String, JsonObject, Answer> client, String template) {
    return client.apply(
        "completion/complete",
        new JsonObject()
            .put("ref", new JsonObject().put("type", "ref/resource").put("uri", template))
            .put("argument", new JsonObject().put("name", "resourceId").put("value", "1")));
  }

  @Test
  void what_a_session_has_made_at_one_server_is_found_there_though_no_list_has_it() {
    JsonObject servers =
        new JsonObject()
            .put("a-old", NpmServers.stdio(OLD_EVERYTHING))
            .put("b-files", NpmServers.stdio(FILES, folder.toString()))
            .put("c-every", NpmServers.stdio(EVERYTHING))
            .put("d-every", NpmServers.stdio(EVERYTHING));
    try (TestBus bus = started(servers)) {
      BiFunction<String, JsonObject, Answer> client = client(bus, "initialize");
      assertThat(client.apply("resources/read", uri("test://a-old/x")).error().getInteger("code"))
          .as("the first server knows no other error")
          .isEqualTo(-32603);
      String link = zipped(client, "d-every");
      assertThat(link).isEqualTo("demo://d-every/resource/session/zipped");
      assertThat(client.apply("resources/read", uri(link)).result().encode()).contains("blob");
    }
  }

  @Test
  void servers_before_the_right_one_that_fail_in_their_own_way_are_not_asked() {
    JsonObject servers =
        new JsonObject()
            .put("a-old", NpmServers.stdio(OLD_EVERYTHING))
            .put("b-files", NpmServers.stdio(FILES, folder.toString()))
            .put("c-every", NpmServers.stdio(EVERYTHING));
    try (TestBus bus = started(servers)) {
      BiFunction<String, JsonObject, Answer> client = client(bus, "initialize");
      client.apply("resources/templates/list", new JsonObject()).result();
      client.apply("resources/list", new JsonObject()).result();
      String link = zipped(client, "c-every");
      assertThat(link).as("no other server has such URIs").isEqualTo(ZIPPED);
      assertThat(client.apply("resources/read", uri(link)).result().encode()).contains("blob");
      assertThat(
              client(bus, "discover")
                  .apply("resources/read", uri("demo://resource/dynamic/text/7"))
                  .result()
                  .encode())
          .contains("Resource 7");
    }
  }

  /** Makes a resource that is in no list but that of its session, and returns the link to it. */
  private static String zipped(BiFunction<String, JsonObject, Answer> client, String server) {
    JsonObject file =
        new JsonObject()
            .put("name", "zipped")
            .put("data", "data:text/plain,hello")
            .put("outputType", "resourceLink");
    return client
        .apply("tools/call", call(server + "__gzip-file-as-resource", file))
        .result()
        .getJsonArray("content")
        .getJsonObject(0)
        .getString("uri");
  }
}
