package dev.mcpbus.faults;

import static org.assertj.core.api.Assertions.assertThat;

import dev.mcpbus.bus.Addresses;
import dev.mcpbus.bus.FailureCode;
import dev.mcpbus.bus.Headers;
import dev.mcpbus.bus.McpFailure;
import dev.mcpbus.bus.McpFailure.Sent;
import dev.mcpbus.protocol.ProtocolVersion;
import dev.mcpbus.testing.RawHttpServer;
import dev.mcpbus.testing.TestBus;
import io.vertx.core.Future;
import io.vertx.core.eventbus.DeliveryOptions;
import io.vertx.core.json.JsonObject;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** {@link ProtocolFaultsIT} for servers of the {@code discover} era, over stdio and HTTP. */
class DiscoverProtocolFaultsIT {

  private static final List<String> STRANGE =
      List.of(
          "with blank",
          " padded ",
          "\uD83D\uDE80 rocket",
          "\u05E9\u05DC\u05D5\u05DD",
          "x".repeat(200),
          "a.b.c",
          "a__b",
          "=?base64?YQ==?=");

  private static Ending ask(FaultBed bed, String suffix, JsonObject body) {
    return bed.ending(bed.send(FaultBed.VICTIM, suffix, body, new DeliveryOptions()));
  }

  private static List<String> names(JsonObject list) {
    return list.getJsonArray("tools").stream()
        .map(tool -> ((JsonObject) tool).getString("name"))
        .toList();
  }

  private static List<String> aggregate(FaultBed bed) {
    return FaultBed.until("the aggregate")
        .until(
            () -> names(bed.bus().request(Addresses.ALL_TOOLS_LIST, new JsonObject())),
            all -> all.stream().anyMatch(name -> name.startsWith(FaultBed.VICTIM + ".")));
  }

