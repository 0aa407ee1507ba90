package dev.mcpbus.transport.memory;

import dev.mcpbus.protocol.PublicApi;
import dev.mcpbus.transport.Acceptor;
import dev.mcpbus.transport.Channel;
import dev.mcpbus.transport.SendWindow;
import dev.mcpbus.transport.Transport;
import io.vertx.core.Context;
import io.vertx.core.Future;

/**
 * Two linked channels inside the process. Each {@link #open} creates a new pair: the caller gets
 * the client's end, the acceptor gets the other end on the server's context.
 *
 * <p>Every message is a task on the receiving side's context, so messages arrive in the order in
 * which they were sent. The bytes are passed by reference. If the acceptor throws, the client's end
 * closes with {@code UPSTREAM_RESET}.
 */
@PublicApi
public final class InMemoryTransport implements Transport {

  public static final String TYPE = "memory";

  private final String name;
  private final Context server;
  private final Acceptor acceptor;
  private final int queueLimit;

  /** A transport with room for {@link SendWindow#MESSAGES} messages in each direction. */
  public InMemoryTransport(String name, Context server, Acceptor acceptor) {
    this(name, server, acceptor, SendWindow.MESSAGES);
  }

  /**
   * @param name for {@link #target} only
   * @param server the context that owns every server end
   * @param queueLimit the maximum number of messages in flight in each direction; one more fails
   *     with {@code OVERLOADED}
   */
  public InMemoryTransport(String name, Context server, Acceptor acceptor, int queueLimit) {
    this.name = name;
    this.server = server;
    this.acceptor = acceptor;
    this.queueLimit = queueLimit;
  }

  @Override
  public String type() {
    return TYPE;
  }

  @Override
  public String target() {
    return TYPE + ":" + name;
  }

  @Override
  public Future<Channel> open(Context owner, Channel.Receiver receiver) {
    InMemoryChannel client = new InMemoryChannel(owner, target(), queueLimit);
    InMemoryChannel other = new InMemoryChannel(server, target(), queueLimit);
    client.link(other, receiver);
    server.runOnContext(nothing -> other.accept(client, acceptor));
    return Future.succeededFuture(client);
  }
}
