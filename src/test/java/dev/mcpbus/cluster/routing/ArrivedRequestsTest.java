package dev.mcpbus.cluster.routing;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import dev.mcpbus.bus.Codecs;
import dev.mcpbus.bus.FailureCode;
import dev.mcpbus.bus.Headers;
import dev.mcpbus.bus.McpFailure;
import dev.mcpbus.testing.TestBus;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.eventbus.DeliveryOptions;
import io.vertx.core.eventbus.Message;
import java.security.SecureRandom;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicLong;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** One node, and another one whose requests the test numbers. */
class ArrivedRequestsTest {

  private static final String ADDRESS = "mcp.s1.tools.call";

  private final RequestId.Numbering own = new RequestId.Numbering(new SecureRandom());
  private final RequestId.Numbering sender = new RequestId.Numbering(new SecureRandom());
  private final List<Message<Buffer>> arrived = new CopyOnWriteArrayList<>();
  private final AtomicLong now = new AtomicLong(1_000_000);
  private Vertx vertx;

  @BeforeEach
  void start() {
    vertx = Vertx.vertx();
    Codecs.register(vertx);
    TestBus.await(new ArrivedRequests(own, now::get).open(vertx, "n1"));
    TestBus.await(vertx.eventBus().<Buffer>consumer(ADDRESS, arrived::add).completion());
  }

  @AfterEach
  void stop() {
    TestBus.await(vertx.close());
  }

  private Future<Message<Buffer>> send(RequestId id) {
    DeliveryOptions options =
        new DeliveryOptions().addHeader(Headers.REQUEST, id.text()).addHeader(Headers.SPEAKS, "1");
    return vertx.eventBus().request(ADDRESS, Buffer.buffer("{}"), options);
  }

  private Message<Buffer> arrival(int number) {
    Awaitility.await("request " + number).until(() -> arrived.size() == number);
    return arrived.get(number - 1);
  }

  private Future<Message<Object>> ask(RequestId id) {
    return vertx.eventBus().request(ArrivedRequests.address("n1"), id.text());
  }

  private String fate(RequestId id) {
    return TestBus.await(ask(id)).headers().get(Headers.ASKED);
  }

  @Test
  void an_answer_can_be_had_again_with_its_headers() {
    RequestId id = sender.create();
    Future<Message<Buffer>> first = send(id);
    arrival(1).reply(Buffer.buffer("1.0"), new DeliveryOptions().addHeader(Headers.EPOCH, "7"));
    assertThat(TestBus.await(first).body()).hasToString("1.0");
    Message<Object> again = TestBus.await(ask(id));
    assertThat(again.headers().get(Headers.ASKED)).isEqualTo(ArrivedRequests.ANSWERED);
    assertThat(again.headers().get(Headers.EPOCH)).isEqualTo("7");
    assertThat(again.body()).hasToString("1.0");
  }

  @Test
  void a_failure_can_be_had_again_with_all_that_it_says() {
    RequestId id = sender.create();
    Future<Message<Buffer>> first = send(id);
    McpFailure.maybeSent(FailureCode.CALL_TIMEOUT, "no answer of s1").replyTo(arrival(1));
    assertThat(catchThrowable(() -> TestBus.await(first))).isInstanceOf(McpFailure.class);
    Message<Object> again = TestBus.await(ask(id));
    assertThat(again.headers().get(Headers.ASKED)).isEqualTo(ArrivedRequests.FAILED);
    McpFailure told = McpFailure.read((Buffer) again.body());
    assertThat(told.code()).isEqualTo(FailureCode.CALL_TIMEOUT);
    assertThat(told.sent()).isEqualTo(McpFailure.Sent.MAYBE);
    assertThat(told).hasMessage("no answer of s1");
  }

  @Test
  void a_question_about_a_request_that_runs_is_answered_with_it() {
    RequestId id = sender.create();
    Future<Message<Buffer>> first = send(id);
    Message<Buffer> running = arrival(1);
    Future<Message<Object>> question = ask(id);
    TestBus.await(vertx.eventBus().request(ArrivedRequests.address("n1"), sender.create().text()));
    assertThat(question.isComplete()).isFalse();
    running.reply(Buffer.buffer("late"));
    assertThat(TestBus.await(question).body()).hasToString("late");
    assertThat(TestBus.await(first).body()).hasToString("late");
  }

  @Test
  void what_was_said_not_to_have_arrived_does_not_run_when_it_comes_late() {
    RequestId id = sender.create();
    assertThat(fate(id)).isEqualTo(ArrivedRequests.UNSEEN);
    Throwable refused = catchThrowable(() -> TestBus.await(send(id)));
    assertThat(McpFailure.of(refused).sent()).isEqualTo(McpFailure.Sent.NO);
    assertThat(arrived).isEmpty();
    assertThat(fate(id)).as("asked again").isEqualTo(ArrivedRequests.UNSEEN);
    send(sender.create());
    arrival(1);
  }

  @Test
  void what_has_been_forgotten_is_not_said_not_to_have_arrived() {
    RequestId id = sender.create();
    RequestId running = sender.create();
    Future<Message<Buffer>> first = send(id);
    arrival(1).reply(Buffer.buffer("1"));
    TestBus.await(first);
    now.addAndGet(60_000);
    Future<Message<Buffer>> next = send(running);
    arrival(2).reply(Buffer.buffer("2"));
    TestBus.await(next);
    assertThat(fate(id)).isEqualTo(ArrivedRequests.UNKNOWN);
    assertThat(fate(running)).isEqualTo(ArrivedRequests.ANSWERED);
  }

  @Test
  void a_number_far_behind_the_newest_is_not_said_not_to_have_arrived() {
    RequestId old = sender.create();
    send(new RequestId(old.sender(), 1_000_000));
    arrival(1);
    assertThat(fate(old)).isEqualTo(ArrivedRequests.UNKNOWN);
    RequestId skipped = new RequestId(old.sender(), 999_999);
    assertThat(fate(skipped)).isEqualTo(ArrivedRequests.UNSEEN);
  }

  @Test
  void answers_are_kept_up_to_their_bound_in_bytes() {
    RequestId first = sender.create();
    send(first);
    arrival(1).reply(Buffer.buffer(new byte[12 << 20]));
    RequestId second = sender.create();
    send(second);
    arrival(2).reply(Buffer.buffer(new byte[12 << 20]));
    assertThat(fate(first)).isEqualTo(ArrivedRequests.UNKNOWN);
    assertThat(fate(second)).isEqualTo(ArrivedRequests.ANSWERED);
  }

  @Test
  void the_nodes_own_requests_and_what_has_no_id_pass_unnoted() {
    RequestId id = own.create();
    send(id);
    arrival(1).reply(Buffer.buffer("1"));
    assertThat(fate(id)).isEqualTo(ArrivedRequests.UNSEEN);
    send(new RequestId("no id", 1));
    arrival(2);
  }

  @Test
  void a_question_that_names_no_request_is_refused() {
    Throwable refused =
        catchThrowable(
            () ->
                TestBus.await(vertx.eventBus().request(ArrivedRequests.address("n1"), "whatever")));
    assertThat(McpFailure.of(refused).code()).isEqualTo(FailureCode.BAD_REQUEST);
  }
}
