package dev.mcpbus.faults;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import dev.mcpbus.bridge.options.BridgeOptions;
import dev.mcpbus.bus.Events;
import dev.mcpbus.bus.FailureCode;
import dev.mcpbus.security.Audit;
import dev.mcpbus.security.AuthOptions;
import dev.mcpbus.testing.Http;
import dev.mcpbus.testing.McpHttp;
import dev.mcpbus.testing.RawHttpServer;
import dev.mcpbus.testing.RawHttpServer.Peer;
import dev.mcpbus.testing.RawHttpServer.Request;
import dev.mcpbus.testing.TestBus;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.slf4j.LoggerFactory;

/** One node, and a server that resets the TCP connection at the first call of each tool. */
@Timeout(60)
class RepeatFaultsIT {

  private final Map<String, AtomicInteger> executed = new ConcurrentHashMap<>();
  private volatile int resets = 1;
  private final RawHttpServer server = RawHttpServer.answering(this::answer);
  private final TestBus bus =
      TestBus.startWithAuth(
          new JsonObject().put("s", entry()).put("strict", entry().put("repeat", "never")),
          BridgeOptions.DEFAULT.withPort(0),
          new AuthOptions(
              List.of(),
              List.of(),
              null,
              AuthOptions.Dpop.DEFAULT,
              List.of(),
              AuthOptions.Limits.UNBOUNDED,
              true,
              null));

  private JsonObject entry() {
    return new JsonObject()
        .put("url", server.url().toString())
        .put("listen", false)
        .put("shared", true)
        .put("protocolVersion", "2025-11-25");
  }

  private static JsonObject tool(String name, JsonObject hints) {
    return new JsonObject()
        .put("name", name)
        .put("inputSchema", new JsonObject().put("type", "object"))
        .put("annotations", hints);
  }

  private void answer(Request request, Peer peer) throws IOException {
    if (!request.method().equals("POST")) {
      peer.reply("405 Method Not Allowed", "");
    } else if (request.calls("initialize")) {
      result(
          request,
          peer,
          new JsonObject()
              .put("protocolVersion", "2025-11-25")
              .put("capabilities", new JsonObject().put("tools", new JsonObject()))
              .put("serverInfo", new JsonObject().put("name", "resets").put("version", "1")));
    } else if (request.calls("tools/list")) {
      result(
          request,
          peer,
          new JsonObject()
              .put(
                  "tools",
                  new JsonArray()
                      .add(tool("reads", new JsonObject().put("readOnlyHint", true)))
                      .add(tool("sets", new JsonObject().put("idempotentHint", true)))
                      .add(tool("writes", new JsonObject().put("readOnlyHint", false)))
                      .add(tool("silent", new JsonObject()))));
    } else if (request.calls("tools/call")) {
      String tool = new JsonObject(request.body()).getJsonObject("params").getString("name");
      int before = executed.computeIfAbsent(tool, first -> new AtomicInteger()).getAndIncrement();
      if (before < resets) {
        peer.reset();
        throw new IOException("reset");
      }
      result(
          request,
          peer,
          new JsonObject()
              .put(
                  "content",
                  new JsonArray().add(new JsonObject().put("type", "text").put("text", tool))));
    } else if (request.id() >= 0) {
      result(request, peer, new JsonObject());
    } else {
      peer.reply("202 Accepted", "");
    }
  }

  private static void result(Request request, Peer peer, JsonObject result) throws IOException {
    peer.json(
        new JsonObject()
            .put("jsonrpc", "2.0")
            .put("id", request.id())
            .put("result", result)
            .encode());
  }

  @AfterEach
  void close() throws Exception {
    bus.close();
    server.close();
  }

  /** The directory has the tools as soon as a client sees them. */
  private void listed() {
    for (String id : new String[] {"s", "strict"}) {
      bus.awaitState(id, "READY");
      Awaitility.await()
          .atMost(60, TimeUnit.SECONDS)
          .until(
              () ->
                  McpHttp.names(
                              new McpHttp(bus.port(), "/mcp/" + id)
                                  .discover("tools/list", new JsonObject())
                                  .result(),
                              "tools")
                          .size()
                      == 4);
    }
  }

  private int executed(String tool) {
    AtomicInteger count = executed.get(tool);
    return count == null ? 0 : count.get();
  }

  private Http.Answer call(String id, String tool) {
    return Http.post(bus.port(), "/api/servers/" + id + "/tools/" + tool, "{}");
  }

