package dev.mcpbus.internals;

import io.netty.channel.ChannelPipeline;
import io.netty.handler.codec.DecoderException;
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpMessage;
import io.netty.handler.codec.http.HttpVersion;
import io.vertx.core.http.Http1ServerConfig;
import io.vertx.core.http.impl.http1.VertxHttpRequestDecoder;
import java.util.List;

/**
 * Vert.x's decoder of HTTP/1, which also refuses requests of ambiguous length (RFC 9112, section
 * 6.3): a proxy in front could see another end, and would take the rest for a request of its own.
 * The server answers 400, reads nothing more, and closes the connection. Runs on the event loop of
 * its connection.
 */
public final class StrictRequestDecoder extends VertxHttpRequestDecoder {

  private static final String NAME = "httpDecoder";

  /** The reason for the refusal, with what to send instead. */
  public static final class AmbiguousLengthException extends DecoderException {
    private static final long serialVersionUID = 1L;

    AmbiguousLengthException(String message) {
      super(message);
    }
  }

  private StrictRequestDecoder(Http1ServerConfig bounds) {
    super(bounds);
  }

  /** Called before the first byte of a connection is read; does nothing for HTTP/2. */
  public static void install(InboundConnection connection, Http1ServerConfig bounds) {
    ChannelPipeline pipeline = connection.channel().pipeline();
    if (pipeline.get(NAME) != null) {
      pipeline.replace(NAME, NAME, new StrictRequestDecoder(bounds));
    }
  }

  /** The first method that Netty calls when a head is complete and still unchanged. */
  @Override
  protected boolean isContentAlwaysEmpty(HttpMessage message) {
    if (message != null) {
      check(message);
    }
    return super.isContentAlwaysEmpty(message);
  }

  private static void check(HttpMessage message) {
    if (message.headers().contains("")) {
      throw new AmbiguousLengthException("a header without a name");
    }
    boolean encoded = message.headers().contains(HttpHeaderNames.TRANSFER_ENCODING);
    if (!encoded && !message.headers().contains(HttpHeaderNames.CONTENT_LENGTH)) {
      return;
    }
    List<String> lengths = message.headers().getAll(HttpHeaderNames.CONTENT_LENGTH);
    if (lengths.size() > 1) {
      throw new AmbiguousLengthException("more than one Content-Length; send one");
    }
    if (!encoded) {
      return;
    }
    if (!lengths.isEmpty()) {
      throw new AmbiguousLengthException(
          "Content-Length together with Transfer-Encoding; send one of them");
    }
    List<String> encodings = message.headers().getAll(HttpHeaderNames.TRANSFER_ENCODING);
    if (encodings.size() > 1 || !encodings.get(0).equalsIgnoreCase("chunked")) {
      throw new AmbiguousLengthException(
          "Transfer-Encoding can be chunked, once, and nothing else");
    }
    if (!message.protocolVersion().equals(HttpVersion.HTTP_1_1)) {
      throw new AmbiguousLengthException("Transfer-Encoding is of HTTP/1.1; send Content-Length");
    }
  }
}
