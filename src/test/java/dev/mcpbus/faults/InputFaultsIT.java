package dev.mcpbus.faults;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import dev.mcpbus.bus.Addresses;
import dev.mcpbus.bus.Events;
import dev.mcpbus.bus.FailureCode;
import dev.mcpbus.bus.McpFailure;
import dev.mcpbus.bus.McpFailure.Sent;
import dev.mcpbus.client.ElicitationAnswer;
import dev.mcpbus.client.InputHandler;
import dev.mcpbus.client.McpClient;
import dev.mcpbus.input.InputOptions;
import dev.mcpbus.protocol.Era;
import dev.mcpbus.testing.RawHttpServer;
import dev.mcpbus.testing.TestBus;
import io.vertx.core.Future;
import io.vertx.core.eventbus.DeliveryOptions;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.slf4j.LoggerFactory;

/** Servers that ask what nobody answers, nobody should, or nobody can. */
class InputFaultsIT {

  private static final InputOptions SHORT = new InputOptions(Duration.ofMillis(700), 256, 100);

  private static final String FORM =
      "\"message\":\"Who?\",\"requestedSchema\":{\"type\":\"object\",\"properties\":{\"name\":"
          + "{\"type\":\"string\"}}}";

  /**
   * Its tool {@code ask} asks; what came of it is the tool's text: {@code accept}, {@code decline},
   * {@code cancel}, or {@code refused} with the code.
   */
  private static JsonObject asking(Era era, String method, String params, String... offered) {
    String initialize =
        """
        *'"name":"ask"'*)
          asked=$id
          printf '{"jsonrpc":"2.0","id":"q1","method":"@METHOD@","params":{@PARAMS@}}\\n' ;;
        '"id":"q1"'*'"action":"accept"'*) id=$asked; text accept ;;
        '"id":"q1"'*'"action":"decline"'*) id=$asked; text decline ;;
        '"id":"q1"'*'"action":"cancel"'*) id=$asked; text cancel ;;
        '"id":"q1"'*'"code":-32601'*) id=$asked; text 'refused -32601' ;;
        '"id":"q1"'*'"code":-32602'*) id=$asked; text 'refused -32602' ;;
        '"id":"q1"'*'"code":-32603'*) id=$asked; text 'refused -32603' ;;
        """;
    String discover =
        """
        *'"inputResponses"'*'"action":"accept"'*) text accept ;;
        *'"inputResponses"'*'"action":"decline"'*) text decline ;;
        *'"inputResponses"'*'"action":"cancel"'*) text cancel ;;
        *'"name":"ask"'*)
          answer '{"resultType":"input_required","inputRequests":{"who":{"method":"@METHOD@",\
        "params":{@PARAMS@}}},"requestState":"s"}' ;;
        """;
    String cases = era == Era.DISCOVER ? discover : initialize;
    JsonObject server =
        ShServer.of(era, "", cases.replace("@METHOD@", method).replace("@PARAMS@", params), "ask");
    return server.put("capabilities", new JsonArray(List.of(offered)));
  }

  private static JsonArray pending(FaultBed bed) {
    JsonObject all = bed.bus().request(Addresses.INPUT_PENDING, new JsonObject());
    return all.getJsonArray("questions");
  }

  private static JsonObject awaitQuestion(FaultBed bed) {
    return FaultBed.until("the question")
        .until(() -> pending(bed), questions -> questions.size() == 1)
        .getJsonObject(0);
  }

  private static void respond(FaultBed bed, JsonObject question, JsonObject result) {
    JsonObject answered =
        bed.bus()
            .request(
                Addresses.INPUT_RESPOND,
                new JsonObject()
                    .put("question", question.getString("question"))
                    .put("result", result));
    assertThat(answered.getString("answered")).isEqualTo(question.getString("question"));
  }

  @ParameterizedTest
  @EnumSource(Era.class)
  void case_73_a_question_that_is_never_answered_is_cancelled_in_time(Era era) {
    try (FaultBed bed =
        FaultBed.ready(asking(era, "elicitation/create", FORM, "elicitation"), SHORT)) {
      Ending ended = bed.call("ask");
      assertThat(ended.text()).isEqualTo("cancel");
      assertThat(ended.millis()).isGreaterThanOrEqualTo(650L);
      assertThat(pending(bed)).isEmpty();
      assertThat(bed.bus().events(Events.INPUT_RESOLVED))
          .extracting(event -> event.getString("outcome"))
          .containsExactly("expired");
      bed.assertUndisturbed();
    }
  }

