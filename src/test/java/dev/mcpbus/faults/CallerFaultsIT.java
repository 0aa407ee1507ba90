package dev.mcpbus.faults;

import static dev.mcpbus.testing.Entries.scripted;
import static dev.mcpbus.testing.TestBus.address;
import static dev.mcpbus.testing.TestBus.await;
import static dev.mcpbus.testing.TestBus.server;
import static dev.mcpbus.testing.TestBus.toolCall;
import static org.assertj.core.api.Assertions.assertThat;

import dev.mcpbus.bus.Addresses;
import dev.mcpbus.bus.FailureCode;
import dev.mcpbus.bus.Headers;
import dev.mcpbus.bus.McpFailure;
import dev.mcpbus.client.CallOptions;
import dev.mcpbus.client.McpClient;
import dev.mcpbus.protocol.ServerId;
import dev.mcpbus.testing.Http;
import dev.mcpbus.testing.TestBus;
import io.vertx.core.Future;
import io.vertx.core.VerticleBase;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.eventbus.DeliveryOptions;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.stream.Stream;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;

/** Cases 78 to 85: what callers do wrong, or what becomes of them, through the whole system. */
class CallerFaultsIT {

  private static final Duration SOON = Duration.ofSeconds(10);
  private static final String CANARY = "canary-5f2a";

  private static String calls(String id) {
    return address(id, Addresses.TOOLS_CALL);
  }

  private static String text(JsonObject result) {
    return result.getJsonArray("content").getJsonObject(0).getString("text");
  }

  private static void assertNotSent(McpFailure failure, FailureCode code) {
    assertThat(failure.code()).as(failure.getMessage()).isEqualTo(code);
    assertThat(failure.sent()).isEqualTo(McpFailure.Sent.NO);
  }

  /** One server {@code s} whose messages are on {@code mcp.rpc}, and all that was sent to it. */
  private static List<String> tapped(TestBus bus) {
    List<String> sent = new CopyOnWriteArrayList<>();
    bus.vertx()
        .eventBus()
        .<JsonObject>consumer(
            Addresses.RPC,
            message -> {
              if (message.body().getString("direction").equals("sent")) {
                sent.add(message.body().getString("message"));
              }
            });
    return sent;
  }

  private static JsonObject good() {
    return server("s", scripted("good").put("rpcLog", "bus"));
  }

  /** The call {@code hang} that was made has arrived, and so is in flight. */
  private static void awaitHanging(TestBus bus, int calls) {
    Awaitility.await()
        .atMost(SOON)
        .until(() -> text(bus.callTool("s", "count", new JsonObject())).equals("" + calls));
  }

  /** The server was told of the cancellation, and the slot is free. */
  private static void assertCancelled(TestBus bus, int calls) {
    Awaitility.await()
        .atMost(SOON)
        .untilAsserted(
            () -> {
              String ids = text(bus.callTool("s", "cancelled-ids", new JsonObject()));
              assertThat(ids.split(",")).filteredOn(id -> !id.isEmpty()).hasSize(calls);
            });
    assertThat(bus.status("s").getJsonObject("transport").getInteger("pending")).isZero();
  }

  @Test
  void case_78_a_caller_that_times_out_is_cancelled_at_the_server() {
    try (TestBus bus = TestBus.start(good())) {
      bus.awaitState("s", "READY");
      McpClient client = McpClient.create(bus.vertx());

      Future<?> call =
          client
              .server("s")
              .callTool("hang", Map.of(), CallOptions.timeout(Duration.ofMillis(300)));

      assertThat(failure(call).code()).isEqualTo(FailureCode.CALL_TIMEOUT);
      assertThat(failure(call).sent()).isEqualTo(McpFailure.Sent.MAYBE);
      assertCancelled(bus, 1);
      await(client.close());
    }
  }

  @Test
  void case_78_a_bare_caller_with_a_deadline_is_cancelled_at_the_server() {
    try (TestBus bus = TestBus.start(good())) {
      bus.awaitState("s", "READY");
      McpFailure late =
          bus.failure(
              calls("s"),
              toolCall("hang", new JsonObject()),
              new DeliveryOptions().addHeader(Headers.DEADLINE, "200"));
      assertThat(late.code()).isEqualTo(FailureCode.CALL_TIMEOUT);
      assertCancelled(bus, 1);
    }
  }

