package dev.mcpbus.directory.search;

import static dev.mcpbus.bus.BusTests.await;
import static dev.mcpbus.bus.BusTests.failure;
import static org.assertj.core.api.Assertions.assertThat;

import dev.mcpbus.bus.Addresses;
import dev.mcpbus.bus.Events;
import dev.mcpbus.bus.FailureCode;
import dev.mcpbus.bus.FakeConnection;
import dev.mcpbus.bus.NamePolicy;
import dev.mcpbus.bus.Requester;
import dev.mcpbus.bus.ToolName;
import dev.mcpbus.bus.ToolSearchResult;
import dev.mcpbus.client.CallOptions;
import dev.mcpbus.client.McpClient;
import dev.mcpbus.directory.DirectoryVerticle;
import dev.mcpbus.directory.MetaTools;
import dev.mcpbus.directory.aggregate.AggregateService;
import dev.mcpbus.testing.OpenAccess;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.WorkerExecutor;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.eventbus.DeliveryOptions;
import io.vertx.core.eventbus.Message;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import io.vertx.junit5.VertxExtension;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** Search, description and the tools for models, over the bus. */
@ExtendWith(VertxExtension.class)
class ToolSearchTest {

  private static final String ODD = "make a fuss/now";

  private Vertx vertx;
  private McpClient client;
  private FakeConnection git;
  private volatile List<String> gitTools = List.of("git_status", "create_commit", ODD);

  @BeforeEach
  void prepare(Vertx vertx) {
    this.vertx = vertx;
    client = McpClient.create(vertx);
    git = new FakeConnection(vertx, "git");
    git.on(Addresses.TOOLS_LIST, message -> FakeConnection.replyInKind(message, tools(gitTools)));
    git.on(
        Addresses.TOOLS_CALL,
        message -> {
          JsonObject params = new JsonObject(((JsonObject) message.body()).encode());
          message.reply(new JsonObject().put("content", new JsonArray()).put("echo", params));
        });
    new FakeConnection(vertx, "mail")
        .answering(Addresses.TOOLS_LIST, tools(List.of("send_mail", "create_draft")));
    JsonArray servers = new JsonArray();
    List.of("git", "mail")
        .forEach(id -> servers.add(new JsonObject().put("id", id).put("state", "READY")));
    vertx
        .eventBus()
        .consumer(
            Addresses.SERVERS_LIST,
            message -> message.reply(new JsonObject().put("servers", servers)));
    await(
        vertx.deployVerticle(
            new DirectoryVerticle(
                OpenAccess.directory(vertx),
                List.of(new AggregateService(NamePolicy.DOTTED, false)))));
  }

  private static String tools(List<String> names) {
    JsonArray list = new JsonArray();
    for (String name : names) {
      list.add(
          new JsonObject()
              .put("name", name)
              .put("description", "d".repeat(400))
              .put("inputSchema", new JsonObject().put("type", "object")));
    }
    return new JsonObject().put("tools", list).encode();
  }

  private List<String> found(String query) {
    return await(client.searchTools(query, 10)).tools().stream()
        .map(ToolSearchResult.FoundTool::name)
        .toList();
  }

  private JsonObject meta(MetaTools.ToolScope scope, String tool, JsonObject arguments) {
    return await(new MetaTools(vertx, scope).call(tool, arguments, new DeliveryOptions()));
  }

  private static String text(JsonObject result) {
    return result.getJsonArray("content").getJsonObject(0).getString("text");
  }

  @Test
  void the_first_search_waits_for_the_lists_and_the_index() {
    ToolSearchResult all = await(client.searchTools("", 2));

    assertThat(all.total()).isEqualTo(5);
    assertThat(all.tools()).hasSize(2);
    assertThat(found("commit")).containsExactly("git.create_commit");
    assertThat(found("sending mails")).first().isEqualTo("mail.send_mail");
  }

  @Test
  void a_search_is_answered_in_kind_and_unknown_servers_are_named() {
    Buffer reply =
        await(
                vertx
                    .eventBus()
                    .<Buffer>request(
                        Addresses.ALL_TOOLS_SEARCH, Buffer.buffer("{\"servers\":[\"mail\"]}")))
            .body();
    assertThat(new JsonObject(reply).getLong("total")).isEqualTo(2);
    JsonObject unknown = new JsonObject().put("servers", new JsonArray().add("gti"));
    Future<?> refused = vertx.eventBus().request(Addresses.ALL_TOOLS_SEARCH, unknown);
    assertThat(failure(refused).code()).isEqualTo(FailureCode.UNKNOWN_CONNECTION);
    assertThat(failure(client.searchTools("x", 101)).getMessage()).contains("1 to 100");
  }

