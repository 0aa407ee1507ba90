package dev.mcpbus.client;

import dev.mcpbus.protocol.PublicApi;
import io.vertx.core.Future;
import io.vertx.core.eventbus.MessageConsumer;

/** A handler of events that a caller has added and can remove. Any thread may call. */
@PublicApi
public final class Registration {

  private final MessageConsumer<?> consumer;

  Registration(MessageConsumer<?> consumer) {
    this.consumer = consumer;
  }

  /** Succeeds when every node can reach the handler: it receives all events from then on. */
  public Future<Void> ready() {
    return consumer.completion();
  }

  /** Removes the handler. Idempotent. */
  public Future<Void> remove() {
    return consumer.unregister();
  }
}
