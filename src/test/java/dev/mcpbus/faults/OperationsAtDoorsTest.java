package dev.mcpbus.faults;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.mcpbus.TestOptions;
import dev.mcpbus.bridge.options.BridgeOptions;
import dev.mcpbus.bus.Addresses;
import dev.mcpbus.bus.ConnectionId;
import dev.mcpbus.bus.ServerOperation;
import dev.mcpbus.connection.options.ConnectionOptions;
import dev.mcpbus.gateway.options.GatewayOptions;
import dev.mcpbus.internals.RecordCopy;
import dev.mcpbus.protocol.Methods;
import dev.mcpbus.security.Action;
import dev.mcpbus.security.ApiKeys;
import dev.mcpbus.security.AuthOptions;
import dev.mcpbus.security.AuthOptions.Effect;
import dev.mcpbus.security.AuthOptions.Policy;
import dev.mcpbus.testing.McpHttp;
import dev.mcpbus.testing.ScriptedPeer;
import dev.mcpbus.testing.TestBus;
import io.vertx.core.http.WebSocket;
import io.vertx.core.http.WebSocketClient;
import io.vertx.core.http.WebSocketConnectOptions;
import io.vertx.core.json.JsonObject;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.security.SecureRandom;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/**
 * Each method through each door: what a policy denies is answered by the door, and the server gets
 * nothing of it, however the request is written. Carol may everything but what begins with {@code
 * secret} and a file; erin may read what is below a folder; of dave no policy speaks.
 */
class OperationsAtDoorsTest {

  private static final ApiKeys.Fresh CAROL = ApiKeys.generate(new SecureRandom());
  private static final ApiKeys.Fresh ERIN = ApiKeys.generate(new SecureRandom());
  private static final ApiKeys.Fresh DAVE = ApiKeys.generate(new SecureRandom());
  private static final HttpClient CLIENT = HttpClient.newHttpClient();

  private static final String INITIALIZED =
      "\"result\":{\"protocolVersion\":\"2025-11-25\",\"capabilities\":{\"tools\":{},"
          + "\"prompts\":{},\"resources\":{\"subscribe\":true},\"completions\":{},\"logging\":{},"
          + "\"tasks\":{\"list\":{},\"cancel\":{}}},"
          + "\"serverInfo\":{\"name\":\"peer\",\"version\":\"1\"}}";

  private static final String TOOL = "{'name':'%s','arguments':{}}";
  private static final String URI_OF = "{'uri':'%s'}";

  /** Params by method, with a place for what they name. */
  private static final Map<String, List<String>> NAMING =
      Map.of(
          Methods.TOOLS_CALL,
          List.of(TOOL),
          Methods.PROMPTS_GET,
          List.of("{'name':'%s'}"),
          Methods.RESOURCES_READ,
          List.of(URI_OF),
          Methods.RESOURCES_SUBSCRIBE,
          List.of(URI_OF),
          Methods.RESOURCES_UNSUBSCRIBE,
          List.of(URI_OF),
          Methods.COMPLETE,
          List.of(
              "{'ref':{'type':'ref/prompt','name':'%s'},'argument':{'name':'a','value':'b'}}",
              "{'ref':{'type':'ref/resource','uri':'%s'},'argument':{'name':'a','value':'b'}}",
              "{'ref':{'type':'ref/resource','name':'open','uri':'%s'},"
                  + "'argument':{'name':'a','value':'b'}}"));

  /** The same with other readers in mind. */
  private static final List<String> TWICE =
      List.of(
          "{'name':'open','arguments':{},'name':'secret'}",
          "{'name':'secret','arguments':{},'name':'open'}",
          "{'name':'open','arguments':{},'\\u006eame':'secret'}",
          "{'name':'open','arguments':{},'Name':'secret'}",
          "{'NAME':'secret','arguments':{}}",
          "{'name':'open','arguments':{},'name\\u0000':'secret'}");

  private final TestBus bus =
      TestBus.startWithAuth(
          new JsonObject(), BridgeOptions.DEFAULT.withPort(0), GatewayOptions.DEFAULT, auth());
  private final ScriptedPeer peer = new ScriptedPeer(bus.vertx(), this::answer);
  private final WebSocketClient webSockets = bus.vertx().createWebSocketClient();
  private final List<Door> doors = new ArrayList<>();
  private int tried;

