package dev.mcpbus.faults;

import static org.assertj.core.api.Assertions.assertThat;

import dev.mcpbus.bus.Addresses;
import dev.mcpbus.bus.FailureCode;
import dev.mcpbus.bus.Headers;
import dev.mcpbus.bus.McpFailure;
import dev.mcpbus.bus.McpFailure.Sent;
import dev.mcpbus.protocol.MetaKeys;
import dev.mcpbus.protocol.ProtocolVersion;
import dev.mcpbus.testing.TestBus;
import io.vertx.core.Future;
import io.vertx.core.eventbus.DeliveryOptions;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Servers that speak, but not as agreed. */
class ProtocolFaultsIT {

  private static Ending ask(FaultBed bed, String suffix) {
    return ask(bed, suffix, new JsonObject());
  }

  private static Ending ask(FaultBed bed, String suffix, JsonObject body) {
    return bed.ending(bed.send(FaultBed.VICTIM, suffix, body, new DeliveryOptions()));
  }

  private static List<String> names(JsonObject list) {
    return list.getJsonArray("tools").stream()
        .map(tool -> ((JsonObject) tool).getString("name"))
        .toList();
  }

  private static List<String> tools(Ending listed) {
    assertThat(listed.failed()).isNull();
    return names(listed.result() == null ? new JsonObject() : listed.result());
  }

  /** The aggregate, once it holds the victim's tools. */
  private static JsonObject aggregate(FaultBed bed, String server) {
    return FaultBed.until("the aggregate")
        .until(
            () -> bed.bus().<JsonObject>request(Addresses.ALL_TOOLS_LIST, new JsonObject()),
            all -> names(all).stream().anyMatch(name -> name.startsWith(server + ".")));
  }

  private static String aggregateCall(FaultBed bed, String name, JsonObject arguments) {
    JsonObject result =
        bed.bus().request(Addresses.ALL_TOOLS_CALL, TestBus.toolCall(name, arguments));
    return result.getJsonArray("content").getJsonObject(0).getString("text");
  }

  @Test
  void case_59_an_unknown_version_is_refused_with_both_lists_and_not_tried_again() {
    try (FaultBed bed = FaultBed.start(FaultBed.scripted("version"))) {
      McpFailure failure = bed.failure("echo", FailureCode.UNSUPPORTED_VERSION, Sent.NO);
      assertThat(failure).hasMessageContaining("1999-01-01");
      ProtocolVersion.supported()
          .forEach(ours -> assertThat(failure).hasMessageContaining(String.valueOf(ours)));
      JsonObject status = bed.awaitState("FAILED");
      assertThat(status.getLong("epoch")).isEqualTo(1);
      assertThat(status.getValue("nextAttempt")).isNull();
      assertThat(bed.lastError().getString("code")).isEqualTo("UNSUPPORTED_VERSION");
      assertThat(bed.failure("echo", FailureCode.UNSUPPORTED_VERSION, Sent.NO))
          .hasMessageContaining("1999-01-01");
      FaultBed.until("only the neighbour runs").until(() -> bed.processes().size() == 1);
    }
  }

  @Test
  void case_59_versions_in_an_error_of_the_server_are_told_too() {
    String refuse =
        """
        *'"method":"initialize"'*)
          printf '{"jsonrpc":"2.0","id":%s,"error":{"code":-32602,"message":"no","data":\
        {"supported":["2031-01-01","2032-02-02"]}}}\\n' "$id" ;;
        """;
    try (FaultBed bed = FaultBed.start(ShServer.of("", refuse))) {
      assertThat(bed.failure("echo", FailureCode.UNSUPPORTED_VERSION, Sent.NO))
          .hasMessageContaining("2031-01-01")
          .hasMessageContaining("2032-02-02")
          .hasMessageContaining(ProtocolVersion.supported().get(0));
      assertThat(bed.awaitState("FAILED").getLong("epoch")).isEqualTo(1);
    }
  }

  @ParameterizedTest
  @CsvSource({
    Addresses.PROMPTS_LIST,
    Addresses.PROMPTS_GET,
    Addresses.RESOURCES_LIST,
    Addresses.RESOURCES_READ,
    Addresses.COMPLETION,
    Addresses.LOGLEVEL
  })
  void case_60_a_lying_capability_fails_that_method_and_the_connection_stays(String suffix) {
    try (FaultBed bed = FaultBed.ready(FaultBed.scripted("lying"))) {
      JsonObject body = new JsonObject().put("level", "info").put("uri", "file:///a");
      McpFailure failure = ask(bed, suffix, body).failure(FailureCode.UPSTREAM_ERROR, Sent.MAYBE);
      assertThat(failure.toJsonRpcError().getInteger("code")).isEqualTo(-32601);
      assertThat(bed.text("echo")).isEmpty();
      bed.assertUndisturbed();
    }
  }

