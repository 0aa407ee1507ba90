package dev.mcpbus.faults;

import static dev.mcpbus.faults.DoorBed.ALICE;
import static dev.mcpbus.faults.DoorBed.BOB;
import static dev.mcpbus.faults.DoorBed.as;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.mcpbus.TestOptions;
import dev.mcpbus.bridge.options.BridgeOptions;
import dev.mcpbus.bus.ConnectionId;
import dev.mcpbus.connection.options.ConnectionOptions;
import dev.mcpbus.directory.ViewOptions;
import dev.mcpbus.gateway.options.GatewayOptions;
import dev.mcpbus.internals.RecordCopy;
import dev.mcpbus.protocol.Methods;
import dev.mcpbus.security.Action;
import dev.mcpbus.security.AuthOptions;
import dev.mcpbus.security.AuthOptions.Effect;
import dev.mcpbus.security.AuthOptions.Policy;
import dev.mcpbus.testing.McpHttp;
import dev.mcpbus.testing.ScriptedPeer;
import dev.mcpbus.testing.TestBus;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/**
 * Servers {@code one} and {@code two} have all names in common, so those of {@code two} have
 * aliases at the gateway: its URIs {@code mcp+two:...}, its prompts and tools what the view {@code
 * v} calls them. Policies are asked for what an alias stands for. Alice may everything but what is
 * secret at {@code two}, and not hear of changes of {@code x:still}, nor read {@code x:dir/unread};
 * bob may what policies call by an alias, which is nothing.
 */
class AliasRightsTest {

  private static final String READ = Methods.RESOURCES_READ;
  private static final Set<String> SENT =
      Set.of(
          READ,
          Methods.RESOURCES_SUBSCRIBE,
          Methods.RESOURCES_UNSUBSCRIBE,
          Methods.COMPLETE,
          Methods.PROMPTS_GET,
          Methods.TOOLS_CALL);

  /** A request that names something by an alias, and what the server is to hear in its place. */
  private record Named(String method, String params, String alias, String own) {
    JsonObject filled(String name) {
      return new JsonObject(params.replace('\'', '"').replace("%s", name));
    }
  }

  private static final String URI = "{'uri':'%s'}";
  private static final String NAME = "{'name':'%s','arguments':{}}";
  private static final String OF_PROMPT =
      "{'ref':{'type':'ref/prompt','name':'%s'},'argument':{'name':'a','value':'b'}}";
  private static final String OF_RESOURCE =
      "{'ref':{'type':'ref/resource','uri':'%s'},'argument':{'name':'a','value':'b'}}";

  private static final List<Named> OPEN =
      List.of(
          new Named(READ, URI, "mcp+two:x:open", "x:open"),
          new Named(READ, URI, "mcp+two:x:still", "x:still"),
          new Named(Methods.COMPLETE, OF_RESOURCE, "mcp+two:t:open/{a}", "t:open/{a}"),
          new Named(Methods.COMPLETE, OF_RESOURCE, "mcp+two:x:open", "x:open"),
          new Named(Methods.COMPLETE, OF_PROMPT, "shown", "open"),
          new Named(Methods.PROMPTS_GET, NAME, "shown", "open"),
          new Named(Methods.TOOLS_CALL, NAME, "shown", "open"));

  private static final List<Named> SECRET =
      List.of(
          new Named(READ, URI, "mcp+two:x:secret", "x:secret"),
          new Named(Methods.COMPLETE, OF_RESOURCE, "mcp+two:t:secret/{a}", "t:secret/{a}"),
          new Named(Methods.COMPLETE, OF_RESOURCE, "mcp+two:x:secret", "x:secret"),
          new Named(Methods.COMPLETE, OF_PROMPT, "hidden", "secret"),
          new Named(Methods.PROMPTS_GET, NAME, "hidden", "secret"),
          new Named(Methods.TOOLS_CALL, NAME, "hidden", "secret"));

  private final DoorBed bed =
      new DoorBed(
          BridgeOptions.DEFAULT.withPort(0),
          RecordCopy.with(
              GatewayOptions.DEFAULT,
              "views",
              Map.of(
                  "v",
                  new ViewOptions(
                      List.of(),
                      List.of(),
                      List.of(),
                      Map.of("two.open", "shown", "two.secret", "hidden"),
                      false,
                      false,
                      List.of()))),
          auth());

  private final ScriptedPeer one = peer("one");
  private final ScriptedPeer two = peer("two");

  @AfterEach
  void close() {
    bed.close();
  }

