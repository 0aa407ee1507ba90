package dev.mcpbus.cluster.membership;

import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.mcpbus.bus.Addresses;
import dev.mcpbus.internals.InternalContext;
import io.vertx.core.Future;
import io.vertx.core.VerticleBase;
import io.vertx.core.Vertx;
import io.vertx.core.json.JsonObject;
import io.vertx.junit5.VertxExtension;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

@ExtendWith(VertxExtension.class)
class NodeMessagesTest {

  private static final NodeMessage LEAVING = new NodeMessage.Leaving("n");

  private final List<NodeMessage> heard = new CopyOnWriteArrayList<>();

  @Test
  void the_verticle_that_asks_first_may_end(Vertx vertx) throws Exception {
    AtomicReference<NodeMessages> made = new AtomicReference<>();
    VerticleBase brief =
        new VerticleBase() {
          @Override
          public Future<?> start() {
            NodeMessages messages =
                new NodeMessages(
                    InternalContext.create(vertx), new ClockOffsets(() -> 0), heard::add);
            made.set(messages);
            return messages.open();
          }
        };
    vertx.undeploy(vertx.deployVerticle(brief).await(60, SECONDS)).await(60, SECONDS);

    Objects.requireNonNull(made.get()).publish(LEAVING);

    await().until(() -> heard.equals(List.of(LEAVING)));
  }

  @Test
  void the_first_listener_gets_each_message_before_the_others(Vertx vertx) throws Exception {
    List<String> order = new CopyOnWriteArrayList<>();
    NodeMessages messages =
        new NodeMessages(
            InternalContext.create(vertx), new ClockOffsets(() -> 0), told -> order.add("first"));
    messages.open().await(60, SECONDS);
    messages.listen(told -> order.add("listener"));

    messages.publish(LEAVING);

    await().until(() -> order.size() == 2);
    assertThat(order).containsExactly("first", "listener");
  }

  @Test
  void a_listener_that_has_ended_gets_nothing(Vertx vertx) throws Exception {
    NodeMessages messages =
        new NodeMessages(InternalContext.create(vertx), new ClockOffsets(() -> 0), told -> {});
    messages.open().await(60, SECONDS);
    Runnable end = messages.listen(told -> heard.add(new NodeMessage.Leaving("ended")));
    messages.listen(heard::add);
    end.run();

    messages.publish(LEAVING);

    await().until(() -> heard.contains(LEAVING));
    assertThat(heard).containsExactly(LEAVING);
  }

  @Test
  void what_is_no_message_of_a_node_is_passed_over(Vertx vertx) throws Exception {
    NodeMessages messages =
        new NodeMessages(InternalContext.create(vertx), new ClockOffsets(() -> 0), heard::add);
    messages.open().await(60, SECONDS);

    vertx.eventBus().publish(Addresses.PLACEMENT, new JsonObject().put("clock", "late"));
    messages.publish(LEAVING);

    await().until(() -> heard.equals(List.of(LEAVING)));
  }
}
