package dev.mcpbus;

import static dev.mcpbus.testing.TestBus.address;
import static org.assertj.core.api.Assertions.assertThat;

import dev.mcpbus.bus.Addresses;
import dev.mcpbus.bus.Events;
import dev.mcpbus.bus.Headers;
import dev.mcpbus.protocol.RawJson;
import dev.mcpbus.testing.OddServer;
import dev.mcpbus.testing.TestBus;
import dev.mcpbus.transport.bus.BusServer;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.eventbus.DeliveryOptions;
import io.vertx.core.http.HttpClient;
import io.vertx.core.http.HttpClientResponse;
import io.vertx.core.http.HttpMethod;
import io.vertx.core.json.JsonObject;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What a server says reaches the caller as it was said, whatever the way. */
class LosslessIT {

  private static final String ADDRESS = "test.odd";

  private static final String ARGUMENTS =
      "{\"n\" : 0.10,\"big\":1234567890123456789012345678901234567890, \"\\u0041\\/\":\"\\u0041\"}";

  private static TestBus bus;
  private static HttpClient http;

  @BeforeAll
  static void start() {
    bus = TestBus.startWithBridge(TestBus.server("stdio", OddServer.stdio()));
    http = bus.vertx().createHttpClient();
    TestBus.await(BusServer.listen(bus.vertx(), ADDRESS, OddServer.bus()));
    int port =
        TestBus.await(
                bus.vertx()
                    .createHttpServer()
                    .requestHandler(OddServer::http)
                    .listen(0, "127.0.0.1"))
            .actualPort();
    String url = "http://127.0.0.1:" + port;
    add("bus", new JsonObject().put("address", ADDRESS));
    add("http", new JsonObject().put("url", url + "/json").put("listen", false));
    add("sse", new JsonObject().put("url", url + "/stream").put("listen", false));
    List.of("stdio", "bus", "http", "sse").forEach(id -> bus.awaitState(id, "READY"));
  }

  @AfterAll
  static void close() {
    bus.close();
  }

  private static void add(String name, JsonObject entry) {
    JsonObject added =
        bus.request(Addresses.SERVERS_ADD, new JsonObject().put("name", name).put("config", entry));
    assertThat(added.getString("id")).isEqualTo(name);
  }

  private static String raw(String id, String suffix, String params) {
    return bus.<Buffer>request(address(id, suffix), Buffer.buffer(params)).toString();
  }

  private static JsonObject decoded(String json) {
    return new JsonObject(Buffer.buffer(json));
  }

  private static String tool(String name) {
    return "{\"name\":\"" + name + "\",\"arguments\":" + ARGUMENTS + "}";
  }

  @ParameterizedTest
  @ValueSource(strings = {"stdio", "bus", "http", "sse"})
  void a_result_comes_back_byte_for_byte(String id) {
    assertThat(raw(id, Addresses.TOOLS_CALL, tool("odd"))).isEqualTo(OddServer.RESULT);
    assertThat(raw(id, Addresses.RESOURCES_READ, "{\"uri\":\"odd://one\"}"))
        .isEqualTo(OddServer.RESULT);
    assertThat(raw(id, Addresses.REQUEST, "{\"method\":\"any/method\",\"params\":{}}"))
        .isEqualTo(OddServer.RESULT);
    Buffer aggregate =
        bus.request(Addresses.ALL_TOOLS_CALL, Buffer.buffer("{\"name\":\"" + id + ".odd\"}"));
    assertThat(aggregate.toString()).isEqualTo(OddServer.RESULT);
  }

  @ParameterizedTest
  @ValueSource(strings = {"stdio", "bus", "http", "sse"})
  void a_json_call_gets_what_decoding_the_bytes_would_give(String id) {
    JsonObject result = bus.callTool(id, "odd", new JsonObject());
    assertThat(result).isEqualTo(decoded(OddServer.RESULT));
    assertThat(result.fieldNames())
        .containsExactlyElementsOf(decoded(OddServer.RESULT).fieldNames());
  }

  @ParameterizedTest
  @ValueSource(strings = {"stdio", "bus", "http", "sse"})
  void params_reach_the_server_byte_for_byte(String id) {
    String params = tool("mirror");
    assertThat(raw(id, Addresses.TOOLS_CALL, params)).isEqualTo(OddServer.mirrored(params));
  }

