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
 * Ends the connection of a client that does not read. A plain close would first wait for it to take
 * what has been written, so for ever. Used on the request's context.
 */
public final class ForcedClose {

  private ForcedClose() {}

  /** What was written and not taken is lost. Of HTTP/2 only this one stream ends. */
  public static void on(HttpServerRequest request) {
    if (request.version() == HttpVersion.HTTP_2) {
      request.response().reset();
    } else {
      on(request.connection());
    }
  }

  /** Ends it with all that goes on on it. */
  public static void on(HttpConnection connection) {
    if (connection instanceof HttpServerConnection ours) {
      on(ours.channelHandlerContext().channel());
    } else {
      connection.close();
    }
  }

  /** The same, whatever goes on on it. */
  public static void on(InboundConnection connection) {
    on(connection.channel());
  }

  /** Closes below the socket's own queue, which would first be written out to the end. */
  public static void on(NetSocket socket, Runnable closed) {
    ((NetSocketInternal) socket)
        .channelHandlerContext()
        .close()
        .addListener(future -> closed.run());
  }

  /** Of a closed channel nothing is left to end. */
  private static void on(Channel channel) {
    ChannelHandlerContext first = channel.pipeline().firstContext();
    if (first != null) {
      // Past the handler that would flush. What cannot be closed is closed already.
      first.close().addListener(closed -> {});
    } else {
      channel.close().addListener(closed -> {});
    }
  }
}
