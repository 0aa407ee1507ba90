package dev.mcpbus.server;

import io.vertx.core.Context;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import java.util.concurrent.Callable;
import java.util.function.Function;
import java.util.function.Predicate;
import org.slf4j.Logger;

/** The wrappers that most servers want. */
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

  /** One line per request when it ends: what, for whom, how long, how; never arguments. */
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
   * Makes every failure read as {@code words} says, so that nothing internal reaches a client. A
   * {@link RequestException} was worded on purpose and stays.
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
        ? Future.failedFuture(new IllegalStateException("call it in a handler"))
        : context.executeBlocking(code, false);
  }
}
