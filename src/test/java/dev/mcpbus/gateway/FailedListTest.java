package dev.mcpbus.gateway;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.mcpbus.bus.Addresses;
import dev.mcpbus.directory.ViewOptions;
import dev.mcpbus.gateway.options.GatewayOptions;
import dev.mcpbus.internals.RecordCopy;
import dev.mcpbus.testing.Http;
import dev.mcpbus.testing.McpHttp;
import dev.mcpbus.testing.ScriptedPeer;
import dev.mcpbus.testing.TestBus;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Lists that servers fail to give, as clients of both eras see them. */
class FailedListTest {

  private static final JsonObject NONE = new JsonObject();
  private static final String NOT_LISTED = "dev.mcpbus/notListed";

  private static final String REFUSAL =
      "\"error\":{\"code\":-32050,\"message\":\"no access token\",\"data\":{\"login\":\"/auth\"}}";

  private TestBus bus;
  private final AtomicBoolean broken = new AtomicBoolean(true);

  @BeforeEach
  void start() {
    bus =
        TestBus.startWithGateway(
            NONE,
            RecordCopy.with(
                GatewayOptions.DEFAULT,
                "views",
                Map.of("strict", view(true, "good", "bad"), "open", view(false, "good", "bad"))));
    Peers.initialize(
        bus, "good", (method, params, at) -> method.equals("tools/list") ? Peers.tools("t") : null);
  }

  private static ViewOptions view(boolean closed, String... servers) {
    return new ViewOptions(
        List.of(servers), List.of(), List.of(), Map.of(), closed, false, List.of());
  }

  @AfterEach
  void close() {
    bus.close();
  }

  private ScriptedPeer bad(String era) {
    ScriptedPeer.Script script =
        (method, params, connection) ->
            broken.get() && method.endsWith("/list")
                ? REFUSAL
                : switch (method) {
                  case "tools/list" -> Peers.tools("t");
                  case "prompts/list" -> "\"result\":{\"prompts\":[{\"name\":\"p\"}]}";
                  case "resources/list" ->
                      "\"result\":{\"resources\":[{\"uri\":\"x:a\",\"name\":\"a\"}]}";
                  case "resources/templates/list" ->
                      "\"result\":{\"resourceTemplates\":[{\"uriTemplate\":\"x:{a}\"}]}";
                  default -> null;
                };
    return era.equals("modern")
        ? Peers.discover(bus, "bad", script)
        : Peers.initialize(bus, "bad", script);
  }

  private McpHttp at(String path) {
    return new McpHttp(bus.port(), path);
  }

  private static JsonArray notListed(JsonObject result) {
    return result.getJsonObject("_meta").getJsonArray(NOT_LISTED);
  }

  @ParameterizedTest
  @ValueSource(strings = {"modern", "legacy"})
  void the_endpoint_of_a_server_passes_its_error_for_each_kind_of_list(String era) {
    bad(era);
    McpHttp.Session session = at("/mcp/bad").initialize();
    for (String method :
        List.of("tools/list", "prompts/list", "resources/list", "resources/templates/list")) {
      assertThat(session.call(method, NONE).error().encode())
          .as(method)
          .isEqualTo(new JsonObject("{" + REFUSAL + "}").getJsonObject("error").encode());
      assertThat(at("/mcp/bad").discover(method, NONE).error().encode())
          .as(method)
          .isEqualTo(new JsonObject("{" + REFUSAL + "}").getJsonObject("error").encode());
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"modern", "legacy"})
  void other_lists_come_and_the_missing_one_is_named_with_the_servers_reason(String era) {
    bad(era);
    for (String path : List.of("/mcp", "/mcp/open")) {
      for (JsonObject result :
          List.of(
              at(path).discover("tools/list", NONE).result(),
              at(path).initialize().call("tools/list", NONE).result())) {
        assertThat(McpHttp.names(result, "tools")).as(path).containsExactly("good__t");
        assertThat(notListed(result))
            .as(path)
            .containsExactly(
                new JsonObject()
                    .put("server", "bad")
                    .put("state", "READY")
                    .put("reason", "UPSTREAM_ERROR: -32050 no access token"));
      }
    }
    JsonObject own = at("/mcp/good").discover("tools/list", NONE).result();
    assertThat(own.getJsonObject("_meta").containsKey(NOT_LISTED)).isFalse();
    assertThat(notListed(bus.request(Addresses.ALL_TOOLS_LIST, NONE)).encode())
        .contains("UPSTREAM_ERROR: -32050 no access token");
    assertThat(Http.get(bus.port(), "/api/tools").body()).contains("-32050 no access token");
  }

