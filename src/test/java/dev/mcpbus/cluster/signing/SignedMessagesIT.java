package dev.mcpbus.cluster.signing;

import static org.assertj.core.api.Assertions.assertThat;

import dev.mcpbus.bus.Addresses;
import dev.mcpbus.bus.Headers;
import dev.mcpbus.internals.InternalContext;
import dev.mcpbus.testing.InnerCluster;
import dev.mcpbus.testing.TestBus;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.eventbus.DeliveryOptions;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class SignedMessagesIT {

  private static final String ADDRESS = Addresses.SERVERS_REMOVE;
  private static final String OTHER = Addresses.SERVERS_ADD;
  private static final DeliveryOptions LOCAL = new DeliveryOptions().setLocalOnly(true);

  private final InnerCluster cluster = new InnerCluster(2);
  private final List<String> arrived = new CopyOnWriteArrayList<>();

  @AfterEach
  void stop() {
    cluster.close();
  }

  /** Notes the body of each message, and whether it has a proof. */
  private Future<Void> listen(Vertx vertx, String address) {
    return vertx
        .eventBus()
        .<String>consumer(
            address,
            message ->
                arrived.add(
                    message.body()
                        + (message.headers().contains(Headers.PROOF) ? " with" : " without")))
        .completion();
  }

  private void until(String... expected) {
    Awaitility.await()
        .atMost(Duration.ofSeconds(60))
        .untilAsserted(() -> assertThat(arrived).containsExactlyInAnyOrder(expected));
  }

  @Test
  void a_message_has_a_proof_unless_it_stays_on_its_node() {
    Vertx one = cluster.join("one").vertx();
    Vertx two = cluster.join("two").vertx();
    TestBus.await(listen(one, ADDRESS));
    one.eventBus().send(ADDRESS, "local", LOCAL);
    one.eventBus().publish(ADDRESS, "local to all", LOCAL);
    two.eventBus().send(ADDRESS, "sent");
    two.eventBus().publish(ADDRESS, "published");
    until("local without", "local to all without", "sent with", "published with");
  }

  @Test
  void what_a_consumer_sends_while_it_serves_a_local_message_has_its_own_proof() {
    Vertx one = cluster.join("one").vertx();
    Vertx two = cluster.join("two").vertx();
    TestBus.await(listen(two, OTHER));
    TestBus.await(
        InternalContext.create(one)
            .call(
                () -> {
                  // On the context that sends, so that the bus runs it within the sending.
                  one.eventBus()
                      .<String>consumer(
                          ADDRESS,
                          message -> {
                            one.eventBus().send(OTHER, "from within");
                            arrived.add(
                                message.body() + " " + message.headers().contains(Headers.PROOF));
                          });
                  one.eventBus().send(ADDRESS, "local", LOCAL);
                  one.eventBus().send(OTHER, "after");
                  return Future.succeededFuture();
                }));
    until("local false", "from within with", "after with");
  }
}
