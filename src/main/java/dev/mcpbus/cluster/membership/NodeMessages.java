package dev.mcpbus.cluster.membership;

import dev.mcpbus.bus.Addresses;
import dev.mcpbus.internals.InternalContext;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import io.vertx.core.json.JsonObject;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;

/**
 * Sends and receives the {@link NodeMessage}s of the cluster. Each process has one consumer, so
 * that all listeners receive the messages of a node in the same order. Any thread may call.
 */
public final class NodeMessages {

  /**
   * Member of each message: the sender's monotonic clock, milliseconds; see {@link ClockOffsets}.
   */
  private static final String CLOCK = "clock";

  private final Vertx vertx;
  private final ClockOffsets offsets;
  private final Consumer<NodeMessage> first;
  private final List<Consumer<NodeMessage>> listeners = new CopyOnWriteArrayList<>();
  private final Future<Void> open;

  /**
   * @param offsets receives the clock value of each message
   * @param context of the consumer. No verticle ends it: Vert.x ends a verticle's consumers with
   *     the verticle, and the verticle that calls first may end before this node does
   * @param first receives each message before all listeners, on the consumer's context
   */
  public NodeMessages(InternalContext context, ClockOffsets offsets, Consumer<NodeMessage> first) {
    this.vertx = context.vertx();
    this.offsets = offsets;
    this.first = first;
    Promise<Void> opened = Promise.promise();
    context.run(
        () ->
            vertx
                .eventBus()
                .<JsonObject>consumer(Addresses.PLACEMENT, message -> received(message.body()))
                .completion()
                .onComplete(opened));
    this.open = opened.future();
  }

  /**
   * Completes, on the caller's context, when the consumer's registration is visible to all nodes.
   */
  public Future<Void> open() {
    Promise<Void> here = InternalContext.promise(vertx);
    open.onComplete(here);
    return here.future();
  }

  /**
   * Passes each later message to {@code listener}, on the caller's context.
   *
   * @return ends that; a closed service must not reply in the name of this node
   */
  public Runnable listen(Consumer<NodeMessage> listener) {
    InternalContext context = InternalContext.current(vertx);
    AtomicBoolean ended = new AtomicBoolean();
    Consumer<NodeMessage> passing =
        message ->
            context.run(
                () -> {
                  if (!ended.get()) {
                    listener.accept(message);
                  }
                });
    listeners.add(passing);
    return () -> {
      ended.set(true);
      listeners.remove(passing);
    };
  }

  /** Publishes a message to all nodes, this one included. */
  public void publish(NodeMessage message) {
    vertx
        .eventBus()
        .publish(Addresses.PLACEMENT, message.toJson().put(CLOCK, ClockOffsets.clock()));
  }

  private void received(JsonObject json) {
    if (json.getValue(CLOCK) instanceof Number clock) {
      offsets.heard(String.valueOf(json.getValue("node")), clock.longValue());
    }
    NodeMessage message = NodeMessage.of(json);
    if (message != null) {
      first.accept(message);
      listeners.forEach(listener -> listener.accept(message));
    }
  }
}
