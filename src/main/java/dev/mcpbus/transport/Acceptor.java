package dev.mcpbus.transport;

import dev.mcpbus.protocol.PublicApi;

/** The server's side of a transport inside the process or the cluster: accepts new connections. */
@PublicApi
@FunctionalInterface
public interface Acceptor {

  /**
   * Accepts one connection. The transport calls it on the context that owns {@code channel} from
   * then on; must not block. An exception refuses the connection.
   *
   * @param channel carries the messages to the client
   * @return receives the client's messages; its {@link Channel.Receiver#onRequestFailed} is never
   *     called
   */
  Channel.Receiver accept(Channel channel);
}
