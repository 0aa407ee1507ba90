package dev.mcpbus.directory.aggregate;

import static dev.mcpbus.bus.BusTests.await;
import static dev.mcpbus.bus.BusTests.failure;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.mcpbus.bus.Addresses;
import dev.mcpbus.bus.Events;
import dev.mcpbus.bus.FailureCode;
import dev.mcpbus.bus.FakeConnection;
import dev.mcpbus.bus.Headers;
import dev.mcpbus.bus.McpFailure;
import dev.mcpbus.bus.NamePolicy;
import dev.mcpbus.client.CallOptions;
import dev.mcpbus.client.McpClient;
import dev.mcpbus.directory.Directory;
import dev.mcpbus.directory.DirectoryVerticle;
import dev.mcpbus.testing.OpenAccess;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.eventbus.DeliveryOptions;
import io.vertx.core.eventbus.Message;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import io.vertx.junit5.VertxExtension;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

@ExtendWith(VertxExtension.class)
class AggregateServiceTest {

  private static final JsonObject NONE = new JsonObject();

  private Vertx vertx;
  private FakeConnection git;
  private final AtomicInteger fetches = new AtomicInteger();
  private volatile String tools = toolList("status", "commit");

  private static String toolList(String... names) {
    JsonArray list = new JsonArray();
    for (String name : names) {
      list.add(new JsonObject().put("name", name).put("inputSchema", new JsonObject()));
    }
    return new JsonObject().put("tools", list).encode();
  }

  @BeforeEach
  void prepare(Vertx vertx) {
    this.vertx = vertx;
    git = new FakeConnection(vertx, "git");
  }

  private void gitListsTools() {
    git.on(
        Addresses.TOOLS_LIST,
        message -> {
          fetches.incrementAndGet();
          FakeConnection.replyInKind(message, tools);
        });
  }

  /** Servers as {@code mcp.servers.list} tells them, id and state in turn. */
  private void deploy(String... idsAndStates) {
    deploy(Duration.ofSeconds(5), idsAndStates);
  }

  private void deploy(Duration firstLists, String... idsAndStates) {
    deploy(Duration.ofMillis(20), firstLists, idsAndStates);
  }

  private void deploy(Duration retry, Duration firstLists, String... idsAndStates) {
    JsonArray servers = new JsonArray();
    for (int i = 0; i < idsAndStates.length; i += 2) {
      servers.add(new JsonObject().put("id", idsAndStates[i]).put("state", idsAndStates[i + 1]));
    }
    vertx
        .eventBus()
        .consumer(
            Addresses.SERVERS_LIST, message -> message.reply(NONE.copy().put("servers", servers)));
    await(
        vertx.deployVerticle(
            new DirectoryVerticle(
                OpenAccess.directory(vertx),
                List.of(new AggregateService(NamePolicy.DOTTED, false)),
                retry,
                firstLists)));
  }

  private <T> Future<Message<T>> ask(String address, T body) {
    return ask(address, body, new DeliveryOptions());
  }

  private <T> Future<Message<T>> ask(String address, T body, DeliveryOptions options) {
    return vertx
        .eventBus()
        .<T>request(address, body, options)
        .recover(failure -> Future.failedFuture(McpFailure.of(failure)));
  }

  private JsonObject list(String address) {
    return await(ask(address, NONE)).body();
  }

  private List<String> toolNames() {
    return list(Addresses.ALL_TOOLS_LIST).getJsonArray("tools").stream()
        .map(
            tool ->
                ((JsonObject) tool).getString("name")
                    + (((JsonObject) tool).getJsonObject("_meta").containsKey("dev.mcpbus/stale")
                        ? " (stale)"
                        : ""))
        .toList();
  }

  @Test
  void tools_of_connected_servers_are_listed_in_kind_and_fetched_once() {
    gitListsTools();
    deploy("git", "READY", "hub", "CONNECTING");

    JsonObject json = list(Addresses.ALL_TOOLS_LIST);
    Buffer raw = await(ask(Addresses.ALL_TOOLS_LIST, Buffer.buffer("{}"))).body();

    assertThat(new JsonObject(raw)).isEqualTo(json);
    assertThat(toolNames()).containsExactly("git.status", "git.commit");
    assertThat(fetches).hasValue(1);
  }

  @Test
  void the_typed_facade_reads_the_aggregate_and_calls_through_it() {
    gitListsTools();
    git.answering(Addresses.TOOLS_CALL, "{\"content\":[],\"isError\":true}");
    deploy("git", "READY");
    McpClient client = McpClient.create(vertx);

    assertThat(await(client.listTools()).items()).hasSize(2);
    assertThat(await(client.listTools("git")).items()).hasSize(2);
    assertThat(failure(client.listTools("git", "gti")).code())
        .isEqualTo(FailureCode.UNKNOWN_CONNECTION);
    assertThat(await(client.callTool("git:status", Map.of(), CallOptions.DEFAULT)).isError())
        .isTrue();
  }

