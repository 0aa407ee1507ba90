package dev.mcpbus.doctor;

import dev.mcpbus.config.ServerDefinition;
import dev.mcpbus.config.ServerOrigin;
import io.vertx.core.json.JsonObject;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * What the service in this process says about a server that does not become ready. Immutable.
 *
 * @param code of mcpbus's failure table, such as {@code HANDSHAKE_TIMEOUT}
 * @param message of the connection
 * @param stderr lines, the oldest first
 * @param stdout lines that were no messages, the oldest first
 * @param endpoint of the server; null for a child process
 */
record SeenFailure(
    ServerDefinition definition,
    String code,
    String message,
    List<String> stderr,
    List<String> stdout,
    @Nullable Endpoint endpoint) {

  SeenFailure {
    stderr = List.copyOf(stderr);
    stdout = List.copyOf(stdout);
  }

  String id() {
    return definition.id().value();
  }

  /** The entry as written, with the names of variables in place of their values. */
  JsonObject entry() {
    ServerOrigin origin = definition.origin();
    return origin == null ? new JsonObject() : origin.entry();
  }

  /** Whether the entry has a header of that name with a value of its own. */
  boolean sendsCredentials() {
    return entry().getValue("headers") instanceof JsonObject headers
        && headers.stream()
            .map(Map.Entry::getKey)
            .anyMatch(
                name ->
                    Stream.of("key", "token", "auth")
                        .anyMatch(name.toLowerCase(Locale.ROOT)::contains));
  }
}