  @ParameterizedTest
  @CsvSource({"modern,/mcp", "legacy,/mcp", "modern,/mcp/bad", "legacy,/mcp/bad"})
  void clients_are_told_when_the_list_is_back(String era, String path) {
    ScriptedPeer peer = bad(era);
    McpHttp client = at(path);
    McpHttp.Session session = at(path).initialize();
    JsonObject filter = new JsonObject().put("toolsListChanged", true);
    JsonObject listen =
        client.described("subscriptions/listen", new JsonObject().put("notifications", filter));
    try (McpHttp.Stream old = session.listen();
        McpHttp.Stream young = client.streamed(listen, McpHttp.headers(listen))) {
      session.call("tools/list", NONE);
      client.discover("tools/list", NONE);
      await().until(() -> !young.messages().isEmpty());
      int before = peer.methods().size();
      broken.set(false); // the directory asks again by itself
      await().until(() -> old.methods().contains("notifications/tools/list_changed"));
      await().until(() -> young.methods().contains("notifications/tools/list_changed"));
      assertThat(peer.methods().subList(before, peer.methods().size())).contains("tools/list");
      assertThat(McpHttp.names(session.call("tools/list", NONE).result(), "tools"))
          .containsAnyOf("t", "bad__t");
      JsonObject result = client.discover("tools/list", NONE).result();
      assertThat(result.getJsonObject("_meta").containsKey(NOT_LISTED)).isFalse();
    }
  }

  @Test
  void an_empty_list_that_is_back_is_told_where_it_was_an_error() {
    Peers.initialize(
        bus,
        "bare",
        (method, params, connection) ->
            broken.get() && method.equals("prompts/list") ? REFUSAL : null);
    McpHttp.Session session = at("/mcp/bare").initialize();
    try (McpHttp.Stream stream = session.listen()) {
      session.call("prompts/list", NONE).error();
      broken.set(false);
      await().until(() -> stream.methods().contains("notifications/prompts/list_changed"));
      assertThat(session.call("prompts/list", NONE).result().getJsonArray("prompts")).isEmpty();
    }
  }

  @Test
  void a_list_that_was_read_stays_for_all_servers_and_its_own_endpoint_says_what_the_server_says() {
    broken.set(false);
    ScriptedPeer peer = bad("legacy");
    McpHttp.Session own = at("/mcp/bad").initialize();
    assertThat(McpHttp.names(own.call("tools/list", NONE).result(), "tools")).containsExactly("t");
    broken.set(true);
    peer.notify("notifications/tools/list_changed", NONE);
    await().until(() -> own.call("tools/list", NONE).json().containsKey("error"));
    JsonObject all = at("/mcp").discover("tools/list", NONE).result();
    assertThat(McpHttp.names(all, "tools")).containsExactly("bad__t", "good__t");
    try (McpHttp.Stream stream = own.listen()) {
      broken.set(false);
      await().until(() -> stream.methods().contains("notifications/tools/list_changed"));
    }
  }

  @Test
  void a_view_that_is_closed_lists_nothing_until_each_of_its_servers_lists() {
    bad("legacy");
    McpHttp.Session session = at("/mcp/strict").initialize();
    try (McpHttp.Stream stream = session.listen()) {
      assertThat(session.call("tools/list", NONE).error().getString("message"))
          .contains("'strict'", "[bad]");
      broken.set(false);
      await().until(() -> stream.methods().contains("notifications/tools/list_changed"));
      assertThat(McpHttp.names(session.call("tools/list", NONE).result(), "tools"))
          .containsExactly("bad__t", "good__t");
    }
  }

  @Test
  void a_server_that_does_not_start_is_named_and_its_own_endpoint_fails_as_a_call_does() {
    JsonObject entry = new JsonObject().put("command", "/nowhere/at-all");
    bus.request(Addresses.SERVERS_ADD, new JsonObject().put("name", "gone").put("config", entry));
    bus.awaitState("gone", "FAILED");
    JsonObject all = at("/mcp").discover("tools/list", NONE).result();
    JsonObject named = notListed(all).getJsonObject(0);
    assertThat(named.getString("state")).isEqualTo("FAILED");
    assertThat(named.getString("reason")).contains("START_FAILED", "/nowhere/at-all");
    JsonObject list = at("/mcp/gone").discover("tools/list", NONE).error();
    JsonObject call = at("/mcp/gone").discover("tools/call", Peers.call("t")).error();
    assertThat(list.getInteger("code")).isEqualTo(call.getInteger("code"));
    assertThat(list.getJsonObject("data").getString("code"))
        .isEqualTo(call.getJsonObject("data").getString("code"));
    assertThat(at("/mcp/gone").initialize().call("tools/list", NONE).error().getString("message"))
        .isEqualTo(list.getString("message"));
  }
}
