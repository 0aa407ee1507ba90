package dev.mcpbus.connection.session;

import static dev.mcpbus.testing.TestBus.address;
import static org.assertj.core.api.Assertions.assertThat;

import dev.mcpbus.TestOptions;
import dev.mcpbus.bus.Addresses;
import dev.mcpbus.bus.ConnectionId;
import dev.mcpbus.bus.Events;
import dev.mcpbus.bus.FailureCode;
import dev.mcpbus.bus.McpFailure;
import dev.mcpbus.connection.options.ConnectionOptions;
import dev.mcpbus.internals.RecordCopy;
import dev.mcpbus.protocol.MetaKeys;
import dev.mcpbus.testing.ScriptedPeer;
import dev.mcpbus.testing.TestBus;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.util.List;
import java.util.concurrent.atomic.AtomicReference;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What a server says in two ways at once ends nothing but itself. */
class AmbiguousMessagesTest {

  private static final String INITIALIZED =
      "\"result\":{\"protocolVersion\":\"2025-11-25\",\"capabilities\":{\"tools\":{},"
          + "\"prompts\":{},\"resources\":{},\"tasks\":{}},"
          + "\"serverInfo\":{\"name\":\"peer\",\"version\":\"1\"}}";

  private final AtomicReference<String> answer = new AtomicReference<>("{}");

  @SuppressWarnings("NullAway.Init") // set before each test
  private TestBus bus;

  @SuppressWarnings("NullAway.Init") // set before each test
  private ScriptedPeer peer;

  @BeforeEach
  void start() {
    bus = TestBus.start(new JsonObject());
    peer =
        new ScriptedPeer(
            bus.vertx(),
            (method, params, n) ->
                switch (method) {
                  case "initialize" -> INITIALIZED;
                  case "ping" -> "\"result\":{}";
                  default -> "\"result\":" + answer.get();
                });
    answer.set(json("{'tools':[{'name':'x','inputSchema':{'type':'object'}}]}").toString());
    TestBus.await(
        TestOptions.add(
            bus.bus(), new ConnectionId("peer"), peer.transport(), ConnectionOptions.DEFAULT));
    bus.awaitState("peer", "READY");
    Awaitility.await().until(() -> bus.status("peer").getBoolean("toolsListed", false));
  }

  @AfterEach
  void stop() {
    bus.close();
  }

  private static Buffer json(String text) {
    return Buffer.buffer(text.replace('\'', '"'));
  }

  private JsonObject transport() {
    return bus.status("peer").getJsonObject("transport");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '~',
      value = {
        "prompts.get|{'_meta':{},'messages':[],'_meta':{'x':1}}|_meta",
        "tools.call|{'content':[],'resultType':'a','resultType':'b'}|resultType",
        "tools.call|{'task':{'taskId':'a','taskId':'b'}}|taskId",
        "resources.list|{'resources':[],'resources':[{'uri':'secret:/'}]}|resources",
        "prompts.list|{'prompts':[],'nextCursor':'a','nextCursor':'b'}|nextCursor"
      })
  void an_answer_that_is_ambiguous_where_it_counts_fails_its_call_alone(
      String suffix, String result, String member) {
    answer.set(json(result).toString());
    McpFailure failure = bus.failure(address("peer", suffix), json("{'name':'x'}"));
    assertThat(failure.code()).isEqualTo(FailureCode.PROTOCOL_ERROR);
    assertThat(failure).hasMessageContaining("member \"" + member + "\" stands twice");
    answer.set("{\"messages\":[]}");
    Buffer good = bus.request(address("peer", Addresses.PROMPTS_GET), json("{'name':'x'}"));
    assertThat(good).hasToString("{\"messages\":[]}");
    assertThat(peer.connections()).isEqualTo(1);
    assertThat(transport().getLong("ambiguousMessages")).isEqualTo(1);
  }

  @Test
  void what_a_result_only_carries_passes_byte_for_byte() {
    String carried = json("{'content':[{'type':'x','a':1,'a':2}],'more':1,'more':2}").toString();
    answer.set(carried);
    Buffer result = bus.request(address("peer", Addresses.TOOLS_CALL), json("{'name':'x'}"));
    assertThat(result).hasToString(carried);
  }

