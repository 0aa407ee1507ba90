package dev.mcpbus.soak;

import io.vertx.core.Future;
import io.vertx.core.MultiMap;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpClientAgent;
import io.vertx.core.http.HttpClientConnection;
import io.vertx.core.http.HttpClientOptions;
import io.vertx.core.http.HttpClientRequest;
import io.vertx.core.http.HttpConnectOptions;
import io.vertx.core.http.HttpMethod;
import io.vertx.core.http.HttpVersion;
import io.vertx.core.http.PoolOptions;
import io.vertx.core.http.RequestOptions;
import io.vertx.core.http.WebSocket;
import io.vertx.core.http.WebSocketClient;
import io.vertx.core.http.WebSocketClientOptions;
import io.vertx.core.http.WebSocketConnectOptions;
import io.vertx.core.net.NetClient;
import io.vertx.core.net.NetClientOptions;
import java.util.function.Predicate;

/** The ways in which a client can come to the service. */
final class LoadClient {

  private static final String HOST = "127.0.0.1";
  private static final int KEEP_ALIVE_SECONDS = 2;

  /** A whole answer. */
  record Answer(int status, MultiMap headers, Buffer body) {

    String text() {
      return body.toString();
    }

    /** Itself where the status is one of those; else a failure that shows it. */
    Future<Answer> expect(int... statuses) {
      for (int one : statuses) {
        if (one == status) {
          return Future.succeededFuture(this);
        }
      }
      return Future.failedFuture(new Unexpected("status " + status + " " + text()));
    }
  }

  /** An answer that its kind does not expect. */
  static final class Unexpected extends RuntimeException {
    Unexpected(String message) {
      super(message, null, false, false);
    }
  }

  /** An answer that is read as it comes, up to what somebody waits for. */
  static final class Text {
    private final HttpClientRequest request;
    private final StringBuilder heard = new StringBuilder();
    private Promise<String> found = Promise.promise();
    private String wanted = "";
    private boolean ended;

    private Text(HttpClientRequest request) {
      this.request = request;
    }

    private void hear(Buffer bytes) {
      heard.append(bytes);
      look();
    }

    private void look() {
      if (!wanted.isEmpty() && heard.indexOf(wanted) >= 0) {
        found.tryComplete(heard.toString());
      }
    }

    /** All that came, once it contains this text. */
    Future<String> until(String text) {
      wanted = text;
      if (found.future().isComplete()) {
        found = Promise.promise();
      }
      look();
      if (ended) {
        lost();
      }
      return found.future();
    }

    private void lost() {
      ended = true;
      found.tryFail(new Unexpected("the stream ended after: " + heard));
    }

    /** Goes away without a word. */
    void cut() {
      request.reset();
    }
  }

  private final Vertx vertx;
  private final int port;
  private final boolean tls;
  private final HttpClientAgent pooled;
  private final HttpClientAgent single;
  private final HttpClientAgent second;
  private final WebSocketClient sockets;
  private final NetClient polite;
  private final NetClient abrupt;
  private final String key;

  /**
   * @param key that every request has that names no other
   */
  LoadClient(Vertx vertx, int port, boolean tls, String key) {
    this.vertx = vertx;
    this.port = port;
    this.tls = tls;
    this.key = key;
    PoolOptions pool = new PoolOptions().setHttp1MaxSize(64);
    this.pooled = vertx.createHttpClient(http().setKeepAliveTimeout(KEEP_ALIVE_SECONDS), pool);
    this.single =
        vertx.createHttpClient(
            http().setKeepAlive(false), new PoolOptions().setHttp1MaxSize(2_048));
    this.second =
        vertx.createHttpClient(http().setProtocolVersion(HttpVersion.HTTP_2).setUseAlpn(true));
    WebSocketClientOptions socket = new WebSocketClientOptions().setSsl(tls).setTrustAll(true);
    this.sockets = vertx.createWebSocketClient(socket.setVerifyHost(false).setMaxConnections(256));
    this.polite = vertx.createNetClient(net());
    this.abrupt = vertx.createNetClient(net().setSoLinger(0));
  }

  private HttpClientOptions http() {
    return new HttpClientOptions()
        .setDefaultHost(HOST)
        .setDefaultPort(port)
        .setSsl(tls)
        .setTrustAll(true)
        .setVerifyHost(false);
  }

  private NetClientOptions net() {
    return new NetClientOptions()
        .setSsl(tls)
        .setTrustAll(true)
        .setHostnameVerificationAlgorithm("");
  }

  Vertx vertx() {
    return vertx;
  }

  int port() {
    return port;
  }

  String key() {
    return key;
  }

  Future<Answer> get(String path, String... headers) {
    return send(pooled.request(options(HttpMethod.GET, path, headers)), "");
  }

  Future<Answer> post(String path, String body, String... headers) {
    return send(pooled.request(options(HttpMethod.POST, path, headers)), body);
  }

  Future<Answer> delete(String path, String... headers) {
    return send(pooled.request(options(HttpMethod.DELETE, path, headers)), "");
  }

  /** Over a connection of its own. */
  Future<Answer> postFresh(String path, String body, String... headers) {
    return send(single.request(options(HttpMethod.POST, path, headers)), body);
  }

