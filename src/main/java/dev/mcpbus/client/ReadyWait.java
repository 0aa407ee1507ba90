package dev.mcpbus.client;

import dev.mcpbus.bus.ConnectionState;
import dev.mcpbus.bus.FailureCode;
import dev.mcpbus.bus.McpFailure;
import dev.mcpbus.internals.InternalContext;
import dev.mcpbus.protocol.Printable;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import io.vertx.core.json.JsonObject;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Waits until servers have settled: each is ready with its tools listed, is idle on purpose, or has
 * failed. Reads the statuses at growing intervals. One object for each wait; runs on one context.
 */
final class ReadyWait {

  private static final long FIRST_MILLIS = 10;
  private static final long MAX_MILLIS = 250;

  private final McpClient client;
  private final InternalContext context;
  private final List<String> wanted;
  private final boolean firstAttempt;
  private final Promise<List<String>> settled;
  private boolean expired;

  private ReadyWait(
      McpClient client, InternalContext context, List<String> wanted, boolean firstAttempt) {
    this.client = client;
    this.context = context;
    this.wanted = List.copyOf(wanted);
    this.firstAttempt = firstAttempt;
    this.settled = context.promise();
  }

  /**
   * @param wanted ids, empty for all servers
   * @return completes when all are ready; fails when all have settled or after {@code timeout}
   */
  static Future<Void> ready(McpClient client, Vertx vertx, Duration timeout, List<String> wanted) {
    return wait(client, vertx, timeout, wanted, false)
        .compose(
            reasons ->
                reasons.isEmpty()
                    ? Future.succeededFuture()
                    : Future.failedFuture(failure(reasons, timeout)));
  }

  /** Completes when no server is in its first attempt, or after {@code timeout}; never fails. */
  static Future<Void> attempted(
      McpClient client, Vertx vertx, Duration timeout, List<String> wanted) {
    return wait(client, vertx, timeout, wanted, true).<Void>mapEmpty().otherwise(failure -> null);
  }

  private static Future<List<String>> wait(
      McpClient client, Vertx vertx, Duration timeout, List<String> wanted, boolean firstAttempt) {
    ReadyWait wait = new ReadyWait(client, InternalContext.current(vertx), wanted, firstAttempt);
    long timer = vertx.setTimer(Math.max(1, timeout.toMillis()), now -> wait.expired = true);
    wait.context.run(() -> wait.look(FIRST_MILLIS));
    return wait.settled.future().onComplete(over -> vertx.cancelTimer(timer));
  }

  private void look(long pause) {
    client
        .statuses()
        .onSuccess(
            all -> {
              boolean open = chosen(all).anyMatch(this::isOpen);
              if (open && !expired) {
                context.setTimer(pause, now -> look(Math.min(MAX_MILLIS, pause * 2)));
              } else {
                settled.tryComplete(reasons(all));
              }
            })
        .onFailure(settled::tryFail);
  }

  private Stream<ServerStatus> chosen(List<ServerStatus> all) {
    return all.stream().filter(one -> wanted.isEmpty() || wanted.contains(one.id().value()));
  }

  private boolean isOpen(ServerStatus status) {
    return switch (status.state()) {
      case READY, DEGRADED -> isListing(status);
      case IDLE -> isQueued(status);
      case CONNECTING -> true;
      case RECONNECTING, CLOSED, DRAINING -> !firstAttempt;
      case FAILED -> false;
    };
  }

  private static boolean isListing(ServerStatus status) {
    return status.capabilities().containsKey("tools") && !status.json().containsKey("toolsListed");
  }

  /** Waits for its turn to start: no session yet, and it waits for no call and no caller. */
  private static boolean isQueued(ServerStatus status) {
    return status.epoch() == 0
        && status.json().getValue("lastError") == null
        && !status.json().getBoolean("lazy", false)
        && !status.json().getBoolean("disconnected", false);
  }

  private List<String> reasons(List<ServerStatus> all) {
    List<String> reasons = new ArrayList<>();
    Set<String> known = all.stream().map(one -> one.id().value()).collect(Collectors.toSet());
    wanted.stream()
        .filter(id -> !known.contains(id))
        .forEach(id -> reasons.add(id + ": not configured; there are " + known));
    chosen(all).map(ReadyWait::reason).filter(Objects::nonNull).forEach(reasons::add);
    return reasons;
  }

  /** Null where the server is ready. */
  private static @Nullable String reason(ServerStatus status) {
    ConnectionState state = status.state();
    if (state == ConnectionState.IDLE && !isQueued(status)) {
      return null;
    }
    if (state.serves()) {
      return isListing(status) ? status.id() + ": connected, its tools are not listed yet" : null;
    }
    String error =
        Optional.ofNullable(status.json().getJsonObject("lastError"))
            .map(ReadyWait::text)
            .orElse("");
    return status.id() + ": " + state + error;
  }

  private static String text(JsonObject error) {
    return ", "
        + error.getString("code")
        + ": "
        + Printable.line(Printable.joined(String.valueOf(error.getString("message")), " | "));
  }

  static McpFailure failure(List<String> reasons, Duration timeout) {
    return McpFailure.notSent(
        FailureCode.UNAVAILABLE,
        (reasons.size() == 1 ? "1 server is" : reasons.size() + " servers are")
            + " not ready (waited for at most "
            + timeout.toMillis()
            + " ms)\n  "
            + String.join("\n  ", reasons));
  }
}