  private static String listing(List<String> names) {
    return String.join(
        ",", names.stream().map(name -> "{\"name\":\"" + name + "\",\"inputSchema\":{}}").toList());
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "2026-07-28"})
  void case_59_a_server_of_other_versions_is_refused_with_both_lists(String pinned) {
    String cases =
        """
        *'"method":"server/discover"'*)
          answer '{"resultType":"complete","supportedVersions":["2031-01-01","2032-02-02"],\
        "capabilities":{}}' ;;
        """;
    JsonObject server = ShServer.discover("", cases);
    if (!pinned.isEmpty()) {
      server.put("protocolVersion", pinned);
    }
    try (FaultBed bed = FaultBed.start(server)) {
      McpFailure failure = bed.failure("echo", FailureCode.UNSUPPORTED_VERSION, Sent.NO);
      assertThat(failure).hasMessageContaining("2031-01-01").hasMessageContaining("2032-02-02");
      ProtocolVersion.supported()
          .forEach(ours -> assertThat(failure).hasMessageContaining(String.valueOf(ours)));
      JsonObject status = bed.awaitState("FAILED");
      assertThat(status.getLong("epoch")).isEqualTo(1);
      assertThat(status.getValue("nextAttempt")).isNull();
    }
  }

  @Test
  void case_59_versions_in_a_refusal_over_http_are_told_too() {
    try (RawHttpServer server =
            RawHttpServer.answering(
                (request, peer) ->
                    peer.reply(
                        "400 Bad Request",
                        "{\"jsonrpc\":\"2.0\",\"id\":"
                            + request.id()
                            + ",\"error\":{\"code\":-32022,\"message\":\"no\",\"data\":"
                            + "{\"supported\":[\"2031-01-01\"],\"requested\":\"2026-07-28\"}}}",
                        "Content-Type: application/json"));
        FaultBed bed = FaultBed.start(DiscoverHttp.entry(server))) {
      assertThat(bed.failure("echo", FailureCode.UNSUPPORTED_VERSION, Sent.NO))
          .hasMessageContaining("2031-01-01")
          .hasMessageContaining("2026-07-28");
      bed.awaitState("FAILED");
    }
  }

  /** Says that it has everything, and has tools alone. */
  private static String lying() {
    return ShServer.DISCOVERED.replace(
        "\"tools\":{\"listChanged\":true}",
        "\"tools\":{},\"prompts\":{},\"resources\":{},\"completions\":{}");
  }

  @ParameterizedTest
  @CsvSource({
    Addresses.PROMPTS_LIST,
    Addresses.PROMPTS_GET,
    Addresses.RESOURCES_LIST,
    Addresses.RESOURCES_TEMPLATES,
    Addresses.RESOURCES_READ,
    Addresses.COMPLETION
  })
  void case_60_a_lying_capability_fails_that_method_and_the_connection_stays(String suffix) {
    String cases =
        """
        *'"method":"server/discover"'*) answer '@DISCOVERED@' ;;
        *'"method":"prompts/'*|*'"method":"resources/'*|*'"method":"completion/'*)
          printf '{"jsonrpc":"2.0","id":%s,"error":{"code":-32601,"message":"no"}}\\n' "$id" ;;
        """;
    JsonObject body = new JsonObject().put("name", "a").put("uri", "file:///a");
    try (FaultBed bed =
        FaultBed.ready(ShServer.discover("", cases.replace("@DISCOVERED@", lying())))) {
      assertLied(bed, suffix, body);
    }
    try (RawHttpServer server =
            DiscoverHttp.start(
                lying(),
                "[" + listing(List.of("echo")) + "]",
                (request, peer) -> DiscoverHttp.result(request, peer, DiscoverHttp.text("e")));
        FaultBed bed = FaultBed.ready(DiscoverHttp.entry(server))) {
      assertLied(bed, suffix, body);
    }
  }

  private static void assertLied(FaultBed bed, String suffix, JsonObject body) {
    McpFailure failure = ask(bed, suffix, body).failed();
    assertThat(failure).isNotNull();
    assertThat(failure == null ? 0 : failure.toJsonRpcError().getInteger("code")).isEqualTo(-32601);
    assertThat(bed.text("echo")).isNotEmpty();
    bed.assertUndisturbed();
  }

  @Test
  void case_60_a_missing_capability_gives_empty_lists_and_fails_the_rest_unsent() {
    String none = ShServer.DISCOVERED.replace("\"tools\":{\"listChanged\":true}", "");
    String cases = "*'\"method\":\"server/discover\"'*) answer '" + none + "' ;;";
    try (FaultBed bed = FaultBed.ready(ShServer.discover("", cases))) {
      for (String list :
          List.of(Addresses.TOOLS_LIST, Addresses.PROMPTS_LIST, Addresses.RESOURCES_LIST)) {
        assertThat(ask(bed, list, new JsonObject()).failed()).isNull();
      }
      for (String suffix : List.of(Addresses.PROMPTS_GET, Addresses.COMPLETION)) {
        ask(bed, suffix, new JsonObject()).failure(FailureCode.METHOD_NOT_FOUND, Sent.NO);
      }
      bed.failure("echo", FailureCode.METHOD_NOT_FOUND, Sent.NO);
      bed.assertUndisturbed();
    }
  }

  @Test
  void case_61_a_cursor_that_never_ends_is_a_protocol_error_of_that_list_only() {
    String cases =
        """
        *'"method":"tools/list"'*)
          lists=$((lists + 1))
          answer '{"tools":[{"name":"t'"$lists"'","inputSchema":{}}],"nextCursor":"'"page-$lists"'"}' ;;
        """;
    try (FaultBed bed = FaultBed.ready(ShServer.discover("lists=0", cases).put("maxPages", 20))) {
      assertThat(
              ask(bed, Addresses.TOOLS_LIST, new JsonObject())
                  .failure(FailureCode.PROTOCOL_ERROR, Sent.MAYBE))
          .hasMessageContaining("does not end after 20 pages");
      assertThat(bed.text("echo")).as("the server decides about names alone").isNotEmpty();
      assertThat(bed.status().getString("state")).isEqualTo("READY");
      assertThat(bed.status().getLong("epoch")).isEqualTo(1);
    }
  }

  @Test
  void case_61_an_empty_cursor_goes_on_to_the_last_page() {
    String cases =
        """
        *'"method":"tools/list"'*'"cursor":""'*)
          answer '{"tools":[{"name":"last-page","inputSchema":{}}]}' ;;
        *'"method":"tools/list"'*)
          answer '{"tools":[{"name":"echo","inputSchema":{}}],"nextCursor":""}' ;;
        """;
    try (FaultBed bed = FaultBed.ready(ShServer.discover("", cases))) {
      assertThat(aggregate(bed)).contains("victim.echo", "victim.last-page");
      bed.assertUndisturbed();
    }
  }

  @Test
  void case_62_a_tool_listed_twice_counts_once_and_is_reported() {
    try (FaultBed bed = FaultBed.ready(ShServer.discover("", "", "twin", "twin"))) {
      assertThat(aggregate(bed)).containsOnlyOnce("victim.twin");
      assertThat(bed.status().getString("duplicateTools")).isEqualTo("twin");
      assertThat(bed.text("twin")).isNotEmpty();
      bed.assertUndisturbed();
    }
  }

  /** Over HTTP the name travels in a header too. */
  @Test
  void case_63_strange_names_reach_the_server_as_it_wrote_them() {
    List<String> called = new CopyOnWriteArrayList<>();
    try (RawHttpServer server =
            DiscoverHttp.start(
                "[" + listing(STRANGE) + "]",
                (request, peer) -> {
                  JsonObject params = new JsonObject(request.body()).getJsonObject("params");
                  called.add(params.getString("name"));
                  DiscoverHttp.result(
                      request,
                      peer,
                      DiscoverHttp.text(String.valueOf(request.headers().get("mcp-name"))));
                });
        FaultBed bed = FaultBed.ready(DiscoverHttp.entry(server))) {
      assertThat(aggregate(bed))
          .containsAll(STRANGE.stream().map(name -> "victim." + name).toList());
      for (String name : STRANGE) {
        String header = bed.text(name);
        assertThat(header).isPrintable();
        assertThat(header.equals(name) || header.startsWith("=?base64?")).as(header).isTrue();
        JsonObject all =
            bed.bus()
                .request(
                    Addresses.ALL_TOOLS_CALL, TestBus.toolCall("victim." + name, new JsonObject()));
        assertThat(all.encode()).contains(header);
      }
      assertThat(called)
          .isEqualTo(STRANGE.stream().flatMap(name -> List.of(name, name).stream()).toList());
      bed.assertUndisturbed();
    }
  }

  @Test
  void case_64_dots_in_names_never_lead_to_another_server() {
    String say = "*'\"method\":\"tools/call\"'*'\"name\":\"@\"'*) text '@' ;;\n";
    JsonObject servers =
        new JsonObject()
            .put(
                "a",
                ShServer.discover("", say.replace("@", "b.c") + say.replace("@", "c"), "b.c", "c"))
            .put(
                "b",
                ShServer.discover(
                    "", say.replace("name\":\"@", "name\":\"c").replace("@", "b"), "c"));
    try (FaultBed bed = FaultBed.startAll(servers)) {
      for (String id : List.of("a", "b")) {
        bed.bus().awaitState(id, "READY");
        FaultBed.until("tools of " + id)
            .until(
                () -> names(bed.bus().request(Addresses.ALL_TOOLS_LIST, new JsonObject())),
                all -> all.contains(id + ".c"));
      }
      assertThat(called(bed, "a.b.c")).isEqualTo("b.c");
      assertThat(called(bed, "a.c")).isEqualTo("c");
      assertThat(called(bed, "b.c")).isEqualTo("b");
    }
  }

  private static String called(FaultBed bed, String name) {
    JsonObject result =
        bed.bus().request(Addresses.ALL_TOOLS_CALL, TestBus.toolCall(name, new JsonObject()));
    return result.getJsonArray("content").getJsonObject(0).getString("text");
  }

  @ParameterizedTest
  @ValueSource(strings = {"stdio", "http"})
  void case_71_a_cancel_that_races_the_reply_leaves_one_ending(String wire) {
    String slow = "*'\"name\":\"slow\"'*) ( sleep 0.02; text slept ) & ;;";
    if (wire.equals("stdio")) {
      try (FaultBed bed = FaultBed.ready(ShServer.discover("", slow, "slow"))) {
        race(bed);
      }
      return;
    }
    try (RawHttpServer server =
            DiscoverHttp.start(
                "[" + listing(List.of("echo", "slow")) + "]",
                (request, peer) -> {
                  if (request.body().contains("\"name\":\"slow\"")) {
                    peer.silenceFor(20);
                  }
                  DiscoverHttp.result(request, peer, DiscoverHttp.text("slept"));
                });
        FaultBed bed = FaultBed.ready(DiscoverHttp.entry(server))) {
      race(bed);
    }
  }

  private static void race(FaultBed bed) {
    List<Future<Ending>> calls = new ArrayList<>();
    List<Future<Ending>> cancels = new ArrayList<>();
    for (int i = 0; i < 90; i++) {
      DeliveryOptions named = new DeliveryOptions().addHeader(Headers.CALL_ID, "call-" + i);
      JsonObject body = new JsonObject().put("callId", "call-" + i);
      Future<Ending> call = bed.sendTool("slow", new JsonObject(), named);
      calls.add(call);
      // A third at once, a third when the answer is about due, a third when it has come.
      Future<?> moment =
          switch (i % 3) {
            case 0 -> Future.succeededFuture();
            case 1 -> bed.bus().vertx().timer(15 + i % 20, TimeUnit.MILLISECONDS);
            default -> call;
          };
      cancels.add(
          moment.compose(
              now -> bed.send(FaultBed.VICTIM, Addresses.CANCEL, body, new DeliveryOptions())));
    }
    int cancelled = 0;
    for (int i = 0; i < calls.size(); i++) {
      Ending call = bed.ending(calls.get(i));
      JsonObject said = TestBus.await(cancels.get(i)).result();
      if (said != null && said.getBoolean("cancelled")) {
        assertThat(call.failed()).isNotNull();
        assertThat(call.failed() == null ? null : call.failed().code())
            .isEqualTo(FailureCode.CANCELLED);
        cancelled++;
      } else {
        assertThat(call.text()).isEqualTo("slept");
      }
    }
    assertThat(cancelled).as("a third surely, a third perhaps").isBetween(30, 60);
    assertThat(bed.status().getJsonObject("transport").getInteger("pending")).isZero();
    assertThat(bed.text("echo")).isNotEmpty();
    bed.assertUndisturbed();
  }

  /**
   * The {@code discover} era has no requests from server to client; one that comes is not answered.
   */
  @Test
  void case_72_a_request_of_the_server_disturbs_nothing() {
    String cases =
        """
        *'"name":"asks"'*)
          printf '{"jsonrpc":"2.0","id":"q-1","method":"server/unheard-of"}\\n'
          printf '{"jsonrpc":"2.0","id":%s,"method":"elicitation/create","params":{}}\\n' "$id"
          text asked ;;
        '"id":"q-1"'*) answered=$((answered + 1)) ;;
        *'"name":"answered"'*) text $answered ;;
        """;
    try (FaultBed bed =
        FaultBed.ready(ShServer.discover("answered=0", cases, "asks", "answered"))) {
      assertThat(bed.text("asks")).isEqualTo("asked");
      assertThat(bed.text("answered")).isEqualTo("0");
      bed.assertUndisturbed();
    }
  }
}
