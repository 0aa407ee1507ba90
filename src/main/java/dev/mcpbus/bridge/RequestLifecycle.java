package dev.mcpbus.bridge;

import dev.mcpbus.security.Admission;
import io.vertx.core.Future;
import io.vertx.core.http.HttpServerRequest;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;

/**
 * One request from its head to the end of its response: it ends the admission with the response.
 * Used on the bridge's context.
 */
final class RequestLifecycle {

  private @Nullable Runnable end;
  private boolean over;

  /**
   * Runs {@code step} if the request is admitted. Until the admission is known the request is
   * paused, so that its body is not lost; a refused request stays paused.
   */
  void admitted(
      HttpServerRequest request,
      Future<@Nullable Admission> admission,
      BiConsumer<HttpServerRequest, Admission> step) {
    if (!admission.isComplete()) {
      request.pause();
      admission.onSuccess(
          known -> admitted(request, admission, step.andThen((same, admitted) -> same.resume())));
      return;
    }
    Admission admitted = admission.result();
    if (admitted == null) {
      return;
    }
    end = admitted::end;
    if (over) {
      admitted.end();
    } else {
      step.accept(request, admitted);
    }
  }

  /** The response has ended, or its client has disconnected. */
  void end() {
    over = true;
    if (end != null) {
      end.run();
    }
  }
}
