package dev.mcpbus.internals;

import io.netty.handler.codec.DecoderException;
import io.netty.handler.codec.TooLongFrameException;
import io.netty.handler.codec.http.HttpResponseStatus;
import io.netty.handler.codec.http.TooLongHttpHeaderException;
import io.netty.handler.codec.http.TooLongHttpLineException;
import io.netty.handler.codec.http.websocketx.WebSocketHandshakeException;
import io.netty.handler.codec.http2.Http2ConnectionHandler;
import io.netty.util.NetUtil;
import io.vertx.core.http.HttpClientRequest;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.http.HttpVersion;
import io.vertx.core.net.impl.ConnectionBase;
import java.net.InetAddress;
import org.jspecify.annotations.Nullable;

/**
 * What Netty knows of an HTTP connection and its failures, and Vert.x hands through as it is:
 * Vert.x has no types of its own for them. Any thread may call, but for {@link #isUnread}.
 */
public final class HttpConnections {

  private static final int MAX_DEPTH = 10;

  private HttpConnections() {}

  /**
   * Whether the server has said goodbye and that it did not look at this stream; those up to the
   * last one may have been served (RFC 9113, 6.8). Asks Netty, because Vert.x has the first of
   * several goodbyes only. On the connection's event loop.
   */
  public static boolean isUnread(HttpClientRequest request) {
    if (request.version() != HttpVersion.HTTP_2
        || !(request.connection() instanceof ConnectionBase connection)) {
      return false;
    }
    Http2ConnectionHandler http2 =
        connection.channel().pipeline().get(Http2ConnectionHandler.class);
    int last = http2 == null ? -1 : http2.connection().local().lastStreamKnownByPeer();
    return last >= 0 && request.streamId() > last;
  }

  /** A head, or a frame, over its bound, at any depth of the failure's causes. */
  public static boolean isTooLong(Throwable failure) {
    return isCausedBy(failure, TooLongFrameException.class);
  }

  /** Bytes that are no HTTP, at any depth of the failure's causes. */
  public static boolean isUndecodable(Throwable failure) {
    return isCausedBy(failure, DecoderException.class);
  }

  private static boolean isCausedBy(Throwable failure, Class<?> type) {
    Throwable at = failure;
    for (int depth = 0; at != null && depth < MAX_DEPTH; depth++) {
      if (type.isInstance(at)) {
        return true;
      }
      at = at.getCause();
    }
    return false;
  }

  /** Why the HTTP decoder refused a request; null where it did not. */
  public static @Nullable Throwable refusal(HttpServerRequest request) {
    return request.decoderResult().cause();
  }

  /** The status for what {@link #refusal} says: 414, 431 or 400. */
  public static int refusalStatus(@Nullable Throwable refusal) {
    if (refusal instanceof TooLongHttpLineException) {
      return 414;
    }
    return refusal instanceof TooLongHttpHeaderException ? 431 : 400;
  }

  /** A WebSocket handshake that is not well-formed; Vert.x has answered it. */
  public static boolean isBadHandshake(@Nullable Throwable failure) {
    return failure instanceof WebSocketHandshakeException;
  }

  /** The reason phrase of an HTTP status, such as {@code Not Found}. */
  public static String reason(int status) {
    return HttpResponseStatus.valueOf(status).reasonPhrase();
  }

  /** An IP address from its text, without asking DNS; null where the text is none. */
  public static @Nullable InetAddress address(String literal) {
    return NetUtil.createInetAddressFromIpAddressString(literal);
  }
}
