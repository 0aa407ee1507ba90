package dev.mcpbus.directory;

import static dev.mcpbus.bus.BusTests.await;
import static org.assertj.core.api.Assertions.assertThat;

import dev.mcpbus.bus.Addresses;
import dev.mcpbus.bus.FakeConnection;
import dev.mcpbus.bus.McpFailure;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.json.JsonObject;
import io.vertx.junit5.VertxExtension;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

@ExtendWith(VertxExtension.class)
class ResourceSubscriptionsTest {

  private static final String BOOK = "book";

  private Vertx vertx;

  @BeforeEach
  void open(Vertx vertx) {
    this.vertx = vertx;
    new FakeConnection(vertx, "git").answering(Addresses.RESOURCES_SUBSCRIBE, "{}");
    ResourceSubscriptions book = new ResourceSubscriptions(vertx, 16, server -> false);
    vertx.eventBus().<JsonObject>consumer(BOOK, book::handle);
  }

  private boolean subscribes(String owner, int number) {
    JsonObject wish =
        new JsonObject()
            .put("server", "git")
            .put("uri", "x:/" + number)
            .put("holder", owner + "-session")
            .put("owner", owner)
            .put("wanted", true);
    return await(
        vertx.eventBus().request(BOOK, wish).map(true).recover(ResourceSubscriptionsTest::no));
  }

  private static Future<Boolean> no(Throwable failure) {
    assertThat(McpFailure.of(failure).getMessage()).contains("subscriptions are kept", "yours");
    return Future.succeededFuture(false);
  }

  @Test
  void one_principal_leaves_a_quarter_of_all_subscriptions_to_another() {
    int kept = 0;
    for (int i = 0; i < 40; i++) {
      kept += subscribes("alice", i) ? 1 : 0;
    }
    assertThat(kept).isEqualTo(12);
    assertThat(subscribes("bob", 1)).isTrue();
    assertThat(subscribes("bob", 100)).isTrue();
  }
}