  @Test
  void the_catalog_follows_the_events_of_the_connections() {
    gitListsTools();
    deploy("git", "IDLE");
    assertThat(toolNames()).isEmpty();

    git.event(Events.CONNECTED, NONE);
    await().until(() -> toolNames().equals(List.of("git.status", "git.commit")));
    tools = toolList("push");
    git.event(Events.TOOLS_CHANGED, NONE);
    await().until(() -> toolNames().equals(List.of("git.push")));
    git.event(Events.DISCONNECTED, NONE);
    await().until(() -> toolNames().equals(List.of("git.push (stale)")));
    git.event(Events.CONNECTED, NONE);
    await().until(() -> toolNames().equals(List.of("git.push")));
    git.event(Events.SERVER_REMOVED, NONE);
    await().until(() -> toolNames().isEmpty());
  }

  /** Vert.x refuses a name of more than 50,000 characters; the bus does not. */
  @Test
  void reasons_that_cannot_be_decoded_do_not_keep_the_server_from_its_next_list() {
    tools =
        "{\"tools\":[],\"_meta\":{\"dev.mcpbus/leftOut\":{\"x\":1.5,\""
            + "n".repeat(60_000)
            + "\":1}}}";
    gitListsTools();
    deploy("git", "READY");
    await().until(() -> fetches.get() > 0);
    assertThat(toolNames()).isEmpty();

    tools = toolList("status");
    git.event(Events.DISCONNECTED, NONE);
    git.event(Events.CONNECTED, NONE);

    await().until(() -> toolNames().equals(List.of("git.status")));
  }

  @Test
  void a_request_that_names_an_unknown_server_does_not_replace_the_snapshot() {
    gitListsTools();
    Directory directory = deployServers(new AtomicReference<>("READY"));
    await().until(() -> toolNames().size() == 2);
    var before = directory.snapshot();

    readServersAgain();

    assertThat(directory.snapshot()).isSameAs(before);
  }

  /** A status that comes too late stands in the list of servers as that of a closed connection. */
  @Test
  void a_server_whose_status_came_too_late_is_read_with_the_next_list_of_servers() {
    gitListsTools();
    AtomicReference<String> state = new AtomicReference<>("CLOSED");
    Directory directory = deployServers(state);
    assertThat(toolNames()).isEmpty();
    assertThat(up(directory)).isFalse();

    state.set("READY");
    readServersAgain();

    assertThat(up(directory)).isTrue();
    await().until(() -> toolNames().size() == 2);
  }

  @Test
  void a_server_that_disconnected_stays_down_though_an_older_list_of_servers_says_otherwise() {
    gitListsTools();
    Directory directory = deployServers(new AtomicReference<>("READY"));
    await().until(() -> toolNames().size() == 2);
    for (String type : List.of(Events.DISCONNECTED, Events.GAVE_UP)) {
      git.event(type, NONE);
      await().until(() -> !up(directory));

      readServersAgain();

      assertThat(up(directory)).as(type).isFalse();
      git.event(Events.CONNECTED, NONE);
      await().until(() -> up(directory));
    }
  }

  private Directory deployServers(AtomicReference<String> stateOfGit) {
    vertx
        .eventBus()
        .consumer(
            Addresses.SERVERS_LIST,
            message -> {
              JsonObject status = new JsonObject().put("id", "git").put("state", stateOfGit.get());
              message.reply(new JsonObject().put("servers", new JsonArray().add(status)));
            });
    Directory directory = OpenAccess.directory(vertx);
    await(
        vertx.deployVerticle(
            new DirectoryVerticle(
                directory, List.of(new AggregateService(NamePolicy.DOTTED, false)))));
    return directory;
  }

  private static boolean up(Directory directory) {
    var entry = directory.snapshot().server("git");
    return entry != null && entry.up();
  }

  /** A request that names an unknown server reads the servers again. */
  private void readServersAgain() {
    JsonObject unknown = new JsonObject().put("servers", new JsonArray().add("gti"));
    assertThat(failure(ask(Addresses.ALL_TOOLS_LIST, unknown)).code())
        .isEqualTo(FailureCode.UNKNOWN_CONNECTION);
  }

