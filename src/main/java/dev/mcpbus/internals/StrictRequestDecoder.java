package dev.mcpbus.internals;

import io.netty.channel.ChannelPipeline;
import io.netty.handler.codec.DecoderException;
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpMessage;
import io.netty.handler.codec.http.HttpVersion;
import io.vertx.core.http.HttpServerOptions;
import io.vertx.core.http.impl.VertxHttpRequestDecoder;
import java.util.List;

/**
 * Vert.x's decoder of HTTP/1, which also refuses requests whose end a proxy in front could see
 * elsewhere (RFC 9112, section 6.3): what follows such an end would be taken for a request of its
 * own. The answer is 400, nothing more is read, and the connection closes.
 */
public final class StrictRequestDecoder extends VertxHttpRequestDecoder {

  private static final String NAME = "httpDecoder";

  /** Why a request is refused, with what to send instead. */
  public static final class AmbiguousLengthException extends DecoderException {
    private static final long serialVersionUID = 1L;

    AmbiguousLengthException(String message) {
      super(message);
    }
  }

  private StrictRequestDecoder(HttpServerOptions options) {
    super(options);
  }

  /** Before the first byte of a connection is read; of HTTP/2 there is nothing to do. */
  public static void install(InboundConnection connection, HttpServerOptions options) {
    ChannelPipeline pipeline = connection.channel().pipeline();
    if (pipeline.get(NAME) != null) {
      pipeline.replace(NAME, NAME, new StrictRequestDecoder(options));
    }
  }

  /** The first that is asked for when a head is complete, while it is still as it was sent. */
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
