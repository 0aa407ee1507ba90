package dev.mcpbus.connection.options;

import dev.mcpbus.bus.ConnectionState;
import io.vertx.core.Future;
import io.vertx.core.Handler;
import io.vertx.core.Vertx;
import io.vertx.core.eventbus.Message;
import io.vertx.core.json.JsonObject;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The role of one of several connections of a server, the replicas: which requests it answers
 * itself, and which events it publishes for all. A server's only connection has none. Owner: the
 * connection's context.
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

    /** Requests in flight, of this moment or one just before; any thread may call it. */
    int pending();

    /** Calls are to come here: a connection that is idle starts, unless it was disconnected. */
    void wanted();

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
   * @param operations what takes the messages of each suffix, for this replica alone
   * @return completes when every node knows the address
   */
  Future<Void> open(
      Vertx vertx,
      Handler<Message<Object>> handler,
      Map<String, Handler<Message<Object>>> operations);

  /**
   * The circuit breaker of this replica lets a probe through in so many milliseconds; -1 where it
   * is closed, or a probe is on its way.
   */
  void probeIn(long millis);

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