  private Future<Message<JsonObject>> search(String principal) {
    return vertx
        .eventBus()
        .request(
            Addresses.ALL_TOOLS_SEARCH,
            new JsonObject().put("query", "commit"),
            new Requester(principal, false).addTo(new DeliveryOptions()));
  }

  @Test
  void one_caller_leaves_room_for_the_searches_of_another() {
    assertThat(found("commit")).isNotEmpty();
    CountDownLatch hold = new CountDownLatch(1);
    WorkerExecutor threads = vertx.createSharedWorkerExecutor("mcpbus-search", 2);
    List<Future<Message<JsonObject>>> requests = new ArrayList<>();
    try {
      for (int i = 0; i < 2; i++) {
        threads.executeBlocking(() -> hold.await(60, TimeUnit.SECONDS), false);
      }
      for (int i = 0; i < 1_000; i++) {
        requests.add(search("alice"));
      }
      Awaitility.await()
          .untilAsserted(
              () -> assertThat(requests.stream().filter(Future::failed).count()).isEqualTo(250));
      requests.add(search("bob"));
    } finally {
      hold.countDown();
    }
    assertThat(await(requests.get(1_000)).body().getLong("total")).isPositive();
    assertThat(await(Future.join(requests).otherwiseEmpty())).isNull();
    assertThat(requests.stream().filter(Future::succeeded)).hasSize(751);
    assertThat(failure(requests.get(999)).code()).isEqualTo(FailureCode.OVERLOADED);
    assertThat(await(search("alice")).body().getLong("total")).isPositive();
    await(threads.close());
  }

  @Test
  void a_changed_list_is_searched_soon_after_its_event() {
    assertThat(found("rebase")).isEmpty();
    gitTools = List.of("rebase");
    git.event(Events.TOOLS_CHANGED, new JsonObject());

    Awaitility.await().until(() -> found("rebase").equals(List.of("git.rebase")));
    assertThat(found("commit")).isEmpty();
  }

  @Test
  void searches_during_changes_all_end_and_see_one_catalog_or_the_next() {
    List<Future<ToolSearchResult>> all =
        IntStream.range(0, 200)
            .mapToObj(
                i -> {
                  gitTools = List.of("rebase" + i);
                  git.event(Events.TOOLS_CHANGED, new JsonObject());
                  return client.searchTools("", 100);
                })
            .toList();
    for (Future<ToolSearchResult> one : all) {
      assertThat(await(one).total()).isIn(3L, 5L);
    }
  }

  @Test
  void a_tool_is_described_and_called_by_any_of_its_names() {
    String hashed = await(client.searchTools("fuss", 1)).tools().get(0).routingName();
    assertThat(hashed).matches("git__make_a_fuss_now_[0-9a-f]{16}");
    for (String name : List.of("git." + ODD, "git:" + ODD, hashed)) {
      JsonObject described = await(client.describeTool(name));
      assertThat(described.getString("ownName")).isEqualTo(ODD);
      assertThat(described.getString("routingName")).isEqualTo(hashed);
      assertThat(described.getJsonObject("tool").getString("name")).isEqualTo("git." + ODD);
      JsonObject result =
          await(client.callTool(name, new JsonObject(), CallOptions.DEFAULT)).json();
      assertThat(result.getJsonObject("echo").getString("name")).isEqualTo(ODD);
    }
    assertThat(failure(client.describeTool("git__git_statu")).getMessage())
        .contains("did you mean git.git_status?");
    assertThat(failure(client.describeTool("nobody__tool")).code())
        .isEqualTo(FailureCode.UNKNOWN_TOOL);
  }