  @Test
  void case_60_a_lying_capability_does_not_spoil_the_aggregate() {
    try (FaultBed bed = FaultBed.ready(FaultBed.scripted("lying"))) {
      aggregate(bed, FaultBed.VICTIM);
      for (String all : List.of(Addresses.ALL_PROMPTS_LIST, Addresses.ALL_RESOURCES_LIST)) {
        JsonObject list = bed.bus().request(all, new JsonObject());
        JsonObject meta = (JsonObject) list.remove("_meta");
        assertThat(list.stream()).allSatisfy(e -> assertThat((JsonArray) e.getValue()).isEmpty());
        assertThat(meta.getJsonArray(MetaKeys.NOT_LISTED).encode())
            .contains("\"server\":\"victim\"", "-32601");
      }
      bed.assertUndisturbed();
    }
  }

  @Test
  void case_60_a_missing_capability_gives_empty_lists_and_fails_the_rest_unsent() {
    try (FaultBed bed = FaultBed.ready(FaultBed.scripted("toolless"))) {
      assertThat(tools(ask(bed, Addresses.TOOLS_LIST))).isEmpty();
      for (String list : List.of(Addresses.PROMPTS_LIST, Addresses.RESOURCES_LIST)) {
        assertThat(ask(bed, list).failed()).isNull();
      }
      for (String suffix : List.of(Addresses.PROMPTS_GET, Addresses.COMPLETION)) {
        ask(bed, suffix).failure(FailureCode.METHOD_NOT_FOUND, Sent.NO);
      }
      bed.failure("echo", FailureCode.METHOD_NOT_FOUND, Sent.NO);
      bed.assertUndisturbed();
    }
  }

  @Test
  void case_61_a_cursor_that_repeats_ends_the_list_with_what_there_is() {
    try (FaultBed bed = FaultBed.ready(FaultBed.scripted("cursor-repeats"))) {
      assertThat(tools(ask(bed, Addresses.TOOLS_LIST))).doesNotHaveDuplicates().isNotEmpty();
      assertThat(bed.status().getJsonArray("quirks").encode()).contains("STUCK_CURSOR");
      bed.assertUndisturbed();
    }
  }

  @Test
  void case_61_a_cursor_that_never_ends_is_a_protocol_error_of_that_list_only() {
    try (FaultBed bed = FaultBed.ready(FaultBed.scripted("cursor-endless").put("maxPages", 20))) {
      assertThat(ask(bed, Addresses.TOOLS_LIST).failure(FailureCode.PROTOCOL_ERROR, Sent.MAYBE))
          .hasMessageContaining("does not end after 20 pages");
      assertThat(bed.text("echo")).as("the server decides about names alone").isEmpty();
      JsonObject status = bed.status();
      assertThat(status.getString("state")).isEqualTo("READY");
      assertThat(status.getLong("epoch")).isEqualTo(1);
      assertThat(bed.lastError().getString("code")).isEqualTo("PROTOCOL_ERROR");
    }
  }

  @Test
  void case_61_the_last_good_list_is_kept_when_a_later_one_does_not_end() {
    String once =
        """
        *'"method":"tools/list"'*)
          lists=$((lists + 1))
          if [ $lists -eq 1 ]; then
            answer '{"tools":[{"name":"echo","inputSchema":{}},{"name":"spoil","inputSchema":{}}]}'
          else
            answer '{"tools":[{"name":"other'$lists'","inputSchema":{}}],"nextCursor":"'$lists'"}'
          fi ;;
        *'"name":"spoil"'*)
          printf '{"jsonrpc":"2.0","method":"notifications/tools/list_changed"}\\n'
          text spoilt ;;
        """;
    try (FaultBed bed = FaultBed.ready(ShServer.of("lists=0", once).put("maxPages", 20))) {
      assertThat(names(aggregate(bed, FaultBed.VICTIM))).contains("victim.echo", "victim.spoil");
      assertThat(bed.text("spoil")).isEqualTo("spoilt");
      FaultBed.until("the spoilt list was refused")
          .until(() -> "PROTOCOL_ERROR".equals(bed.lastError().getString("code")));
      assertThat(bed.text("echo")).isNotEmpty();
      bed.failure("other2", FailureCode.UNKNOWN_TOOL, Sent.NO);
      assertThat(bed.status().getInteger("tools")).isEqualTo(2);
      assertThat(names(aggregate(bed, FaultBed.VICTIM)))
          .contains("victim.echo", "victim.spoil")
          .doesNotContain("victim.other2");
      assertThat(aggregateCall(bed, "victim.echo", new JsonObject())).isNotEmpty();
    }
  }

