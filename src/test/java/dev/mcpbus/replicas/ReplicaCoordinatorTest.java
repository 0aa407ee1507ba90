package dev.mcpbus.replicas;

import static org.assertj.core.api.Assertions.assertThat;

import dev.mcpbus.bus.Addresses;
import dev.mcpbus.bus.ConnectionId;
import dev.mcpbus.bus.ConnectionState;
import dev.mcpbus.bus.Headers;
import dev.mcpbus.bus.ReplicaId;
import dev.mcpbus.connection.options.ConnectionOptions;
import dev.mcpbus.connection.options.ReplicaRole;
import io.vertx.core.Future;
import io.vertx.core.Handler;
import io.vertx.core.MultiMap;
import io.vertx.core.Promise;
import io.vertx.core.VerticleBase;
import io.vertx.core.Vertx;
import io.vertx.core.eventbus.DeliveryOptions;
import io.vertx.core.eventbus.Message;
import io.vertx.core.json.JsonObject;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class ReplicaCoordinatorTest {

  private static Duration timeout(MultiMap headers) {
    return Duration.ofMillis(ReplicaCoordinator.timeout(headers));
  }

  @Test
  void a_call_without_a_deadline_waits_for_the_speaker_longer_than_any_connection_works_on_it() {
    assertThat(timeout(MultiMap.caseInsensitiveMultiMap())).isGreaterThan(Duration.ofMinutes(30));
  }

  @Test
  void a_call_with_a_deadline_leaves_the_speaker_time_to_report_that_it_has_passed() {
    MultiMap headers = MultiMap.caseInsensitiveMultiMap().add(Headers.DEADLINE, "5000");
    assertThat(timeout(headers)).isBetween(Duration.ofMillis(5_100), Duration.ofMillis(6_000));

    headers.set(Headers.DEADLINE, "0");
    assertThat(timeout(headers)).isPositive();
  }

  private static final ConnectionId SERVER = new ConnectionId("s");

  private static final class Replica extends VerticleBase implements ReplicaRole.Self {
    private final ReplicaId id;
    private final Handler<Message<Object>> arrived;

    Replica(int number, Handler<Message<Object>> arrived) {
      this.id = new ReplicaId(SERVER, number);
      this.arrived = arrived;
    }

    @Override
    public Future<?> start() {
      ReplicaRole role =
          LocalReplicas.of(vertx)
              .replica(id, ConnectionOptions.DEFAULT, "")
              .role()
              .create(vertx, this);
      return Future.join(
          role.open(vertx, arrived, Map.of()),
          vertx
              .eventBus()
              .<Object>consumer(
                  "at." + id.number(),
                  message -> role.received(Addresses.RESOURCES_SUBSCRIBE, message, own -> {}))
              .completion());
    }

    @Override
    public ConnectionState state() {
      return ConnectionState.IDLE;
    }

    @Override
    public JsonObject status(@Nullable Object request) {
      return new JsonObject();
    }

    @Override
    public int pending() {
      return 0;
    }

    @Override
    public void wanted() {}

    @Override
    public void tookOver() {}
  }

  @Test
  void what_a_replica_has_passed_on_is_answered_after_its_end() throws Exception {
    Vertx vertx = Vertx.vertx();
    try {
      Promise<Message<Object>> arrived = Promise.promise();
      vertx.deployVerticle(new Replica(0, arrived::complete)).await(60, TimeUnit.SECONDS);
      String second =
          vertx.deployVerticle(new Replica(1, message -> {})).await(60, TimeUnit.SECONDS);
      Future<Message<Object>> answer =
          vertx
              .eventBus()
              .request("at.1", new JsonObject(), new DeliveryOptions().setSendTimeout(10_000));
      Message<Object> passedOn = arrived.future().await(60, TimeUnit.SECONDS);
      vertx.undeploy(second).await(60, TimeUnit.SECONDS);
      passedOn.reply("done");
      assertThat(answer.await(60, TimeUnit.SECONDS).body()).isEqualTo("done");
    } finally {
      vertx.close().await(60, TimeUnit.SECONDS);
    }
  }
}
