package dev.mcpbus.gateway.client;

import static dev.mcpbus.bus.BusTests.await;
import static dev.mcpbus.bus.BusTests.failure;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.mcpbus.bus.Addresses;
import dev.mcpbus.bus.Codecs;
import dev.mcpbus.bus.FailureCode;
import dev.mcpbus.bus.FairLimit;
import dev.mcpbus.bus.FakeConnection;
import dev.mcpbus.bus.McpFailure;
import dev.mcpbus.bus.RequestSender;
import dev.mcpbus.directory.Directory;
import dev.mcpbus.gateway.dialect.HandshakeAnswers;
import dev.mcpbus.gateway.request.HostMessage;
import dev.mcpbus.gateway.request.HostMessage.CallMessage;
import dev.mcpbus.gateway.request.RequestRouter;
import dev.mcpbus.gateway.request.SessionHostNames;
import dev.mcpbus.protocol.Implementation;
import dev.mcpbus.security.Principal;
import dev.mcpbus.testing.OpenAccess;
import io.vertx.core.Context;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.eventbus.DeliveryOptions;
import io.vertx.core.eventbus.Message;
import io.vertx.core.json.JsonObject;
import io.vertx.junit5.VertxExtension;
import java.lang.ref.WeakReference;
import java.lang.reflect.Field;
import java.time.Duration;
import java.time.InstantSource;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

@ExtendWith(VertxExtension.class)
class ParkedCallsTest {

  @SuppressWarnings("NullAway.Init") // by open
  private Context context;

  /** Else a client fills the memory: the bound counts tasks, and a result may have 16 MiB. */
  @Test
  void a_task_that_makes_room_for_another_is_not_kept_for_ten_minutes(Vertx vertx)
      throws Exception {
    Codecs.register(vertx);
    new FakeConnection(vertx, "own").answering(Addresses.TOOLS_CALL, "{\"content\":[]}");
    vertx
        .eventBus()
        .consumer(
            Addresses.SERVERS_LEASE, wish -> wish.reply(new JsonObject().put("lease", "own")));
    ParkedCalls calls = open(vertx, "task");

    begin(vertx, "one");
    WeakReference<Object> first = new WeakReference<>(tasks(calls).values().iterator().next());
    await().until(() -> isOver(first));
    begin(vertx, "two");

    assertThat(tasks(calls)).hasSize(1);
    await()
        .until(
            () -> {
              System.gc();
              return first.get() == null;
            });
  }

  /** Else the endpoint waits for its answer until the deadline of the call. */
  @Test
  void a_call_that_its_client_cancels_ends_at_its_endpoint(Vertx vertx) {
    Codecs.register(vertx);
    Promise<Message<Object>> called = Promise.promise();
    new FakeConnection(vertx, "own").on(Addresses.TOOLS_CALL, called::complete);
    vertx
        .eventBus()
        .consumer(
            Addresses.SERVERS_LEASE, wish -> wish.reply(new JsonObject().put("lease", "own")));
    ParkedCalls calls = open(vertx, "call");

    Future<Message<Object>> sent = request(vertx, "sent");
    await(called.future());
    context.runOnContext(now -> calls.gone("sent"));

    McpFailure failure = failure(sent);
    assertThat(failure.code()).isEqualTo(FailureCode.CANCELLED);
    assertThat(failure.sent()).isEqualTo(McpFailure.Sent.MAYBE);
  }

  @Test
  void a_call_that_is_cancelled_before_it_has_a_connection_was_not_sent(Vertx vertx) {
    Codecs.register(vertx);
    Promise<Message<Object>> opening = Promise.promise();
    vertx.eventBus().consumer(Addresses.SERVERS_LEASE, opening::complete);
    ParkedCalls calls = open(vertx, "call");

    Future<Message<Object>> waiting = request(vertx, "waiting");
    await(opening.future());
    context.runOnContext(now -> calls.gone("waiting"));

    McpFailure failure = failure(waiting);
    assertThat(failure.code()).isEqualTo(FailureCode.CANCELLED);
    assertThat(failure.sent()).isEqualTo(McpFailure.Sent.NO);
  }

  /** The only place is taken by a call that is at work. */
  @Test
  void a_call_beyond_the_bound_is_refused_as_such(Vertx vertx) {
    Codecs.register(vertx);
    Promise<Message<Object>> opening = Promise.promise();
    vertx.eventBus().consumer(Addresses.SERVERS_LEASE, opening::complete);
    open(vertx, "call");
    request(vertx, "one");
    await(opening.future());

    assertThat(failure(request(vertx, "two")).code()).isEqualTo(FailureCode.OVERLOADED);
  }

  /** Calls of a host with one place, whose failures are replies as those of the host. */
  private ParkedCalls open(Vertx vertx, String op) {
    context = vertx.getOrCreateContext();
    Promise<ParkedCalls> made = Promise.promise();
    context.runOnContext(
        now -> {
          HostParts parts = parts(vertx);
          ParkedCalls calls =
              new ParkedCalls(
                  parts, clients(parts), new ParkedCallBounds(1), InstantSource.system());
          vertx
              .eventBus()
              .<Object>localConsumer(
                  "host",
                  message -> {
                    try {
                      message.headers().add("op", op);
                      calls.call(message, (CallMessage) HostMessage.of(message));
                    } catch (McpFailure refused) {
                      message.reply(refused);
                    }
                  });
          made.complete(calls);
        });
    return await(made.future());
  }

  static HostParts parts(Vertx vertx) {
    Directory directory = OpenAccess.directory(vertx);
    return new HostParts(
        vertx,
        RequestSender.of(vertx),
        directory,
        new RequestRouter(vertx, directory, 10),
        new CallRegistry("0123456789abcdef"),
        HostMap.sessions(vertx, "host", new SessionHostNames(vertx, 1), Duration.ofMinutes(1)),
        new ConcurrentHashMap<>(),
        null,
        10,
        new FairLimit<>(10));
  }

  /** The clients of a host of that name. */
  static GatewayClients clients(HostParts parts) {
    SessionHostNames names = new SessionHostNames(parts.vertx(), 1);
    return new GatewayClients(
        parts,
        "host",
        HostMap.clients(parts.vertx(), "host", names, Duration.ofMinutes(1)),
        new HandshakeAnswers(parts.vertx(), parts.directory(), new Implementation("t", "1")));
  }

  private static boolean isOver(WeakReference<Object> task) {
    return task.get() instanceof ParkedCall call && call.isOver();
  }

  private static void begin(Vertx vertx, String response) {
    await(request(vertx, response));
  }

  private static Future<Message<Object>> request(Vertx vertx, String response) {
    DeliveryOptions options =
        new DeliveryOptions()
            .addHeader("server", "old")
            .addHeader("suffix", Addresses.TOOLS_CALL)
            .addHeader("principal", Principal.LOCAL.text())
            .addHeader("capabilities", "{}")
            .addHeader("client", "ada")
            .addHeader("exchange", response);
    return vertx
        .eventBus()
        .<Object>request("host", Buffer.buffer("{\"name\":\"work\"}"), options)
        .recover(failure -> Future.failedFuture(McpFailure.of(failure)));
  }

  @SuppressWarnings("unchecked")
  private static Map<String, Object> tasks(ParkedCalls calls) throws Exception {
    Field field = ParkedCalls.class.getDeclaredField("byState");
    field.setAccessible(true);
    return (Map<String, Object>) field.get(calls);
  }
}