  OperationsAtDoorsTest() {
    TestBus.await(
        TestOptions.add(
            bus.bus(), new ConnectionId("a"), peer.transport(), ConnectionOptions.DEFAULT));
    bus.awaitState("a", "READY");
    await().until(() -> bus.status("a").getBoolean("toolsListed", false));
  }

  @AfterEach
  void close() {
    doors.forEach(Door::close);
    bus.close();
  }

  private static AuthOptions auth() {
    return RecordCopy.with(
        TestOptions.ofKeys(
            List.of(
                DoorBed.key("carol", CAROL, false),
                DoorBed.key("erin", ERIN, false),
                DoorBed.key("dave", DAVE, false))),
        "policies",
        List.of(
            new Policy(List.of("carol"), List.of(), List.of(), Set.of(), Effect.ALLOW),
            new Policy(
                List.of("carol"),
                List.of(),
                List.of("secret*", "file:///hidden.txt", "note://internal/*"),
                Set.of(),
                Effect.DENY),
            new Policy(
                List.of("carol"), List.of(), List.of("draft"), Set.of(Action.GET), Effect.DENY),
            new Policy(
                List.of("erin"), List.of(), List.of("file:///open/*"), Set.of(), Effect.ALLOW)));
  }

  private String answer(String method, JsonObject params, int connection) {
    return switch (method) {
      case Methods.INITIALIZE -> INITIALIZED;
      case Methods.TOOLS_LIST -> list("tools", "name", ",\"inputSchema\":{\"type\":\"object\"}");
      case Methods.PROMPTS_LIST -> list("prompts", "name", "");
      case Methods.RESOURCES_LIST -> list("resources", "uri", ",\"name\":\"n\"");
      case Methods.RESOURCES_TEMPLATES -> list("resourceTemplates", "uriTemplate", "");
      default -> "\"result\":{\"content\":[],\"messages\":[],\"contents\":[]}";
    };
  }

  private static String list(String key, String name, String more) {
    String entry = "{\"" + name + "\":\"%s\"" + more + "}";
    return "\"result\":{\""
        + key
        + "\":["
        + String.format(entry, "open")
        + ","
        + String.format(entry, "secret")
        + "]}";
  }

  /** One caller at one door. */
  private interface Door {
    /**
     * @param params JSON, as it stands
     * @return the answer; empty where the door has no such thing
     */
    String say(String method, String params);

    default void close() {}
  }

  private Door rest(String key) {
    return (method, params) ->
        post(
            key,
            "/api/servers/a/request",
            "{\"method\":\"" + method + "\",\"params\":" + params + "}");
  }

  private Door rpc(String key) {
    return (method, params) -> post(key, "/rpc", message(method, params, ",\"serverId\":\"a\""));
  }

  private static String message(String method, String params, String more) {
    return "{\"jsonrpc\":\"2.0\",\"id\":7,\"method\":\""
        + method
        + "\",\"params\":"
        + params
        + more
        + "}";
  }

  private Door discover(String key) {
    return (method, params) -> {
      String meta = McpHttp.meta(new JsonObject()).encode();
      String described =
          params.substring(0, params.length() - 1)
              + (params.equals("{}") ? "" : ",")
              + "\"_meta\":"
              + meta
              + "}";
      List<String> headers =
          new ArrayList<>(
              List.of(
                  "Authorization",
                  "Bearer " + key,
                  "MCP-Protocol-Version",
                  "2026-07-28",
                  "Mcp-Method",
                  method));
      JsonObject read = new JsonObject(params);
      for (String member : List.of("name", "uri", "taskId")) {
        if (read.getValue(member) instanceof String name) {
          headers.addAll(List.of("Mcp-Name", name));
          break;
        }
      }
      return new McpHttp(bus.port(), "/mcp/a")
          .post(message(method, described, ""), headers.toArray(String[]::new))
          .body();
    };
  }

  private Door session(String key, String path) {
    McpHttp mcp = new McpHttp(bus.port(), path);
    McpHttp.Session session =
        mcp.initialize("2025-11-25", new JsonObject(), "Authorization", "Bearer " + key);
    return (method, params) -> mcp.post(message(method, params, ""), session.headers()).body();
  }

