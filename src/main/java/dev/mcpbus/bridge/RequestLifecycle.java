package dev.mcpbus.bridge;

import dev.mcpbus.security.Admission;
import io.vertx.core.Future;
import io.vertx.core.http.HttpServerRequest;
import java.util.Objects;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * One request from its head to the end of its response: it ends the admission with the response.
 * Used on the bridge's context.
 */
final class RequestLifecycle {

  private final HttpServerRequest request;
  private final long arrived;
  private @Nullable Admission admission;
  private boolean over;

  /**
   * @param arrived when its head arrived, of the {@link ArrivalClock}
   */
  RequestLifecycle(HttpServerRequest request, long arrived) {
    this.request = request;
    this.arrived = arrived;
  }

  HttpServerRequest request() {
    return request;
  }

  long arrived() {
    return arrived;
  }

  /** Who the request is from; once it is admitted. */
  Admission caller() {
    return Objects.requireNonNull(admission, "a request that is not admitted");
  }

  /**
   * Runs {@code step} if the request is admitted. Until the admission is known the request is
   * paused, so that its body is not lost; a refused request stays paused.
   */
  void admitted(Future<@Nullable Admission> asked, Consumer<RequestLifecycle> step) {
    if (!asked.isComplete()) {
      request.pause();
      asked.onSuccess(known -> admitted(asked, step.andThen(same -> request.resume())));
      return;
    }
    Admission known = asked.result();
    if (known == null) {
      return;
    }
    admission = known;
    if (over) {
      known.end();
    } else {
      step.accept(this);
    }
  }

  /** The response has ended, or its client has disconnected. */
  void end() {
    over = true;
    if (admission != null) {
      admission.end();
    }
  }
}