  @Test
  void the_three_tools_lead_a_model_from_words_to_a_result() {
    JsonObject search =
        meta(MetaTools.ToolScope.ALL, MetaTools.SEARCH, new JsonObject().put("query", "commit"));
    JsonObject hit = new JsonObject(text(search)).getJsonArray("tools").getJsonObject(0);
    assertThat(hit.getString("name")).isEqualTo("git__create_commit");
    assertThat(hit.getString("description")).hasSize(303).endsWith("...");

    JsonObject name = new JsonObject().put("name", hit.getString("name"));
    JsonObject described = meta(MetaTools.ToolScope.ALL, MetaTools.DESCRIBE, name);
    assertThat(new JsonObject(text(described)).getJsonObject("inputSchema").getString("type"))
        .isEqualTo("object");
    assertThat(new JsonObject(text(described)).getString("description")).hasSize(400);

    JsonObject arguments = new JsonObject().put("message", "why");
    JsonObject result =
        meta(MetaTools.ToolScope.ALL, MetaTools.CALL, name.copy().put("arguments", arguments));
    assertThat(result.getJsonObject("echo"))
        .isEqualTo(new JsonObject().put("name", "create_commit").put("arguments", arguments));
  }

  @Test
  void a_models_mistakes_are_results_that_name_the_remedy() {
    assertThat(found("")).as("the catalog knows its tools").hasSize(5);
    JsonObject wrong = new JsonObject().put("name", "git__create_comit");
    assertThat(text(meta(MetaTools.ToolScope.ALL, MetaTools.CALL, wrong)))
        .startsWith("UNKNOWN_TOOL: ")
        .contains("git.create_commit", "search_tools");
    JsonObject textual = new JsonObject().put("name", "git__git_status").put("arguments", "{}");
    JsonObject refused = meta(MetaTools.ToolScope.ALL, MetaTools.CALL, textual);
    assertThat(refused.getBoolean("isError")).isTrue();
    assertThat(text(refused)).contains("'arguments' must be an object");
    assertThat(text(meta(MetaTools.ToolScope.ALL, MetaTools.DESCRIBE, new JsonObject())))
        .contains("'name' is missing");
    assertThat(
            text(
                meta(
                    MetaTools.ToolScope.ALL,
                    MetaTools.CALL,
                    new JsonObject().put("name", MetaTools.CALL))))
        .contains("called by itself");
    assertThat(
            text(meta(MetaTools.ToolScope.ALL, MetaTools.SEARCH, new JsonObject().put("query", 7))))
        .startsWith("BAD_REQUEST");
    assertThat(
            text(
                meta(
                    MetaTools.ToolScope.ALL,
                    MetaTools.SEARCH,
                    new JsonObject().put("query", "zzzzqqqq"))))
        .contains("Nothing matches");
  }

  @Test
  void nothing_beyond_the_scope_is_found_described_or_called() {
    MetaTools.ToolScope narrow =
        new MetaTools.ToolScope() {
          @Override
          public List<String> servers() {
            return List.of("git");
          }

          @Override
          public boolean admits(ToolName tool) {
            return !tool.tool().equals("git_status");
          }
        };
    JsonObject all = new JsonObject().put("query", "");
    JsonArray found =
        new JsonObject(text(meta(narrow, MetaTools.SEARCH, all))).getJsonArray("tools");
    assertThat(found.encode()).contains("create_commit").doesNotContain("git_status", "mail");
    assertThat(text(meta(narrow, MetaTools.SEARCH, all.copy().put("servers", List.of("mail")))))
        .contains("there are no such servers here");
    for (String name : List.of("git__git_status", "mail__send_mail", "mail.send_mail")) {
      JsonObject call = new JsonObject().put("name", name);
      assertThat(text(meta(narrow, MetaTools.DESCRIBE, call))).startsWith("UNKNOWN_TOOL");
      assertThat(text(meta(narrow, MetaTools.CALL, call))).startsWith("UNKNOWN_TOOL");
    }
    JsonObject commit = new JsonObject().put("name", "git__create_commit");
    assertThat(meta(narrow, MetaTools.CALL, commit).containsKey("echo")).isTrue();
  }

  @Test
  void the_definitions_are_tools_of_mcp() {
    for (Object one : MetaTools.definitions()) {
      JsonObject definition = (JsonObject) one;
      assertThat(MetaTools.isMeta(definition.getString("name"))).isTrue();
      assertThat(definition.getString("description")).hasSizeGreaterThan(100).doesNotContain("\n");
      assertThat(definition.getJsonObject("inputSchema").getString("type")).isEqualTo("object");
    }
    assertThat(MetaTools.definitions()).hasSize(3);
  }
}