  @Test
  void a_storm_of_changes_makes_one_fetch_behind_the_one_in_flight() {
    List<Message<Object>> kept = new CopyOnWriteArrayList<>();
    git.on(Addresses.TOOLS_LIST, kept::add);
    deploy(Duration.ofMillis(50), "git", "READY");
    await().until(() -> kept.size() == 1);

    for (int i = 0; i < 1_000; i++) {
      git.event(Events.TOOLS_CHANGED, NONE);
    }
    git.event(Events.RESOURCES_CHANGED, NONE);
    assertThat(toolNames()).as("served after all the events").isEmpty();
    kept.get(0).reply(Buffer.buffer(toolList("old")));
    await().until(() -> kept.size() == 2);
    kept.get(1).reply(Buffer.buffer(toolList("new")));

    await().until(() -> toolNames().equals(List.of("git.new")));
    assertThat(kept).hasSize(2);
  }

  @Test
  void a_list_that_arrives_after_its_server_was_removed_is_dropped() {
    List<Message<Object>> kept = new CopyOnWriteArrayList<>();
    git.on(Addresses.TOOLS_LIST, kept::add);
    deploy("git", "READY");
    await().until(() -> kept.size() == 1);

    git.event(Events.SERVER_REMOVED, NONE);
    assertThat(toolNames()).isEmpty();
    kept.get(0).reply(Buffer.buffer(toolList("ghost")));

    assertThat(toolNames()).isEmpty();
  }

  @Test
  void a_server_that_fails_to_list_keeps_its_last_good_entries_and_is_retried() {
    gitListsTools();
    deploy("git", "READY");
    assertThat(toolNames()).hasSize(2);

    tools = "{\"tools\":17}";
    git.event(Events.TOOLS_CHANGED, NONE);
    await().until(() -> toolNames().equals(List.of("git.status (stale)", "git.commit (stale)")));
    tools = toolList("status");

    await().until(() -> toolNames().equals(List.of("git.status")));
  }

  @Test
  void a_list_that_failed_while_a_connection_moved_is_fetched_again_soon() {
    git.on(
        Addresses.TOOLS_LIST,
        message -> {
          if (fetches.incrementAndGet() == 1) {
            McpFailure.notSent(FailureCode.UNAVAILABLE, "it moves").replyTo(message);
          } else {
            FakeConnection.replyInKind(message, tools);
          }
        });
    deploy(Duration.ofMinutes(30), Duration.ofSeconds(5), "git", "ready");

    assertThat(toolNames()).isEmpty();
    await().until(() -> toolNames().equals(List.of("git.status", "git.commit")));
  }

  @Test
  void a_server_that_never_answers_holds_up_no_other() {
    gitListsTools();
    new FakeConnection(vertx, "mute").on(Addresses.TOOLS_LIST, message -> {});
    deploy(Duration.ofMillis(50), "mute", "READY", "git", "READY");

    await().until(() -> toolNames().equals(List.of("git.status", "git.commit")));
  }

  @Test
  void resources_and_prompts_are_fetched_at_the_first_request() {
    List<String> requests = new CopyOnWriteArrayList<>();
    gitListsTools();
    git.on(
        Addresses.RESOURCES_LIST,
        message -> {
          requests.add("resources " + message.headers().get(Headers.CACHE));
          FakeConnection.replyInKind(message, "{\"resources\":[{\"uri\":\"file:///a\"}]}");
        });
    git.on(
        Addresses.PROMPTS_LIST,
        message -> {
          requests.add("prompts");
          FakeConnection.replyInKind(message, "{\"prompts\":[{\"name\":\"review\"}]}");
        });
    deploy("git", "READY");
    assertThat(toolNames()).hasSize(2);
    assertThat(requests).isEmpty();

    JsonObject resource =
        list(Addresses.ALL_RESOURCES_LIST).getJsonArray("resources").getJsonObject(0);
    assertThat(resource.getString("uri")).isEqualTo("file:///a");
    assertThat(resource.getJsonObject("_meta").getString("dev.mcpbus/server")).isEqualTo("git");
    assertThat(
            list(Addresses.ALL_PROMPTS_LIST)
                .getJsonArray("prompts")
                .getJsonObject(0)
                .getString("name"))
        .isEqualTo("git.review");
    assertThat(requests).containsExactly("resources use", "prompts");
    git.event(Events.PROMPTS_CHANGED, NONE);
    await().until(() -> requests.size() == 3);
  }

