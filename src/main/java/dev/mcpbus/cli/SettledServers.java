package dev.mcpbus.cli;

import io.vertx.core.json.JsonObject;
import java.util.List;
import java.util.Set;

/** Waits for servers that are still connecting. For the main thread, which it blocks. */
final class SettledServers {

  private static final Set<String> SETTLED =
      Set.of("READY", "DEGRADED", "FAILED", "IDLE", "CLOSED");
  private static final long POLL_MILLIS = 50;
  private static final long MOST_MILLIS = 15_000;

  private SettledServers() {}

  /**
   * The answer of {@code /api/servers}: at once from a mcpbus that was running, else when each
   * server is connected or has failed, or after 15 s.
   */
  static JsonObject list(ServiceClient client, CommandOutput output) {
    long until = System.nanoTime() + MOST_MILLIS * 1_000_000;
    while (true) {
      JsonObject list = client.get("/api/servers");
      List<String> waiting =
          ContentText.objects(list, "servers").stream()
              .filter(server -> !isSettled(server))
              .map(server -> ContentText.text(server, "id"))
              .toList();
      if (!client.isOwn() || waiting.isEmpty() || System.nanoTime() - until > 0) {
        output.clearProgress();
        return list;
      }
      output.progress("waiting for " + String.join(", ", waiting));
      pause(POLL_MILLIS);
    }
  }

  /** A settled server has also listed its tools, where it has any. */
  private static boolean isSettled(JsonObject server) {
    boolean counting =
        server.getValue("capabilities") instanceof JsonObject capabilities
            && capabilities.containsKey("tools")
            && !server.containsKey("toolsListed");
    boolean failed =
        "RECONNECTING".equals(server.getValue("state")) && server.getValue("lastError") != null;
    return failed || (SETTLED.contains(ContentText.text(server, "state")) && !counting);
  }

  /** Waits; ends the command where the thread is interrupted. */
  static void pause(long millis) {
    try {
      Thread.sleep(millis);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new CommandFailure(ExitCode.INTERRUPTED, "CANCELLED", "interrupted");
    }
  }
}