  @ParameterizedTest
  @EnumSource(Era.class)
  void case_73_a_handler_that_never_answers_is_cancelled_in_time(Era era) {
    try (FaultBed bed =
        FaultBed.ready(asking(era, "elicitation/create", FORM, "elicitation"), SHORT)) {
      List<Object> heard = new CopyOnWriteArrayList<>();
      bed.bus()
          .vertx()
          .eventBus()
          .consumer(
              TestBus.address(FaultBed.VICTIM, Addresses.INPUT),
              question -> heard.add(question.body()));
      assertThat(bed.text("ask")).isEqualTo("cancel");
      assertThat(heard).hasSize(1);
      bed.assertUndisturbed();
    }
  }

  @ParameterizedTest
  @EnumSource(Era.class)
  @SuppressWarnings("NullAway") // a handler may break its promise
  void case_73_a_handler_that_fails_in_any_way_has_declined_nothing(Era era) {
    List<InputHandler.Elicitation> failing =
        List.of(
            (server, request) -> Future.failedFuture("no"),
            (server, request) ->
                Future.failedFuture(McpFailure.notSent(FailureCode.UNKNOWN_CONNECTION, "no")),
            (server, request) -> null,
            (server, request) ->
                Future.succeededFuture(
                    ElicitationAnswer.accept(new JsonObject().put("name", new Object()))),
            (server, request) ->
                Future.succeededFuture(ElicitationAnswer.accept(new JsonObject().put("name", 1))),
            (server, request) ->
                Future.succeededFuture(
                    new ElicitationAnswer(new JsonObject().put("action", "yes"))),
            (server, request) -> {
              throw new IllegalStateException("no");
            },
            (server, request) -> {
              throw new LinkageError("no");
            });
    ListAppender<ILoggingEvent> log = new ListAppender<>();
    log.start();
    Logger logger = (Logger) LoggerFactory.getLogger("dev.mcpbus");
    logger.addAppender(log);
    try (FaultBed bed = FaultBed.ready(asking(era, "elicitation/create", FORM, "elicitation"))) {
      McpClient client = McpClient.create(bed.bus().vertx());
      AtomicInteger asked = new AtomicInteger();
      TestBus.await(
          client
              .server(FaultBed.VICTIM)
              .setElicitationHandler(
                  (server, request) ->
                      failing.get(asked.getAndIncrement()).elicit(server, request)));
      if (era == Era.INITIALIZE) { // the handler offers more than the configuration
        bed.awaitReady(2);
      }
      for (int i = 0; i < failing.size(); i++) {
        assertThat(bed.text("ask")).as("handler %d", i).isEqualTo("cancel");
      }
      assertThat(asked).hasValue(failing.size());
      assertThat(log.list)
          .filteredOn(event -> event.getFormattedMessage().contains("handler for elicitation"))
          .hasSize(failing.size());
    } finally {
      logger.detachAppender(log);
    }
  }

  @ParameterizedTest
  @CsvSource({"INITIALIZE, sampling/createMessage", "DISCOVER, sampling/createMessage"})
  void case_73_what_cannot_be_cancelled_fails(Era era, String method) {
    JsonObject server =
        asking(era, method, "\"messages\":[],\"maxTokens\":1", "sampling", "elicitation");
    try (FaultBed bed = FaultBed.ready(server, SHORT)) {
      if (era == Era.INITIALIZE) {
        assertThat(bed.text("ask")).isEqualTo("refused -32603");
      } else {
        assertThat(bed.failure("ask", FailureCode.UNAVAILABLE, Sent.MAYBE))
            .hasMessageContaining(method);
      }
      bed.assertUndisturbed();
    }
  }

  @ParameterizedTest
  @EnumSource(Era.class)
  void case_73_the_callers_deadline_takes_the_question_back(Era era) {
    try (FaultBed bed = FaultBed.ready(asking(era, "elicitation/create", FORM, "elicitation"))) {
      Future<Ending> call = bed.sendTool("ask", new JsonObject(), FaultBed.within(1_500));
      JsonObject question = awaitQuestion(bed);
      bed.ending(call).failure(FailureCode.CALL_TIMEOUT, Sent.MAYBE);
      if (era == Era.DISCOVER) {
        FaultBed.until("nobody is asked any more").until(() -> pending(bed).isEmpty());
      } else {
        // The server may want its answer for more than that call.
        respond(bed, question, new JsonObject().put("action", "decline"));
        assertThat(pending(bed)).isEmpty();
      }
      assertThat(bed.text("echo")).isNotEmpty();
      bed.assertUndisturbed();
    }
  }

