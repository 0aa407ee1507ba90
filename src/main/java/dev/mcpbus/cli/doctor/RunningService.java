package dev.mcpbus.cli.doctor;

import dev.mcpbus.cli.CommandFailure;
import dev.mcpbus.cli.ServiceClient;
import io.vertx.core.json.JsonObject;
import org.jspecify.annotations.Nullable;

/**
 * What a mcpbus that already runs says of the servers that the doctor examines. Blocks; any thread
 * may call.
 *
 * @param client null where none runs
 */
record RunningService(@Nullable ServiceClient client) {

  static final RunningService NONE = new RunningService(null);

  /** State, since when, restarts and last error; null where none runs, or it has no such server. */
  @Nullable String says(String id) {
    if (client == null) {
      return null;
    }
    try {
      return client.url()
          + ": "
          + describe(client.get("/api/servers/" + ServiceClient.segment(id) + "/status"));
    } catch (CommandFailure e) {
      return switch (e.code()) {
        case "UNKNOWN_CONNECTION", "NOT_MCPBUS", "UNREACHABLE" -> null;
        default -> client.url() + " does not say: " + e.getMessage();
      };
    }
  }

  private static String describe(JsonObject status) {
    StringBuilder text = new StringBuilder(status.getString("state", "?"));
    if (status.getString("since") != null) {
      text.append(" since ").append(seconds(status.getString("since")));
    }
    int restarts = status.getInteger("restarts", 0);
    text.append(", ").append(restarts).append(restarts == 1 ? " restart" : " restarts");
    if (status.getString("nextAttempt") != null) {
      text.append(", next attempt at ").append(seconds(status.getString("nextAttempt")));
    }
    JsonObject error = status.getJsonObject("lastError");
    if (error != null) {
      text.append("; last error ")
          .append(error.getString("code"))
          .append(" at ")
          .append(seconds(error.getString("time", "?")))
          .append(": ")
          .append(error.getString("message"));
    }
    return text.toString();
  }

  /** A time without the fraction of its second. */
  private static String seconds(String time) {
    return time.replaceFirst("\\.\\d+", "");
  }
}