  private Door sse(String key, String path) {
    String[] headers = {"Authorization", "Bearer " + key};
    McpHttp.Stream stream = new McpHttp(bus.port(), path).get(headers);
    await().until(() -> !stream.events().isEmpty());
    McpHttp messages = new McpHttp(bus.port(), stream.events().get(0).data());
    messages.post(
        message(
            Methods.INITIALIZE,
            "{\"protocolVersion\":\"2024-11-05\",\"capabilities\":{},"
                + "\"clientInfo\":{\"name\":\"old\",\"version\":\"1\"}}",
            ""),
        headers);
    await().until(() -> stream.events().size() > 1);
    return new Door() {
      @Override
      public String say(String method, String params) {
        int heard = stream.events().size();
        McpHttp.Answer answer = messages.post(message(method, params, ""), headers);
        if (answer.status() != 202) {
          return answer.body();
        }
        await().until(() -> stream.events().size() > heard);
        return stream.events().get(heard).data();
      }

      @Override
      public void close() {
        stream.close();
      }
    };
  }

  private Door eventBus(String key) {
    LinkedBlockingQueue<String> frames = new LinkedBlockingQueue<>();
    WebSocket socket =
        TestBus.await(
            webSockets
                .connect(
                    new WebSocketConnectOptions()
                        .setHost("127.0.0.1")
                        .setPort(bus.port())
                        .setURI("/eventbus/websocket")
                        .addHeader("Authorization", "Bearer " + key))
                .onSuccess(open -> open.handler(frame -> frames.add(frame.toString()))));
    return (method, params) -> {
      ServerOperation address = ServerOperation.ofMethod(method);
      String suffix = address == null ? Addresses.REQUEST : address.suffix;
      String to = method.startsWith("mcp.") ? method : "mcp.a." + suffix;
      socket.writeTextMessage(
          "{\"type\":\"send\",\"address\":\"mcp.other\",\"body\":"
              + params
              + ",\"replyAddress\":\"r\",\"address\":\""
              + to
              + "\"}");
      return next(frames);
    };
  }

  private static String next(LinkedBlockingQueue<String> frames) {
    try {
      String frame = frames.poll(60, TimeUnit.SECONDS);
      assertThat(frame).as("a frame").isNotNull();
      return frame;
    } catch (InterruptedException e) {
      throw new AssertionError(e);
    }
  }

