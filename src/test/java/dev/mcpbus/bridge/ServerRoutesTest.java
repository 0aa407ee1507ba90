package dev.mcpbus.bridge;

import static org.assertj.core.api.Assertions.assertThat;

import dev.mcpbus.bridge.BridgeFixture.Answer;
import dev.mcpbus.bus.Addresses;
import dev.mcpbus.bus.FailureCode;
import dev.mcpbus.bus.Headers;
import dev.mcpbus.bus.McpFailure;
import dev.mcpbus.bus.SealedTaskIds;
import io.vertx.core.MultiMap;
import io.vertx.core.Vertx;
import io.vertx.core.http.HttpMethod;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import io.vertx.junit5.VertxExtension;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Each route reaches its address with the right body, and brings the answer back as it is. */
@ExtendWith(VertxExtension.class)
class ServerRoutesTest {

  private static final String ODD =
      " {\"z\" :1.50e+2, \"a\":12345678901234567890123,\"_meta\":{ }}";

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '~',
      value = {
        "GET|/drift|tools.drift||{}",
        "GET|/metadata|tools.metadata||{}",
        "GET|/history|history||{}",
        "GET|/logs|logs||{}",
        "POST|/calls/7/cancel|calls.cancel||{\"call\":7}",
        "POST|/calls/7/cancel?replica=2|calls.cancel||{\"replica\":2,\"call\":7}",
        "GET|/logs?limit=3&after=0&replica=1|logs||{\"after\":0,\"limit\":3,\"replica\":1}",
        "GET|/resources/read?uri=a%3A%2F%2Fb%20c|resources.read||{\"uri\":\"a://b c\"}",
        "POST|/resources/read|resources.read|{\"uri\":\"a\", \"n\":1.0}|{\"uri\":\"a\", \"n\":1.0}",
        "POST|/resources/subscribe|resources.subscribe|{\"uri\":\"a\"}|{\"uri\":\"a\"}",
        "POST|/resources/unsubscribe|resources.unsubscribe|{\"uri\":\"a\"}|{\"uri\":\"a\"}",
        "POST|/prompts/p%20q|prompts.get|{\"x\":\"1\"}|{\"name\":\"p q\",\"arguments\":{\"x\":\"1\"}}",
        "POST|/prompts/p|prompts.get| null |{\"name\":\"p\",\"arguments\":{}}",
        "POST|/ping|ping|null|{}",
        "POST|/completion|completion|{\"ref\":{},\"argument\":{}}|{\"ref\":{},\"argument\":{}}",
        "POST|/ping|ping||{}",
        "POST|/loglevel|loglevel|{\"level\":\"debug\"}|{\"level\":\"debug\"}",
        "POST|/request|request|{\"method\":\"m\"}|{\"method\":\"m\"}",
        "GET|/tasks|tasks.list||{}",
        "GET|/status|status||",
        "POST|/connect|connect||",
        "POST|/disconnect|disconnect||",
        "POST|/restart|restart||"
      })
  void a_path_of_a_server_is_its_address(
      String method, String path, String suffix, String body, String seen, Vertx vertx) {
    BridgeFixture bridge = new BridgeFixture(vertx);
    Object reply = seen == null ? new JsonObject(ODD) : ODD;
    bridge.on("mcp.alpha." + suffix, reply);

    Answer answer =
        bridge.send(
            HttpMethod.valueOf(method),
            "/api/servers/alpha" + path,
            body == null ? "" : body,
            bridge.asAdmin());

    assertThat(answer.status()).as(answer.body()).isEqualTo(200);
    assertThat(answer.body()).isEqualTo(seen == null ? new JsonObject(ODD).encode() + "\n" : ODD);
    String expected = seen == null ? (body == null ? "{}" : body) : seen;
    assertThat(bridge.seen.get(0).body()).isEqualTo(expected);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '~',
      value = {
        "GET||tasks.get||{\"taskId\":\"t/1\"}",
        "GET|/result|tasks.result||{\"taskId\":\"t/1\"}",
        "POST|/cancel|tasks.cancel||{\"taskId\":\"t/1\"}",
        "POST|/update|tasks.update|{\"inputResponses\":{}}|{\"taskId\":\"t/1\",\"inputResponses\":{}}",
        "POST|/update|tasks.update|{\"taskId\":\"other\"}|{\"taskId\":\"t/1\"}"
      })
  void a_task_is_named_to_its_server_by_the_servers_own_id(
      String method, String path, String suffix, String body, String seen, Vertx vertx) {
    BridgeFixture bridge = new BridgeFixture(vertx);
    bridge.on("mcp.alpha." + suffix, ODD);
    String id = SealedTaskIds.of(vertx).seal("local", new SealedTaskIds.Named("alpha", "", "t/1"));
    String there = "/api/servers/alpha/tasks/" + id + (path == null ? "" : path);
    HttpMethod verb = HttpMethod.valueOf(method);
    MultiMap none = MultiMap.caseInsensitiveMultiMap();

    Answer answer = bridge.send(verb, there, body == null ? "" : body, none);
    Answer elsewhere = bridge.send(verb, there.replace("alpha", "beta"), "", none);
    Answer raw = bridge.send(verb, there.replace(id, "t1"), "", none);

    assertThat(answer.body()).isEqualTo(ODD);
    assertThat(bridge.seen).hasSize(1);
    assertThat(bridge.seen.get(0).body()).isEqualTo(seen);
    assertThat(raw.status()).isEqualTo(404);
    assertThat(raw.json().getString("code")).isEqualTo("UNKNOWN_TASK");
    assertThat(raw.json().getString("detail")).startsWith("Task not found: this server");
    assertThat(elsewhere.body()).isEqualTo(raw.body());
  }

  @Test
  void what_is_cancelled_is_a_call_of_the_caller(Vertx vertx) {
    BridgeFixture bridge = new BridgeFixture(vertx);
    bridge.on("mcp.alpha.cancel", new JsonObject().put("cancelled", true));

    Answer answer = bridge.post("/api/servers/alpha/cancel", "{\"callId\":\"c\"}");
    Answer nameless = bridge.post("/api/servers/alpha/cancel", "{}");

    assertThat(answer.body()).isEqualTo("{\"cancelled\":true}\n");
    assertThat(bridge.seen).hasSize(1);
    assertThat(bridge.seen.get(0).body()).isEqualTo("{\"callId\":\"local/c\"}");
    assertThat(nameless.json().getString("code")).isEqualTo("BAD_REQUEST");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '~',
      value = {
        "GET|/api/servers|mcp.servers.list||{}",
        "GET|/api/nodes|mcp.servers.nodes||{}",
        "GET|/api/servers/alpha/calls|mcp.servers.calls||{\"id\":\"alpha\"}",
        "POST|/api/servers/alpha/rpc-log|mcp.servers.rpclog|{\"id\":\"b\",\"mode\":null}|"
            + "{\"id\":\"alpha\",\"mode\":null}",
        "GET|/api/activity|mcp.servers.activity||{}",
        "GET|/api/activity?server=alpha|mcp.servers.activity||{\"servers\":[\"alpha\"]}",
        "POST|/api/nodes/n%201/drain|mcp.servers.nodes.drain||{\"node\":\"n 1\"}",
        "DELETE|/api/servers/alpha|mcp.servers.remove||{\"id\":\"alpha\"}",
        "GET|/api/inputs|mcp.input.pending||{}",
        "GET|/api/inputs?server=alpha|mcp.input.pending||{\"id\":\"alpha\"}",
        "POST|/api/inputs/q%201|mcp.input.respond|{\"action\":\"accept\"}|{\"question\":\"q"
            + " 1\",\"result\":{\"action\":\"accept\"}}",
        "POST|/api/offers|mcp.input.offer|{\"capabilities\":{}}|{\"capabilities\":{}}",
        "DELETE|/api/offers/mine|mcp.input.withdraw||{\"offer\":\"mine\"}"
      })
  void a_path_of_the_service_is_its_address(
      String method, String path, String address, String body, String seen, Vertx vertx) {
    BridgeFixture bridge = new BridgeFixture(vertx);
    bridge.on(address, new JsonObject().put("x", 1));

    Answer answer =
        bridge.send(HttpMethod.valueOf(method), path, body == null ? "" : body, bridge.asAdmin());

    assertThat(answer.status()).as(answer.body()).isEqualTo(200);
    assertThat(answer.body()).isEqualTo("{\"x\":1}\n");
    assertThat(bridge.seen.get(0).body()).isEqualTo(seen);
  }

  @Test
  void a_new_server_is_created_at_a_location(Vertx vertx) {
    BridgeFixture bridge = new BridgeFixture(vertx);
    bridge.on(Addresses.SERVERS_ADD, new JsonObject().put("id", "git"));

    Answer answer = bridge.postAsAdmin("/api/servers", "{\"name\":\"git\",\"config\":{}}");

    assertThat(answer.status()).isEqualTo(201);
    assertThat(answer.headers().get("Location")).isEqualTo("/api/servers/git");
    assertThat(answer.json()).isEqualTo(new JsonObject().put("id", "git"));
  }

  @Test
  void a_preview_is_for_administrators_and_hides_no_server_of_that_name(Vertx vertx) {
    BridgeFixture bridge = new BridgeFixture(vertx);
    bridge.on(Addresses.SERVERS_PREVIEW, new JsonObject().put("servers", new JsonArray()));
    bridge.on(Addresses.SERVERS_GET, new JsonObject().put("id", "preview"));

    assertThat(bridge.post("/api/servers/preview", "{\"text\":\"npx x\"}").status()).isEqualTo(403);
    assertThat(bridge.seen).isEmpty();
    assertThat(bridge.postAsAdmin("/api/servers/preview", "{\"text\":\"npx x\"}").body())
        .isEqualTo("{\"servers\":[]}\n");
    assertThat(bridge.seen.get(0).body()).isEqualTo("{\"text\":\"npx x\"}");
    assertThat(bridge.get("/api/servers/preview").json())
        .isEqualTo(new JsonObject().put("id", "preview"));
    assertThat(bridge.seen.get(1).body()).isEqualTo("{\"id\":\"preview\"}");
  }

  @Test
  void a_refused_server_is_a_problem(Vertx vertx) {
    BridgeFixture bridge = new BridgeFixture(vertx);
    bridge.on(
        Addresses.SERVERS_ADD, McpFailure.notSent(FailureCode.BAD_REQUEST, "no command; give one"));

    Answer answer = bridge.postAsAdmin("/api/servers", "{}");

    assertThat(answer.status()).isEqualTo(400);
    assertThat(answer.json().getString("detail")).isEqualTo("no command; give one");
  }

  @ParameterizedTest
  @ValueSource(strings = {"alpha.add", "alpha:add"})
  void a_tool_that_names_its_server_is_called_there(String name, Vertx vertx) {
    BridgeFixture bridge = new BridgeFixture(vertx);
    bridge.on("mcp.alpha.tools.call", ODD);

    assertThat(bridge.post("/api/tools/" + name, "{\"a\":1}").body()).isEqualTo(ODD);
    assertThat(bridge.seen.get(0).body()).isEqualTo("{\"name\":\"add\",\"arguments\":{\"a\":1}}");
    assertThat(bridge.seen.get(0).headers().get(Headers.VALIDATE)).isEqualTo("true");
  }

  @Test
  void another_tool_goes_to_the_catalog(Vertx vertx) {
    BridgeFixture bridge = new BridgeFixture(vertx);
    bridge.on(Addresses.ALL_TOOLS_CALL, ODD);

    assertThat(bridge.post("/api/tools/add", "{}").body()).isEqualTo(ODD);
    assertThat(bridge.seen.get(0).body()).isEqualTo("{\"name\":\"add\",\"arguments\":{}}");
  }

  @Test
  void wishes_of_the_query_travel_as_headers(Vertx vertx) {
    BridgeFixture bridge = new BridgeFixture(vertx);
    bridge.on("mcp.alpha.tools.call", "{}");
    bridge.on("mcp.alpha.tools.list", "{}");
    MultiMap named = MultiMap.caseInsensitiveMultiMap().add("Call-Id", "mine-1");

    bridge.send(
        HttpMethod.POST,
        "/api/servers/alpha/tools/t?validate=false&task=true&timeout=77000",
        "",
        named);
    bridge.get("/api/servers/alpha/tools?cache=use");

    MultiMap call = bridge.seen.get(0).headers();
    assertThat(call.get(Headers.VALIDATE)).isEqualTo("false");
    assertThat(call.get(Headers.TASK)).isEqualTo("true");
    assertThat(Integer.parseInt(call.get(Headers.DEADLINE))).isBetween(70_000, 77_000);
    assertThat(call.get(Headers.CALL_ID)).isEqualTo("local/mine-1");
    assertThat(bridge.seen.get(1).headers().get(Headers.CACHE)).isEqualTo("use");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '~',
      value = {
        "/api/servers/alpha/tools?timout=5|no parameter 'timout' here; known are timeout",
        "/api/servers?x=1|none is known",
        "/api/servers/alpha/tools?cache=maybe|'cache' must be use or refresh",
        "/api/servers/alpha/resources/read|'uri' is wanted",
        "/api/events?type=conected|must be some of breakerChanged, callsRepeated, connected",
        "/api/events?server=%20|not a valid id",
        "/api/tools?form=openai&strict=yes|'strict' must be true or false"
      })
  void a_mistake_in_the_query_is_reported(String path, String detail, Vertx vertx) {
    BridgeFixture bridge = new BridgeFixture(vertx);

    Answer answer = bridge.get(path);

    assertThat(answer.status()).isEqualTo(400);
    assertThat(answer.json().getString("detail")).contains(detail);
  }

  @Test
  void the_progress_of_a_call_goes_to_the_address_that_its_caller_names(Vertx vertx) {
    BridgeFixture bridge = new BridgeFixture(vertx);
    bridge.on("mcp.alpha.tools.call", "{}");
    MultiMap named = MultiMap.caseInsensitiveMultiMap().add("Progress", "a".repeat(20));
    MultiMap wrong = MultiMap.caseInsensitiveMultiMap().add("Progress", "alpha.tools.call");

    bridge.send(HttpMethod.POST, "/api/servers/alpha/tools/t", "", named);
    Answer refused = bridge.send(HttpMethod.POST, "/api/servers/alpha/tools/t", "", wrong);

    assertThat(bridge.seen).hasSize(1);
    assertThat(bridge.seen.get(0).headers().get(Headers.PROGRESS))
        .isEqualTo("mcp.progress." + "a".repeat(20));
    assertThat(refused.status()).isEqualTo(400);
    assertThat(refused.json().getString("detail")).contains("Progress");
  }

  @Test
  void a_call_id_that_is_none_is_refused(Vertx vertx) {
    BridgeFixture bridge = new BridgeFixture(vertx);
    MultiMap named = MultiMap.caseInsensitiveMultiMap().add("Call-Id", "a b");

    Answer answer = bridge.send(HttpMethod.POST, "/api/servers/alpha/ping", "", named);

    assertThat(answer.status()).isEqualTo(400);
    assertThat(answer.json().getString("detail")).contains("Call-Id");
  }

  @Test
  void a_server_that_is_not_there_is_named_with_the_remedy(Vertx vertx) {
    BridgeFixture bridge = new BridgeFixture(vertx);

    Answer answer = bridge.postAsAdmin("/api/servers/gamma/restart", "");

    assertThat(answer.status()).isEqualTo(404);
    assertThat(answer.json().getString("detail")).contains("server 'gamma'", "mcpbus status");
  }

  @ParameterizedTest
  @CsvSource({
    "PUT,/api/servers/alpha,'DELETE, GET'",
    "DELETE,/api/servers,'GET, POST'",
    "GET,/api/servers/alpha/restart,POST",
    "POST,/api/events,GET"
  })
  void another_method_gets_the_allowed_ones(String method, String path, String allow, Vertx vertx) {
    BridgeFixture bridge = new BridgeFixture(vertx);

    Answer answer =
        bridge.send(HttpMethod.valueOf(method), path, "", MultiMap.caseInsensitiveMultiMap());

    assertThat(answer.status()).isEqualTo(405);
    assertThat(answer.headers().get("Allow")).isEqualTo(allow);
  }

  /** As objects it would take a hundred times its bytes. */
  @Test
  void a_body_that_mcpbus_itself_reads_has_a_bound_of_its_own(Vertx vertx) {
    BridgeFixture bridge = new BridgeFixture(vertx);
    String body = "{\"callId\":\"c\",\"x\":[" + "{},".repeat(100_000) + "{}]}";
    for (String path : new String[] {"/api/servers/alpha/cancel", "/api/servers"}) {
      assertThat(bridge.send(HttpMethod.POST, path, body, bridge.asAdmin()).status())
          .as(path)
          .isEqualTo(413);
    }
  }
}
