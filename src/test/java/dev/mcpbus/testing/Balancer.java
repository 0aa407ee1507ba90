package dev.mcpbus.testing;

import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpClient;
import io.vertx.core.http.HttpClientOptions;
import io.vertx.core.http.HttpClientRequest;
import io.vertx.core.http.HttpClientResponse;
import io.vertx.core.http.HttpServer;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.http.HttpServerResponse;
import io.vertx.core.http.PoolOptions;
import io.vertx.core.http.RequestOptions;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

/**
 * Hands each HTTP request to the next of several nodes, whatever it belongs to, as a load balancer
 * without memory does. One that cannot be reached is passed over.
 */
public final class Balancer implements AutoCloseable {

  /** A request and the port that it was sent to. */
  public record Served(String method, String path, int port) {}

  private final Vertx vertx = Vertx.vertx();
  private final HttpClient client =
      vertx
          .httpClientBuilder()
          .with(new HttpClientOptions().setKeepAlive(false).setConnectTimeout(2_000))
          .with(new PoolOptions().setHttp1MaxSize(500))
          .build();
  private final List<Integer> ports;
  private final List<Served> served = new CopyOnWriteArrayList<>();
  private final HttpServer server;
  private int next;

  public Balancer(List<Integer> ports) {
    this.ports = List.copyOf(ports);
    this.server =
        TestBus.await(
            vertx.createHttpServer().requestHandler(this::receive).listen(0, "127.0.0.1"));
  }

  public int port() {
    return server.actualPort();
  }

  /** What came so far, in order. */
  public List<Served> served() {
    return List.copyOf(served);
  }

  private void receive(HttpServerRequest request) {
    request.body().onSuccess(body -> pass(request, body, next++, ports.size()));
  }

  /** Each further try takes the node after the last, whatever other requests do meanwhile. */
  private void pass(HttpServerRequest request, Buffer body, int index, int tries) {
    int port = ports.get(index % ports.size());
    RequestOptions to =
        new RequestOptions()
            .setHost("127.0.0.1")
            .setPort(port)
            .setMethod(request.method())
            .setURI(request.uri());
    // The nodes know themselves by their own ports.
    request.headers().entries().stream()
        .filter(one -> !one.getKey().equalsIgnoreCase("Connection"))
        .filter(one -> !one.getKey().equalsIgnoreCase("Host"))
        .forEach(one -> to.addHeader(one.getKey(), one.getValue()));
    client
        .request(to)
        .onSuccess(
            out -> {
              served.add(new Served(request.method().name(), request.path(), port));
              request.response().closeHandler(closed -> out.reset());
              send(request, out, body);
            })
        .onFailure(
            refused -> {
              if (tries > 1) {
                pass(request, body, index + 1, tries - 1);
              } else {
                request.response().setStatusCode(502).end();
              }
            });
  }

  private static void send(HttpServerRequest request, HttpClientRequest out, Buffer body) {
    out.response()
        .onSuccess(answer -> copy(request, answer))
        .onFailure(broken -> request.connection().close());
    out.end(body);
  }

  private static void copy(HttpServerRequest request, HttpClientResponse answer) {
    HttpServerResponse response = request.response().setStatusCode(answer.statusCode());
    answer.headers().entries().stream()
        .filter(one -> !one.getKey().equalsIgnoreCase("Connection"))
        .forEach(one -> response.putHeader(one.getKey(), one.getValue()));
    if (!answer.headers().contains("Content-Length")) {
      response.setChunked(true);
    }
    response.writeHead();
    answer.handler(response::write);
    answer.endHandler(ended -> response.end());
    answer.exceptionHandler(broken -> request.connection().close());
  }

  @Override
  public void close() {
    TestBus.await(vertx.close());
  }
}
