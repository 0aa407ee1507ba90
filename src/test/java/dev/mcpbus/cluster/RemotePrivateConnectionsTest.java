package dev.mcpbus.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import dev.mcpbus.bus.Addresses;
import dev.mcpbus.bus.FailureCode;
import dev.mcpbus.bus.McpFailure;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.json.JsonObject;
import io.vertx.junit5.VertxExtension;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

@ExtendWith(VertxExtension.class)
class RemotePrivateConnectionsTest {

  private static final JsonObject WISH =
      new JsonObject().put("id", "s0").put("input", "in").put("events", "ev").put("ttl", 1_000);
  private static final JsonObject LEASE = new JsonObject().put("lease", "s0--1");

  /** {@code UNKNOWN_CONNECTION} would give the client the connection that all share. */
  @Test
  void a_node_that_is_not_found_is_not_a_server_that_is_not_known(Vertx vertx) {
    RemotePrivateConnections leases = new RemotePrivateConnections(vertx, id -> "of " + id, 2);
    Throwable failure =
        catchThrowable(() -> leases.lease("n2", WISH.copy()).await(5, TimeUnit.SECONDS));
    McpFailure refused = McpFailure.of(failure);
    assertThat(refused.code()).isEqualTo(FailureCode.UNAVAILABLE);
    assertThat(refused.sent()).isEqualTo(McpFailure.Sent.NO);
    assertThat(refused).hasMessageContaining("node 'of n2'");
  }

  @Test
  void a_lease_is_given_back_when_its_node_is_found_again(Vertx vertx) throws Exception {
    serve(vertx, Addresses.SERVERS_LEASE);
    Future<JsonObject> released =
        Future.future(
            answer ->
                vertx.runOnContext(
                    on -> {
                      var leases = new RemotePrivateConnections(vertx, id -> id);
                      leases
                          .lease("n2", WISH.copy())
                          .compose(
                              lease -> {
                                Future<JsonObject> asked = leases.release(LEASE.copy());
                                serve(vertx, Addresses.SERVERS_RELEASE);
                                return asked;
                              })
                          .onComplete(answer);
                    }));
    assertThat(released.await(60, TimeUnit.SECONDS)).isEqualTo(LEASE);
  }

  private static void serve(Vertx vertx, String address) {
    vertx
        .eventBus()
        .<JsonObject>localConsumer(Addresses.at(address, "n2"), asked -> asked.reply(LEASE));
  }
}
