package dev.mcpbus.bus;

import io.vertx.core.Promise;
import io.vertx.core.eventbus.Message;
import io.vertx.core.internal.VertxInternal;
import org.jspecify.annotations.Nullable;

/** A request that has no answer yet. */
final class Flight<T> {

  final long sentAt = System.nanoTime();
  final String address;
  final @Nullable ConnectionId server;
  final boolean local;
  final Promise<Message<T>> promise;

  /** Whom it was sent to; null where nobody was known. */
  volatile @Nullable Owner owner;

  Flight(
      VertxInternal vertx,
      String address,
      @Nullable ConnectionId server,
      @Nullable Owner owner,
      boolean local) {
    this.address = address;
    this.server = server;
    this.owner = owner;
    this.local = local;
    this.promise = vertx.getOrCreateContext().promise();
  }

  boolean isAt(String node) {
    Owner at = owner;
    return at != null && at.node().equals(node);
  }
}