  @ParameterizedTest
  @CsvSource({
    "INITIALIZE, elicitation/create",
    "INITIALIZE, sampling/createMessage",
    "INITIALIZE, roots/list",
    "DISCOVER, elicitation/create",
    "DISCOVER, sampling/createMessage",
    "DISCOVER, roots/list"
  })
  void case_73_where_nobody_can_answer_the_question_is_refused_at_once(Era era, String method) {
    String params = method.startsWith("elicitation") ? FORM : "";
    try (FaultBed bed = FaultBed.ready(asking(era, method, params))) {
      Ending ended = bed.call("ask");
      if (era == Era.INITIALIZE) {
        assertThat(ended.text()).isEqualTo("refused -32601");
      } else {
        assertThat(ended.failure(FailureCode.UNAVAILABLE, Sent.MAYBE)).hasMessageContaining(method);
      }
      assertThat(pending(bed)).isEmpty();
      bed.assertUndisturbed();
    }
  }

  @ParameterizedTest
  @CsvSource({
    "INITIALIZE, file:///etc/passwd",
    "INITIALIZE, javascript:alert(1)",
    "INITIALIZE, 'data:text/html,x'",
    "INITIALIZE, http:///nohost",
    "INITIALIZE, ssh://127.0.0.1/",
    "DISCOVER, file:///etc/passwd",
    "DISCOVER, javascript:alert(1)"
  })
  void case_74_a_url_that_is_no_web_page_is_shown_to_nobody(Era era, String url) {
    String params =
        "\"mode\":\"url\",\"message\":\"Open\",\"elicitationId\":\"e\",\"url\":\"" + url + "\"";
    JsonObject server = asking(era, "elicitation/create", params, "elicitation", "elicitation.url");
    List<Object> heard = new CopyOnWriteArrayList<>();
    try (FaultBed bed = FaultBed.ready(server, SHORT)) {
      bed.bus()
          .vertx()
          .eventBus()
          .consumer(Addresses.ALL_INPUT, question -> heard.add(question.body()));
      if (era == Era.INITIALIZE) {
        assertThat(bed.text("ask")).isEqualTo("refused -32602");
      } else {
        assertThat(bed.failure("ask", FailureCode.PROTOCOL_ERROR, Sent.MAYBE))
            .hasMessageContaining("http");
      }
      assertThat(pending(bed)).isEmpty();
      assertThat(bed.bus().events(Events.INPUT_REQUESTED)).isEmpty();
      bed.assertUndisturbed();
    }
    assertThat(heard).isEmpty();
  }

  @ParameterizedTest
  @EnumSource(Era.class)
  void case_74_a_web_page_is_passed_on_and_not_fetched(Era era) {
    try (RawHttpServer sink = RawHttpServer.answering((request, peer) -> peer.json("{}"))) {
      String url = "http://127.0.0.1:" + sink.port() + "/login?x=1";
      String params =
          "\"mode\":\"url\",\"message\":\"Open\",\"elicitationId\":\"e\",\"url\":\"" + url + "\"";
      JsonObject server =
          asking(era, "elicitation/create", params, "elicitation", "elicitation.url");
      try (FaultBed bed = FaultBed.ready(server)) {
        Future<Ending> call = bed.sendTool("ask");
        JsonObject question = awaitQuestion(bed);
        assertThat(question.getJsonObject("params").getString("url")).isEqualTo(url);
        Awaitility.await().until(() -> !bed.bus().events(Events.INPUT_REQUESTED).isEmpty());
        assertThat(bed.bus().events(Events.INPUT_REQUESTED))
            .singleElement()
            .satisfies(event -> assertThat(event.getString("mode")).isEqualTo("url"));
        respond(bed, question, new JsonObject().put("action", "accept"));
        assertThat(bed.ending(call).text()).isEqualTo("accept");
        bed.assertUndisturbed();
      }
      assertThat(sink.accepted()).isZero();
    }
  }

