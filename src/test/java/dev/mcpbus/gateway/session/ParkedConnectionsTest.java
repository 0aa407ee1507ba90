package dev.mcpbus.gateway.session;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.mcpbus.connection.ManualTimers;
import dev.mcpbus.gateway.session.PrivateConnections.Opened;
import dev.mcpbus.testing.TestBus;
import io.vertx.core.Handler;
import io.vertx.core.Vertx;
import io.vertx.core.eventbus.Message;
import io.vertx.core.json.JsonObject;
import io.vertx.junit5.VertxExtension;
import java.lang.reflect.Proxy;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** How long the private connections of parked calls live. The test moves the time. */
@ExtendWith(VertxExtension.class)
class ParkedConnectionsTest {

  private static final ParkedCall.ConnectionKey KEY =
      new ParkedCall.ConnectionKey("s", "ada", "{}");
  private static final long MINUTE = 60_000;

  private final ManualTimers time = new ManualTimers();
  private final Map<Long, Long> periodic = new HashMap<>();
  private final List<JsonObject> requests = new CopyOnWriteArrayList<>();
  private final List<JsonObject> released = new CopyOnWriteArrayList<>();
  private Vertx vertx;
  private ParkedConnections connections;

  /** When the connection ends unless it is renewed. */
  private volatile long until;

  @BeforeEach
  void start(Vertx real) {
    vertx = withManualTimers(real);
    vertx.eventBus().localConsumer("mcp.servers.lease", this::lease);
    vertx.eventBus().<JsonObject>localConsumer("mcp.servers.release", this::release);
    connections = new ParkedConnections(vertx, new CallRegistry("host"));
  }

  private void lease(Message<JsonObject> message) {
    if (message.body().containsKey("ttl")) {
      requests.add(message.body());
      until = time.millis() + message.body().getLong("ttl");
    }
    String lease = message.body().getString("lease", "own-" + requests.size());
    message.reply(new JsonObject().put("lease", lease).put("maxCallMillis", 30 * MINUTE));
  }

  private void release(Message<JsonObject> message) {
    released.add(message.body());
    message.reply(new JsonObject());
  }

  private Vertx withManualTimers(Vertx real) {
    return (Vertx)
        Proxy.newProxyInstance(
            Vertx.class.getClassLoader(),
            new Class<?>[] {Vertx.class},
            (proxy, method, arguments) ->
                switch (method.getName()) {
                  case "setTimer" -> time.set((Long) arguments[0], () -> run(arguments[1]));
                  case "setPeriodic" -> {
                    long name = 1_000L + periodic.size();
                    repeat(name, (Long) arguments[0], arguments[1]);
                    yield name;
                  }
                  case "cancelTimer" -> {
                    Long timer = (Long) arguments[0];
                    time.cancel(periodic.getOrDefault(timer, timer));
                    yield true;
                  }
                  default -> method.invoke(real, arguments);
                });
  }

  private void repeat(long name, long millis, Object handler) {
    periodic.put(
        name,
        time.set(
            millis,
            () -> {
              repeat(name, millis, handler);
              run(handler);
            }));
  }

  @SuppressWarnings("unchecked") // as the interface has it
  private static void run(Object handler) {
    ((Handler<Long>) handler).handle(0L);
  }

  /** Lets time pass, and the service receive what was sent meanwhile. */
  private void pass(long millis) {
    time.pass(millis);
    TestBus.await(vertx.eventBus().request("mcp.servers.lease", new JsonObject()));
  }

  @Test
  void the_connection_of_a_parked_call_lives_as_long_as_the_call() {
    Opened taken = TestBus.await(connections.take(KEY));
    connections.use(taken, false);
    for (long minute = 1; minute <= 30; minute++) {
      pass(MINUTE);
      assertThat(until).as("after %s min", minute).isGreaterThan(time.millis());
    }
    assertThat(requests.get(requests.size() - 1).getBoolean("inUse"))
        .as("a call that waits for its client can make room for others")
        .isFalse();
    connections.giveBack(KEY, taken);
    pass(MINUTE);
    assertThat(time.armed()).isZero();
    await().until(() -> !released.isEmpty());
    assertThat(released).extracting(one -> one.getString("lease")).containsExactly("own-1");
  }

  @Test
  void one_timer_renews_the_connections_of_all_parked_calls() {
    Opened one = TestBus.await(connections.take(KEY));
    TestBus.await(connections.take(new ParkedCall.ConnectionKey("s", "bob", "{}")));
    assertThat(time.armed()).isEqualTo(1);
    connections.giveBack(KEY, one);
    assertThat(time.armed()).as("and one for the connection without a call").isEqualTo(2);
    TestBus.await(connections.take(KEY));
    assertThat(time.armed()).isEqualTo(1);
    TestBus.await(connections.close());
    assertThat(time.armed()).isZero();
  }
}
