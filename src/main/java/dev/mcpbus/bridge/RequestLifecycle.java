package dev.mcpbus.bridge;

import dev.mcpbus.security.Admission;
import io.vertx.core.Future;
import io.vertx.core.http.HttpServerRequest;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** One request, from its head to the end of its response. Used on the bridge's context. */
final class RequestLifecycle {

  private @Nullable Runnable end;
  private boolean over;

  /** Runs {@code step} where the request may go on; its body is not lost meanwhile. */
  void admitted(
      HttpServerRequest request, Future<@Nullable Admission> admission, Consumer<Admission> step) {
    if (admission.isComplete()) {
      enter(admission.result(), step);
      return;
    }
    request.pause();
    admission.onSuccess(
        entry -> {
          if (enter(entry, step)) {
            request.resume();
          }
        });
  }

  private boolean enter(@Nullable Admission entry, Consumer<Admission> step) {
    if (entry == null) {
      return false;
    }
    end = entry::end;
    if (over) {
      entry.end();
      return false;
    }
    step.accept(entry);
    return true;
  }

  /** The response has ended, or can reach nobody. */
  void end() {
    over = true;
    if (end != null) {
      end.run();
    }
  }
}
