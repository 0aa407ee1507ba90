package dev.mcpbus.input;

import static org.assertj.core.api.Assertions.assertThat;

import dev.mcpbus.bus.Addresses;
import dev.mcpbus.bus.Codecs;
import dev.mcpbus.bus.Events;
import dev.mcpbus.bus.FailureCode;
import dev.mcpbus.bus.McpFailure;
import dev.mcpbus.client.McpClient;
import dev.mcpbus.protocol.JsonRpcError;
import dev.mcpbus.protocol.Methods;
import dev.mcpbus.testing.TestBus;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.eventbus.Message;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.awaitility.Awaitility;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Which component answers a question, and which answers reach the server. */
class InputVerticleTest {

  private static final JsonObject FORM =
      new JsonObject()
          .put("message", "Who?")
          .put(
              "requestedSchema",
              new JsonObject(
                  "{\"type\":\"object\",\"properties\":{\"name\":{\"type\":\"string\"},"
                      + "\"age\":{\"type\":\"integer\",\"minimum\":0,\"default\":30}},"
                      + "\"required\":[\"name\"]}"));

  private final List<JsonObject> events = new CopyOnWriteArrayList<>();

  @SuppressWarnings("NullAway.Init") // set before each test
  private Vertx vertx;

  @BeforeEach
  void start() {
    vertx = Vertx.vertx();
    Codecs.register(vertx);
    vertx.eventBus().<JsonObject>consumer(Addresses.ALL_EVENTS, event -> events.add(event.body()));
    deploy(new InputOptions(Duration.ofMinutes(5), 2, 3));
  }

  private void deploy(InputOptions options) {
    TestBus.await(vertx.deployVerticle(new InputVerticle(options)));
  }

  @AfterEach
  void stop() {
    TestBus.await(vertx.close());
  }

  private Future<JsonObject> ask(String key, String method, JsonObject params, boolean offered) {
    return ask(null, key, method, params, offered);
  }

  private Future<JsonObject> ask(
      @Nullable String principal, String key, String method, JsonObject params, boolean offered) {
    return send(
        Addresses.INPUT_ASK,
        new JsonObject()
            .put("principal", principal)
            .put("question", key)
            .put("id", "git")
            .put("method", method)
            .put("params", params)
            .put("offered", offered)
            .put("configured", offered));
  }

  private Future<JsonObject> send(String address, JsonObject body) {
    return vertx.eventBus().<JsonObject>request(address, body).map(Message::body);
  }

  private McpFailure failure(Future<JsonObject> future) {
    try {
      throw new AssertionError("expected a failure but got " + TestBus.await(future));
    } catch (RuntimeException e) {
      return McpFailure.of(e);
    }
  }

  private JsonArray pending() {
    return TestBus.await(send(Addresses.INPUT_PENDING, new JsonObject())).getJsonArray("questions");
  }

  private void awaitPending(int count) {
    Awaitility.await().until(() -> pending().size() == count);
  }

  private Future<JsonObject> respond(String key, JsonObject result) {
    return send(
        Addresses.INPUT_RESPOND, new JsonObject().put("question", key).put("result", result));
  }

  private static JsonObject accept(JsonObject content) {
    return new JsonObject().put("action", "accept").put("content", content);
  }

  @Test
  void the_servers_own_handler_comes_before_the_common_one_and_both_before_parking() {
    McpClient client = McpClient.create(vertx);
    TestBus.await(
        client.setInputHandler(
            Methods.ROOTS_LIST,
            (id, q) ->
                Future.succeededFuture(new JsonObject().put("roots", new JsonArray().add(1)))));
    assertThat(TestBus.await(ask("1", Methods.ROOTS_LIST, new JsonObject(), true)).encode())
        .isEqualTo("{\"roots\":[1]}");
    TestBus.await(
        client
            .server("git")
            .setInputHandler(
                Methods.ROOTS_LIST,
                (id, q) -> Future.succeededFuture(new JsonObject().put("roots", new JsonArray()))));
    assertThat(TestBus.await(ask("2", Methods.ROOTS_LIST, new JsonObject(), true)).encode())
        .isEqualTo("{\"roots\":[]}");
    Future<JsonObject> parked = ask("3", Methods.ELICITATION, FORM, true);
    awaitPending(1);
    assertThat(pending().getJsonObject(0).getString("id")).isEqualTo("git");
    assertThat(parked.isComplete()).isFalse();
  }