  private static AuthOptions auth() {
    List<String> alice = List.of("alice");
    List<String> at = List.of("two");
    return RecordCopy.with(
        DoorBed.keys(),
        "policies",
        List.of(
            new Policy(alice, List.of(), List.of(), Set.of(), Effect.ALLOW),
            new Policy(alice, at, List.of("*secret*"), Set.of(), Effect.DENY),
            new Policy(alice, at, List.of("x:still"), Set.of(Action.SUBSCRIBE), Effect.DENY),
            new Policy(alice, at, List.of("x:dir/unread"), Set.of(Action.READ), Effect.DENY),
            new Policy(
                List.of("bob"),
                List.of(),
                List.of("mcp+*", "shown", "hidden"),
                Set.of(),
                Effect.ALLOW)));
  }

  private static String listed(String member, String key, String more, String... names) {
    String entries =
        Stream.of(names)
            .map(name -> "{\"" + key + "\":\"" + name + "\"" + more + "}")
            .collect(Collectors.joining(","));
    return "\"result\":{\"" + member + "\":[" + entries + "]}";
  }

  private ScriptedPeer peer(String id) {
    ScriptedPeer peer =
        new ScriptedPeer(
            bed.bus.vertx(),
            (method, params, connection) ->
                switch (method) {
                  case Methods.DISCOVER -> ScriptedPeer.error(-32601, "no such method");
                  case Methods.INITIALIZE ->
                      ScriptedPeer.INITIALIZED.replace(
                          "\"tools\":{}",
                          "\"tools\":{},\"prompts\":{},\"resources\":{\"subscribe\":true},"
                              + "\"completions\":{}");
                  case Methods.TOOLS_LIST ->
                      listed("tools", "name", ",\"inputSchema\":{}", "open", "secret");
                  case Methods.PROMPTS_LIST -> listed("prompts", "name", "", "open", "secret");
                  case Methods.RESOURCES_LIST ->
                      listed(
                          "resources", "uri", ",\"name\":\"n\"", "x:open", "x:secret", "x:still");
                  case Methods.RESOURCES_TEMPLATES ->
                      listed(
                          "resourceTemplates",
                          "uriTemplate",
                          ",\"name\":\"n\"",
                          "t:open/{a}",
                          "t:secret/{a}");
                  default ->
                      "\"result\":{\"content\":[],\"messages\":[],\"contents\":[],"
                          + "\"completion\":{\"values\":[]}}";
                });
    TestBus.await(
        TestOptions.add(
            bed.bus.bus(), new ConnectionId(id), peer.transport(), ConnectionOptions.DEFAULT));
    bed.bus.awaitState(id, "READY");
    return peer;
  }

  /** What a server has heard that a client asked for. */
  private static List<JsonObject> heard(ScriptedPeer peer) {
    return peer.messages().stream()
        .filter(message -> SENT.contains(message.getString("method", "")))
        .toList();
  }

  private McpHttp.Session session(String[] who) {
    return bed.mcp("/mcp/v").initialize("2025-11-25", new JsonObject(), who);
  }

  /** The answers to a client with a session and to one of the {@code discover} era. */
  private List<JsonObject> asked(McpHttp.Session session, String[] who, Named named) {
    JsonObject params = named.filled(named.alias());
    return List.of(
        session.call(named.method(), params).response(),
        bed.discover("/mcp/v", named.method(), params, who).response());
  }

  @Test
  void what_is_named_by_an_alias_is_decided_as_what_it_stands_for() {
    String[] alice = as(ALICE);
    McpHttp.Session session = session(alice);
    for (Named named : OPEN) {
      int before = heard(two).size();
      assertThat(asked(session, alice, named))
          .as(named.toString())
          .allMatch(answer -> answer.containsKey("result"));
      assertThat(heard(two).subList(before, before + 2))
          .as(named.toString())
          .allMatch(sent -> sent.encode().contains("\"" + named.own() + "\""))
          .noneMatch(sent -> sent.encode().contains(named.alias()));
    }
    for (Named named : SECRET) {
      assertThat(asked(session, alice, named))
          .as(named.toString())
          .allMatch(answer -> answer.containsKey("error"));
    }
    assertThat(heard(two).toString()).doesNotContain("secret");
    assertThat(heard(one)).isEmpty();
    assertThat(session.call(READ, new JsonObject().put("uri", "x:secret")).result())
        .as("of the other server")
        .isNotNull();
    assertThat(heard(one)).hasSize(1);
  }

  @Test
  void a_policy_that_speaks_of_an_alias_gives_nothing() {
    String[] bob = as(BOB);
    McpHttp.Session session = session(bob);
    List<Named> all = new ArrayList<>(OPEN);
    all.addAll(SECRET);
    all.add(new Named(READ, URI, "x:open", "x:open"));
    for (Named named : all) {
      assertThat(asked(session, bob, named))
          .as(named.toString())
          .allMatch(answer -> answer.containsKey("error"));
    }
    for (String uri : List.of("mcp+two:x:open", "mcp+two:x:secret", "x:open")) {
      JsonObject params = new JsonObject().put("uri", uri);
      assertThat(session.call(Methods.RESOURCES_SUBSCRIBE, params).error().getInteger("code"))
          .isEqualTo(-32002);
    }
    assertThat(heard(one)).isEmpty();
    assertThat(heard(two)).isEmpty();
  }

