package dev.mcpbus.internals;

import io.netty.handler.codec.DecoderException;
import io.netty.handler.codec.TooLongFrameException;
import io.netty.handler.codec.http.HttpResponseStatus;
import io.netty.handler.codec.http.TooLongHttpHeaderException;
import io.netty.handler.codec.http.TooLongHttpLineException;
import io.netty.handler.codec.http.websocketx.WebSocketHandshakeException;
import io.netty.handler.codec.http2.Http2ConnectionHandler;
import io.netty.handler.proxy.ProxyConnectException;
import io.netty.handler.ssl.NotSslRecordException;
import io.netty.util.NetUtil;
import io.vertx.core.http.HttpClientRequest;
import io.vertx.core.http.HttpConnection;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.http.HttpVersion;
import io.vertx.core.http.impl.http1.Http1ClientConnection;
import io.vertx.core.net.impl.ConnectionBase;
import java.net.InetAddress;
import org.jspecify.annotations.Nullable;

/**
 * What Netty knows about an HTTP connection and its failures, for which Vert.x has no types of its
 * own. Any thread may call, except {@link #isUnread}.
 */
public final class HttpConnections {

  private static final int MAX_DEPTH = 10;

  private HttpConnections() {}

  /**
   * Whether the server has announced, by GOAWAY, that it did not process this stream; it may have
   * processed the streams up to the last one that it names (RFC 9113, 6.8). Reads Netty's state,
   * because Vert.x has only the first of several GOAWAY frames. On the connection's event loop.
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

  /**
   * Milliseconds, until {@code now}, since a connection of HTTP/1.1 gave its last answer; -1 where
   * it gave none. An HTTP/2 server announces its close, so there it is -1, too.
   *
   * @param now by the system's clock, as Vert.x notes the time of an answer
   */
  public static long idleMillis(HttpConnection connection, long now) {
    long last =
        connection instanceof Http1ClientConnection client
            ? client.lastResponseReceivedTimestamp()
            : 0;
    return last == 0 ? -1 : now - last;
  }

  /** Whether a request waits for its answer on a connection of HTTP/1.1, or is about to be sent. */
  public static boolean isInUse(HttpConnection connection) {
    return connection instanceof Http1ClientConnection client && client.activeStreams() > 0;
  }

  /** What a proxy said when it made no connection; null where it is not the proxy that refused. */
  public static @Nullable String proxyRefusal(Throwable failure) {
    Throwable at = failure;
    for (int depth = 0; at != null && depth < MAX_DEPTH; depth++) {
      if (at instanceof ProxyConnectException) {
        String text = String.valueOf(at.getMessage());
        return text.substring(text.lastIndexOf(", ") + 1).strip();
      }
      at = at.getCause();
    }
    return null;
  }

  /** Whether a head or a frame exceeded its bound, at any depth of the failure's causes. */
  public static boolean isTooLong(Throwable failure) {
    return isCausedBy(failure, TooLongFrameException.class);
  }

  /** Whether the bytes were no HTTP, at any depth of the failure's causes. */
  public static boolean isUndecodable(Throwable failure) {
    return isCausedBy(failure, DecoderException.class);
  }

  /** Whether the peer of a TLS connection answered without TLS. */
  public static boolean isPlainText(Throwable failure) {
    return isCausedBy(failure, NotSslRecordException.class);
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

  /** The status for the failure of {@link #refusal}: 414, 431 or 400. */
  public static int refusalStatus(@Nullable Throwable refusal) {
    if (refusal instanceof TooLongHttpLineException) {
      return 414;
    }
    return refusal instanceof TooLongHttpHeaderException ? 431 : 400;
  }

  /** Whether a WebSocket handshake was malformed; Vert.x has answered it. */
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
