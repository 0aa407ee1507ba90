package dev.mcpbus.connection.session;

import static org.assertj.core.api.Assertions.assertThat;

import dev.mcpbus.protocol.RawJson;
import dev.mcpbus.transport.Channel.Receiver;
import io.vertx.core.Vertx;
import io.vertx.junit5.VertxExtension;
import java.util.HashMap;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** Whose a message is, with and without evidence. */
@ExtendWith(VertxExtension.class)
class MessageOwnersTest {

  private static final String LOG = "notifications/message";
  private static final String NEWS = "notifications/com.example/news";
  private static final String ASKS = "elicitation/create";
  private static final RawJson NOTHING = RawJson.EMPTY_OBJECT;

  private final Map<String, MessageOwner> tasks = new HashMap<>();

  @SuppressWarnings("NullAway.Init") // by begin
  private PendingRequests pending;

  @SuppressWarnings("NullAway.Init") // by begin
  private MessageOwners owners;

  @BeforeEach
  void begin(Vertx vertx) {
    pending = new PendingRequests(vertx, () -> 0, (id, call) -> {});
    owners =
        new MessageOwners(
            pending, task -> tasks.getOrDefault(task, MessageOwner.ofPrincipal(null)));
  }

  private OwnedCall call(String name, @org.jspecify.annotations.Nullable String owner) {
    OwnedCall call = new OwnedCall(name, owner);
    call.sentAs(pending.add(call));
    return call;
  }

  private void abandon(OwnedCall call) {
    pending.remove(call.sentAs());
    owners.goesOn(call.sentAs(), call);
  }

  private MessageOwner unnamed(String method) {
    return owners.of(method, NOTHING, Receiver.ANY_STREAM);
  }

  @Test
  void a_message_belongs_to_the_request_on_whose_stream_it_came() {
    OwnedCall ada = call("1", "ada");
    OwnedCall bob = call("2", "bob");
    assertThat(owners.of(LOG, NOTHING, ada.sentAs()).call()).isSameAs(ada);
    assertThat(owners.of(NEWS, NOTHING, bob.sentAs()).call()).isSameAs(bob);
    assertThat(owners.ofQuestion(ASKS, NOTHING, bob.sentAs()).call()).isSameAs(bob);
    abandon(ada);
    assertThat(owners.of(LOG, NOTHING, ada.sentAs()))
        .isEqualTo(new MessageOwner(null, "ada", true, true));
  }

  @Test
  void tokens_and_ids_inside_a_notification_name_its_request() {
    OwnedCall ada = call("1", "ada");
    OwnedCall bob = call("2", "bob");
    for (String params :
        new String[] {
          "{\"progressToken\":\"mcpbus-2\"}",
          "{\"_meta\":{\"progressToken\":\"mcpbus-2\"}}",
          "{\"_meta\":{\"io.modelcontextprotocol/subscriptionId\":2}}",
          "{\"_meta\":{\"io.modelcontextprotocol/subscriptionId\":\"2\"}}",
          "{\"requestId\":2}"
        }) {
      RawJson named = RawJson.of(params);
      assertThat(owners.of(NEWS, named, Receiver.ANY_STREAM).call()).as(params).isSameAs(bob);
    }
    RawJson token = RawJson.of("{\"_meta\":{\"progressToken\":\"mcpbus-2\"}}");
    assertThat(owners.ofQuestion(ASKS, token, Receiver.ANY_STREAM))
        .as("the token of a question is the server's")
        .isEqualTo(MessageOwner.UNKNOWN);
    RawJson foreign = RawJson.of("{\"requestId\":77}");
    abandon(bob);
    assertThat(owners.of(NEWS, token, Receiver.ANY_STREAM).call()).isNull();
    assertThat(owners.of(NEWS, token, Receiver.ANY_STREAM).owner()).isEqualTo("bob");
    assertThat(owners.of(NEWS, foreign, ada.sentAs()).call()).isSameAs(ada);
  }

