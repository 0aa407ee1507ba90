package dev.mcpbus.transport;

/** The server's side of a transport inside the process or the cluster: takes new connections. */
@FunctionalInterface
public interface Acceptor {

  /**
   * Takes one connection. Called on the context that owns {@code channel} from then on; must not
   * block. Throwing refuses the connection.
   *
   * @param channel answers to the client go here
   * @return hears the client; its {@link Channel.Receiver#onRequestFailed} is never called
   */
  Channel.Receiver accept(Channel channel);
}