  /** A verticle whose only deed is one call that hangs. */
  private static final class Caller extends VerticleBase {
    @Override
    public Future<?> start() {
      McpClient.create(vertx).server("s").callTool("hang", Map.of(), CallOptions.DEFAULT);
      return Future.succeededFuture();
    }
  }

  @Test
  void case_78_the_calls_of_a_verticle_that_is_undeployed_are_cancelled_at_the_server() {
    try (TestBus bus = TestBus.start(good())) {
      bus.awaitState("s", "READY");
      String deployment = await(bus.vertx().deployVerticle(new Caller()));
      awaitHanging(bus, 1);

      await(bus.vertx().undeploy(deployment));

      assertCancelled(bus, 1);
    }
  }

  @Test
  void case_78_an_http_client_that_hangs_up_is_cancelled_at_the_server() throws IOException {
    try (TestBus bus = TestBus.startWithBridge(good())) {
      bus.awaitState("s", "READY");
      hangUpDuring(bus, "/api/servers/s/tools/hang", "{}", 1);
      assertCancelled(bus, 1);
      hangUpDuring(
          bus,
          "/rpc",
          "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/call\",\"params\":{\"name\":\"s.hang\"}}",
          2);
      assertCancelled(bus, 2);
    }
  }

  private static void hangUpDuring(TestBus bus, String path, String body, int calls)
      throws IOException {
    try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), bus.port())) {
      String request =
          "POST "
              + path
              + " HTTP/1.1\r\nHost: 127.0.0.1:"
              + bus.port()
              + "\r\nContent-Type: application/json\r\nContent-Length: "
              + body.length()
              + "\r\n\r\n"
              + body;
      socket.getOutputStream().write(request.getBytes(StandardCharsets.US_ASCII));
      socket.getOutputStream().flush();
      awaitHanging(bus, calls);
    }
  }

  @Test
  void case_78_a_call_that_is_cancelled_by_its_name_ends_here_and_at_the_server() {
    try (TestBus bus = TestBus.start(good())) {
      bus.awaitState("s", "READY");
      Future<Object> call =
          bus.send(
              calls("s"),
              toolCall("hang", new JsonObject()),
              new DeliveryOptions().addHeader(Headers.CALL_ID, "mine"));
      awaitHanging(bus, 1);
      String cancel = address("s", Addresses.CANCEL);

      JsonObject other = bus.request(cancel, new JsonObject().put("callId", "not-mine"));
      assertThat(other.getBoolean("cancelled")).isFalse();
      JsonObject mine = bus.request(cancel, new JsonObject().put("callId", "mine"));
      assertThat(mine.getBoolean("cancelled")).isTrue();

      assertThat(failure(call).code()).isEqualTo(FailureCode.CANCELLED);
      assertCancelled(bus, 1);
      JsonObject again = bus.request(cancel, new JsonObject().put("callId", "mine"));
      assertThat(again.getBoolean("cancelled")).isFalse();
    }
  }

  private static McpFailure failure(Future<?> call) {
    try {
      throw new AssertionError("expected a failure but got " + await(call));
    } catch (RuntimeException e) {
      return McpFailure.of(e);
    }
  }

  @Test
  void case_79_an_unknown_connection_is_refused_without_waiting_and_nothing_is_sent() {
    // Who waits for the deadline, or for the connection to come, does not end in this test.
    CallOptions patient = CallOptions.timeout(Duration.ofHours(1));
    try (TestBus bus = TestBus.startWithBridge(good())) {
      bus.awaitState("s", "READY");
      List<String> sent = tapped(bus);
      McpClient client = McpClient.create(bus.vertx());
      assertNotSent(
          failure(client.server("nobody").callTool("echo", Map.of(), patient)),
          FailureCode.UNKNOWN_CONNECTION);
      assertNotSent(
          failure(client.callTool("nobody.echo", Map.of(), patient)),
          FailureCode.UNKNOWN_CONNECTION);
      Http.Answer answer =
          Http.post(bus.port(), "/api/servers/nobody/tools/echo?timeout=3600000", "{}");
      assertThat(answer.status()).isEqualTo(404);
      assertThat(answer.json().getString("code")).isEqualTo("UNKNOWN_CONNECTION");
      assertThat(answer.json().getString("sent")).isEqualTo("no");
      assertThat(sent).noneMatch(message -> message.contains("tools/call"));
      await(client.close());
    }
  }

  @Test
  void case_80_an_unknown_tool_is_never_sent() {
    try (TestBus bus = TestBus.startWithBridge(good())) {
      List<String> sent = tapped(bus);
      bus.awaitState("s", "READY");
      McpFailure failure = bus.failure(calls("s"), toolCall("ecko", new JsonObject()));
      assertNotSent(failure, FailureCode.UNKNOWN_TOOL);
      assertThat(failure.getMessage()).contains("ecko");
      assertNotSent(
          bus.failure(Addresses.ALL_TOOLS_CALL, toolCall("s.ecko", new JsonObject())),
          FailureCode.UNKNOWN_TOOL);
      Http.Answer http = Http.post(bus.port(), "/api/servers/s/tools/ecko", "{}");
      assertThat(http.status()).isEqualTo(404);
      assertThat(http.json().getString("code")).isEqualTo("UNKNOWN_TOOL");
      assertThat(sent).noneMatch(message -> message.contains("tools/call"));
    }
  }

  @Test
  void case_80_arguments_that_do_not_fit_are_never_sent() {
    JsonObject demo =
        new JsonObject().put("type", "bus").put("address", "mcpbus.demo").put("rpcLog", "bus");
    try (TestBus bus = TestBus.startWithBridge(server("demo", demo))) {
      List<String> sent = tapped(bus);
      bus.awaitState("demo", "READY");
      McpFailure wrong =
          bus.failure(calls("demo"), toolCall("add", new JsonObject().put("a", "two").put("b", 3)));
      assertNotSent(wrong, FailureCode.INVALID_ARGUMENTS);
      assertThat(wrong.data().getString("path")).isEqualTo("/a");
      assertNotSent(
          bus.failure(calls("demo"), toolCall("add", new JsonObject().put("a", 2))),
          FailureCode.INVALID_ARGUMENTS);
      Http.Answer http = Http.post(bus.port(), "/api/servers/demo/tools/add", "{\"a\":true}");
      assertThat(http.status()).isEqualTo(422);
      assertThat(sent).noneMatch(message -> message.contains("tools/call"));
      JsonObject right = bus.callTool("demo", "add", new JsonObject().put("a", 2).put("b", 3));
      assertThat(right.getJsonObject("structuredContent").getInteger("sum")).isEqualTo(5);
    }
  }

  @Test
  void case_81_what_is_too_large_or_too_deep_is_never_sent() {
    JsonObject entry =
        scripted("good")
            .put("rpcLog", "bus")
            .put("limits", new JsonObject().put("maxMessageBytes", 4096).put("maxDepth", 16));
    try (TestBus bus = TestBus.startWithBridge(server("s", entry))) {
      List<String> sent = tapped(bus);
      bus.awaitState("s", "READY");
      JsonObject large = toolCall("echo", new JsonObject().put("text", "x".repeat(5000)));
      String deep =
          "{\"name\":\"echo\",\"arguments\":{\"a\":" + "[".repeat(20) + "]".repeat(20) + "}}";

      for (Object body : List.of(large, large.toBuffer(), Buffer.buffer(deep))) {
        assertNotSent(bus.failure(calls("s"), body), FailureCode.LIMIT_EXCEEDED);
      }
      JsonObject viaAll = large.copy().put("name", "s.echo");
      assertNotSent(
          bus.failure(Addresses.ALL_TOOLS_CALL, viaAll.toBuffer()), FailureCode.LIMIT_EXCEEDED);
      assertNotSent(bus.failure(Addresses.ALL_TOOLS_CALL, viaAll), FailureCode.LIMIT_EXCEEDED);
      Http.Answer http =
          Http.post(
              bus.port(), "/api/servers/s/tools/echo", large.getJsonObject("arguments").encode());
      assertThat(http.status()).isEqualTo(413);
      assertThat(http.json().getString("sent")).isEqualTo("no");

      assertThat(sent).noneMatch(message -> message.contains("tools/call"));
      assertThat(text(bus.callTool("s", "echo", new JsonObject().put("text", "fits"))))
          .isEqualTo("fits");
    }
  }

  private static final List<String> HOSTILE =
      List.of(
          "..",
          ".",
          "*",
          "",
          " ",
          "a.tools.call",
          "s.tools",
          "tools",
          "servers",
          "events",
          "supervisor",
          "\u0455", // Cyrillic, looks like s
          "s\u200b",
          "s\u0000",
          "-",
          "s#",
          "s%2e",
          "x".repeat(10_240));

  /**
   * Names that people can read get an id of their own, whatever signs they have; no name gets the
   * id of another server, or forms an address.
   */
  @Test
  void case_82_hostile_names_at_run_time_form_no_address_but_their_own() {
    try (TestBus bus = TestBus.start(good())) {
      bus.awaitState("s", "READY");
      for (String id : HOSTILE) {
        JsonObject body = new JsonObject().put("name", id).put("config", scripted("good"));
        boolean isOurs = ServerId.of(id).equals("s");
        try {
          JsonObject added = bus.request(Addresses.SERVERS_ADD, body);
          assertThat(added.getString("id")).as(id).matches("[a-z0-9][a-z0-9-]*--[0-9a-f]{12}");
          bus.request(Addresses.SERVERS_REMOVE, new JsonObject().put("id", added.getString("id")));
        } catch (McpFailure refused) {
          assertThat(refused.code()).as("'%.20s'", id).isEqualTo(FailureCode.BAD_REQUEST);
          assertThat(refused.getMessage()).hasSizeLessThan(1_000);
        }
        if (!isOurs) {
          for (String ask : List.of(Addresses.SERVERS_GET, Addresses.SERVERS_REMOVE)) {
            assertNotSent(
                bus.failure(ask, new JsonObject().put("id", id)), FailureCode.UNKNOWN_CONNECTION);
          }
        }
        McpFailure call =
            bus.failure(Addresses.ALL_TOOLS_CALL, toolCall(id + ".echo", new JsonObject()));
        assertThat(call.sent()).isEqualTo(McpFailure.Sent.NO);
        assertThat(call.getMessage()).hasSizeLessThan(1_000);
      }
      JsonObject list = bus.request(Addresses.SERVERS_LIST, new JsonObject());
      assertThat(list.getJsonArray("servers")).hasSize(1);
      assertThat(bus.status("s").getLong("epoch")).isEqualTo(1);
    }
  }

  @Test
  void case_82_hostile_ids_in_a_path_reach_no_address_but_their_own() {
    try (TestBus bus = TestBus.startWithBridge(good())) {
      bus.awaitState("s", "READY");
      Set<String> used = new TreeSet<>();
      List<String> addresses = new CopyOnWriteArrayList<>();
      bus.vertx()
          .eventBus()
          .addOutboundInterceptor(
              delivery -> {
                addresses.add(delivery.message().address());
                delivery.next();
              });
      for (String segment :
          List.of(
              "..%2f..%2fmcp",
              "*",
              "a.tools.call",
              "s.tools.call",
              "s%2Etools",
              "s%00",
              "servers",
              "tools",
              "x".repeat(3_000))) {
        for (String rest : List.of("", "/tools", "/prompts")) {
          Http.Answer answer = Http.get(bus.port(), "/api/servers/" + segment + rest);
          assertThat(answer.status()).as(segment + rest).isIn(400, 404);
          assertThat(answer.body()).hasSizeLessThan(1_000);
        }
        Http.Answer call = Http.post(bus.port(), "/api/servers/" + segment + "/tools/echo", "{}");
        assertThat(call.status()).as(segment).isIn(400, 404);
      }
      used.addAll(addresses);
      used.remove(Addresses.GATEWAY_CHANGED); // the directory has read the tools of "s"
      assertThat(used)
          .filteredOn(address -> address.startsWith("mcp."))
          .allMatch(
              address ->
                  address.matches(
                      "mcp\\.((s|[a-z0-9-]+--[0-9a-f]{12})\\.[a-z]+(\\.[a-z]+)?|rpc|events|servers\\.get)"));
      assertThat(addresses).noneMatch(address -> address.equals(calls("s")));
      for (String spelling : List.of("%D1%95", "s%20", "S")) {
        assertThat(Http.get(bus.port(), "/api/servers/" + spelling).json().getString("id"))
            .as("a spelling of the name is the server")
            .isEqualTo("s");
      }
    }
  }

  @Test
  void case_83_a_body_of_the_wrong_type_is_a_bad_request_everywhere() {
    try (TestBus bus = TestBus.startWithBridge(good())) {
      bus.awaitState("s", "READY");
      List<Object> bodies =
          List.of(
              "text",
              5,
              true,
              new JsonArray().add(1),
              Buffer.buffer("[1]"),
              Buffer.buffer("{\"a\":"),
              Buffer.buffer("{} trailing"),
              Buffer.buffer(new byte[] {(byte) 0xFF, (byte) 0xFE}));
      List<String> addresses = new ArrayList<>();
      Stream.of(
              Addresses.TOOLS_CALL,
              Addresses.TOOLS_LIST,
              Addresses.PING,
              Addresses.REQUEST,
              Addresses.CANCEL)
          .map(suffix -> address("s", suffix))
          .forEach(addresses::add);
      addresses.add(Addresses.ALL_TOOLS_CALL);
      addresses.add(Addresses.SERVERS_ADD);
      addresses.add(Addresses.SERVERS_GET);
      addresses.add(Addresses.SERVERS_REMOVE);
      for (String address : addresses) {
        for (Object body : bodies) {
          McpFailure failure = bus.failure(address, body);
          assertThat(failure.code())
              .as("%s to %s: %s", body, address, failure.getMessage())
              .isEqualTo(FailureCode.BAD_REQUEST);
          assertThat(failure.sent()).isEqualTo(McpFailure.Sent.NO);
        }
      }
      for (String body : List.of("[1]", "5", "{\"a\":", "{} x")) {
        Http.Answer answer = Http.post(bus.port(), "/api/servers/s/tools/echo", body);
        assertThat(answer.status()).as(body).isEqualTo(400);
      }
      assertThat(bus.status("s").getLong("epoch")).as("nothing crashed").isEqualTo(1);
    }
  }

  @Test
  void case_84_a_forged_principal_or_epoch_is_not_passed_on() {
    try (TestBus bus = TestBus.startWithBridge(good())) {
      List<String> sent = tapped(bus);
      bus.awaitState("s", "READY");
      List<String> forged = new CopyOnWriteArrayList<>();
      bus.vertx()
          .eventBus()
          .addOutboundInterceptor(
              delivery -> {
                delivery
                    .message()
                    .headers()
                    .forEach(
                        (name, value) -> forged.add(name.toLowerCase(Locale.ROOT) + "=" + value));
                delivery.next();
              });

      Http.Answer rest =
          Http.post(
              bus.port(),
              "/api/servers/s/tools/echo",
              "{\"text\":\"rest\"}",
              Headers.PRINCIPAL,
              CANARY,
              Headers.EPOCH,
              "99");
      Http.Answer rpc =
          Http.post(
              bus.port(),
              "/rpc",
              "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/call\","
                  + "\"params\":{\"name\":\"s.echo\",\"arguments\":{\"text\":\"rpc\"}}}",
              Headers.PRINCIPAL,
              CANARY,
              Headers.EPOCH,
              "99");

      assertThat(rest.status()).isEqualTo(200);
      assertThat(rpc.status()).isEqualTo(200);
      assertThat(forged)
          .filteredOn(header -> header.startsWith("principal="))
          .isNotEmpty()
          .allMatch(header -> header.endsWith("local"));
      assertThat(forged).noneMatch(header -> header.startsWith("epoch="));
      assertThat(forged).noneMatch(header -> header.contains(CANARY));

      JsonObject direct =
          bus.request(
              calls("s"),
              toolCall("echo", new JsonObject().put("text", "direct")),
              new DeliveryOptions()
                  .addHeader(Headers.PRINCIPAL, CANARY)
                  .addHeader(Headers.EPOCH, "99"));
      assertThat(text(direct)).isEqualTo("direct");
      assertThat(sent).filteredOn(message -> message.contains("tools/call")).hasSize(3);
      assertThat(sent).noneMatch(message -> message.contains(CANARY));
      assertThat(bus.status("s").getLong("epoch")).isEqualTo(1);
    }
  }

  @Test
  void case_85_a_call_beyond_those_in_flight_is_refused_at_once() {
    JsonObject servers = server("s", scripted("good").put("maxPending", 3).put("drain", 0));
    try (TestBus bus = TestBus.startWithBridge(servers)) {
      bus.awaitState("s", "READY");
      Awaitility.await().atMost(SOON).until(() -> bus.status("s").containsKey("toolsListed"));
      List<Future<Object>> hanging = new ArrayList<>();
      for (int i = 0; i < 3; i++) {
        hanging.add(
            bus.send(
                calls("s"),
                toolCall("hang", new JsonObject()),
                new DeliveryOptions().addHeader(Headers.CALL_ID, "hang-" + i)));
      }
      assertNotSent(
          bus.failure(calls("s"), toolCall("echo", new JsonObject())), FailureCode.OVERLOADED);
      assertThat(Http.post(bus.port(), "/api/servers/s/tools/echo", "{}").status()).isEqualTo(503);
      assertThat(hanging).noneMatch(Future::isComplete);

      JsonObject freed =
          bus.request(address("s", Addresses.CANCEL), new JsonObject().put("callId", "hang-1"));
      assertThat(freed.getBoolean("cancelled")).isTrue();
      assertThat(text(bus.callTool("s", "echo", new JsonObject().put("text", "room"))))
          .isEqualTo("room");
    }
  }

  @Test
  void case_85_a_call_beyond_those_that_wait_for_a_session_is_refused_at_once() {
    try (TestBus bus = TestBus.start(server("s", scripted("hang").put("maxStash", 2)))) {
      bus.awaitState("s", "CONNECTING");
      List<Future<Object>> waiting = new ArrayList<>();
      for (int i = 0; i < 2; i++) {
        waiting.add(
            bus.send(calls("s"), toolCall("echo", new JsonObject()), new DeliveryOptions()));
      }
      assertNotSent(
          bus.failure(calls("s"), toolCall("echo", new JsonObject())), FailureCode.OVERLOADED);
      assertThat(waiting).noneMatch(Future::isComplete);
    }
  }

  @Test
  void case_85_a_server_that_reads_nothing_more_overloads_itself_alone() {
    JsonObject servers =
        new JsonObject()
            .put("s", scripted("stops-reading").put("drain", 0).put("closeGrace", "100ms"))
            .put("other", scripted("good"));
    try (TestBus bus = TestBus.start(servers)) {
      bus.awaitState("s", "READY");
      bus.awaitState("other", "READY");
      Buffer large =
          new JsonObject()
              .put("method", "tools/call")
              .put("params", toolCall("echo", new JsonObject().put("text", "x".repeat(1 << 20))))
              .toBuffer();
      List<Future<Object>> calls = new ArrayList<>();
      for (int i = 0; i < 64; i++) {
        calls.add(bus.send(address("s", Addresses.REQUEST), large, new DeliveryOptions()));
      }
      Awaitility.await().atMost(SOON).until(() -> calls.stream().anyMatch(Future::failed));
      List<McpFailure> refused =
          calls.stream().filter(Future::failed).map(call -> McpFailure.of(call.cause())).toList();
      assertThat(refused)
          .allSatisfy(failure -> assertNotSent(failure, FailureCode.OVERLOADED))
          .hasSizeLessThan(64);
      assertThat(text(bus.callTool("other", "echo", new JsonObject().put("text", "well"))))
          .isEqualTo("well");
    }
  }

  @Test
  void case_85_calls_that_wait_for_the_list_of_tools_are_bounded_and_can_be_cancelled() {
    JsonObject entry =
        scripted("stops-reading").put("maxStash", 4).put("drain", 0).put("closeGrace", "100ms");
    JsonObject servers = server("s", entry);
    try (TestBus bus = TestBus.start(servers)) {
      bus.awaitState("s", "READY");
      List<Future<Object>> waiting = new ArrayList<>();
      for (int i = 0; i < 9; i++) {
        waiting.add(
            bus.send(
                calls("s"),
                toolCall("echo", new JsonObject()),
                new DeliveryOptions().addHeader(Headers.CALL_ID, "w-" + i)));
      }
      Awaitility.await()
          .atMost(SOON)
          .until(() -> waiting.stream().filter(Future::failed).count() >= 5);
      assertThat(waiting.stream().filter(Future::failed))
          .allSatisfy(call -> assertNotSent(failure(call), FailureCode.OVERLOADED));
      assertThat(waiting.get(0).isComplete()).isFalse();
      JsonObject cancelled =
          bus.request(address("s", Addresses.CANCEL), new JsonObject().put("callId", "w-0"));
      assertThat(cancelled.getBoolean("cancelled")).isTrue();
      assertNotSent(failure(waiting.get(0)), FailureCode.CANCELLED);
    }
  }
}