  @Test
  void case_61_an_empty_cursor_goes_on_to_the_last_page() {
    try (FaultBed bed = FaultBed.ready(FaultBed.scripted("cursor-empty"))) {
      FaultBed.until("the list is complete")
          .until(() -> bed.status().getBoolean("toolsListed", false));
      int first = bed.status().getInteger("tools");
      assertThat(first).isGreaterThan(20);
      assertThat(names(aggregate(bed, FaultBed.VICTIM))).contains("victim.last-page");
      bed.assertUndisturbed();
    }
  }

  @Test
  void case_62_a_tool_listed_twice_counts_once_and_is_reported() {
    try (FaultBed bed = FaultBed.ready(FaultBed.scripted("duplicate-tools"))) {
      JsonObject all = aggregate(bed, FaultBed.VICTIM);
      assertThat(names(all)).containsOnlyOnce("victim.echo");
      assertThat(all.getJsonObject("_meta").encode())
          .contains("\"echo\"", FaultBed.VICTIM, "the first one counts");
      assertThat(bed.status().getString("duplicateTools")).isEqualTo("echo");
      JsonObject hi = new JsonObject().put("text", "hi");
      assertThat(aggregateCall(bed, "victim.echo", hi)).isEqualTo("hi");
      assertThat(bed.call("echo", hi, new DeliveryOptions()).text()).isEqualTo("hi");
      bed.assertUndisturbed();
    }
  }

  @Test
  void case_62_the_same_tool_of_two_servers_stays_two_tools_in_a_stable_order() {
    try (FaultBed bed = FaultBed.ready(ShServer.good())) {
      aggregate(bed, FaultBed.VICTIM);
      JsonObject all = aggregate(bed, "neighbour"); // both have listed now
      List<String> both = names(bed.bus().request(Addresses.ALL_TOOLS_LIST, new JsonObject()));
      assertThat(both).containsExactly("neighbour.echo", "victim.echo");
      assertThat(all.containsKey("_meta")).as("no collision, nothing to report").isFalse();
      assertThat(aggregateCall(bed, "victim.echo", new JsonObject()))
          .isEqualTo(Long.toString(bed.pid()))
          .isNotEqualTo(aggregateCall(bed, "neighbour.echo", new JsonObject()));
      McpFailure bare =
          bed.bus().failure(Addresses.ALL_TOOLS_CALL, TestBus.toolCall("echo", new JsonObject()));
      assertThat(bare.code()).isEqualTo(FailureCode.UNKNOWN_TOOL);
      assertThat(bare.sent()).isEqualTo(Sent.NO);
      assertThat(bare.data().getJsonArray("nearest"))
          .containsExactly("neighbour.echo", "victim.echo");
      Processes.kill(bed.pid());
      bed.awaitReady(2);
      FaultBed.until("the same order after a restart")
          .until(
              () -> names(bed.bus().request(Addresses.ALL_TOOLS_LIST, new JsonObject())),
              both::equals);
    }
  }

  @Test
  void case_63_strange_names_are_routed_back_to_exactly_what_the_server_called_them() {
    List<String> strange =
        List.of(
            "with blank",
            "\uD83D\uDE80 rocket",
            "\u05E9\u05DC\u05D5\u05DD",
            "x".repeat(200),
            "a.b.c",
            "a__b");
    try (FaultBed bed = FaultBed.ready(FaultBed.scripted("strange-names"))) {
      assertThat(names(aggregate(bed, FaultBed.VICTIM)))
          .containsAll(strange.stream().map(name -> "victim." + name).toList());
      for (String name : strange) {
        // The scripted server names in its error what it was asked for.
        String expected = "no tool " + name;
        assertThat(bed.failure(name, FailureCode.UPSTREAM_ERROR, Sent.MAYBE)).hasMessage(expected);
        for (String separator : List.of(".", ":")) {
          McpFailure failure =
              bed.bus()
                  .failure(
                      Addresses.ALL_TOOLS_CALL,
                      TestBus.toolCall("victim" + separator + name, new JsonObject()));
          assertThat(failure.code()).isEqualTo(FailureCode.UPSTREAM_ERROR);
          assertThat(failure).hasMessage(expected);
        }
      }
      bed.assertUndisturbed();
    }
  }

