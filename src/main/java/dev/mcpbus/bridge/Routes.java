package dev.mcpbus.bridge;

import io.vertx.core.Handler;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpMethod;
import io.vertx.core.http.HttpServerResponse;
import io.vertx.ext.web.Router;
import io.vertx.ext.web.RoutingContext;
import java.util.function.BiConsumer;

/** Adds paths of one method each; any other method on them is answered 405 with {@code Allow}. */
final class Routes {

  private final Router router;
  private final int maxBodyBytes;
  private final ReceiveDeadline receive;

  Routes(Router router, int maxBodyBytes, ReceiveDeadline receive) {
    this.router = router;
    this.maxBodyBytes = maxBodyBytes;
    this.receive = receive;
  }

  void get(String path, Handler<RoutingContext> handler) {
    only(HttpMethod.GET, path, handler);
  }

  void post(String path, BiConsumer<RoutingContext, Buffer> handler) {
    BodyReader reader =
        new BodyReader(
            maxBodyBytes,
            (ctx, body) -> {
              receive.received(ctx.request());
              handler.accept(ctx, body);
            });
    only(HttpMethod.POST, path, reader);
  }

  private void only(HttpMethod method, String path, Handler<RoutingContext> handler) {
    router.route(method, path).handler(handler);
    router
        .route(path)
        .handler(
            ctx -> {
              ctx.response().putHeader("Allow", method.name());
              Problem.send(ctx.response(), 405, "use " + method.name());
            });
  }

  /** Ends {@code response} with JSON, unless the client has gone away. */
  static void json(HttpServerResponse response, int status, Buffer body) {
    if (!response.closed() && !response.ended()) {
      response.setStatusCode(status).putHeader("Content-Type", "application/json").end(body);
    }
  }
}