  @Test
  void a_session_subscribes_through_an_alias_to_what_it_stands_for() {
    McpHttp.Session session = session(as(ALICE));
    try (McpHttp.Stream stream = session.listen()) {
      for (String uri : List.of("x:secret", "x:still")) {
        JsonObject alias = new JsonObject().put("uri", "mcp+two:" + uri);
        int before = bed.audit().size();
        assertThat(session.call(Methods.RESOURCES_SUBSCRIBE, alias).error())
            .isEqualTo(
                new JsonObject()
                    .put("code", -32002)
                    .put("message", "Resource not found: mcp+two:" + uri)
                    .put("data", alias));
        await().until(() -> bed.audit().size() > before);
        assertThat(bed.audit().get(before).getString("decision")).as(uri).isEqualTo("deny");
        session.call(Methods.RESOURCES_UNSUBSCRIBE, alias).result();
      }
      assertThat(heard(two)).isEmpty();

      JsonObject open = new JsonObject().put("uri", "mcp+two:x:open");
      JsonObject parts = new JsonObject().put("uri", "mcp+two:x:dir/");
      session.call(Methods.RESOURCES_SUBSCRIBE, open).result();
      session.call(Methods.RESOURCES_SUBSCRIBE, parts).result();
      assertThat(uris(two, Methods.RESOURCES_SUBSCRIBE)).containsExactly("x:open", "x:dir/");
      one.notify(Methods.RESOURCE_UPDATED, new JsonObject().put("uri", "x:open"));
      for (String uri : List.of("x:dir/secret", "x:dir/unread", "x:dir/open", "x:open")) {
        two.notify(Methods.RESOURCE_UPDATED, new JsonObject().put("uri", uri));
      }
      await().until(() -> stream.messages().size() >= 2);
      assertThat(told(stream)).containsExactly("mcp+two:x:dir/open", "mcp+two:x:open");

      session.call(Methods.RESOURCES_UNSUBSCRIBE, new JsonObject().put("uri", "x:open")).result();
      assertThat(uris(two, Methods.RESOURCES_UNSUBSCRIBE)).as("another's name").isEmpty();
      session.call(Methods.RESOURCES_UNSUBSCRIBE, open).result();
      await().until(() -> !uris(two, Methods.RESOURCES_UNSUBSCRIBE).isEmpty());
      assertThat(uris(two, Methods.RESOURCES_UNSUBSCRIBE)).containsExactly("x:open");
      assertThat(heard(one)).isEmpty();
    }
  }

  @Test
  void a_discover_client_listens_through_an_alias_to_what_it_stands_for() {
    JsonObject filter =
        new JsonObject()
            .put(
                "resourceSubscriptions",
                new JsonArray()
                    .add("mcp+two:x:secret")
                    .add("mcp+two:x:still")
                    .add("mcp+two:x:open")
                    .add("mcp+two:x:dir/"));
    McpHttp mcp = bed.mcp("/mcp/v");
    JsonObject listen =
        mcp.described(Methods.LISTEN, new JsonObject().put("notifications", filter));
    String[] headers =
        Stream.concat(Stream.of(McpHttp.headers(listen)), Stream.of(as(ALICE)))
            .toArray(String[]::new);
    try (McpHttp.Stream stream = mcp.streamed(listen, headers)) {
      await().until(() -> !stream.messages().isEmpty());
      assertThat(
              stream
                  .messages()
                  .get(0)
                  .getJsonObject("params")
                  .getJsonObject("notifications")
                  .getJsonArray("resourceSubscriptions"))
          .containsExactly("mcp+two:x:open", "mcp+two:x:dir/");
      assertThat(uris(two, Methods.RESOURCES_SUBSCRIBE)).containsOnly("x:open", "x:dir/");
      for (String uri : List.of("x:dir/secret", "x:dir/open", "x:open")) {
        two.notify(Methods.RESOURCE_UPDATED, new JsonObject().put("uri", uri));
      }
      await().until(() -> stream.messages().size() >= 3);
      assertThat(told(stream)).containsExactly("mcp+two:x:dir/open", "mcp+two:x:open");
    }
    await().until(() -> uris(two, Methods.RESOURCES_UNSUBSCRIBE).size() == 2);
    assertThat(heard(one)).isEmpty();
  }

  private static List<String> uris(ScriptedPeer peer, String method) {
    return peer.received(method).stream()
        .map(message -> message.getJsonObject("params").getString("uri"))
        .toList();
  }

  /** The resources that were told to be updated. */
  private static List<String> told(McpHttp.Stream stream) {
    return stream.messages().stream()
        .filter(message -> Methods.RESOURCE_UPDATED.equals(message.getString("method")))
        .map(message -> message.getJsonObject("params").getString("uri"))
        .toList();
  }
}