  @Test
  void a_parked_question_is_visible_and_answered_with_the_forms_defaults() {
    Future<JsonObject> asked = ask("q", Methods.ELICITATION, FORM, true);
    awaitPending(1);
    JsonObject question = pending().getJsonObject(0);
    assertThat(question.getJsonObject("params")).isEqualTo(FORM);
    assertThat(question.getString("expires")).isGreaterThan(question.getString("since"));

    McpFailure wrong = failure(respond("q", accept(new JsonObject().put("age", -1))));
    assertThat(wrong.code()).isEqualTo(FailureCode.INVALID_ARGUMENTS);
    assertThat(wrong.data().getString("path")).startsWith("/content");
    assertThat(asked.isComplete()).isFalse();

    TestBus.await(respond("q", accept(new JsonObject().put("name", "B"))));
    assertThat(TestBus.await(asked).getJsonObject("content"))
        .isEqualTo(new JsonObject().put("name", "B").put("age", 30));
    assertThat(pending()).isEmpty();
    Awaitility.await().until(() -> events.size() == 2);
    assertThat(events.get(0).getString("type")).isEqualTo(Events.INPUT_REQUESTED);
    assertThat(events.get(0).getString("message")).isEqualTo("Who?");
    assertThat(events.get(1).getString("outcome")).isEqualTo("answered");
    assertThat(failure(respond("q", accept(new JsonObject()))).code())
        .isEqualTo(FailureCode.BAD_REQUEST);
  }

  @Test
  void a_refusal_carries_no_content() {
    Future<JsonObject> asked = ask("q", Methods.ELICITATION, FORM, true);
    awaitPending(1);
    TestBus.await(respond("q", accept(new JsonObject()).put("action", "decline")));
    assertThat(TestBus.await(asked)).isEqualTo(new JsonObject().put("action", "decline"));
  }

  @Test
  void a_declined_question_ends_as_mcp_has_it() {
    Future<JsonObject> form = ask("q", Methods.ELICITATION, FORM, true);
    Future<JsonObject> model = ask("m", Methods.SAMPLING, new JsonObject(), true);
    awaitPending(2);
    for (String key : List.of("q", "m")) {
      JsonObject body = new JsonObject().put("question", key).put("decline", true);
      TestBus.await(send(Addresses.INPUT_RESPOND, body));
      assertThat(failure(send(Addresses.INPUT_RESPOND, body)).code())
          .isEqualTo(FailureCode.BAD_REQUEST);
    }
    assertThat(TestBus.await(form)).isEqualTo(new JsonObject().put("action", "decline"));
    assertThat(failure(model).isUpstream(JsonRpcError.USER_DECLINED)).isTrue();
    Awaitility.await().until(() -> events.size() == 4);
    assertThat(events.get(3).getString("outcome")).isEqualTo("declined");
  }

  @Test
  void a_question_is_not_parked_if_the_session_declared_no_answers() {
    assertThat(failure(ask("q", Methods.ELICITATION, FORM, false)).code())
        .isEqualTo(FailureCode.METHOD_NOT_FOUND);
    assertThat(pending()).isEmpty();
  }

  @Test
  void the_number_of_parked_questions_is_bounded() {
    ask("1", Methods.ELICITATION, FORM, true);
    ask("2", Methods.ELICITATION, FORM, true);
    awaitPending(2);
    assertThat(failure(ask("3", Methods.ELICITATION, FORM, true)).code())
        .isEqualTo(FailureCode.OVERLOADED);
  }

  @Test
  void questions_of_one_principal_and_those_without_an_owner_leave_room_for_another() {
    TestBus.await(vertx.close());
    vertx = Vertx.vertx();
    Codecs.register(vertx);
    deploy(new InputOptions(Duration.ofMinutes(5), 64, 3));
    for (int i = 0; i < 16; i++) {
      ask("alice", "a" + i, Methods.ELICITATION, FORM, true);
    }
    assertThat(failure(ask("alice", "a16", Methods.ELICITATION, FORM, true)).getMessage())
        .startsWith("16 questions wait");
    for (int i = 0; i < 48; i++) {
      ask("n" + i, Methods.ELICITATION, FORM, true);
    }
    awaitPending(64);
    for (int i = 0; i < 16; i++) {
      vertx.eventBus().send(Addresses.INPUT_DROP, new JsonObject().put("question", "a" + i));
    }
    awaitPending(48);
    assertThat(failure(ask("n48", Methods.ELICITATION, FORM, true)).getMessage())
        .startsWith("48 questions wait");
    ask("bob", "b", Methods.ELICITATION, FORM, true);
    awaitPending(49);
  }

