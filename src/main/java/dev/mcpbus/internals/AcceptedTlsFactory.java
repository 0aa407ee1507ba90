package dev.mcpbus.internals;

import io.netty.buffer.ByteBufAllocator;
import io.netty.channel.ChannelHandlerContext;
import io.netty.handler.ssl.DelegatingSslContext;
import io.netty.handler.ssl.SslContext;
import io.netty.handler.ssl.SslHandler;
import io.netty.handler.ssl.SslProvider;
import io.vertx.core.net.JdkSSLEngineOptions;
import io.vertx.core.spi.tls.DefaultSslContextFactory;
import io.vertx.core.spi.tls.SslContextFactory;
import java.util.concurrent.Executor;
import java.util.function.Consumer;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.SSLException;

/**
 * TLS of the JDK, with a callback for each connection as soon as it is accepted. Vert.x reports a
 * connection only after its TLS handshake, and an HTTP/2 connection only after its first SETTINGS
 * frame: a client that sends neither would not be counted by any limit.
 */
public final class AcceptedTlsFactory extends JdkSSLEngineOptions {

  private final Consumer<InboundConnection> accepted;

  /**
   * @param accepted receives each connection, on the connection's event loop
   */
  public AcceptedTlsFactory(Consumer<InboundConnection> accepted) {
    this.accepted = accepted;
  }

  @Override
  public AcceptedTlsFactory copy() {
    return new AcceptedTlsFactory(accepted);
  }

  @Override
  public SslContextFactory sslContextFactory() {
    return new DefaultSslContextFactory(SslProvider.JDK, false) {
      @Override
      public SslContext create() throws SSLException {
        return new Context(super.create(), accepted);
      }
    };
  }

  private static final class Context extends DelegatingSslContext {

    private final Consumer<InboundConnection> accepted;

    Context(SslContext jdk, Consumer<InboundConnection> accepted) {
      super(jdk);
      this.accepted = accepted;
    }

    @Override
    protected void initEngine(SSLEngine engine) {} // the context of the JDK has set it up

    @Override
    protected SslHandler newHandler(
        ByteBufAllocator buffers, String host, int port, boolean startTls, Executor executor) {
      return new SslHandler(newEngine(buffers, host, port), startTls, executor) {
        @Override
        public void handlerAdded(ChannelHandlerContext ctx) throws Exception {
          super.handlerAdded(ctx);
          accepted.accept(new InboundConnection(ctx.channel()));
        }
      };
    }
  }
}
