package dev.mcpbus.gateway.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.mcpbus.bus.ConnectionId;
import dev.mcpbus.bus.FailureCode;
import dev.mcpbus.bus.FairLimit;
import dev.mcpbus.bus.McpFailure;
import dev.mcpbus.bus.RequestSender;
import dev.mcpbus.directory.Directory;
import dev.mcpbus.gateway.client.ClientConnections.Opened;
import dev.mcpbus.gateway.client.OpenQuestions.Question;
import dev.mcpbus.gateway.request.RequestRouter;
import dev.mcpbus.gateway.request.SessionHostNames;
import dev.mcpbus.protocol.Methods;
import dev.mcpbus.protocol.RawJson;
import dev.mcpbus.testing.OpenAccess;
import dev.mcpbus.testing.TestBus;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.eventbus.Message;
import io.vertx.junit5.VertxExtension;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** How long a parked task lives, and what its client is told of that. The test moves the time. */
@ExtendWith(VertxExtension.class)
class TaskCallTest {

  private static final Duration KEPT = Duration.ofMinutes(10);

  private final AtomicReference<Instant> now =
      new AtomicReference<>(Instant.parse("2026-11-22T10:00:00Z"));
  private final Promise<Message<Buffer>> sent = Promise.promise();
  private HostParts parts;
  private ParkedCalls parked;
  private GatewayClient client;

  @BeforeEach
  void start(Vertx vertx) {
    Directory directory = OpenAccess.directory(vertx);
    parts =
        new HostParts(
            vertx,
            RequestSender.of(vertx),
            directory,
            new RequestRouter(vertx, directory, 10),
            new CallRegistry("host"),
            HostMap.sessions(vertx, "host", new SessionHostNames(vertx, 1), Duration.ofMinutes(1)),
            new ConcurrentHashMap<>(),
            null,
            10,
            new FairLimit<>(10));
    parked =
        new ParkedCalls(
            parts, ParkedCallsTest.clients(parts), new ParkedCallBounds(10), () -> now.get());
    client = new GatewayClient(parts, "ada's", "ada", null, Future.succeededFuture(), unused -> {});
    vertx.eventBus().<Buffer>localConsumer("mcp.s.tools.call", sent::complete);
  }

  private TaskCall begin(Duration maxCall) {
    TaskCall task =
        new TaskCall(
            parked, client, "s", ClientStatement.of(RawJson.EMPTY_OBJECT, null), "host.1", "work");
    task.begin(Opened.shared(new ConnectionId("s"), maxCall.toMillis()), RawJson.EMPTY_OBJECT);
    return task;
  }

  /** What the connection receives. */
  private Message<Buffer> sent() {
    return TestBus.await(sent.future());
  }

  private static long ttl(RawJson task) {
    return task.toJsonObject().getLong("ttlMs");
  }

  @Test
  void a_client_is_told_the_time_that_the_connection_lets_the_call_run() {
    Duration longest = Duration.ofMinutes(15);
    TaskCall task = begin(longest);
    assertThat(sent().headers().get("deadline")).isEqualTo("" + longest.toMillis());
    long told = ttl(task.begun());
    assertThat(told).isEqualTo(longest.plus(KEPT).toMillis());

    now.updateAndGet(before -> before.plus(longest));
    assertThat(ttl(task.get())).isEqualTo(told);
    sent().reply(McpFailure.maybeSent(FailureCode.CALL_TIMEOUT, "late"));
    await().until(task::isOver);
    // It ends on a thread of its own, and notes the time of its end last.
    await().untilAsserted(() -> assertThat(ttl(task.get())).isEqualTo(told));
    assertThat(task.get().toJsonObject().getString("status")).isEqualTo("failed");
  }

  /** Else it has no end: the connection, which has not got it, ends no call. */
  @Test
  void a_task_whose_client_never_answers_what_its_server_asked_before_fails() {
    ParkedCalls impatient =
        new ParkedCalls(
            parts,
            ParkedCallsTest.clients(parts),
            new ParkedCallBounds(10),
            InstantSource.system(),
            10);
    Opened own = Opened.shared(new ConnectionId("s"), KEPT.toMillis());
    client.keep(own, new Question("q", Methods.ROOTS_LIST, RawJson.EMPTY_OBJECT, null, "s"));
    RawJson roots = RawJson.of("{\"capabilities\":{\"roots\":{}}}");
    TaskCall task =
        new TaskCall(impatient, client, "s", ClientStatement.of(roots, null), "host.1", "work");
    task.begin(own, RawJson.EMPTY_OBJECT);
    await().until(() -> task.get().toJsonObject().getString("status").equals("failed"));
    assertThat(task.get().toString()).contains("CALL_TIMEOUT", "asked before");
    assertThat(sent.future().isComplete()).as("it was sent").isFalse();
  }

  @Test
  void a_task_works_for_an_hour_at_most() {
    TaskCall task = begin(Duration.ofDays(1));
    assertThat(sent().headers().get("deadline")).isEqualTo("3600000");
    assertThat(ttl(task.begun())).isEqualTo(Duration.ofHours(1).plus(KEPT).toMillis());
  }
}
