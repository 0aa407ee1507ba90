package dev.mcpbus.transport.socket;

import dev.mcpbus.internals.AddressRace;
import dev.mcpbus.internals.HttpConnections;
import dev.mcpbus.internals.InternalContext;
import dev.mcpbus.internals.TcpKeepAlive;
import dev.mcpbus.internals.UnscopedClient;
import dev.mcpbus.transport.AuthenticatorFactory;
import dev.mcpbus.transport.BuiltInTransport;
import dev.mcpbus.transport.Channel;
import dev.mcpbus.transport.SocketOptions;
import dev.mcpbus.transport.TlsFiles;
import dev.mcpbus.transport.Transport;
import dev.mcpbus.transport.TransportException;
import dev.mcpbus.transport.TransportException.Reached;
import dev.mcpbus.transport.TransportException.Reason;
import dev.mcpbus.transport.TransportOptions;
import io.vertx.core.Context;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import io.vertx.core.net.ConnectOptions;
import io.vertx.core.net.NetClient;
import io.vertx.core.net.NetClientOptions;
import io.vertx.core.net.NetSocket;
import io.vertx.core.net.SocketAddress;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import javax.net.ssl.SSLException;

/**
 * MCP over TCP, TLS or a Unix domain socket, one JSON-RPC message per line. Immutable. {@link
 * #open} fails with {@code CONNECT_FAILED} or {@code TLS_ERROR}; with {@code tls:} it never falls
 * back to plain text.
 */
public final class SocketTransport implements Transport {

  private final Vertx vertx;
  private final SocketOptions options;
  private final SocketTarget target;

  /**
   * Creates a transport.
   *
   * @throws IllegalArgumentException if the URL is not valid
   */
  public SocketTransport(Vertx vertx, SocketOptions options) {
    this.vertx = vertx;
    this.options = options;
    this.target = SocketTarget.of(options.url());
  }

  @Override
  public String type() {
    return SocketOptions.TYPE;
  }

  @Override
  public String target() {
    return target.text();
  }

  @Override
  public Future<Channel> open(Context owner, Channel.Receiver receiver) {
    InternalContext context = InternalContext.of(owner);
    return TlsFiles.read(context, options.tls()).compose(tls -> connect(context, receiver, tls));
  }

  private Future<Channel> connect(
      InternalContext context, Channel.Receiver receiver, TlsFiles tls) {
    NetClient client = client(tls);
    Promise<Channel> opened = context.promise();
    dial(context, client)
        .onComplete(
            (socket, failure) -> {
              if (failure != null) {
                TransportException why = failure(failure);
                client.close().onComplete(nothing -> opened.fail(why));
                return;
              }
              TcpKeepAlive.hasten(socket);
              SocketChannel channel =
                  new SocketChannel(
                      context, socket.pause(), target.text(), options, receiver, client::close);
              opened.complete(channel);
              context.run(() -> channel.start());
            });
    return opened.future();
  }

  /** The first connection to an address of the host; the name stays that of the certificate. */
  private Future<NetSocket> dial(InternalContext context, NetClient client) {
    SocketAddress named = target.address();
    Future<NetSocket> first = client.connect(named);
    if (!named.isInetSocket() || HttpConnections.address(named.host()) != null) {
      return first;
    }
    return AddressRace.run(
        context,
        first,
        () -> AddressRace.others(context, named.host(), false),
        address ->
            client.connect(
                new ConnectOptions()
                    .setRemoteAddress(
                        SocketAddress.inetSocketAddress(named.port(), address.getHostAddress()))
                    .setHost(named.host())
                    .setPort(named.port())
                    .setSsl(target.tls())),
        NetSocket::close);
  }

  NetClient client(TlsFiles tls) {
    return UnscopedClient.of(vertx, clientOptions(tls));
  }

  private NetClientOptions clientOptions(TlsFiles tls) {
    int millis = Math.toIntExact(Math.max(1, options.connectTimeout().toMillis()));
    NetClientOptions client =
        new NetClientOptions()
            .setConnectTimeout(millis)
            .setTcpKeepAlive(true)
            .setHostnameVerificationAlgorithm(target.tls() ? "HTTPS" : "");
    if (target.tls()) {
      client
          .setSsl(true)
          .setSslHandshakeTimeout(millis)
          .setSslHandshakeTimeoutUnit(TimeUnit.MILLISECONDS);
      tls.addTo(client);
    }
    return client;
  }

  private TransportException failure(Throwable cause) {
    Throwable at = cause;
    boolean tls = false;
    for (int depth = 0; at.getCause() != null && depth < 10; depth++) {
      tls |= at instanceof SSLException;
      at = at.getCause();
    }
    tls |= at instanceof SSLException;
    String why = at.getMessage() == null ? at.getClass().getSimpleName() : at.getMessage();
    return new TransportException(
        tls ? Reason.TLS_ERROR : Reason.CONNECT_FAILED,
        Reached.NO,
        (tls ? "TLS with " : "no connection to ") + target.text() + ": " + why,
        -1,
        cause);
  }

  /** Makes transports of the type {@code socket}. Stateless. */
  public static final class SocketProvider extends BuiltInTransport {

    public SocketProvider() {
      super(SocketOptions.TYPE, "url", Set.of("tcp", "unix"), Set.of("tcp", "tls", "unix"));
    }

    @Override
    public Transport create(
        Vertx vertx, TransportOptions options, AuthenticatorFactory authenticators) {
      return new SocketTransport(vertx, (SocketOptions) options);
    }
  }
}