  @Test
  void a_message_about_a_task_belongs_to_the_tasks_owner() {
    call("1", "ada");
    OwnedCall bob = call("2", "bob");
    tasks.put("t", MessageOwner.of(bob));
    RawJson about =
        RawJson.of("{\"_meta\":{\"io.modelcontextprotocol/related-task\":{\"taskId\":\"t\"}}}");
    assertThat(owners.of(LOG, about, Receiver.ANY_STREAM).call()).isSameAs(bob);
    assertThat(owners.ofQuestion(ASKS, about, Receiver.ANY_STREAM).call()).isSameAs(bob);
    tasks.clear();
    assertThat(owners.ofQuestion(ASKS, about, Receiver.ANY_STREAM).owner()).isNull();
  }

  @Test
  void without_evidence_it_is_a_principals_whose_calls_are_all_that_the_server_works_on() {
    assertThat(unnamed(LOG).restricted()).isFalse();
    OwnedCall ada = call("1", "ada");
    assertThat(unnamed(LOG).call()).isSameAs(ada);
    assertThat(unnamed(ASKS).owner()).isEqualTo("ada");
    OwnedCall second = call("2", "ada");
    assertThat(unnamed(LOG))
        .as("of one of two")
        .isEqualTo(new MessageOwner(null, "ada", true, false));
    pending.remove(second.sentAs());
    pending.add(new InternalRequest("ping", Long.MAX_VALUE));
    assertThat(unnamed(LOG).call()).as("beside a request of the connection").isSameAs(ada);
    OwnedCall bob = call("3", "bob");
    assertThat(unnamed(LOG)).isEqualTo(MessageOwner.UNKNOWN);
    pending.remove(bob.sentAs());
    OwnedCall program = call("4", null);
    assertThat(unnamed(LOG)).isEqualTo(MessageOwner.UNKNOWN);
    pending.remove(ada.sentAs());
    assertThat(unnamed(LOG)).isEqualTo(new MessageOwner(program, null, true, false));
    call("5", null);
    assertThat(unnamed(NEWS).call()).as("of two programs").isNull();
  }

  @Test
  void a_call_without_an_answer_counts_until_the_server_answers_it() {
    OwnedCall ada = call("1", "ada");
    abandon(ada);
    OwnedCall bob = call("2", "bob");
    assertThat(unnamed(LOG)).isEqualTo(MessageOwner.UNKNOWN);
    assertThat(unnamed(ASKS)).isEqualTo(MessageOwner.UNKNOWN);
    owners.isOver(ada.sentAs());
    assertThat(unnamed(LOG).call()).isSameAs(bob);
    owners.goesOn("a task", ada);
    assertThat(unnamed(LOG)).isEqualTo(MessageOwner.UNKNOWN);
    owners.isOver("a task");
    assertThat(unnamed(LOG).call()).isSameAs(bob);
  }

  @Test
  void what_comes_on_the_standing_stream_is_of_no_call_but_may_be_a_principals() {
    call("1", "ada");
    MessageOwner owner = owners.of(LOG, NOTHING, Receiver.STANDING_STREAM);
    assertThat(owner).isEqualTo(new MessageOwner(null, "ada", true, true));
    assertThat(owner.callId()).isEmpty();
  }

  @Test
  void beyond_the_bound_what_names_no_call_is_for_operators_alone() {
    for (int i = 0; i < MessageOwners.MAX_UNANSWERED; i++) {
      abandon(call("a" + i, "ada"));
    }
    OwnedCall beyond = call("b", "bob");
    abandon(beyond);
    for (int i = 1; i <= MessageOwners.MAX_UNANSWERED; i++) {
      owners.isOver((long) i);
    }
    owners.isOver(beyond.sentAs());
    assertThat(unnamed(LOG))
        .as("one principal's")
        .isEqualTo(new MessageOwner(null, "bob", true, false));
    OwnedCall cleo = call("c", "cleo");
    assertThat(unnamed(LOG)).isEqualTo(MessageOwner.UNKNOWN);
    assertThat(owners.of(LOG, NOTHING, cleo.sentAs()).call()).isSameAs(cleo);
  }
}
