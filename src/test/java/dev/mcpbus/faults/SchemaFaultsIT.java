package dev.mcpbus.faults;

import static org.assertj.core.api.Assertions.assertThat;

import dev.mcpbus.bus.Addresses;
import dev.mcpbus.bus.FailureCode;
import dev.mcpbus.bus.Headers;
import dev.mcpbus.bus.McpFailure;
import dev.mcpbus.bus.McpFailure.Sent;
import dev.mcpbus.protocol.Era;
import dev.mcpbus.testing.RawHttpServer;
import dev.mcpbus.testing.TestBus;
import io.vertx.core.Future;
import io.vertx.core.eventbus.DeliveryOptions;
import io.vertx.core.eventbus.Message;
import io.vertx.core.json.JsonObject;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Servers whose tools come with schemas that are wrong, endless, or a trap. */
class SchemaFaultsIT {

  /** A server of the era that lists these tools, and answers calls with its pid. */
  private static JsonObject offering(Era era, String tools) {
    return offering(era, "", tools);
  }

  private static JsonObject offering(Era era, String start, String tools) {
    return ShServer.of(
        era, start, "*'\"method\":\"tools/list\"'*) answer '{\"tools\":[" + tools + "]}' ;;\n");
  }

  private static String tool(String name, String schema) {
    return "{\"name\":\"" + name + "\",\"inputSchema\":" + schema + "}";
  }

  private static List<String> listed(FaultBed bed) {
    JsonObject list =
        bed.bus().request(TestBus.address(FaultBed.VICTIM, Addresses.TOOLS_LIST), new JsonObject());
    return names(list);
  }

  private static List<String> names(JsonObject list) {
    return list.getJsonArray("tools").stream()
        .map(tool -> ((JsonObject) tool).getString("name"))
        .toList();
  }

  private static void awaitTools(FaultBed bed) {
    FaultBed.until("the tools were listed")
        .until(() -> bed.status().getBoolean("toolsListed", false));
  }

  private static Ending call(FaultBed bed, String tool, String arguments) {
    return bed.call(tool, new JsonObject(arguments), new DeliveryOptions());
  }

  @ParameterizedTest
  @EnumSource(Era.class)
  void case_65_a_tool_with_an_unusable_schema_is_left_out_with_the_reason(Era era) {
    String tools =
        String.join(
            ",",
            tool("echo", "{\"type\":\"object\"}"),
            tool("unknown-type", "{\"type\":\"objekt\"}"),
            tool("inner-type", "{\"properties\":{\"a\":{\"type\":[\"string\",\"words\"]}}}"),
            tool("no-schema", "[1]"),
            tool("required", "{\"properties\":{\"a\":{\"required\":true}}}"),
            tool("nowhere", "{\"$ref\":\"#/$defs/none\"}"),
            tool("itself", "{\"$ref\":\"#\"}"),
            tool(
                "each-other",
                "{\"properties\":{\"a\":{\"$ref\":\"#/$defs/a\"}},\"$defs\":{\"a\":{\"allOf\":[{"
                    + "\"$ref\":\"#/$defs/b\"}]},\"b\":{\"anyOf\":[{\"$ref\":\"#/$defs/a\"}]}}}"),
            tool("big", "{\"description\":\"'\"$big\"'\"}"),
            "{\"name\":\"output\",\"inputSchema\":{},\"outputSchema\":{\"type\":\"objekt\"}}",
            tool(
                "tree",
                "{\"type\":\"object\",\"properties\":{\"name\":{\"type\":\"string\"},\"children\":"
                    + "{\"type\":\"array\",\"items\":{\"$ref\":\"#\"}}},\"required\":[\"name\"]}"));
    String big = "big=$(head -c 5242880 /dev/zero | tr '\\0' x)";
    try (FaultBed bed = FaultBed.ready(offering(era, big, tools))) {
      awaitTools(bed);
      // A type that no reader knows, and a reference to nothing, say nothing of a value.
      assertThat(listed(bed))
          .containsExactly(
              "echo", "unknown-type", "inner-type", "required", "nowhere", "output", "tree");
      JsonObject why = bed.status().getJsonObject("leftOutTools");
      assertThat(why.fieldNames())
          .containsExactlyInAnyOrder("no-schema", "itself", "each-other", "big");
      assertThat(why.getString("itself")).contains("refers to itself");
      assertThat(why.getString("each-other")).contains("refers to itself");
      assertThat(why.getString("big")).contains("1048576");

      for (String name : why.fieldNames()) {
        assertThat(bed.failure(name, FailureCode.UNKNOWN_TOOL, Sent.NO))
            .hasMessageContaining("left out");
      }
      assertThat(bed.text("echo")).isNotEmpty();
      assertThat(call(bed, "tree", "{\"name\":\"a\",\"children\":[{\"name\":\"b\"}]}").text())
          .isNotEmpty();
      McpFailure inside =
          call(bed, "tree", "{\"name\":\"a\",\"children\":[{\"children\":[]}]}")
              .failure(FailureCode.INVALID_ARGUMENTS, Sent.NO);
      assertThat(inside.data().getString("path")).isEqualTo("/children/0");

      JsonObject all =
          FaultBed.until("the aggregate")
              .until(
                  () -> bed.bus().<JsonObject>request(Addresses.ALL_TOOLS_LIST, new JsonObject()),
                  list -> names(list).contains("victim.tree"));
      assertThat(names(all)).doesNotContain("victim.itself", "victim.big");
      assertThat(all.getJsonObject("_meta").encode()).contains("itself", "refers to itself");
      McpFailure aggregated =
          bed.bus()
              .failure(
                  Addresses.ALL_TOOLS_CALL, TestBus.toolCall("victim.itself", new JsonObject()));
      assertThat(aggregated.code()).isEqualTo(FailureCode.UNKNOWN_TOOL);
      assertThat(aggregated).hasMessageContaining("refers to itself");
      bed.assertUndisturbed();
    }
  }