  @Test
  void a_question_expires_and_one_that_is_withdrawn_is_gone() {
    Future<JsonObject> asked = ask("q", Methods.ELICITATION, FORM, true);
    awaitPending(1);
    vertx.eventBus().send(Addresses.INPUT_DROP, new JsonObject().put("question", "q"));
    assertThat(failure(asked).code()).isEqualTo(FailureCode.CANCELLED);
    vertx.deploymentIDs().forEach(id -> TestBus.await(vertx.undeploy(id)));
    deploy(new InputOptions(Duration.ofMillis(50), 2, 3));
    assertThat(failure(ask("r", Methods.ELICITATION, FORM, true)).code())
        .isEqualTo(FailureCode.CALL_TIMEOUT);
    Awaitility.await()
        .until(() -> events.stream().anyMatch(e -> "expired".equals(e.getString("outcome"))));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {"file:///etc/passwd", "javascript:alert(1)", "ssh://host", "nonsense", ""})
  void a_url_that_is_no_web_page_is_not_shown(String url) {
    JsonObject params =
        new JsonObject().put("mode", "url").put("message", "Log in").put("url", url);
    assertThat(failure(ask("q", Methods.ELICITATION, params, true)).code())
        .isEqualTo(FailureCode.PROTOCOL_ERROR);
  }

  @Test
  void a_web_page_is_shown() {
    JsonObject params =
        new JsonObject()
            .put("mode", "url")
            .put("message", "Log in")
            .put("url", "https://example.com/login");
    Future<JsonObject> asked = ask("q", Methods.ELICITATION, params, true);
    awaitPending(1);
    TestBus.await(respond("q", accept(new JsonObject().put("x", 1))));
    assertThat(TestBus.await(asked)).isEqualTo(new JsonObject().put("action", "accept"));
  }

  @Test
  void a_form_that_asks_for_more_than_simple_values_is_not_shown() {
    JsonObject params = FORM.copy();
    params
        .getJsonObject("requestedSchema")
        .getJsonObject("properties")
        .put("deep", new JsonObject().put("type", "object"));
    assertThat(failure(ask("q", Methods.ELICITATION, params, true)).code())
        .isEqualTo(FailureCode.PROTOCOL_ERROR);
  }

