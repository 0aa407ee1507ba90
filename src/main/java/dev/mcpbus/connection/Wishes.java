package dev.mcpbus.connection;

import dev.mcpbus.protocol.RawJson;
import io.vertx.core.json.JsonObject;
import java.util.LinkedHashSet;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * What callers want of a connection beyond one session's life: log level, resource subscriptions,
 * and what we offer the server. Owner: the connection's context.
 */
final class Wishes {

  private RawJson capabilities;
  private @Nullable RawJson logLevel;
  private final Set<String> resources = new LinkedHashSet<>();
  private long generation;

  Wishes(JsonObject capabilities) {
    this.capabilities = RawJson.of(capabilities);
  }

  /** Changes with what every request carries. */
  long generation() {
    return generation;
  }

  RawJson capabilities() {
    return capabilities;
  }

  void capabilities(JsonObject offered) {
    capabilities = RawJson.of(offered);
    generation++;
  }

  /** A JSON string, null where nobody asked for log messages. */
  @Nullable RawJson logLevel() {
    return logLevel;
  }

  void logLevel(RawJson level) {
    logLevel = level;
    generation++;
  }

  /** URIs whose updates somebody wants. */
  Set<String> resources() {
    return resources;
  }
}
