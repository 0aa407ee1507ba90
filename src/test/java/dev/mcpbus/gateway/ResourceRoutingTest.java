package dev.mcpbus.gateway;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.mcpbus.gateway.options.GatewayOptions;
import dev.mcpbus.testing.McpHttp;
import dev.mcpbus.testing.ScriptedPeer;
import dev.mcpbus.testing.TestBus;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Resources of several servers behind one endpoint: none answers for another. */
class ResourceRoutingTest {

  private static final String CONTENT =
      "{\"content\":[{\"type\":\"text\",\"text\":\"\\\"uri\\\":\\\"file:///same\\\"\"},"
          + "{\"type\":\"resource_link\",\"uri\":\"file:///same\",\"name\":\"n\",\"more\":1e2},"
          + "{\"type\":\"resource\",\"resource\":{\"uri\":\"file:///unlisted\",\"text\":\"t\"}},"
          + "{\"type\":\"resource_link\",\"uri\":\"%s://own/1\",\"name\":\"n\"}],"
          + "\"structuredContent\":{\"uri\":\"file:///same\"}}";

  private TestBus bus;

  @BeforeEach
  void start() {
    bus = TestBus.startWithGateway(new JsonObject(), GatewayOptions.DEFAULT);
  }

  @AfterEach
  void close() {
    bus.close();
  }

  /** Lists one URI that all list and one that is its own, and has a link in every result. */
  private ScriptedPeer peer(String id) {
    return Peers.initialize(
        bus,
        id,
        (method, params, connection) ->
            switch (method) {
              case "tools/list" -> Peers.tools("t");
              case "prompts/list" -> "\"result\":{\"prompts\":[{\"name\":\"p\"}]}";
              case "resources/list" ->
                  "\"result\":{\"resources\":[{\"uri\":\"file:///same\",\"name\":\"n\"},"
                      + "{\"uri\":\""
                      + id
                      + "://own/1\",\"name\":\"n\"}]}";
              case "resources/templates/list" ->
                  "\"result\":{\"resourceTemplates\":[{\"uriTemplate\":\"file:///t/{x}\","
                      + "\"name\":\"n\"}]}";
              case "resources/read" ->
                  "\"result\":{\"contents\":[{\"uri\":\""
                      + params.getString("uri")
                      + "\",\"text\":\"of "
                      + id
                      + "\"},{\"uri\":\"file:///same\",\"text\":\"\"}]}";
              case "completion/complete" ->
                  "\"result\":{\"completion\":{\"values\":[\"" + id + "\"]}}";
              case "prompts/get" ->
                  "\"result\":{\"messages\":[{\"role\":\"user\",\"content\":{\"type\":"
                      + "\"resource_link\",\"uri\":\"file:///same\",\"name\":\"n\"}}]}";
              default -> "\"result\":" + CONTENT.formatted(id);
            });
  }

  private ScriptedPeer refusing(String id, int code) {
    return Peers.initialize(
        bus,
        id,
        (method, params, connection) ->
            switch (method) {
              case "tools/list" -> Peers.tools("t");
              case "resources/list" ->
                  "\"result\":{\"resources\":[{\"uri\":\"" + id + "://x\",\"name\":\"n\"}]}";
              case "resources/read" -> ScriptedPeer.error(code, "no");
              default -> null;
            });
  }

  private McpHttp all() {
    return new McpHttp(bus.port(), "/mcp");
  }

  private static JsonObject uri(String uri) {
    return new JsonObject().put("uri", uri);
  }

  private static String text(JsonObject read) {
    return read.getJsonArray("contents").getJsonObject(0).getString("text");
  }

  @Test
  void an_unlisted_uri_is_read_at_its_server_whatever_servers_before_it_say() {
    ScriptedPeer absent = refusing("a", -32601);
    ScriptedPeer broken = refusing("b", -32603);
    peer("c");
    McpHttp.Session session = all().initialize();
    for (String unlisted : List.of("file:///else", "c://own/2", "file:///t/1")) {
      assertThat(text(session.call("resources/read", uri(unlisted)).result())).isEqualTo("of c");
      assertThat(text(all().discover("resources/read", uri(unlisted)).result())).isEqualTo("of c");
    }
    assertThat(absent.received("resources/read")).isEmpty();
    assertThat(broken.received("resources/read")).isEmpty();
    assertThat(session.call("resources/read", uri("b://y")).error().getInteger("code"))
        .as("the error of the right server is the answer")
        .isEqualTo(-32603);
  }

  @Test
  void a_uri_that_several_servers_may_have_is_asked_of_none() {
    List<ScriptedPeer> peers = List.of(peer("a"), peer("b"));
    McpHttp.Session session = all().initialize();
    for (String unclear : List.of("file:///same", "file:///t/1", "file:///else", "other:1")) {
      JsonObject older = session.call("resources/read", uri(unclear)).error();
      assertThat(older.getInteger("code")).isEqualTo(-32002);
      JsonObject newer = all().discover("resources/read", uri(unclear)).error();
      assertThat(newer.getInteger("code")).isEqualTo(-32602);
      for (Object one : newer.getJsonObject("data").getJsonArray("uris")) {
        String id = one.toString().contains("b") ? "b" : "a";
        JsonObject read = all().discover("resources/read", uri(one.toString())).result();
        assertThat(text(read)).isEqualTo("of " + id);
        assertThat(read.getJsonArray("contents").getJsonObject(0).getString("uri")).isEqualTo(one);
      }
      assertThat(newer.getJsonObject("data").getJsonArray("uris")).hasSize(2);
    }
    peers.forEach(
        peer ->
            assertThat(peer.received("resources/read"))
                .extracting(message -> message.getJsonObject("params").getString("uri"))
                .containsExactly("file:///same", "file:///t/1", "file:///else", "other:1"));
  }