  @ParameterizedTest
  @EnumSource(Era.class)
  void case_66_what_a_schema_refers_to_elsewhere_is_never_fetched(Era era) {
    try (RawHttpServer sink = RawHttpServer.answering((request, peer) -> peer.json("{}"))) {
      String elsewhere = "http://127.0.0.1:" + sink.port() + "/schema.json";
      String tools =
          String.join(
              ",",
              tool("ref", "{\"$ref\":\"" + elsewhere + "\"}"),
              tool("inner", "{\"properties\":{\"a\":{\"$ref\":\"" + elsewhere + "#/a\"}}}"),
              tool("dialect", "{\"$schema\":\"" + elsewhere + "\",\"type\":\"object\"}"),
              tool("id", "{\"$id\":\"" + elsewhere + "\",\"$ref\":\"other.json\"}"),
              tool("dynamic", "{\"$dynamicRef\":\"" + elsewhere + "#m\"}"),
              tool("file", "{\"$ref\":\"file:///etc/passwd\"}"),
              "{\"name\":\"output\",\"inputSchema\":{},\"outputSchema\":{\"$ref\":\""
                  + elsewhere
                  + "\"}}");
      try (FaultBed bed = FaultBed.ready(offering(era, tools))) {
        awaitTools(bed);
        for (String name : listed(bed)) {
          assertThat(call(bed, name, "{\"a\":1}").text()).as(name).isNotEmpty();
        }
        FaultBed.until("the aggregate")
            .until(
                () ->
                    names(bed.bus().request(Addresses.ALL_TOOLS_LIST, new JsonObject()))
                        .contains("victim.ref"));
        bed.bus()
            .<JsonObject>request(
                TestBus.address(FaultBed.VICTIM, Addresses.TOOLS_METADATA), new JsonObject());
        assertThat(listed(bed)).hasSize(7);
        bed.assertUndisturbed();
      }
      assertThat(sink.accepted()).isZero();
    }
  }

  @ParameterizedTest
  @EnumSource(Era.class)
  void case_66_a_hostile_pattern_is_bounded_and_leaves_the_event_loop_alone(Era era) {
    String tools =
        String.join(
            ",",
            tool("pattern", "{\"properties\":{\"a\":{\"pattern\":\"^(x+x+)+\\\\1y$\"}}}"),
            tool("names", "{\"patternProperties\":{\"^(x+x+)+\\\\1y$\":{}}}"),
            tool("deep", "{\"properties\":{\"a\":{\"pattern\":\"^(?:x|[^y])*$\"}}}"),
            tool(
                "spread",
                "{\"properties\":{\"a\":{\"allOf\":[{\"$ref\":\"#\"},{\"$ref\":\"#\"},"
                    + "{\"$ref\":\"#\"}]}}}"));
    try (FaultBed bed = FaultBed.ready(offering(era, tools))) {
      awaitTools(bed);
      String trap = "x".repeat(60);
      JsonObject nested = new JsonObject();
      for (int i = 0; i < 60; i++) {
        nested = new JsonObject().put("a", nested);
      }
      List<JsonObject> calls =
          List.of(
              TestBus.toolCall("pattern", new JsonObject().put("a", trap)),
              TestBus.toolCall("names", new JsonObject().put(trap, 1)),
              TestBus.toolCall("spread", nested));
      List<Future<Ending>> endings = new ArrayList<>();
      IntStream.range(0, 15)
          .forEach(
              i ->
                  endings.add(
                      bed.send(
                          FaultBed.VICTIM,
                          Addresses.TOOLS_CALL,
                          calls.get(i % 3),
                          new DeliveryOptions())));
      for (Future<Ending> ending : endings) {
        assertThat(bed.ending(ending).failure(FailureCode.LIMIT_EXCEEDED, Sent.NO))
            .hasMessageContaining(Headers.VALIDATE);
      }
      // Where the caller says so, the server decides alone.
      DeliveryOptions unchecked = new DeliveryOptions().addHeader(Headers.VALIDATE, "false");
      assertThat(bed.call("pattern", new JsonObject().put("a", trap), unchecked).text())
          .isNotEmpty();
      // A pattern that Java matches by recursion overflows no stack that matters.
      Ending deep = bed.call("deep", new JsonObject().put("a", "x".repeat(500_000)), unchecked);
      assertThat(deep.failed()).isNull();
      call(bed, "deep", "{\"a\":\"" + "x".repeat(500_000) + "\"}")
          .failure(FailureCode.LIMIT_EXCEEDED, Sent.NO);
      // And the pattern itself works.
      assertThat(call(bed, "pattern", "{\"a\":\"xxxxy\"}").text()).isNotEmpty();
      assertThat(call(bed, "deep", "{\"a\":\"xzx\"}").text()).isNotEmpty();
      call(bed, "deep", "{\"a\":\"xyx\"}").failure(FailureCode.INVALID_ARGUMENTS, Sent.NO);
      bed.assertUndisturbed();
    }
  }

