package dev.mcpbus.replicas;

import static dev.mcpbus.bus.BusTests.await;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.mcpbus.bus.ConnectionId;
import dev.mcpbus.bus.ConnectionState;
import dev.mcpbus.bus.McpFailure;
import dev.mcpbus.bus.ReplicaId;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.eventbus.Message;
import io.vertx.core.json.JsonObject;
import io.vertx.junit5.VertxExtension;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

@ExtendWith(VertxExtension.class)
class ReplicaDiagnosticsTest {

  private static final List<ReplicaOwner> TWO = List.of(owner(0), owner(1));

  private static ReplicaOwner owner(int number) {
    ReplicaId replica = new ReplicaId(ConnectionId.parse("git").orElseThrow(), number);
    return new ReplicaOwner(replica, "node-" + number, ConnectionState.READY, "");
  }

  private static JsonObject collected(Vertx vertx, boolean second) {
    vertx
        .eventBus()
        .<Object>consumer(
            "r0", asked -> asked.reply(new JsonObject("{\"endings\":[{\"epoch\":1}]}")));
    vertx
        .eventBus()
        .<Object>consumer(
            "r1", asked -> asked.reply(new JsonObject("{\"endings\":[{\"epoch\":5}]}").toBuffer()));
    vertx
        .eventBus()
        .<Object>consumer(
            "all",
            message ->
                ReplicaDiagnostics.collect(
                    message,
                    TWO,
                    one ->
                        one.replica().number() == 0 || second
                            ? vertx.eventBus().request("r" + one.replica().number(), "")
                            : Future.failedFuture("gone"),
                    List.of("endings")));
    return await(vertx.eventBus().<JsonObject>request("all", new JsonObject()).map(Message::body));
  }

  @Test
  void entries_of_all_replicas_stand_in_one_list_and_name_theirs(Vertx vertx) {
    assertThat(collected(vertx, true))
        .isEqualTo(
            new JsonObject(
                "{\"endings\":[{\"epoch\":1,\"replica\":0},{\"epoch\":5,\"replica\":1}]}"));
  }

  @Test
  void a_replica_that_does_not_answer_is_named(Vertx vertx) {
    assertThat(collected(vertx, false))
        .isEqualTo(new JsonObject("{\"endings\":[{\"epoch\":1,\"replica\":0}],\"missing\":[1]}"));
  }

  private static JsonObject summed(Vertx vertx, boolean second) {
    vertx
        .eventBus()
        .<Object>consumer(
            "r0",
            asked -> asked.reply(new JsonObject("{\"calls\":[0,2],\"longest\":[0,9]}").toBuffer()));
    vertx
        .eventBus()
        .<Object>consumer(
            "r1", asked -> asked.reply(new JsonObject("{\"calls\":[4,1],\"longest\":[7,8]}")));
    vertx
        .eventBus()
        .<Object>consumer(
            "all",
            message ->
                ReplicaDiagnostics.add(
                    message,
                    TWO,
                    one ->
                        one.replica().number() == 0 || second
                            ? vertx.eventBus().request("r" + one.replica().number(), "")
                            : Future.failedFuture("gone")));
    return await(vertx.eventBus().<JsonObject>request("all", new JsonObject()).map(Message::body));
  }

  @Test
  void the_activity_of_replicas_is_added_up_and_the_longest_call_is_that_of_any(Vertx vertx) {
    assertThat(summed(vertx, true))
        .isEqualTo(new JsonObject("{\"calls\":[4,3],\"longest\":[7,9]}"));
  }

  @Test
  void the_activity_names_a_replica_that_does_not_answer(Vertx vertx) {
    assertThat(summed(vertx, false))
        .isEqualTo(new JsonObject("{\"calls\":[0,2],\"longest\":[0,9],\"missing\":[1]}"));
  }

  @Test
  void a_body_may_name_the_replica() {
    assertThat(ReplicaDiagnostics.named(null, TWO)).isNull();
    assertThat(ReplicaDiagnostics.named(new JsonObject(), TWO)).isNull();
    assertThat(ReplicaDiagnostics.named(new JsonObject("{\"replica\":1}"), TWO))
        .isEqualTo(TWO.get(1));
    assertThat(ReplicaDiagnostics.named(Buffer.buffer("{\"replica\":0}"), TWO))
        .isEqualTo(TWO.get(0));
    for (Object body : List.of(new JsonObject("{\"replica\":2}"), Buffer.buffer("{"))) {
      assertThatThrownBy(() -> ReplicaDiagnostics.named(body, TWO)).isInstanceOf(McpFailure.class);
    }
  }
}
