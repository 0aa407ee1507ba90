package dev.mcpbus.transport.http;

import dev.mcpbus.internals.AddressRace;
import dev.mcpbus.internals.DedicatedConnection;
import dev.mcpbus.internals.HttpConnections;
import dev.mcpbus.internals.InternalContext;
import dev.mcpbus.protocol.OutboundProxy;
import dev.mcpbus.transport.HttpOptions;
import dev.mcpbus.transport.TlsFiles;
import io.vertx.core.Future;
import io.vertx.core.http.HttpClientAgent;
import io.vertx.core.http.HttpClientRequest;
import io.vertx.core.http.HttpClientResponse;
import io.vertx.core.http.HttpConnection;
import io.vertx.core.http.HttpHeaders;
import io.vertx.core.http.RequestOptions;
import io.vertx.core.net.ProxyOptions;
import io.vertx.core.net.SocketAddress;
import java.net.InetAddress;
import java.time.InstantSource;
import java.util.List;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Gives the requests of one channel their connections: from the pool of its client, or new ones.
 *
 * <p>The client connects by the name of the host, to the address that the name had when the client
 * was used first. Where no connection is open, and that fails or is silent, the addresses that the
 * name has now are tried ({@link AddressRace}); the one that answers is used until all connections
 * are closed. With a proxy all this is about the proxy's name.
 *
 * <p>A connection that was idle for about as long as its server keeps one is closed and not used: a
 * request would meet the server's close, and nobody could say whether it was executed. It holds the
 * strong reference that keeps Vert.x from closing the HTTP client. Confined to the owner context of
 * its channel.
 */
final class HttpDialer {

  /**
   * Node and uvicorn close a connection that was idle for 5 s, which they need not announce; so
   * does this side, a second earlier.
   */
  private static final long IDLE_MILLIS = 4_000;

  /** The time that is left of an announced one, at most half of it. */
  private static final long MARGIN_MILLIS = 1_000;

  /**
   * A server that closes a connection earlier does so for another reason than that it is idle, or
   * closes each one after its answer.
   */
  private static final long LEAST_IDLE_MILLIS = 100;

  private final InternalContext owner;
  private final HttpClientAgent client;
  private final InstantSource clock;
  private final HttpEndpoint endpoint;
  private final @Nullable ProxyOptions proxy;
  private final boolean named;
  private @Nullable InetAddress found;
  private @Nullable RequestOptions placedFrom;
  private @Nullable RequestOptions placed;
  private @Nullable Future<List<InetAddress>> lookUp;
  private int open;
  private long connections;
  private long answers;
  private int hasty;
  private boolean asked;
  private long idle = IDLE_MILLIS;
  private boolean closing;

  /**
   * @param streams how many connections streams hold permanently, in addition to {@code
   *     maxConnections}
   * @param tls the files that were read for this channel
   */
  HttpDialer(
      InternalContext owner,
      HttpEndpoint endpoint,
      HttpOptions options,
      int streams,
      TlsFiles tls,
      InstantSource clock) {
    this.owner = owner;
    this.clock = clock;
    this.endpoint = endpoint;
    OutboundProxy through = endpoint.proxy();
    this.proxy = through == null ? null : through.options(options.connectTimeout());
    this.named =
        endpoint.socket() == null && HttpConnections.address(endpoint.connectsTo()) == null;
    this.client =
        HttpClients.create(owner, endpoint, options, proxy, streams, tls, this::connected);
  }

  private void connected(HttpConnection connection) {
    HttpClients.connected(connection);
    open++;
    connections++;
    asked = true;
    connection.closeHandler(
        nothing -> {
          open--;
          if (open == 0) {
            found(null);
          }
          long idled = HttpConnections.idleMillis(connection, clock.millis());
          boolean byServer = !closing && !HttpConnections.isInUse(connection);
          if (byServer && idled >= LEAST_IDLE_MILLIS && idled < idle) {
            idle = idled * 3 / 4;
          } else if (byServer && idled >= 0 && idled < idle && answers <= connections) {
            idle = ++hasty < 2 ? idle : 0; // none was ever used twice
          }
        });
  }

  /** A request over a pooled connection. Never throws: if the client is closed, it fails. */
  Future<HttpClientRequest> request(RequestOptions to) {
    return dial(to, options -> pooled(options));
  }

  /** A GET for a stream that may stay open. Never throws, like {@link #request}. */
  Future<HttpClientRequest> stream(RequestOptions get) {
    return proxy == null
        ? dial(get, options -> DedicatedConnection.get(client, options, HttpClients::connected))
        : request(get);
  }

  private Future<HttpClientRequest> pooled(RequestOptions to) {
    Future<HttpClientRequest> request = client.request(to);
    while (request.succeeded() && isStale(request.result().connection())) {
      HttpClientRequest stale = request.result();
      stale.exceptionHandler(HttpConventions.IGNORE);
      stale.connection().close();
      request = client.request(to);
    }
    return request;
  }

  private boolean isStale(HttpConnection connection) {
    return HttpConnections.idleMillis(connection, clock.millis()) >= idle;
  }

  private Future<HttpClientRequest> dial(
      RequestOptions to, Function<RequestOptions, Future<HttpClientRequest>> connect) {
    try {
      Future<HttpClientRequest> first = connect.apply(place(to));
      if (!named || open > 0 || first.succeeded()) {
        return first;
      }
      return AddressRace.run(
          owner,
          first,
          this::others,
          address -> connect.apply(at(address, to)).onSuccess(request -> found(address)),
          HttpConventions::giveBack);
    } catch (IllegalStateException e) {
      return owner.failedFuture(e);
    }
  }

  private void found(@Nullable InetAddress address) {
    found = address;
    placed = null;
  }

  /** One look-up for all requests that wait for a connection. */
  private Future<List<InetAddress>> others() {
    Future<List<InetAddress>> asked = lookUp;
    if (asked == null) {
      asked = AddressRace.others(owner, endpoint.connectsTo(), connections > 0);
      lookUp = asked;
      asked.onComplete(
          done -> {
            lookUp = null;
          });
    }
    return asked;
  }

  /** The request to the address that was found; made once for the options that most calls share. */
  private RequestOptions place(RequestOptions to) {
    InetAddress at = found;
    if (at == null) {
      return to;
    }
    RequestOptions made = placed;
    if (to != placedFrom || made == null) {
      placedFrom = to;
      made = at(at, to);
      placed = made;
    }
    return made;
  }

  /** The same request to one address of the host, whose name stays that of the request. */
  private RequestOptions at(InetAddress address, RequestOptions to) {
    RequestOptions options = new RequestOptions(to);
    return proxy == null
        ? options.setServer(SocketAddress.inetSocketAddress(to.getPort(), address.getHostAddress()))
        : options.setProxyOptions(new ProxyOptions(proxy).setHost(address.getHostAddress()));
  }

  /** Reads how long the server keeps an idle connection, once for each connection. */
  void answered(HttpClientResponse response) {
    answers++;
    if (answers <= connections && "close".equals(response.getHeader(HttpHeaders.CONNECTION))) {
      hasty = -1;
    }
    if (asked && hasty < 2) {
      asked = false;
      long announced = HttpConventions.keepAliveMillis(response);
      if (announced >= 0) {
        idle = announced - Math.min(MARGIN_MILLIS, announced / 2);
      }
    }
  }

  Future<Void> close() {
    closing = true;
    return client.close();
  }
}
