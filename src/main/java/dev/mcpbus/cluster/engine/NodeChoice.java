package dev.mcpbus.cluster.engine;

import io.vertx.core.Completable;
import io.vertx.core.VertxException;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;

/**
 * The choice of a node for one message; the first one counts. Part of {@link LiveNodeSelector}; any
 * thread may call.
 */
final class NodeChoice {

  /**
   * The failure that reports to Vert.x's selector that no live node has a consumer. With an empty
   * result instead, the selector forgets the waiting senders if the address is removed meanwhile,
   * and they wait for their time-out; a failure always reaches them.
   */
  static final class NoLiveRegistration extends VertxException {
    private static final long serialVersionUID = 1;

    NoLiveRegistration() {
      super("no live node has a consumer", true);
    }
  }

  private final LiveNodeSelector.@Nullable Sending sending;
  private final Completable<String> promise;
  private final AtomicBoolean made = new AtomicBoolean();

  /**
   * @param sending null where the sender does not follow the message
   * @param promise completed once, with null where no node has a consumer
   */
  NodeChoice(LiveNodeSelector.@Nullable Sending sending, Completable<String> promise) {
    this.sending = sending;
    this.promise = promise;
  }

  boolean isMade() {
    return made.get();
  }

  /** The node that should receive the message; null where that is not known. */
  @Nullable String owner() {
    return sending == null ? null : sending.owner();
  }

  /**
   * @param node null where no node is known to have a consumer; the bus looks for one in this
   *     process then, where one may have come meanwhile
   * @param guessed the registrations could not be read in time
   */
  void take(@Nullable String node, boolean guessed) {
    if (made.getAndSet(true)) {
      return;
    }
    if (sending == null || sending.goesTo(node, guessed)) {
      promise.complete(node, null);
    } else {
      promise.fail(new NoLiveRegistration());
    }
  }

  void fail(Throwable failure) {
    if (!made.getAndSet(true)) {
      promise.fail(failure);
    }
  }
}
