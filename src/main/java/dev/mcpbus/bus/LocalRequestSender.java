package dev.mcpbus.bus;

import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.eventbus.DeliveryOptions;
import io.vertx.core.eventbus.Message;
import java.util.List;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;

/**
 * The sender of a Vert.x that is not clustered: the event bus, no other nodes. Any thread may call.
 */
final class LocalRequestSender implements RequestSender, ClusterMembership {

  private final Vertx vertx;
  private final CallRepeats repeats;

  LocalRequestSender(Vertx vertx) {
    this.vertx = vertx;
    this.repeats = CallRepeats.of(vertx);
  }

  @Override
  public CallRepeats repeats() {
    return repeats;
  }

  @Override
  public <T> Future<Message<T>> requestOnce(
      @Nullable ConnectionId server, String address, Object body, DeliveryOptions options) {
    return vertx.eventBus().request(address, body, options);
  }

  @Override
  public ClusterMembership membership() {
    return this;
  }

  @Override
  public String self() {
    return "";
  }

  @Override
  public List<String> nodes() {
    return List.of();
  }

  @Override
  public void onChange(BiConsumer<String, Boolean> listener) {}
}
