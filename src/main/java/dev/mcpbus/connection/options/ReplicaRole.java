package dev.mcpbus.connection.options;

import dev.mcpbus.bus.ConnectionState;
import io.vertx.core.Future;
import io.vertx.core.Handler;
import io.vertx.core.Vertx;
import io.vertx.core.eventbus.Message;
import io.vertx.core.json.JsonObject;

/**
 * What a connection does because its server has several, on one node each: which request it answers
 * itself, and which event it tells for all. The cluster implements it; a connection without one is
 * its server's only connection. Owner: the connection's context.
 */
public interface ReplicaRole {

  /** What the role needs of its connection. */
  interface Self {
    ConnectionState state();

    JsonObject status();

    /** This one speaks for all now, since the one before has gone. */
    void speaks();
  }

  /** Makes the role, on the connection's context. */
  @FunctionalInterface
  interface Factory {
    ReplicaRole create(Vertx vertx, Self self);
  }

  /**
   * Registers the replica's own address.
   *
   * @param handler takes what comes there
   * @return completes when all nodes know the address
   */
  Future<Void> open(Vertx vertx, Handler<Message<Object>> handler);

  void close();

  /**
   * Whether this one publishes an event of the type; false where another tells it, or none should.
   */
  boolean tells(String type);

  /**
   * A message at an address of the server, or at this replica's own.
   *
   * @param suffix of the address: which operation it is for
   * @param own answers for this replica alone
   */
  void received(String suffix, Message<Object> message, Handler<Message<Object>> own);
}