  @Test
  void case_64_dots_in_names_never_lead_to_another_server() {
    String say = "*'\"method\":\"tools/call\"'*) text \"@ $line\" ;;";
    JsonObject servers =
        new JsonObject()
            .put("a", ShServer.of("", say.replace("@", "server a:"), "b.c", "c"))
            .put("b", ShServer.of("", say.replace("@", "server b:"), "c"))
            .put("a-b", ShServer.of("", say.replace("@", "server a-b:"), "c", "-c"));
    // The line is JSON inside JSON: only the server's name and the tool's are told.
    servers.forEach(
        entry -> {
          JsonArray args = ((JsonObject) entry.getValue()).getJsonArray("args");
          args.set(
              1,
              args.getString(1)
                  .replace(
                      " $line\"",
                      " $(printf %s \"$line\" | sed 's/.*\"name\":\"\\([^\"]*\\)\".*/\\1/')\""));
        });
    try (FaultBed bed = FaultBed.startAll(servers)) {
      for (String id : List.of("a", "b", "a-b")) {
        bed.bus().awaitState(id, "READY");
        aggregate(bed, id);
      }
      List<String> names = names(bed.bus().request(Addresses.ALL_TOOLS_LIST, new JsonObject()));
      assertThat(names).doesNotHaveDuplicates().contains("a.b.c", "a.c", "b.c", "a-b.c");
      assertThat(aggregateCall(bed, "a.b.c", new JsonObject())).isEqualTo("server a: b.c");
      assertThat(aggregateCall(bed, "a:b.c", new JsonObject())).isEqualTo("server a: b.c");
      assertThat(aggregateCall(bed, "a.c", new JsonObject())).isEqualTo("server a: c");
      assertThat(aggregateCall(bed, "b.c", new JsonObject())).isEqualTo("server b: c");
      assertThat(aggregateCall(bed, "a-b.c", new JsonObject())).isEqualTo("server a-b: c");
      assertThat(aggregateCall(bed, "a-b.-c", new JsonObject())).isEqualTo("server a-b: -c");
      McpFailure none =
          bed.bus().failure(Addresses.ALL_TOOLS_CALL, TestBus.toolCall("b.b.c", new JsonObject()));
      assertThat(none.code()).isEqualTo(FailureCode.UNKNOWN_TOOL);
    }
  }

  @Test
  void case_64_a_name_with_a_dot_has_an_id_that_makes_no_tool_ambiguous() {
    try (FaultBed bed = FaultBed.ready(ShServer.of("", "", "b.c"))) {
      JsonObject added =
          bed.bus()
              .request(
                  Addresses.SERVERS_ADD,
                  new JsonObject()
                      .put("name", "victim.b")
                      .put("config", bed.mark(ShServer.good())));
      assertThat(added.getString("id")).startsWith("victim-b--");
      aggregate(bed, FaultBed.VICTIM);
      List<String> names = names(bed.bus().request(Addresses.ALL_TOOLS_LIST, new JsonObject()));
      assertThat(names).doesNotHaveDuplicates().contains("victim.b.c");
      assertThat(aggregateCall(bed, "victim.b.c", new JsonObject()))
          .isEqualTo(Long.toString(bed.pid()));
    }
  }

  @Test
  void case_71_a_cancel_that_races_the_reply_leaves_one_ending() {
    try (FaultBed bed = FaultBed.ready(FaultBed.scripted("good"))) {
      bed.text("echo");
      List<Future<Ending>> calls = new ArrayList<>();
      List<Future<Ending>> cancels = new ArrayList<>();
      for (int i = 0; i < 300; i++) {
        DeliveryOptions named = new DeliveryOptions().addHeader(Headers.CALL_ID, "call-" + i);
        JsonObject body = new JsonObject().put("callId", "call-" + i);
        Future<Ending> call = bed.sendTool("sleep", new JsonObject().put("ms", 20), named);
        calls.add(call);
        // A third at once, a third when the answer is about due, a third when it has come.
        Future<?> moment =
            switch (i % 3) {
              case 0 -> Future.succeededFuture();
              case 1 -> bed.bus().vertx().timer(15 + i % 10, TimeUnit.MILLISECONDS);
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
        boolean found = said != null && said.getBoolean("cancelled");
        if (found) {
          assertThat(call.failed()).isNotNull();
          assertThat(call.failed() == null ? null : call.failed().code())
              .isEqualTo(FailureCode.CANCELLED);
          cancelled++;
        } else {
          assertThat(call.text()).isEqualTo("slept");
        }
      }
      assertThat(cancelled).as("a third surely, a third perhaps").isBetween(100, 200);
      assertThat(bed.status().getJsonObject("transport").getInteger("pending")).isZero();
      assertThat(bed.text("count")).isEqualTo("301");
      bed.assertUndisturbed();
    }
  }

  @Test
  void case_72_a_request_of_the_server_with_an_unknown_method_is_answered_with_32601() {
    try (FaultBed bed = FaultBed.ready(FaultBed.scripted("asks"))) {
      String answers =
          FaultBed.until("the answer").until(() -> bed.text("answers"), text -> !text.isEmpty());
      JsonObject answer = new JsonObject(answers);
      assertThat(answer.getString("id")).isEqualTo("q-1");
      assertThat(answer.getJsonObject("error").getInteger("code")).isEqualTo(-32601);
      assertThat(answer.getJsonObject("error").getString("message")).contains("server/unheard-of");
      bed.assertUndisturbed();
    }
  }
}
