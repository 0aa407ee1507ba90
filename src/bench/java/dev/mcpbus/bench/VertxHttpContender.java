package dev.mcpbus.bench;

import io.vertx.core.AbstractVerticle;
import io.vertx.core.Context;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpClient;
import io.vertx.core.http.HttpClientResponse;
import io.vertx.core.http.HttpHeaders;
import io.vertx.core.http.HttpMethod;
import io.vertx.core.http.PoolOptions;
import io.vertx.core.http.RequestOptions;
import java.net.URI;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * The same POSTs by a bare {@code HttpClient}, from one event loop, with a pool of the same size.
 */
final class VertxHttpContender implements Contender {

  private static final int CONNECTIONS = 64;
  private static final CharSequence ACCEPTED =
      HttpHeaders.createOptimized("application/json, text/event-stream");
  private static final CharSequence JSON = HttpHeaders.createOptimized("application/json");
  private static final CharSequence SESSION = HttpHeaders.createOptimized("mcp-session-id");
  private static final CharSequence VERSION = HttpHeaders.createOptimized("mcp-protocol-version");

  private final Vertx vertx = Vertx.vertx();
  private final HttpClient client;
  private final RequestOptions post;
  private Context context = vertx.getOrCreateContext();
  private long lastId;

  VertxHttpContender(URI url) {
    client = vertx.createHttpClient(new PoolOptions().setHttp1MaxSize(CONNECTIONS));
    post =
        new RequestOptions()
            .setMethod(HttpMethod.POST)
            .setHost(url.getHost())
            .setPort(url.getPort())
            .setURI(url.getPath());
  }

  private static final class Caller extends AbstractVerticle {
    Context context() {
      return context;
    }
  }

  @Override
  public void open() throws Exception {
    Caller caller = new Caller();
    vertx.deployVerticle(caller).await(10, TimeUnit.SECONDS);
    context = caller.context();
  }

  @Override
  public void execute(Runnable task) {
    context.runOnContext(ignored -> task.run());
  }

  @Override
  public void call(Reply reply) {
    long id = ++lastId;
    client
        .request(post)
        .compose(
            request -> {
              request.putHeader(HttpHeaders.ACCEPT, ACCEPTED);
              request.putHeader(HttpHeaders.CONTENT_TYPE, JSON);
              request.putHeader(SESSION, "bench");
              request.putHeader(VERSION, "2025-11-25");
              return request.send(Buffer.buffer(Payload.request(id)));
            })
        .compose(HttpClientResponse::body)
        .onComplete(
            (body, failure) -> reply.ended(failure != null ? failure : check(body.length(), id)));
  }

  private static @Nullable Throwable check(int length, long id) {
    return length == Payload.answerLength(id)
        ? null
        : new IllegalStateException("not the answer that was expected");
  }
}
