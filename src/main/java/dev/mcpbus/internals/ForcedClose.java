package dev.mcpbus.internals;

import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.vertx.core.http.HttpConnection;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.http.HttpVersion;
import io.vertx.core.http.impl.HttpServerConnection;
import io.vertx.core.internal.net.NetSocketInternal;
import io.vertx.core.net.NetSocket;

/**
 * Closes the connection of a client that does not read. A normal close waits until the client has
 * taken all that was written, which may be never. Runs on the request's context.
 */
public final class ForcedClose {

  private ForcedClose() {}

  /** Drops what was written and not taken. Over HTTP/2 only the stream of this request ends. */
  public static void on(HttpServerRequest request) {
    if (request.version() == HttpVersion.HTTP_2) {
      request.response().reset();
    } else {
      on(request.connection());
    }
  }

  /** Ends a connection with all its requests. */
  public static void on(HttpConnection connection) {
    if (connection instanceof HttpServerConnection ours) {
      on(ours.channelHandlerContext().channel());
    } else {
      connection.close();
    }
  }

  /** Ends a connection with all its requests. */
  public static void on(InboundConnection connection) {
    on(connection.channel());
  }

  /** Closes below the socket's own queue, which a normal close would write out first. */
  public static void on(NetSocket socket, Runnable closed) {
    ((NetSocketInternal) socket)
        .channelHandlerContext()
        .close()
        .addListener(future -> closed.run());
  }

  /** A closed channel has no handlers left. */
  private static void on(Channel channel) {
    ChannelHandlerContext first = channel.pipeline().firstContext();
    if (first != null) {
      // Skips the handler that would flush. A failure means that the channel is closed already.
      first.close().addListener(closed -> {});
    } else {
      channel.close().addListener(closed -> {});
    }
  }
}