  @Test
  void case_66_a_call_whose_check_outlives_its_deadline_ends_unsent() {
    String tools = tool("pattern", "{\"properties\":{\"a\":{\"pattern\":\"^(x+x+)+\\\\1y$\"}}}");
    try (FaultBed bed = FaultBed.ready(offering(Era.INITIALIZE, tools))) {
      awaitTools(bed);
      JsonObject trap = new JsonObject().put("a", "x".repeat(60));
      List<Future<Ending>> before =
          IntStream.range(0, 20)
              .mapToObj(i -> bed.sendTool("pattern", trap, new DeliveryOptions()))
              .toList();
      bed.ending(bed.sendTool("pattern", trap, FaultBed.within(1)))
          .failure(FailureCode.CALL_TIMEOUT, Sent.NO);
      before.forEach(call -> TestBus.await(call).failure(FailureCode.LIMIT_EXCEEDED, Sent.NO));
      bed.assertUndisturbed();
    }
  }

  @ParameterizedTest
  @EnumSource(Era.class)
  void case_67_structured_content_that_breaks_its_promise_is_flagged_and_delivered(Era era) {
    String schema =
        "\"inputSchema\":{},\"outputSchema\":{\"type\":\"object\",\"properties\":{\"n\":"
            + "{\"type\":\"integer\",\"minimum\":0}},\"required\":[\"n\"]}}";
    String tools =
        "{\"name\":\"fits\","
            + schema
            + ",{\"name\":\"wrong\","
            + schema
            + ",{\"name\":\"lacks\","
            + schema
            + ",{\"name\":\"error\","
            + schema;
    String cases =
        """
        *'"method":"tools/list"'*) answer '{"tools":[@TOOLS@]}' ;;
        *'"name":"fits"'*) answer '{"content":[],"structuredContent":{"n":1}}' ;;
        *'"name":"wrong"'*) answer '{"content":[],"structuredContent":{"n":"one", "m":0.10}}' ;;
        *'"name":"error"'*) answer '{"content":[],"isError":true}' ;;
        *'"name":"lacks"'*) answer '{"content":[]}' ;;
        """;
    try (FaultBed bed = FaultBed.ready(ShServer.of(era, "", cases.replace("@TOOLS@", tools)))) {
      awaitTools(bed);
      assertThat(reply(bed, "fits").headers().get(Headers.OUTPUT_MISMATCH)).isNull();
      assertThat(reply(bed, "error").headers().get(Headers.OUTPUT_MISMATCH)).isNull();
      assertThat(reply(bed, "lacks").headers().get(Headers.OUTPUT_MISMATCH))
          .contains("structuredContent");
      Message<JsonObject> wrong = reply(bed, "wrong");
      assertThat(wrong.headers().get(Headers.OUTPUT_MISMATCH)).contains("/n");
      assertThat(wrong.body().getJsonObject("structuredContent"))
          .isEqualTo(new JsonObject("{\"n\":\"one\",\"m\":0.10}"));
      assertThat(bed.call("wrong").failed()).isNull();
      bed.assertUndisturbed();
    }
  }

  private static Message<JsonObject> reply(FaultBed bed, String tool) {
    return TestBus.await(
        bed.bus()
            .vertx()
            .eventBus()
            .request(
                TestBus.address(FaultBed.VICTIM, Addresses.TOOLS_CALL),
                TestBus.toolCall(tool, new JsonObject())));
  }
}
