package dev.mcpbus.bridge;

import dev.mcpbus.bus.FailureCode;
import dev.mcpbus.bus.McpFailure;
import dev.mcpbus.internals.ArrivalClock;
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
final class RequestLifecycle implements OpenRequests.OpenClient {

  private final HttpServerRequest request;
  private final OpenRequests requests;
  private final String key;
  private final long arrived;
  private @Nullable Admission admission;
  private boolean over;

  /**
   * @param arrived when its head arrived, of the {@link ArrivalClock}
   */
  RequestLifecycle(HttpServerRequest request, long arrived, OpenRequests requests) {
    this.request = request;
    this.arrived = arrived;
    this.requests = requests;
    this.key = requests.key();
  }

  HttpServerRequest request() {
    return request;
  }

  /** When its head arrived, of the {@link ArrivalClock}. */
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
      known.origin(requests.origin(key, arrived));
      requests.add(key, this);
      step.accept(this);
    }
  }

  @Override
  public boolean isAwaited() {
    return !over || !caller().awaited().isComplete();
  }

  /** Answers the request, unless its response has begun. */
  @Override
  public void giveUp() {
    ProblemDocument.send(
        request.response(),
        McpFailure.maybeSent(
            FailureCode.OWNER_LOST,
            "this node has ended before the answer; the call may have been carried out"));
  }

  /** The response has ended, or its client has disconnected. */
  void end() {
    over = true;
    Admission known = admission;
    if (known != null) {
      known.end();
      known.awaited().onComplete(done -> requests.remove(key));
    }
  }
}