  @Test
  void null_for_absent_is_carried_and_counted() {
    answer.set("{\"messages\":[],\"_meta\":null},\"error\":null");
    Buffer result = bus.request(address("peer", Addresses.PROMPTS_GET), json("{'name':'x'}"));
    assertThat(result).hasToString("{\"messages\":[],\"_meta\":null}");
    peer.say(json("{'jsonrpc':'2.0','id':9,'method':'ping','params':null}").toString());
    Awaitility.await().until(() -> !peer.answers(9).isEmpty());
    assertThat(peer.answers(9).get(0).containsKey("result")).isTrue();
    answer.set("null");
    Buffer none = bus.request(address("peer", Addresses.PROMPTS_LIST), json("{}"));
    assertThat(none).hasToString("{\"prompts\":[]}");
    assertThat(bus.status("peer").getJsonArray("quirks"))
        .extracting(told -> ((JsonObject) told).getString("quirk"))
        .containsExactly("NULL_FOR_ABSENT", "NO_ARRAY");
    assertThat(bus.status("peer").getJsonArray("quirks").getJsonObject(0).getLong("count"))
        .isEqualTo(3);
  }

  @Test
  void a_strict_entry_refuses_null_for_absent() {
    TestBus.await(
        TestOptions.add(
            bus.bus(),
            new ConnectionId("strict"),
            peer.transport(),
            RecordCopy.with(ConnectionOptions.DEFAULT, "strict", true)));
    bus.awaitState("strict", "READY");
    answer.set("{\"messages\":[]},\"error\":null");
    McpFailure failure =
        bus.failure(address("strict", Addresses.PROMPTS_GET), json("{'name':'x'}"));
    assertThat(failure.code()).isEqualTo(FailureCode.PROTOCOL_ERROR);
    assertThat(failure).hasMessageContaining("the entry is strict");
    assertThat(bus.status("strict").containsKey("quirks")).isFalse();
  }

  @Test
  void an_ambiguous_question_is_refused_and_reaches_no_handler() {
    peer.say(json("{'jsonrpc':'2.0','id':9,'method':'ping','params':{'a':1,'a':2}}").toString());
    Awaitility.await().until(() -> !peer.answers(9).isEmpty());
    JsonObject error = peer.answers(9).get(0).getJsonObject("error");
    assertThat(error.getInteger("code")).isEqualTo(-32600);
    assertThat(error.getString("message")).contains("member \"a\" stands twice");
  }

  @Test
  void a_notification_that_is_ambiguous_is_dropped_and_counted() {
    String start = "{'jsonrpc':'2.0','method':'notifications/message','params':{'level':'info',";
    peer.say(json(start + "'data':{'a':1,'a':2}}}").toString());
    peer.say(json(start + "'data':'clear'}}").toString());
    bus.awaitEvent("peer", Events.LOG);
    assertThat(bus.events(Events.LOG))
        .singleElement()
        .satisfies(
            event ->
                assertThat(event.getJsonObject("params").getString("data")).isEqualTo("clear"));
    assertThat(transport().getLong("ambiguousMessages")).isEqualTo(1);
    assertThat(transport().getString("ambiguity")).startsWith("member \"a\" stands twice");
  }

  @ParameterizedTest
  @CsvSource({
    "tools.list, tools, name",
    "prompts.list, prompts, name",
    "resources.list, resources, uri",
    "resources.templates, resourceTemplates, uriTemplate"
  })
  void an_entry_that_is_ambiguous_is_left_out_and_its_list_says_why(
      String suffix, String key, String name) {
    String good = json("{'" + name + "':'good','inputSchema':{'type':'object'}}").toString();
    String bad =
        json("{'" + name + "':'bad','x':[{'" + name + "':1,'" + name + "':2}]}").toString();
    for (String page : List.of("{}", "{'cursor':'x'}")) {
      answer.set("{\"" + key + "\":[" + good + "," + bad + "]}");
      Buffer whole = bus.request(address("peer", suffix), json(page));
      JsonObject list = whole.toJsonObject();
      assertThat(list.getJsonArray(key)).isEqualTo(new JsonArray("[" + good + "]"));
      assertThat(list.getJsonObject("_meta").getJsonObject(MetaKeys.LEFT_OUT).getString("bad"))
          .startsWith("member \"" + name + "\" stands twice");
      answer.set("{\"" + key + "\":[ " + good + " ]}");
      Buffer clear = bus.request(address("peer", suffix), json(page));
      assertThat(clear).hasToString("{\"" + key + "\":[ " + good + " ]}");
    }
  }

  @Test
  void what_a_caller_says_twice_reaches_no_server() {
    int before = peer.messages().size();
    McpFailure failure =
        bus.failure(
            address("peer", Addresses.TOOLS_CALL),
            json("{'name':'add','arguments':{},'name':'delete_all'}"));
    assertThat(failure.code()).isEqualTo(FailureCode.BAD_REQUEST);
    assertThat(failure).hasMessageContaining("member \"name\" stands twice");
    assertThat(peer.messages()).hasSize(before);
  }
}