  /** What a discover server's tool call is answered with, over both of its transports. */
  private static FaultBed answering(String wire, String result, List<RawHttpServer> started) {
    String tools = "[{\"name\":\"ask\",\"inputSchema\":{}},{\"name\":\"echo\",\"inputSchema\":{}}]";
    if (wire.equals("stdio")) {
      String cases =
          "*'\"name\":\"ask\"'*) calls=$((calls + 1)); answer '"
              + result
              + "' ;;\n*'\"name\":\"calls\"'*) text $calls ;;";
      return FaultBed.ready(ShServer.discover("calls=0", cases, "ask", "calls"));
    }
    RawHttpServer server =
        DiscoverHttp.start(
            tools,
            (request, peer) ->
                DiscoverHttp.result(
                    request,
                    peer,
                    request.body().contains("\"name\":\"ask\"") ? result : DiscoverHttp.text("e")));
    started.add(server);
    return FaultBed.ready(DiscoverHttp.entry(server));
  }

  private static long calls(FaultBed bed, List<RawHttpServer> started) {
    return started.isEmpty()
        ? Long.parseLong(bed.text("calls"))
        : started.get(0).requests().stream()
            .filter(request -> request.body().contains("\"name\":\"ask\""))
            .count();
  }

  @ParameterizedTest
  @CsvSource({"stdio", "http"})
  void case_75_a_server_that_never_has_enough_is_stopped(String wire) {
    List<RawHttpServer> started = new CopyOnWriteArrayList<>();
    String more = "{\"resultType\":\"input_required\",\"requestState\":\"more\"}";
    try (FaultBed bed = answering(wire, more, started)) {
      McpFailure failure = bed.failure("ask", FailureCode.PROTOCOL_ERROR, Sent.MAYBE);
      assertThat(failure).hasMessageContaining("16 times");
      assertThat(calls(bed, started)).isEqualTo(17);
      assertThat(bed.text("echo")).isNotEmpty();
      bed.assertUndisturbed();
    } finally {
      started.forEach(RawHttpServer::close);
    }
  }

  @Test
  void case_75_rounds_of_questions_to_a_person_end_too() {
    String cases =
        """
        *'"name":"ask"'*)
          answer '{"resultType":"input_required","inputRequests":{"who":{"method":\
        "elicitation/create","params":{@FORM@}}}}' ;;
        """;
    JsonObject server =
        ShServer.discover("", cases.replace("@FORM@", FORM), "ask")
            .put("capabilities", new JsonArray().add("elicitation"));
    try (FaultBed bed = FaultBed.ready(server)) {
      List<Object> heard = new CopyOnWriteArrayList<>();
      bed.bus()
          .vertx()
          .eventBus()
          .consumer(
              Addresses.ALL_INPUT,
              question -> {
                heard.add(question.body());
                question.reply(new JsonObject().put("action", "cancel"));
              });
      bed.failure("ask", FailureCode.PROTOCOL_ERROR, Sent.MAYBE);
      assertThat(heard).hasSize(16);
      bed.assertUndisturbed();
    }
  }

  @ParameterizedTest
  @CsvSource({
    "stdio, \"perhaps\"",
    "http, \"perhaps\"",
    "stdio, \"\"",
    "stdio, \"INPUT_REQUIRED\"",
    "http, \"Complete\""
  })
  void case_76_an_unknown_result_type_is_a_protocol_error(String wire, String type) {
    List<RawHttpServer> started = new CopyOnWriteArrayList<>();
    String result = "{\"resultType\":" + type + ",\"content\":[]}";
    try (FaultBed bed = answering(wire, result, started)) {
      bed.failure("ask", FailureCode.PROTOCOL_ERROR, Sent.MAYBE);
      assertThat(calls(bed, started)).isEqualTo(1);
      assertThat(bed.text("echo")).isNotEmpty();
      bed.assertUndisturbed();
    } finally {
      started.forEach(RawHttpServer::close);
    }
  }

  @Test
  void case_76_the_initialize_era_has_no_result_types() {
    String cases = "*'\"name\":\"ask\"'*) answer '{\"resultType\":\"perhaps\",\"content\":[]}' ;;";
    try (FaultBed bed = FaultBed.ready(ShServer.of("", cases, "ask"))) {
      Ending ended = bed.call("ask", new JsonObject(), new DeliveryOptions());
      assertThat(ended.result())
          .isEqualTo(new JsonObject("{\"resultType\":\"perhaps\",\"content\":[]}"));
      bed.assertUndisturbed();
    }
  }
}
