package dev.mcpbus.transport.memory;

import dev.mcpbus.transport.Acceptor;
import dev.mcpbus.transport.Channel;
import dev.mcpbus.transport.SendWindow;
import dev.mcpbus.transport.Transport;
import io.vertx.core.Context;
import io.vertx.core.Future;

/**
 * Two linked channels inside the process. Each {@link #open} makes a fresh pair: the client's end
 * is returned, the other end is given to the acceptor on the server's context.
 *
 * <p>Every message is a task on the receiving side's context, so the order is the order of sending.
 * The bytes are handed over by reference. An acceptor that throws closes the client's end with
 * {@code UPSTREAM_RESET}.
 */
public final class InMemoryTransport implements Transport {

  public static final String TYPE = "memory";

  private final String name;
  private final Context server;
  private final Acceptor acceptor;
  private final int queueLimit;

  /** With room for {@link SendWindow#MESSAGES} in each direction. */
  public InMemoryTransport(String name, Context server, Acceptor acceptor) {
    this(name, server, acceptor, SendWindow.MESSAGES);
  }

  /**
   * @param name for {@link #target} only
   * @param server the context that owns every server end
   * @param queueLimit messages on the way in each direction at most; {@code OVERLOADED} beyond
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