  @Test
  void what_a_result_hands_out_is_read_at_the_server_of_the_result() {
    peer("a");
    peer("b");
    McpHttp.Session session = all().initialize();
    session.call("resources/list", new JsonObject()).result();
    session.call("resources/templates/list", new JsonObject()).result();
    JsonObject called = session.call("tools/call", Peers.call("b__t")).result();
    assertThat(called.encode())
        .isEqualTo(
            CONTENT
                .formatted("b")
                .replace("link\",\"uri\":\"file:///same", "link\",\"uri\":\"file://b//same")
                .replace("file:///unlisted", "file://b//unlisted")
                .replace("1e2", "100.0"));
    JsonArray content = called.getJsonArray("content");
    for (String link :
        List.of(
            content.getJsonObject(1).getString("uri"),
            content.getJsonObject(2).getJsonObject("resource").getString("uri"),
            content.getJsonObject(3).getString("uri"))) {
      assertThat(text(session.call("resources/read", uri(link)).result())).isEqualTo("of b");
    }
    JsonObject prompt = session.call("prompts/get", new JsonObject().put("name", "a__p")).result();
    assertThat(
            prompt
                .getJsonArray("messages")
                .getJsonObject(0)
                .getJsonObject("content")
                .getString("uri"))
        .isEqualTo("file://a//same");
    JsonArray contents =
        session.call("resources/read", uri("mcp+b:file:///t/1")).result().getJsonArray("contents");
    assertThat(contents)
        .extracting(one -> ((JsonObject) one).getString("uri"))
        .as("the URI that was asked for, and one that leads to the same server")
        .containsExactly("mcp+b:file:///t/1", "file://b//same");
  }

  @Test
  void a_servers_error_names_the_uri_that_the_client_knows() {
    Peers.initialize(
        bus,
        "a",
        (method, params, connection) ->
            method.equals("resources/read")
                ? "\"error\":{\"code\":-32002,\"message\":\"no\",\"data\":{\"uri\":\""
                    + params.getString("uri")
                    + "\",\"more\":1}}"
                : null);
    JsonObject error = all().discover("resources/read", uri("x://a/b")).error();
    assertThat(error.getJsonObject("data").getString("uri")).isEqualTo("x://a/b");
    assertThat(error.getJsonObject("data").getInteger("more")).isEqualTo(1);
  }

  @Test
  void a_part_of_a_watched_resource_is_reported_by_a_uri_that_leads_to_it() {
    ScriptedPeer whole =
        Peers.initialize(bus, "a", (method, params, connection) -> lists(method, "dir:///d/"));
    Peers.initialize(bus, "b", (method, params, connection) -> lists(method, "dir:///d/x"));
    McpHttp.Session session = all().initialize();
    try (McpHttp.Stream stream = session.listen()) {
      session.call("resources/list", new JsonObject()).result();
      session.call("resources/subscribe", uri("dir:///d/")).result();
      for (String own : List.of("dir:///d/", "dir:///d/x")) {
        whole.notify("notifications/resources/updated", uri(own));
      }
      await().until(() -> stream.messages().size() >= 2);
      assertThat(stream.messages())
          .extracting(message -> message.getJsonObject("params").getString("uri"))
          .containsExactlyInAnyOrder("dir:///d/", "dir://a//d/x");
    }
  }

  private static @Nullable String lists(String method, String uri) {
    return method.equals("resources/list")
        ? "\"result\":{\"resources\":[{\"uri\":\"" + uri + "\",\"name\":\"n\"}]}"
        : null;
  }

  @Test
  void at_one_server_nothing_is_renamed() {
    peer("a");
    peer("b");
    McpHttp one = new McpHttp(bus.port(), "/mcp/b");
    McpHttp.Session session = one.initialize();
    assertThat(session.call("tools/call", Peers.call("t")).result())
        .isEqualTo(new JsonObject(CONTENT.formatted("b")));
    assertThat(
            session
                .call("resources/list", new JsonObject())
                .result()
                .getJsonArray("resources")
                .getJsonObject(0)
                .getString("uri"))
        .isEqualTo("file:///same");
    for (String own : List.of("file:///same", "file://a//same", "mcp+a:x")) {
      JsonObject read = one.discover("resources/read", uri(own)).result();
      assertThat(read.getJsonArray("contents").getJsonObject(0).getString("uri")).isEqualTo(own);
    }
  }

  @Test
  void a_template_of_two_servers_is_completed_at_the_one_that_it_names() {
    peer("a");
    peer("b");
    McpHttp.Session session = all().initialize();
    JsonArray templates =
        session
            .call("resources/templates/list", new JsonObject())
            .result()
            .getJsonArray("resourceTemplates");
    assertThat(templates)
        .extracting(one -> ((JsonObject) one).getString("uriTemplate"))
        .containsExactly("file://a//t/{x}", "file://b//t/{x}");
    assertThat(completed(session, "file://b//t/{x}").result().encode()).contains("[\"b\"]");
    assertThat(completed(session, "mcp+b:file:///t/{x}").result().encode()).contains("[\"b\"]");
    assertThat(
            completed(session, "file:///t/{x}").error().getJsonObject("data").getJsonArray("uris"))
        .containsExactly("file://a//t/{x}", "file://b//t/{x}");
  }

  private static McpHttp.Answer completed(McpHttp.Session session, String template) {
    return session.call(
        "completion/complete",
        new JsonObject()
            .put("ref", new JsonObject().put("type", "ref/resource").put("uri", template))
            .put("argument", new JsonObject().put("name", "x").put("value", "")));
  }
}