  /** As pydantic and other libraries write optional fields and enumerations. */
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '\0',
      value = {
        "{\"anyOf\":[{\"type\":\"integer\"},{\"type\":\"null\"}],\"default\":null}|4|\"x\"",
        "{\"type\":[\"integer\",\"null\"]}|null|true",
        "{\"allOf\":[{\"$ref\":\"#/$defs/Color\"}],\"default\":\"red\"}|\"green\"|\"blue\"",
        "{\"$ref\":\"#/$defs/Color\"}|\"red\"|1",
        "{\"anyOf\":[{\"$ref\":\"#/$defs/Color\"},{\"type\":\"null\"}],\"default\":null}|null|\"blue\"",
        "{\"enum\":[\"a\",null]}|null|\"b\"",
        "{\"enum\":[1,2]}|2|3",
        "{\"oneOf\":[{\"const\":\"a\",\"title\":\"A\"},{\"const\":\"b\"}]}|\"b\"|\"c\"",
        "{\"type\":\"array\",\"items\":{\"$ref\":\"#/$defs/Color\"}}|[\"red\"]|[\"x\"]",
        "{\"type\":\"str\",\"enum\":null,\"minLength\":null}|\"a\"|1",
        "{\"title\":\"Anything\"}|1|",
        "{\"$ref\":\"#/$defs/None\"}|\"a\"|",
        "{\"type\":\"date\"}|\"2026-01-01\"|",
        "{\"type\":\"number\",\"minimum\":\"0\"}|1|-1",
        "\"string\"|\"a\"|1",
        "null|1|",
      })
  void a_form_of_simple_values_is_asked_however_it_is_written(
      String field, String right, String wrong) {
    JsonObject schema =
        new JsonObject(
            "{\"type\":\"object\",\"required\":null,\"properties\":{\"f\":"
                + field
                + "},\"$defs\":{\"Color\":{\"type\":\"string\",\"enum\":[\"red\",\"green\"]}}}");
    JsonObject params = FORM.copy().put("requestedSchema", schema);
    Future<JsonObject> asked = ask("q", Methods.ELICITATION, params, true);
    awaitPending(1);
    assertThat(pending().getJsonObject(0).getJsonObject("params")).isEqualTo(params);
    if (wrong != null) {
      JsonObject content = new JsonObject("{\"f\":" + wrong + "}");
      assertThat(failure(respond("q", accept(content))).data().getString("path"))
          .startsWith("/content");
    }
    JsonObject content = new JsonObject("{\"f\":" + right + "}");
    TestBus.await(respond("q", accept(content)));
    assertThat(TestBus.await(asked).getJsonObject("content")).isEqualTo(content);
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void a_question_without_a_form_asks_for_a_yes(boolean isNull) {
    JsonObject params = FORM.copy();
    params.remove("requestedSchema");
    Future<JsonObject> asked =
        ask("q", Methods.ELICITATION, isNull ? params.putNull("requestedSchema") : params, true);
    awaitPending(1);
    TestBus.await(respond("q", new JsonObject().put("action", "accept").putNull("content")));
    assertThat(TestBus.await(asked).getString("action")).isEqualTo("accept");
  }

  @Test
  void a_default_may_stand_behind_a_reference_and_null_is_none() {
    JsonObject schema =
        new JsonObject(
            "{\"type\":\"object\",\"properties\":{\"a\":{\"$ref\":\"#/$defs/A\"},"
                + "\"b\":{\"type\":[\"string\",\"null\"],\"default\":null},"
                + "\"c\":{\"allOf\":[{\"$ref\":\"#/$defs/A\"}],\"default\":\"y\"},"
                + "\"d\":{\"anyOf\":[{\"$ref\":\"#/$defs/A\"},{\"type\":\"null\"}]}},"
                + "\"$defs\":{\"A\":{\"type\":\"string\",\"default\":\"x\"}}}");
    Future<JsonObject> asked =
        ask("q", Methods.ELICITATION, FORM.copy().put("requestedSchema", schema), true);
    awaitPending(1);
    TestBus.await(respond("q", accept(new JsonObject())));
    assertThat(TestBus.await(asked).getJsonObject("content"))
        .isEqualTo(new JsonObject().put("a", "x").put("c", "y"));
  }

  @Test
  void a_form_without_end_or_with_an_object_behind_a_reference_is_not_shown() {
    for (String field :
        List.of(
            "{\"$ref\":\"#/$defs/Loop\"}",
            "{\"$ref\":\"#/$defs/Deep\"}",
            "{\"anyOf\":[{\"$ref\":\"#/$defs/Deep\"},{\"type\":\"null\"}]}")) {
      JsonObject schema =
          new JsonObject(
              "{\"type\":\"object\",\"properties\":{\"f\":"
                  + field
                  + "},\"$defs\":{\"Deep\":{\"type\":\"object\"},"
                  + "\"Loop\":{\"anyOf\":[{\"$ref\":\"#/$defs/Loop\"},{\"$ref\":\"#/$defs/Loop\"}]}}}");
      JsonObject params = FORM.copy().put("requestedSchema", schema);
      assertThat(failure(ask("q", Methods.ELICITATION, params, true)).code())
          .isEqualTo(FailureCode.PROTOCOL_ERROR);
    }
  }

  @Test
  void offers_are_united_expire_and_are_bounded() {
    JsonObject form = new JsonObject().put("elicitation", new JsonObject());
    TestBus.await(
        send(
            Addresses.INPUT_OFFER,
            new JsonObject().put("offer", "a").put("capabilities", form).put("ttl", 100)));
    TestBus.await(
        send(
            Addresses.INPUT_OFFER,
            new JsonObject()
                .put("offer", "b")
                .put("id", "git")
                .put("capabilities", new JsonObject().put("roots", new JsonObject()))));
    JsonObject all = TestBus.await(send(Addresses.INPUT_OFFERS, new JsonObject()));
    assertThat(all.getJsonObject("servers").getJsonObject("git").containsKey("roots")).isTrue();
    Awaitility.await()
        .until(
            () ->
                TestBus.await(send(Addresses.INPUT_OFFERS, new JsonObject()))
                    .getJsonObject("all")
                    .isEmpty());
    for (int i = 0; i < 2; i++) {
      TestBus.await(send(Addresses.INPUT_OFFER, new JsonObject().put("capabilities", form)));
    }
    assertThat(
            failure(send(Addresses.INPUT_OFFER, new JsonObject().put("capabilities", form))).code())
        .isEqualTo(FailureCode.OVERLOADED);
  }
}
