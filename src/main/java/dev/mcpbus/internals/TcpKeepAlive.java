package dev.mcpbus.internals;

import io.netty.channel.Channel;
import io.netty.channel.ChannelException;
import io.netty.channel.ChannelOption;
import io.netty.channel.socket.nio.NioChannelOption;
import io.netty.channel.socket.nio.NioSocketChannel;
import io.vertx.core.net.impl.ConnectionBase;
import java.net.SocketOption;
import jdk.net.ExtendedSocketOptions;

/**
 * Finds a peer that has disappeared, on connections that may be silent for hours: an event stream,
 * a long call. The system's TCP keep-alive notices it after two hours; this one within two minutes.
 * Where the platform has no such options, its own times stay.
 */
public final class TcpKeepAlive {

  static final int IDLE_SECONDS = 60;
  static final int INTERVAL_SECONDS = 15;
  static final int PROBES = 4;

  private TcpKeepAlive() {}

  /**
   * Sets the keep-alive times of a connection whose keep-alive is on.
   *
   * @param connection an HTTP connection or a socket of Vert.x
   */
  public static void hasten(Object connection) {
    if (connection instanceof ConnectionBase base
        && base.channel() instanceof NioSocketChannel channel) {
      set(channel, ExtendedSocketOptions.TCP_KEEPIDLE, IDLE_SECONDS);
      set(channel, ExtendedSocketOptions.TCP_KEEPINTERVAL, INTERVAL_SECONDS);
      set(channel, ExtendedSocketOptions.TCP_KEEPCOUNT, PROBES);
    }
  }

  private static void set(Channel channel, SocketOption<Integer> name, int value) {
    ChannelOption<Integer> option = NioChannelOption.of(name);
    try {
      channel.config().setOption(option, value);
    } catch (ChannelException e) {
      // Closed already: its user receives the close.
    }
  }
}
