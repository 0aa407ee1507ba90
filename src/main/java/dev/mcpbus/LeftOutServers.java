package dev.mcpbus;

import dev.mcpbus.bus.FailureCode;
import dev.mcpbus.bus.McpFailure;
import dev.mcpbus.client.McpClient;
import dev.mcpbus.config.ConfigProblem;
import io.vertx.core.Future;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;

/** The servers that a configuration names and that are not connected, because of their mistakes. */
final class LeftOutServers {

  private LeftOutServers() {}

  /** As {@link McpBus#awaitReady}: the servers that are left out have failed already. */
  static Future<Void> awaitReady(
      McpClient client, List<ConfigProblem> problems, Duration timeout, List<String> wanted) {
    List<String> reasons = new ArrayList<>();
    List<String> rest = new ArrayList<>(wanted);
    for (ConfigProblem problem : problems) {
      String server = problem.server();
      if (server != null && (wanted.isEmpty() || wanted.contains(server))) {
        reasons.add(server + ": left out, " + problem.message() + ". " + problem.remedy());
        rest.remove(server);
      }
    }
    boolean isOthers = wanted.isEmpty() || !rest.isEmpty();
    Future<Void> others =
        isOthers
            ? client.awaitReady(timeout, rest.toArray(String[]::new))
            : Future.succeededFuture();
    return reasons.isEmpty()
        ? others
        : others.transform(
            waited -> {
              if (waited.failed()) {
                reasons.add(0, Objects.requireNonNull(waited.cause().getMessage()));
              }
              return Future.failedFuture(
                  McpFailure.notSent(FailureCode.UNAVAILABLE, String.join("\n  ", reasons)));
            });
  }
}
