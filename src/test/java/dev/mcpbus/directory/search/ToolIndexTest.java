package dev.mcpbus.directory.search;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.mcpbus.bus.FailureCode;
import dev.mcpbus.bus.ListKind;
import dev.mcpbus.bus.McpFailure;
import dev.mcpbus.directory.SearchRequest;
import dev.mcpbus.directory.TestLists;
import dev.mcpbus.protocol.ProtocolException;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ToolIndexTest {

  private static final JsonObject CREATE_ISSUE =
      tool("createIssue", "Opens a ticket in the tracker").put("title", "Nouvelle tâche");
  private static final JsonObject LIST_FILES =
      tool("list_files", "Names of everything in a folder")
          .put(
              "inputSchema",
              new JsonObject()
                  .put(
                      "properties",
                      new JsonObject()
                          .put(
                              "glob_pattern",
                              new JsonObject().put("description", "such as *.txt, recursively"))));
  private static final JsonObject GET_WEATHER = tool("get-weather", "Forecast for a town");

  private ToolIndex index;
  private TestLists catalog;

  private static JsonObject tool(String name, String description) {
    return new JsonObject()
        .put("name", name)
        .put("description", description)
        .put("inputSchema", new JsonObject());
  }

  private static JsonObject tools(JsonObject... tools) {
    return new JsonObject().put("tools", new JsonArray(List.of(tools)));
  }

  @BeforeEach
  void build() throws Exception {
    index = new ToolIndex();
    catalog =
        SearchQuality.catalog(
            Map.of("hub", tools(CREATE_ISSUE, LIST_FILES), "sky", tools(GET_WEATHER)));
    index.update(catalog.aggregate());
  }

  @AfterEach
  void close() throws IOException {
    index.close();
  }

  private JsonObject search(String query, @Nullable List<String> servers) throws IOException {
    return index.search(new SearchRequest(query, 10, 0, servers, false));
  }

  private List<String> find(String query) throws IOException {
    return SearchQuality.names(search(query, null));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "createIssue",
        "create issue",
        "create_issue",
        "create-issue",
        "CREATE ISSUES",
        "createissue",
        "hub.createIssue",
        "hub__createIssue",
        "creat",
        "crate isue",
        "ticket",
        "tache",
        "opening"
      })
  void a_tool_is_found_however_its_words_are_written(String query) throws IOException {
    assertThat(find(query)).first().isEqualTo("hub.createIssue");
  }

  @Test
  void parameters_and_their_descriptions_are_searched() throws IOException {
    assertThat(find("glob")).containsExactly("hub.list_files");
    assertThat(find("recursive")).containsExactly("hub.list_files");
  }

  @Test
  void a_result_shows_all_names_and_what_a_caller_needs_to_choose() throws IOException {
    JsonObject found = search("create issue", null);
    assertThat(found.getLong("total")).isEqualTo(1);
    JsonObject tool = found.getJsonArray("tools").getJsonObject(0);
    assertThat(tool.getDouble("score")).isPositive();
    tool.remove("score");
    assertThat(tool)
        .isEqualTo(
            new JsonObject()
                .put("name", "hub.createIssue")
                .put("routingName", "hub__createIssue")
                .put("server", "hub")
                .put("tool", "createIssue")
                .put("title", "Nouvelle tâche")
                .put("description", "Opens a ticket in the tracker"));
  }

  @Test
  void an_empty_query_lists_all_in_the_catalogs_order_page_by_page() throws IOException {
    assertThat(find("  ")).containsExactly("hub.createIssue", "hub.list_files", "sky.get-weather");
    JsonObject page = index.search(new SearchRequest("", 1, 1, null, false));
    assertThat(SearchQuality.names(page)).containsExactly("hub.list_files");
    assertThat(page.getLong("total")).isEqualTo(3);
    assertThat(SearchQuality.names(index.search(new SearchRequest("", 10, 10_000, null, false))))
        .isEmpty();
  }

  @Test
  void servers_narrow_the_search() throws IOException {
    assertThat(SearchQuality.names(search("", List.of("sky")))).containsExactly("sky.get-weather");
    assertThat(search("issue", List.of("sky")).getLong("total")).isZero();
    assertThat(search("", List.of()).getLong("total")).isZero();
  }

  @Test
  void a_newer_catalog_is_taken_over_by_what_differs() throws Exception {
    TestLists next =
        catalog
            .with("hub", ListKind.TOOLS, tools(tool("close_issue", "Ends a ticket")).encode())
            .withDown("sky");
    index.update(next.aggregate());

    assertThat(find("")).containsExactly("hub.close_issue", "sky.get-weather");
    assertThat(find("createIssue")).containsExactly("hub.close_issue");
    assertThat(search("weather", null).getJsonArray("tools").getJsonObject(0).getBoolean("stale"))
        .isTrue();

    index.update(next.without("sky").aggregate());
    assertThat(find("weather")).isEmpty();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "*", "?*", "*:*", "name:createIssue", "/.*/", "\"create", "create AND", "+create -issue",
        "(((", "issue~2", "[a TO z]", "\\", "\uD800", "\u0000", "{!func}x", "${jndi:ldap}"
      })
  void what_is_syntax_elsewhere_is_only_letters_here(String query) throws IOException {
    long total = search(query, null).getLong("total");
    assertThat(total).as("finds by its words at most").isBetween(0L, 2L);
    assertThat(find("create issue")).first().isEqualTo("hub.createIssue");
  }

  @Test
  void a_query_of_ten_kilobytes_is_read_to_its_bound_only() throws IOException {
    assertThat(find("issue " + "x".repeat(10_240))).containsExactly("hub.createIssue");
    assertThat(find("zq ".repeat(3_000) + " issue")).isEmpty();
    StringBuilder many = new StringBuilder();
    for (int i = 0; i < 1_000; i++) {
      many.append("wether").append(i).append("abcdefgh").append(i).append(' ');
    }
    assertThat(search(many.toString(), null).getLong("total")).isBetween(0L, 3L);
  }

  @Test
  void tools_with_odd_definitions_are_found_and_huge_ones_are_bounded() throws Exception {
    JsonObject odd =
        new JsonObject()
            .put("name", "odd\u0000 \uD83D\uDE00 \uD800")
            .put("description", 7)
            .put("title", new JsonObject())
            .put("inputSchema", new JsonObject().put("properties", new JsonArray().add(1)));
    JsonObject huge = tool("h".repeat(40_000), "word ".repeat(20_000) + " behindthebound");
    index.update(SearchQuality.catalog(Map.of("odd", tools(odd, huge))).aggregate());

    assertThat(search("odd", null).getLong("total")).isEqualTo(2);
    assertThat(find("word")).hasSize(1);
    assertThat(find("behindthebound")).isEmpty();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "[]",
        "{\"query\": 7}",
        "{\"limit\": 0}",
        "{\"limit\": 101}",
        "{\"limit\": 1.5}",
        "{\"limit\": 4294967297}",
        "{\"offset\": -1}",
        "{\"servers\": \"hub\"}",
        "{\"servers\": [1]}",
        "no"
      })
  void a_malformed_request_is_refused_with_the_remedy(String body) {
    assertThatThrownBy(() -> SearchRequest.of(Buffer.buffer(body)))
        .isInstanceOfSatisfying(
            McpFailure.class,
            failure -> {
              assertThat(failure.code()).isEqualTo(FailureCode.BAD_REQUEST);
              assertThat(failure.getMessage()).containsAnyOf("send {", "must be a whole number");
            });
  }

  @Test
  void requests_have_defaults() throws ProtocolException {
    assertThat(SearchRequest.of(new JsonObject()))
        .isEqualTo(new SearchRequest("", 10, 0, null, false));
  }
}