  @ParameterizedTest
  @ValueSource(strings = {"reads", "sets"})
  void a_safe_tool_survives_the_reset_and_the_response_says_so(String tool) {
    listed();
    Http.Answer answer = call("s", tool);
    assertThat(answer.status()).as(answer.body()).isEqualTo(200);
    assertThat(answer.body()).contains(tool);
    assertThat(answer.headers().firstValue("Mcpbus-Repeated")).hasValue("1");
    assertThat(executed(tool)).isEqualTo(2);
    Awaitility.await().until(() -> !bus.events(Events.CALLS_REPEATED).isEmpty());
    assertThat(bus.events(Events.CALLS_REPEATED))
        .singleElement()
        .satisfies(
            event -> {
              assertThat(event.getString("id")).isEqualTo("s");
              assertThat(event.getString("code")).isEqualTo("UPSTREAM_RESET");
              assertThat(event.getInteger("count")).isEqualTo(1);
            });
    Http.Answer next = call("s", tool);
    assertThat(next.headers().firstValue("Mcpbus-Repeated")).as("made once").isEmpty();
  }

  @ParameterizedTest
  @ValueSource(strings = {"writes", "silent"})
  void any_other_tool_runs_once(String tool) {
    listed();
    Http.Answer answer = call("s", tool);
    assertThat(answer.status()).as(answer.body()).isEqualTo(502);
    assertThat(answer.json().getString("code")).isEqualTo(FailureCode.UPSTREAM_RESET.name());
    assertThat(answer.headers().firstValue("Mcpbus-Repeated")).isEmpty();
    assertThat(executed(tool)).isEqualTo(1);
  }

  @Test
  void a_server_whose_entry_says_never_gets_no_call_twice() {
    listed();
    Http.Answer answer = call("strict", "reads");
    assertThat(answer.status()).as(answer.body()).isEqualTo(502);
    assertThat(executed("reads")).isEqualTo(1);
  }

  @Test
  void a_failure_after_two_repeats_says_how_often_the_call_was_made() {
    resets = 10;
    listed();
    Http.Answer answer = call("s", "reads");
    assertThat(answer.status()).as(answer.body()).isEqualTo(502);
    assertThat(answer.json().getString("code")).isEqualTo(FailureCode.UPSTREAM_RESET.name());
    assertThat(answer.json().getString("sent")).isEqualTo("maybe");
    assertThat(answer.headers().firstValue("Mcpbus-Repeated")).hasValue("2");
    assertThat(executed("reads")).isEqualTo(3);
  }

  @Test
  void the_audit_log_says_how_often_a_call_was_repeated() {
    ListAppender<ILoggingEvent> seen = new ListAppender<>();
    seen.start();
    Logger logger = (Logger) LoggerFactory.getLogger(Audit.LOGGER);
    logger.addAppender(seen);
    try {
      listed();
      call("s", "reads");
      call("s", "writes");
      new McpHttp(bus.port(), "/mcp/s")
          .discover("tools/call", new JsonObject().put("name", "sets"));
      List<JsonObject> calls =
          seen.list.stream()
              .map(line -> new JsonObject(line.getFormattedMessage()))
              .filter(line -> line.getString("action").equals("call"))
              .toList();
      assertThat(calls.stream().map(line -> line.getString("tool")))
          .containsExactly("reads", "writes", "sets");
      assertThat(calls.stream().map(line -> line.getInteger("repeated", 0)))
          .containsExactly(1, 0, 1);
    } finally {
      logger.detachAppender(seen);
    }
  }

  @Test
  void at_the_gateway_the_response_says_it_and_the_result_does_not() {
    listed();
    JsonObject params = new JsonObject().put("name", "reads").put("arguments", new JsonObject());
    McpHttp.Answer discover = new McpHttp(bus.port(), "/mcp/s").discover("tools/call", params);
    assertThat(discover.header("Mcpbus-Repeated")).isEqualTo("1");
    assertThat(McpHttp.text(discover.result())).isEqualTo("reads");
    assertThat(discover.body()).doesNotContain("repeated");
    executed.clear();
    McpHttp.Answer session =
        new McpHttp(bus.port(), "/mcp/s").initialize().call("tools/call", params);
    assertThat(session.header("Mcpbus-Repeated")).isEqualTo("1");
    assertThat(McpHttp.text(session.result())).isEqualTo("reads");
    assertThat(session.body()).doesNotContain("repeated");
  }
}
