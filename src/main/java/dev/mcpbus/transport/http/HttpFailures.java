package dev.mcpbus.transport.http;

import dev.mcpbus.internals.HeldBytes;
import dev.mcpbus.internals.HttpConnections;
import dev.mcpbus.protocol.OutboundProxy;
import dev.mcpbus.protocol.ProtocolException;
import dev.mcpbus.protocol.ProtocolException.TextFault;
import dev.mcpbus.transport.TransportException;
import dev.mcpbus.transport.TransportException.Reached;
import dev.mcpbus.transport.TransportException.Reason;
import io.vertx.core.Future;
import io.vertx.core.VertxException;
import io.vertx.core.http.ConnectionPoolTooBusyException;
import io.vertx.core.http.HttpClientRequest;
import io.vertx.core.http.HttpClientResponse;
import io.vertx.core.http.HttpClosedException;
import io.vertx.core.http.HttpHeaders;
import io.vertx.core.http.StreamResetException;
import java.io.IOException;
import java.net.ConnectException;
import java.net.NoRouteToHostException;
import java.net.SocketException;
import java.net.UnknownHostException;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.UnresolvedAddressException;
import java.util.concurrent.TimeoutException;
import javax.net.ssl.SSLException;
import org.jspecify.annotations.Nullable;

/** Maps failures of HTTP connections and bodies to {@link TransportException}s. Stateless. */
final class HttpFailures {

  /**
   * The HTTP/2 error code REFUSED_STREAM: the server has not processed the request (RFC 9113, 8.7).
   */
  private static final long REFUSED_STREAM = 7;

  private static final int MAX_TEXT = 200;

  private HttpFailures() {}

  /** No connection was established, so nothing was sent. */
  static TransportException connecting(Throwable cause, HttpEndpoint to) {
    if (find(cause, ConnectionPoolTooBusyException.class) != null) {
      return new TransportException(
          Reason.OVERLOADED,
          Reached.NO,
          "too many requests wait for a connection to " + to.origin());
    }
    if (find(cause, SSLException.class) != null) {
      return tls(cause, Reached.NO, to);
    }
    boolean unreachable =
        to.socket() != null
            || find(cause, ConnectException.class) != null
            || find(cause, UnknownHostException.class) != null
            || find(cause, NoRouteToHostException.class) != null
            || find(cause, UnresolvedAddressException.class) != null
            || find(cause, TimeoutException.class) != null;
    return new TransportException(
        unreachable ? Reason.CONNECT_FAILED : Reason.UPSTREAM_RESET,
        Reached.NO,
        "no connection to "
            + to.origin()
            + via(to)
            + ": "
            + why(cause, to.proxy())
            + (unreachable ? "" : hint(to)),
        -1,
        cause);
  }

  /** Names the proxy through which a server is reached; empty where there is none. */
  static String via(HttpEndpoint to) {
    return to.proxy() == null ? "" : " through the proxy " + to.proxy();
  }

  /** What is wrong if a proxy wants another user. */
  static String proxyLogin(OutboundProxy proxy) {
    return "the proxy "
        + (proxy.user() == null ? "requires a user" : "does not accept the user")
        + " and password (407): write http://user:password@host:port as "
        + proxy.source();
  }

  private static String why(Throwable cause, @Nullable OutboundProxy proxy) {
    String refusal = proxy == null ? null : HttpConnections.proxyRefusal(cause);
    if (proxy != null && refusal != null) {
      return refusal.contains("407")
          ? proxyLogin(proxy)
          : "the proxy did not connect (" + clean(refusal) + ")";
    }
    if (find(cause, UnknownHostException.class) != null
        || find(cause, UnresolvedAddressException.class) != null) {
      return proxy == null
          ? "the name of the host is not known; correct \"url\", or check the network"
          : "the name of the proxy is not known; correct " + proxy.source();
    }
    String text = text(cause);
    return text.startsWith("Connection refused")
        ? "connection refused; is the "
            + (proxy == null ? "server" : "proxy")
            + " running, and on that port?"
        : text;
  }

  /**
   * With TLS 1.3 a server that requires our certificate reports its absence only after our side has
   * finished the handshake.
   */
  private static String hint(HttpEndpoint to) {
    return to.tls()
        ? "; if the server requires a client certificate, set \"tls.certFile\" and \"tls.keyFile\""
        : "";
  }

  private static TransportException tls(Throwable cause, Reached sent, HttpEndpoint with) {
    String why =
        HttpConnections.isPlainText(cause)
            ? "the server answers without TLS; write http:// in place of https://"
            : text(root(cause));
    return new TransportException(
        Reason.TLS_ERROR, sent, "TLS with " + with.origin() + ": " + why, -1, cause);
  }

  /**
   * No response arrived. The server has not processed the request if nothing of it could be
   * written, as on a pooled connection that the server closed while it was idle, or if an HTTP/2
   * server reports that.
   */
  static TransportException sent(
      Throwable cause, Future<Void> written, HttpClientRequest request, HttpEndpoint to) {
    TransportException why = sent(cause, to);
    boolean unwritten = written.failed() && written.cause() instanceof ClosedChannelException;
    return unwritten || HttpConnections.isUnread(request) ? why.withReached(Reached.NO) : why;
  }