  private String post(String key, String path, String body) {
    HttpRequest request =
        HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + bus.port() + path))
            .header("Authorization", "Bearer " + key)
            .POST(HttpRequest.BodyPublishers.ofString(body))
            .build();
    try {
      return CLIENT.send(request, BodyHandlers.ofString()).body();
    } catch (IOException | InterruptedException e) {
      throw new AssertionError(e);
    }
  }

  private Map<String, Door> ofCarol() {
    return doorsOf(CAROL.key());
  }

  private static List<String> methods() {
    return Arrays.stream(ServerOperation.values())
        .flatMap(row -> Stream.ofNullable(row.method))
        .toList();
  }

  private Map<String, Door> doorsOf(String key) {
    Map<String, Door> all =
        Map.of(
            "rest", rest(key),
            "rpc", rpc(key),
            "eventbus", eventBus(key),
            "mcp modern", discover(key),
            "mcp session", session(key, "/mcp/a"),
            "sse", sse(key, "/sse/a"));
    doors.addAll(all.values());
    return all;
  }

  private static String json(String text) {
    return text.replace('\'', '"');
  }

  /** What the server was sent that names something. */
  private List<String> sent(String name) {
    return peer.messages().stream()
        .map(JsonObject::encode)
        .filter(message -> message.contains("\"" + name + "\""))
        .toList();
  }

  @Test
  void what_is_denied_by_name_is_sent_by_no_door() {
    ofCarol()
        .forEach(
            (door, say) ->
                NAMING.forEach(
                    (method, all) ->
                        all.forEach(
                            params -> {
                              tried++;
                              say.say(method, json(String.format(params, "secret")));
                              assertThat(sent("secret")).as(door + " " + method).isEmpty();
                            })));
    assertThat(tried).isEqualTo(6 * 8);
  }

  /** What names a resource. */
  private static final List<String> OF_URIS =
      List.of(
          Methods.RESOURCES_READ,
          Methods.RESOURCES_SUBSCRIBE,
          Methods.RESOURCES_UNSUBSCRIBE,
          Methods.DIRECTORY_READ,
          Methods.SKILLS_GET,
          Methods.COMPLETE,
          "x/custom");

  private static String about(String method, String uri) {
    return method.equals(Methods.COMPLETE)
        ? "{'ref':{'type':'ref/resource','uri':'" + uri + "'},'argument':{'name':'a','value':'b'}}"
        : "{'uri':'" + uri + "'}";
  }

  private List<JsonObject> sentAboutUris() {
    return peer.messages().stream()
        .filter(message -> OF_URIS.contains(message.getString("method")))
        .toList();
  }

  @Test
  void a_denied_uri_is_sent_by_no_door_in_another_spelling() {
    doorsOf(CAROL.key())
        .forEach(
            (door, say) -> {
              for (String uri :
                  List.of(
                      "file:///hidden.txt",
                      "FILE:///hidden.txt",
                      "file:///HIDDEN.txt",
                      "file:///hidden%2Etxt",
                      "file:///%2568idden.txt",
                      "file:///a/../hidden.txt",
                      "file:///a/%2e%2e/hidden.txt",
                      "file:////hidden.txt",
                      "file:/hidden.txt",
                      "file://localhost/hidden.txt",
                      "file:///hidden.txt?x",
                      "file:///hidden.txt#x",
                      "note://a@internal/plan",
                      "note://internal:99/plan",
                      "note://a%40internal:99;b/plan",
                      "note://internal./plan;x",
                      "note:///internal/plan")) {
                for (String method : OF_URIS) {
                  say.say(method, json(about(method, uri)));
                  assertThat(sentAboutUris()).as(door + " " + method + " " + uri).isEmpty();
                }
              }
            });
  }

  @Test
  void a_permission_for_a_folder_leads_out_of_it_by_no_door() {
    doorsOf(ERIN.key())
        .forEach(
            (door, say) -> {
              for (String uri :
                  List.of(
                      "file:///open/../hidden.txt",
                      "file:///open/%2e%2e/hidden.txt",
                      "file:///open/%2E./hidden.txt",
                      "file:///open/..%2fhidden.txt",
                      "file:///open/%252e%252e%252fhidden.txt",
                      "file:///open/..%5chidden.txt",
                      "file:///open/..;/hidden.txt",
                      "file:///open/x?/../../open/y/../../hidden.txt")) {
                for (String method : OF_URIS) {
                  say.say(method, json(about(method, uri)));
                  assertThat(sentAboutUris()).as(door + " " + method + " " + uri).isEmpty();
                }
              }
            });
    rest(ERIN.key()).say(Methods.RESOURCES_READ, json(about("", "file:///open/a%20..b.txt")));
    assertThat(sentAboutUris()).hasSize(1);
  }

  @Test
  void an_unknown_method_names_nothing_denied_in_whatever_way() {
    doorsOf(CAROL.key())
        .forEach(
            (door, say) -> {
              for (String params :
                  List.of(
                      "{'name':['secret']}",
                      "{'uri':['file:///hidden.txt']}",
                      "{'uri':{'href':'file:///hidden.txt'}}",
                      "{'name':null,'uri':['secret']}",
                      "{'Name':'secret'}",
                      "{'name':'draft'}",
                      "{'ref':{'type':'ref/prompt','name':'secret'}}",
                      "{'ref':{'uri':'file:///a/../hidden.txt'}}")) {
                say.say("x/custom", json(params));
                assertThat(peer.received("x/custom")).as(door + " " + params).isEmpty();
              }
            });
  }

  @Test
  void what_is_allowed_by_name_is_sent_by_every_door() {
    ofCarol()
        .forEach(
            (door, say) -> {
              int before = peer.received(Methods.TOOLS_CALL).size();
              String answer = say.say(Methods.TOOLS_CALL, json(String.format(TOOL, "open")));
              assertThat(answer).as(door).contains("content");
              assertThat(peer.received(Methods.TOOLS_CALL)).as(door).hasSize(before + 1);
            });
  }

  @Test
  void what_can_be_read_in_two_ways_is_sent_by_no_door_in_the_denied_one() {
    ofCarol()
        .forEach(
            (door, say) ->
                TWICE.forEach(
                    params -> {
                      int before = sent("open").size();
                      String answer = say.say(Methods.TOOLS_CALL, json(params));
                      assertThat(sent("secret")).as(door + " " + params).isEmpty();
                      // What the event bus reads is what it sends: there the last one counts.
                      if (!door.equals("eventbus")) {
                        assertThat(answer)
                            .as(door + params)
                            .containsAnyOf("stands twice", "must be written");
                        assertThat(sent("open")).as(door + " " + params).hasSize(before);
                      }
                    }));
  }

  @Test
  void what_no_table_knows_is_sent_by_no_door() {
    ofCarol()
        .forEach(
            (door, say) -> {
              for (String method :
                  List.of("tools/Call", "sampling/createMessage", "elicitation/create")) {
                String answer = say.say(method, json("{'name':'open'}"));
                assertThat(answer).as(door).doesNotContain("content");
                assertThat(peer.received(method)).as(door + " " + method).isEmpty();
              }
            });
    assertThat(rpc(CAROL.key()).say("x/custom", "{}")).contains("Method not found");
  }

  @Test
  void what_no_table_knows_passes_at_the_endpoint_of_a_server_alone_and_names_nothing_denied() {
    ofCarol()
        .forEach(
            (door, say) -> {
              boolean passes = door.startsWith("mcp ") || door.equals("sse");
              int before = peer.received("x/custom").size();
              assertThat(say.say("x/custom", json("{'name':'secret'}")))
                  .as(door)
                  .doesNotContain("content");
              assertThat(peer.received("x/custom")).as(door).hasSize(before);
              say.say("x/custom", json("{'name':'open'}"));
              assertThat(peer.received("x/custom")).as(door).hasSize(before + (passes ? 1 : 0));
            });
  }

  @Test
  void who_may_not_change_a_server_sets_no_level_that_others_hear() {
    Door rpc = rpc(CAROL.key());
    assertThat(rpc.say(Methods.SET_LEVEL, "{\"level\":\"debug\"}")).contains("admin");
    assertThat(rest(CAROL.key()).say(Methods.SET_LEVEL, "{\"level\":\"debug\"}")).contains("admin");
    eventBus(CAROL.key()).say(Methods.SET_LEVEL, "{\"level\":\"debug\"}");
    assertThat(peer.received(Methods.SET_LEVEL)).isEmpty();
  }

  @Test
  void of_whom_no_policy_speaks_sends_nothing_by_any_door() {
    String dave = DAVE.key();
    Map<String, Door> all =
        Map.of(
            "rest", rest(dave),
            "rpc", rpc(dave),
            "eventbus", eventBus(dave),
            "mcp modern", discover(dave),
            "mcp session", session(dave, "/mcp"),
            "sse", sse(dave, "/sse"));
    doors.addAll(all.values());
    int before = peer.messages().size();
    all.forEach(
        (door, say) -> {
          for (String method : methods()) {
            for (String params : NAMING.getOrDefault(method, List.of("{'taskId':'t'}"))) {
              String answer = say.say(method, json(String.format(params, "open")));
              assertThat(answer).as(door + method).doesNotContain("contents", "secret", "schema");
            }
          }
        });
    // Nor has his being there made the gateway send anything but its own readings of lists.
    List<String> since =
        peer.methods().subList(before, peer.methods().size()).stream()
            .filter(method -> !method.endsWith("/list") && !method.isEmpty())
            .filter(
                method -> !method.equals(Methods.INITIALIZE) && !method.equals(Methods.INITIALIZED))
            .toList();
    assertThat(since).isEmpty();
  }

  @Test
  void a_tool_by_its_name_among_those_of_all_servers_is_decided_as_what_it_stands_for() {
    String carol = CAROL.key();
    Door socket = eventBus(carol);
    for (String name : List.of("a__secret", "a.secret", "a:secret", "secret", "_a__secret")) {
      String params = json(String.format(TOOL, name));
      post(carol, "/rpc", message(Methods.TOOLS_CALL, params, ""));
      post(carol, "/api/tools/" + name, "{}");
      socket.say(Addresses.ALL_TOOLS_CALL, params);
      assertThat(sent("secret")).as(name).isEmpty();
    }
    for (String name : List.of("a__open", "a.open", "a:open")) {
      String params = json(String.format(TOOL, name));
      assertThat(post(carol, "/rpc", message(Methods.TOOLS_CALL, params, ""))).contains("content");
      assertThat(post(carol, "/api/tools/" + name, "{}")).contains("content");
      assertThat(socket.say(Addresses.ALL_TOOLS_CALL, params)).contains("content");
    }
    assertThat(peer.received(Methods.TOOLS_CALL)).hasSize(9);
  }

  @Test
  void a_list_of_one_server_does_not_name_what_was_left_out_of_it() {
    String body =
        post(CAROL.key(), "/rpc", message(Methods.TOOLS_LIST, "{}", ",\"serverId\":\"a\""));
    assertThat(body).contains("open").doesNotContain("secret");
  }
}
