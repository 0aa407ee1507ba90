package dev.mcpbus.client;

import io.vertx.core.Future;
import io.vertx.core.eventbus.MessageConsumer;

/** A handler in place, to be removed when it is no longer wanted. */
public final class Registration {

  private final MessageConsumer<?> consumer;

  Registration(MessageConsumer<?> consumer) {
    this.consumer = consumer;
  }

  /** Succeeds when every node knows of the handler, so that nothing sent from now on is missed. */
  public Future<Void> ready() {
    return consumer.completion();
  }

  /** Idempotent. */
  public Future<Void> remove() {
    return consumer.unregister();
  }
}