  @Test
  void a_call_is_forwarded_in_kind_with_its_headers_and_only_the_name_replaced() {
    List<Message<Object>> calls = new CopyOnWriteArrayList<>();
    gitListsTools();
    git.on(
        Addresses.TOOLS_CALL,
        message -> {
          calls.add(message);
          message.reply(message.body(), new DeliveryOptions().addHeader(Headers.EPOCH, "7"));
        });
    deploy("git", "READY");
    toolNames();
    DeliveryOptions options =
        new DeliveryOptions().addHeader(Headers.DEADLINE, "900").addHeader("x", "y");
    String raw = "{ \"arguments\":{\"n\":1.50e3}, \"name\":\"git.status\" ,\"_meta\":{}}";

    Message<Buffer> inRaw = await(ask(Addresses.ALL_TOOLS_CALL, Buffer.buffer(raw), options));
    Message<JsonObject> inJson =
        await(
            ask(
                Addresses.ALL_TOOLS_CALL,
                new JsonObject("{\"name\":\"git:commit\",\"arguments\":{\"a\":1}}")));

    assertThat(inRaw.body()).hasToString(raw.replace("git.status", "status"));
    assertThat(inRaw.headers().get(Headers.EPOCH)).isEqualTo("7");
    assertThat(calls.get(0).headers().get(Headers.DEADLINE)).isEqualTo("900");
    assertThat(calls.get(0).headers().get("x")).isEqualTo("y");
    assertThat(inJson.body())
        .isEqualTo(new JsonObject("{\"name\":\"commit\",\"arguments\":{\"a\":1}}"));
  }

  private McpFailure failedCall(Object body) {
    return failure(ask(Addresses.ALL_TOOLS_CALL, body));
  }

  private static JsonObject named(Object name) {
    return new JsonObject().put("name", name);
  }

  @Test
  void a_name_that_leads_nowhere_is_refused_with_the_nearest_names() {
    tools =
        "{\"tools\":[{\"name\":\"status\",\"inputSchema\":{}},"
            + "{\"name\":\"broken\",\"inputSchema\":3}]}";
    gitListsTools();
    AtomicInteger called = new AtomicInteger();
    git.on(Addresses.TOOLS_CALL, message -> called.incrementAndGet());
    deploy("git", "READY", "hub", "IDLE");
    toolNames();

    McpFailure tool = failedCall(named("git.statsu"));
    assertThat(tool.code()).isEqualTo(FailureCode.UNKNOWN_TOOL);
    assertThat(tool.sent()).isEqualTo(McpFailure.Sent.NO);
    assertThat(tool.getMessage()).contains("did you mean git.status?");
    assertThat(tool.data().getJsonArray("nearest")).containsExactly("git.status");

    McpFailure server = failedCall(named("gti.status"));
    assertThat(server.code()).isEqualTo(FailureCode.UNKNOWN_CONNECTION);
    assertThat(server.getMessage()).contains("git.status");
    assertThat(failedCall(named("a/b.status")).code()).isEqualTo(FailureCode.UNKNOWN_CONNECTION);

    McpFailure bare = failedCall(named("status"));
    assertThat(bare.code()).isEqualTo(FailureCode.UNKNOWN_TOOL);
    assertThat(bare.getMessage()).contains("did you mean git.status?");

    assertThat(failedCall(named("git.broken")).getMessage()).contains("inputSchema");
    assertThat(called).hasValue(0);
  }

  @Test
  void a_malformed_call_is_a_bad_request() {
    deploy();

    assertThat(failedCall("git.status").code()).isEqualTo(FailureCode.BAD_REQUEST);
    assertThat(failedCall(named(7)).code()).isEqualTo(FailureCode.BAD_REQUEST);
    assertThat(failedCall(Buffer.buffer("{\"name\":")).code()).isEqualTo(FailureCode.BAD_REQUEST);
    assertThat(failedCall(Buffer.buffer("{\"name\":[]}")).code())
        .isEqualTo(FailureCode.BAD_REQUEST);
    assertThat(
            failedCall(Buffer.buffer("{\"a\":" + "[".repeat(600) + "]".repeat(600) + "}")).code())
        .isEqualTo(FailureCode.LIMIT_EXCEEDED);
    assertThat(failure(ask(Addresses.ALL_TOOLS_LIST, named(1).put("servers", "git"))).code())
        .isEqualTo(FailureCode.BAD_REQUEST);
  }

  @Test
  void a_tool_that_the_catalog_may_not_know_yet_is_left_to_the_connection() {
    gitListsTools();
    git.on(
        Addresses.TOOLS_CALL,
        message ->
            message.reply(
                new McpFailure(FailureCode.UNAVAILABLE, McpFailure.Sent.NO, "down", 50, null)));
    deploy("git", "READY");
    toolNames();
    git.event(Events.DISCONNECTED, NONE);
    await().until(() -> toolNames().contains("git.status (stale)"));

    McpFailure failure = failedCall(named("git.fresh"));

    assertThat(failure.code()).isEqualTo(FailureCode.UNAVAILABLE);
    assertThat(failure.retryAfterMillis()).isEqualTo(50);
  }
}
