package dev.mcpbus.client;

import dev.mcpbus.protocol.PublicApi;
import io.vertx.core.json.JsonObject;
import org.jspecify.annotations.Nullable;

/**
 * How far a call is.
 *
 * @param progress grows with each message
 * @param total what {@code progress} will be at the end; null if the server does not know it
 * @param message for people, empty if there is none
 * @param json the params of the notification, with every member
 */
@PublicApi
public record CallProgress(
    double progress, @Nullable Double total, String message, JsonObject json) {

  /** Null for a malformed notification, which must not fail the call. */
  static @Nullable CallProgress of(JsonObject json) {
    return json.getValue("progress") instanceof Number progress
        ? new CallProgress(
            progress.doubleValue(),
            json.getValue("total") instanceof Number total ? total.doubleValue() : null,
            json.getValue("message") instanceof String message ? message : "",
            json)
        : null;
  }
}
