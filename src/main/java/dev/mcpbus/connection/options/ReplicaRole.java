package dev.mcpbus.connection.options;

import dev.mcpbus.bus.ConnectionState;
import io.vertx.core.Future;
import io.vertx.core.Handler;
import io.vertx.core.Vertx;
import io.vertx.core.eventbus.Message;
import io.vertx.core.json.JsonObject;
import org.jspecify.annotations.Nullable;

/**
 * The role of one of several replicas of a server, each on its own node: which requests it answers
 * itself, and which events it publishes for all. The cluster implements it; a server's only
 * connection has none. Owner: the connection's context.
 */
public interface ReplicaRole {

  /** What the role needs of its connection. */
  interface Self {
    ConnectionState state();

    /**
     * The answer to {@code mcp.<id>.status}.
     *
     * @param request the body of the request
     */
    JsonObject status(@Nullable Object request);

    /** This replica now publishes the common events, because the one that did has gone. */
    void tookOver();
  }

  /** Makes the role, on the connection's context. */
  @FunctionalInterface
  interface RoleFactory {
    ReplicaRole create(Vertx vertx, Self self);
  }

  /**
   * Registers the replica's own address.
   *
   * @param handler takes the messages at that address
   * @return completes when every node knows the address
   */
  Future<Void> open(Vertx vertx, Handler<Message<Object>> handler);

  void close();

  /**
   * Whether this replica publishes an event of this type; false where another replica does, or
   * none.
   */
  boolean publishes(String type);

  /**
   * Takes a message at an address of the server, or at the address of this replica.
   *
   * @param suffix the suffix of the address, which names the operation
   * @param own answers the message for this replica alone
   */
  void received(String suffix, Message<Object> message, Handler<Message<Object>> own);
}