  /** The connection failed after the request was passed to it. */
  static TransportException sent(Throwable cause, HttpEndpoint to) {
    if (find(cause, SSLException.class) != null) {
      return tls(cause, Reached.MAYBE, to);
    }
    if (HttpConnections.isTooLong(cause)) {
      return new TransportException(
          Reason.LIMIT_EXCEEDED, Reached.MAYBE, "response head of " + to + " is over 32 KiB");
    }
    StreamResetException reset = find(cause, StreamResetException.class);
    if (reset != null) {
      return new TransportException(
          Reason.UPSTREAM_RESET,
          reset.getCode() == REFUSED_STREAM ? Reached.NO : Reached.MAYBE,
          to + " has reset the stream, code " + reset.getCode());
    }
    boolean noHttp =
        find(cause, HttpClosedException.class) == null
            && (HttpConnections.isUndecodable(cause)
                || cause instanceof IllegalArgumentException
                || cause instanceof IllegalStateException
                || cause instanceof VertxException)
            && find(cause, IOException.class) == null;
    return new TransportException(
        noHttp ? Reason.PROTOCOL_ERROR : Reason.UPSTREAM_RESET,
        Reached.MAYBE,
        (noHttp ? "not HTTP from " : "connection broke: ") + to + ": " + text(cause),
        -1,
        cause);
  }

  /** A message that is not strict JSON-RPC, or exceeds a bound. */
  static TransportException parsing(ProtocolException cause) {
    Reason reason =
        cause.isLimit()
            ? Reason.LIMIT_EXCEEDED
            : cause.reason() == TextFault.NO_ROOM ? Reason.OVERLOADED : Reason.PROTOCOL_ERROR;
    return new TransportException(reason, Reached.MAYBE, text(cause), -1, cause);
  }

  static TransportException protocol(String what) {
    return new TransportException(Reason.PROTOCOL_ERROR, Reached.MAYBE, what);
  }

  /** The connection failed while a body was being read. */
  static TransportException cutShort(
      HttpClientResponse response, Throwable cause, HttpEndpoint from) {
    TransportException broken = sent(cause, from);
    boolean ended = !(cause instanceof SocketException) && HttpConventions.length(response) >= 0;
    return ended && broken.reason() == Reason.UPSTREAM_RESET
        ? protocol("body is shorter than its Content-Length")
        : broken;
  }

  /** A successful status without JSON and without an event stream. */
  static TransportException notMcp(HttpClientResponse response, HttpEndpoint from) {
    String type = response.getHeader(HttpHeaders.CONTENT_TYPE);
    return protocol(
        "HTTP "
            + response.statusCode()
            + (type == null ? " without a body" : " with " + clean(type))
            + " from "
            + from
            + " in place of an MCP message"
            + StatusFailures.ENDPOINT);
  }

  static TransportException sessionLost() {
    return new TransportException(
        Reason.SESSION_LOST, Reached.NO, "the server no longer knows the session");
  }

  /** For requests that the server got before it lost the session. */
  static TransportException lostInFlight() {
    return new TransportException(
        Reason.UPSTREAM_RESET,
        Reached.MAYBE,
        "the server no longer knows the session, and did not answer requests of it");
  }

  static TransportException tooLarge(int maxBytes) {
    return new TransportException(
        Reason.LIMIT_EXCEEDED,
        Reached.MAYBE,
        "response is over the limit of " + maxBytes + " bytes");
  }

  /** A body that its server cannot pay. */
  static TransportException unpaid(HeldBytes body) {
    return new TransportException(Reason.OVERLOADED, Reached.MAYBE, "response: " + body.refusal());
  }

  static TransportException redirected(int status, @Nullable HttpEndpoint to) {
    return new TransportException(
        Reason.PROTOCOL_ERROR,
        Reached.NO,
        "HTTP "
            + status
            + (to == null
                ? " redirects to nowhere: correct \"url\""
                : " redirects to "
                    + clean(to.toString())
                    + ": mcpbus follows no redirect of a request, so write that address in"
                    + " \"url\" if it is the right one"));
  }

  /**
   * The stream of a request ended before the reply.
   *
   * @param why what prevented the stream from being resumed, or null
   */
  static TransportException outcomeUnknown(@Nullable TransportException why) {
    return new TransportException(
        Reason.OUTCOME_UNKNOWN,
        Reached.MAYBE,
        "the event stream was cut before the reply"
            + (why == null ? "" : " and could not be resumed: " + why.getMessage()));
  }

  /** A peer's text for an error message: one line of printable characters, truncated. */
  static String clean(String text) {
    String head = text.length() > MAX_TEXT ? text.substring(0, MAX_TEXT) + "..." : text;
    return head.replaceAll("\\p{C}+", " ").strip();
  }

  private static String text(Throwable cause) {
    String message = cause.getMessage();
    return clean(message == null ? cause.getClass().getSimpleName() : message);
  }

  /** Only the innermost exception of a TLS failure names the problem with the certificate. */
  private static Throwable root(Throwable cause) {
    Throwable at = cause;
    for (int depth = 0; at.getCause() != null && depth < 10; depth++) {
      at = at.getCause();
    }
    return at;
  }

  private static <T> @Nullable T find(Throwable cause, Class<T> type) {
    Throwable at = cause;
    for (int depth = 0; at != null && depth < 10; depth++) {
      if (type.isInstance(at)) {
        return type.cast(at);
      }
      at = at.getCause();
    }
    return null;
  }
}
