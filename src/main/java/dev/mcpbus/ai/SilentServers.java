package dev.mcpbus.ai;

import dev.mcpbus.bus.ConnectionState;
import dev.mcpbus.bus.Events;
import dev.mcpbus.client.McpClient;
import dev.mcpbus.client.ServerStatus;
import io.vertx.core.Future;
import io.vertx.core.json.JsonObject;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.LongSupplier;

/**
 * Waits for servers that connect for the first time, and remembers those that used up the time, so
 * that they delay one list and not each. Any thread may call.
 */
final class SilentServers {

  private static final Duration MEMORY = Duration.ofMinutes(5);
  private static final Set<ConnectionState> OPEN =
      Set.of(ConnectionState.IDLE, ConnectionState.CONNECTING, ConnectionState.READY);
  private static final Set<String> OVER =
      Set.of(Events.CONNECTED, Events.SERVER_CHANGED, Events.SERVER_REMOVED);

  private final McpClient client;
  private final FrameworkOptions options;
  private final LongSupplier nanos;

  /** By id, until when a list does not wait for the server. */
  private final Map<String, Long> until = new ConcurrentHashMap<>();

  /**
   * @param nanos a clock that only goes forward, in nanoseconds
   */
  SilentServers(McpClient client, FrameworkOptions options, LongSupplier nanos) {
    this.client = client;
    this.options = options;
    this.nanos = nanos;
  }

  /** Takes each event of a connection. */
  void onEvent(JsonObject event) {
    if (OVER.contains(event.getString("type", ""))) {
      until.remove(event.getString("id", ""));
    }
  }

  /**
   * Completes when no offered server is in its first attempt, those that are remembered left aside.
   *
   * @return fails where all servers have to be ready, and one is not
   */
  Future<Void> settled() {
    long start = nanos.getAsLong();
    until.values().removeIf(end -> end - start <= 0);
    if (options.settings.allServers()) {
      Duration wait = until.isEmpty() ? options.settings.patience() : Duration.ZERO;
      return client
          .awaitReady(wait, options.settings.servers().toArray(String[]::new))
          .recover(late -> remember(start).compose(done -> Future.failedFuture(late)));
    }
    if (options.settings.patience().isZero()) {
      return Future.succeededFuture();
    }
    return wanted()
        .compose(
            ids ->
                ids.isEmpty() && !until.isEmpty()
                    ? Future.succeededFuture()
                    : client
                        .awaitAttempts(options.settings.patience(), ids)
                        .compose(done -> remember(start)));
  }

  /** The ids to wait for; none for all. */
  private Future<List<String>> wanted() {
    return until.isEmpty()
        ? Future.succeededFuture(options.settings.servers())
        : offered()
            .map(all -> all.stream().map(SilentServers::id).filter(id -> !knows(id)).toList());
  }

  boolean knows(String id) {
    return until.containsKey(id);
  }

  private Future<Void> remember(long start) {
    long now = nanos.getAsLong();
    if (now - start < options.settings.patience().toNanos()) {
      return Future.succeededFuture();
    }
    return offered()
        .map(
            all -> {
              all.stream()
                  .filter(one -> OPEN.contains(one.state()) && one.tools() < 0)
                  .forEach(one -> until.putIfAbsent(id(one), now + MEMORY.toNanos()));
              return null;
            });
  }

  /** The ids of the offered servers whose tools are not known. */
  Future<List<String>> unlisted() {
    return offered()
        .map(all -> all.stream().filter(one -> one.tools() < 0).map(SilentServers::id).toList());
  }

  private Future<List<ServerStatus>> offered() {
    return client
        .statuses()
        .map(all -> all.stream().filter(one -> options.offers(id(one))).toList());
  }

  private static String id(ServerStatus status) {
    return status.id().value();
  }
}
