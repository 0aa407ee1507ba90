package dev.mcpbus.bench.gateway;

import io.vertx.core.DeploymentOptions;
import io.vertx.core.Future;
import io.vertx.core.VerticleBase;
import io.vertx.core.Vertx;
import io.vertx.core.http.HttpClient;
import io.vertx.core.http.HttpClientResponse;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.http.HttpServerResponse;
import io.vertx.core.http.PoolOptions;

/** The least that a gateway does: heads are copied and bodies piped, nothing is read. */
final class BareProxy extends VerticleBase {

  private final int from;
  private final int to;

  private BareProxy(int from, int to) {
    this.from = from;
    this.to = to;
  }

  /** Arguments: the port to listen on, the port to pass on to. */
  public static void main(String[] args) {
    int from = Integer.parseInt(args[0]);
    int to = Integer.parseInt(args[1]);
    int instances = Runtime.getRuntime().availableProcessors();
    Vertx.vertx()
        .deployVerticle(
            () -> new BareProxy(from, to), new DeploymentOptions().setInstances(instances))
        .onFailure(
            failure -> {
              failure.printStackTrace();
              System.exit(1);
            });
  }

  @Override
  public Future<?> start() {
    HttpClient client =
        vertx.createHttpClient(new PoolOptions().setHttp1MaxSize(256).setMaxWaitQueueSize(-1));
    return vertx
        .createHttpServer()
        .requestHandler(request -> pass(client, request))
        .listen(from, "127.0.0.1");
  }

  private void pass(HttpClient client, HttpServerRequest request) {
    request.pause();
    client
        .request(request.method(), to, "127.0.0.1", request.uri())
        .compose(
            up -> {
              up.headers().addAll(request.headers());
              return up.send(request);
            })
        .compose(answer -> back(answer, request.response()))
        .onFailure(failure -> request.connection().close());
  }

  private static Future<Void> back(HttpClientResponse answer, HttpServerResponse response) {
    response.setStatusCode(answer.statusCode());
    response.headers().addAll(answer.headers());
    return answer.pipeTo(response);
  }
}
