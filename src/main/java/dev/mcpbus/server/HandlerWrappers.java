package dev.mcpbus.server;

import dev.mcpbus.protocol.PublicApi;
import io.vertx.core.Context;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import java.util.concurrent.Callable;
import java.util.function.Function;
import java.util.function.Predicate;
import org.slf4j.Logger;

/** The wrappers that most servers need. */
@PublicApi
public final class HandlerWrappers {

  private HandlerWrappers() {}

  /** Refuses requests that {@code allowed} denies, before their handler sees them. */
  public static HandlerWrapper authorized(Predicate<ServerRequest> allowed) {
    return inner ->
        (request, input) ->
            allowed.test(request)
                ? inner.handle(request, input)
                : Future.failedFuture(
                    new SecurityException("not allowed to use " + request.subject()));
  }

  /**
   * Logs one line per request when it ends: the method or tool, the client, the outcome and the
   * duration; never arguments.
   */
  public static HandlerWrapper logged(Logger log) {
    return inner ->
        (request, input) -> {
          long from = System.nanoTime();
          return inner
              .handle(request, input)
              .onComplete(
                  end ->
                      log.info(
                          "{} for {} ({}): {} after {} ms",
                          request.subject(),
                          request.client().name(),
                          request.session().id(),
                          end.succeeded() ? "done" : "failed: " + ServerFailures.text(end.cause()),
                          (System.nanoTime() - from) / 1_000_000));
        };
  }

  /**
   * Replaces the text of every failure with the result of {@code words}, so that nothing internal
   * reaches a client. A {@link RequestException} stays as it is: its text was written for the
   * caller.
   */
  public static HandlerWrapper errors(Function<Throwable, String> words) {
    return inner ->
        (request, input) ->
            inner
                .handle(request, input)
                .recover(
                    failure ->
                        Future.failedFuture(
                            failure instanceof RequestException
                                ? failure
                                : new IllegalStateException(words.apply(failure), failure)));
  }

  /** Runs blocking code on a worker thread: {@code blocking(() -> read(file))}. */
  public static <T> Future<T> blocking(Callable<T> code) {
    Context context = Vertx.currentContext();
    return context == null
        ? Future.failedFuture(
            new IllegalStateException(
                "blocking() works in a handler only: there is no Vert.x context here"))
        : context.executeBlocking(code, false);
  }
}
