package dev.mcpbus.bridge;

import dev.mcpbus.security.Gatekeeper.Entry;
import io.vertx.core.Future;
import io.vertx.core.http.HttpServerRequest;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** One request, from its head to the end of its response. Used on the bridge's context. */
final class Turn {

  private @Nullable Runnable end;
  private boolean over;

  /** Runs {@code step} where the request may go on; its body is not lost meanwhile. */
  void admitted(
      HttpServerRequest request, Future<@Nullable Entry> admission, Consumer<Entry> step) {
    boolean waits = !admission.isComplete();
    if (waits) {
      request.pause();
    }
    admission.onSuccess(
        entry -> {
          if (entry == null) {
            return;
          }
          end = entry.end();
          if (over) {
            entry.end().run();
            return;
          }
          step.accept(entry);
          if (waits) {
            request.resume();
          }
        });
  }

  /** The response has ended, or can reach nobody. */
  void end() {
    over = true;
    if (end != null) {
      end.run();
    }
  }
}