  @ParameterizedTest
  @ValueSource(strings = {"stdio", "bus", "http", "sse"})
  void lists_of_many_pages_keep_the_bytes_of_each_item(String id) {
    assertThat(items(raw(id, Addresses.TOOLS_LIST, "{}"), "tools")).isEqualTo(OddServer.TOOLS);
    assertThat(items(raw(id, Addresses.RESOURCES_LIST, "{}"), "resources"))
        .isEqualTo(OddServer.RESOURCES);
    assertThat(raw(id, Addresses.RESOURCES_LIST, "{}")).contains("\"extra\":0.10");
    assertThat(raw(id, Addresses.RESOURCES_LIST, "{\"cursor\":\"p3\"}"))
        .isEqualTo("{\"resources\":[ ]}");
  }

  private static List<String> items(String result, String key) {
    RawJson list = Objects.requireNonNull(RawJson.of(result).member(key));
    return list.elements().stream().map(RawJson::toString).toList();
  }

  @ParameterizedTest
  @ValueSource(strings = {"stdio", "bus", "http", "sse"})
  void progress_keeps_what_it_holds(String id) {
    List<JsonObject> progress = new CopyOnWriteArrayList<>();
    String to = "test.progress." + id;
    bus.vertx().eventBus().<JsonObject>consumer(to, message -> progress.add(message.body()));
    Buffer result =
        bus.request(
            address(id, Addresses.TOOLS_CALL),
            Buffer.buffer(tool("progress")),
            new DeliveryOptions().addHeader(Headers.PROGRESS, to));
    assertThat(result.toString()).isEqualTo(OddServer.RESULT);
    Awaitility.await().until(() -> !progress.isEmpty());
    JsonObject got = progress.get(0).copy();
    got.remove("progressToken");
    assertThat(got).isEqualTo(decoded("{\"progress\":0.10," + OddServer.NOTIFIED + "}"));
  }

  @ParameterizedTest
  @ValueSource(strings = {"stdio", "bus", "http", "sse"})
  void an_updated_resource_keeps_what_the_notification_holds(String id) {
    raw(id, Addresses.TOOLS_CALL, tool("updated"));
    JsonObject event =
        Awaitility.await()
            .until(
                () ->
                    bus.events(Events.RESOURCE_UPDATED).stream()
                        .filter(e -> id.equals(e.getString("id")))
                        .findFirst(),
                Optional::isPresent)
            .orElseThrow();
    assertThat(event.getJsonObject("params"))
        .isEqualTo(decoded("{\"uri\":\"" + OddServer.URI + "\"," + OddServer.NOTIFIED + "}"));
  }

  @ParameterizedTest
  @ValueSource(strings = {"stdio", "bus", "http", "sse"})
  void the_bridge_passes_bytes_on_both_ways(String id) {
    assertThat(post("/api/servers/" + id + "/tools/odd", ARGUMENTS)).isEqualTo(OddServer.RESULT);
    assertThat(post("/api/servers/" + id + "/tools/mirror", ARGUMENTS))
        .contains("\"arguments\":" + ARGUMENTS);
    String params = tool("mirror");
    String request =
        "{\"id\":\"\\u0041\",\"jsonrpc\":\"2.0\",\"method\":\"tools/call\",\"serverId\":\""
            + id
            + "\",\"params\":"
            + params
            + "}";
    assertThat(post("/rpc", request))
        .isEqualTo(
            "{\"jsonrpc\":\"2.0\",\"id\":\"\\u0041\",\"result\":"
                + OddServer.mirrored(params)
                + "}\n");
    assertThat(post("/rpc", request.replace("mirror", "odd")))
        .contains("\"result\":" + OddServer.RESULT);
  }

  private static String post(String path, String body) {
    return TestBus.await(
            http.request(HttpMethod.POST, bus.port(), "127.0.0.1", path)
                .compose(
                    request ->
                        request
                            .putHeader("Content-Type", "application/json")
                            .send(Buffer.buffer(body))
                            .compose(HttpClientResponse::body)))
        .toString();
  }
}
