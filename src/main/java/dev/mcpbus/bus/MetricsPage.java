package dev.mcpbus.bus;

import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import org.jspecify.annotations.Nullable;

/** The page of {@code GET /metrics}. Any thread may call. */
@FunctionalInterface
public interface MetricsPage {

  /** That of a Vert.x; where there are no metrics, one that always fails. */
  static MetricsPage of(Vertx vertx) {
    Telemetry telemetry = Telemetry.of(vertx);
    MetricsPage page = telemetry == null ? null : telemetry.page();
    return page != null
        ? page
        : (accept, principals) ->
            Future.failedFuture(
                McpFailure.notSent(
                    FailureCode.METHOD_NOT_FOUND,
                    "there are no metrics; \"metrics\": {\"enabled\": true} in the configuration"
                        + " switches them on"));
  }

  /**
   * The page as Prometheus reads it.
   *
   * @param type its media type
   */
  record MetricsText(String type, Buffer text) {}

  /**
   * Writes the page, not on an event loop; at most one is written at a time, and requests meanwhile
   * share it.
   *
   * @param accept the header {@code Accept}; null if there is none
   * @param principals whether the page may name principals
   */
  Future<MetricsText> write(@Nullable String accept, boolean principals);
}