  /** A connection that the caller uses and closes. */
  Future<HttpClientConnection> connect(boolean http2) {
    return (http2 ? second : pooled).connect(new HttpConnectOptions().setHost(HOST).setPort(port));
  }

  Future<Answer> postOver(
      HttpClientConnection connection, String path, String body, String... headers) {
    return send(connection.request(options(HttpMethod.POST, path, headers)), body);
  }

  /** A request whose answer nobody reads: it is taken back at once. */
  Future<Void> resetOver(
      HttpClientConnection connection, String path, String body, String... headers) {
    return connection
        .request(options(HttpMethod.POST, path, headers))
        .compose(
            request ->
                request
                    .end(Buffer.buffer(body))
                    .map(
                        sent -> {
                          request.response().otherwiseEmpty();
                          request.reset(8);
                          return null;
                        }));
  }

  private RequestOptions options(HttpMethod method, String path, String... headers) {
    RequestOptions options =
        new RequestOptions().setMethod(method).setURI(path).setHost(HOST).setPort(port);
    boolean named = false;
    for (int i = 0; i < headers.length; i += 2) {
      options.putHeader(headers[i], headers[i + 1]);
      named |= headers[i].equals("Authorization");
    }
    if (!named) {
      options.putHeader("Authorization", "Bearer " + key);
    }
    if (method.equals(HttpMethod.POST)) {
      options.putHeader("Content-Type", "application/json");
      options.putHeader("Accept", "application/json, text/event-stream");
    }
    return options;
  }

  private static Future<Answer> send(Future<HttpClientRequest> opened, String body) {
    return opened
        .compose(request -> request.send(Buffer.buffer(body)))
        .compose(
            response ->
                response
                    .body()
                    .map(all -> new Answer(response.statusCode(), response.headers(), all)));
  }

  /** Over a connection of its own: a request whose answer does not end by itself. */
  Future<Text> stream(HttpMethod method, String path, String body, String... headers) {
    RequestOptions options = options(method, path, headers);
    if (method.equals(HttpMethod.GET)) {
      options.putHeader("Accept", "text/event-stream");
    }
    return single
        .request(options)
        .compose(
            request ->
                request
                    .send(Buffer.buffer(body))
                    .compose(
                        response -> {
                          Text text = new Text(request);
                          if (response.statusCode() != 200) {
                            return response
                                .body()
                                .compose(
                                    all ->
                                        Future.failedFuture(
                                            new Unexpected(
                                                "status " + response.statusCode() + " " + all)));
                          }
                          response.handler(text::hear);
                          response.exceptionHandler(lost -> text.lost());
                          response.endHandler(end -> text.lost());
                          return Future.succeededFuture(text);
                        }));
  }

  Future<WebSocket> socket(String path) {
    return sockets.connect(
        new WebSocketConnectOptions()
            .setHost(HOST)
            .setPort(port)
            .setSsl(tls)
            .setURI(path)
            .putHeader("Authorization", "Bearer " + key));
  }

  /**
   * Says something, reads until it is enough, and goes.
   *
   * @param bytes what is said; {@code PORT} and {@code KEY} are filled in
   * @param enough decides by all that has come; the end of the connection always is enough
   * @param reset goes with a reset instead of an orderly end
   * @return all that came
   */
  Future<String> raw(String bytes, Predicate<String> enough, boolean reset) {
    return raw(bytes, enough, reset, 0);
  }

  /**
   * @param holdMillis for which it stays and reads nothing before it goes
   */
  Future<String> raw(String bytes, Predicate<String> enough, boolean reset, long holdMillis) {
    String said = bytes.replace("PORT", Integer.toString(port)).replace("KEY", key);
    return (reset ? abrupt : polite)
        .connect(port, HOST)
        .compose(
            socket -> {
              Promise<String> all = Promise.promise();
              StringBuilder heard = new StringBuilder();
              socket.exceptionHandler(lost -> all.tryComplete(heard.toString()));
              socket.closeHandler(end -> all.tryComplete(heard.toString()));
              socket.handler(
                  some -> {
                    heard.append(some.toString("ISO-8859-1"));
                    if (enough.test(heard.toString())) {
                      socket.pause();
                      all.tryComplete(heard.toString());
                    }
                  });
              socket.write(Buffer.buffer(said, "ISO-8859-1"));
              return all.future()
                  .compose(
                      text ->
                          holdMillis == 0
                              ? Future.succeededFuture(text)
                              : vertx.timer(holdMillis).map(text))
                  .eventually(
                      () -> {
                        // What a paused socket has read is kept until somebody takes it.
                        socket.handler(null).resume();
                        return socket.close().otherwiseEmpty();
                      });
            });
  }

  /** Says something and goes after a while, without waiting for an answer. */
  Future<Void> rawAndGo(String bytes, boolean reset, long afterMillis) {
    String said = bytes.replace("PORT", Integer.toString(port)).replace("KEY", key);
    return (reset ? abrupt : polite)
        .connect(port, HOST)
        .compose(
            socket -> {
              socket.exceptionHandler(lost -> {});
              return socket
                  .write(Buffer.buffer(said, "ISO-8859-1"))
                  .compose(sent -> vertx.timer(afterMillis))
                  .eventually(() -> socket.close().otherwiseEmpty())
                  .mapEmpty();
            });
  }
}
