package dev.mcpbus.gateway.options;

import dev.mcpbus.directory.ViewOptions;
import java.time.Duration;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * What MCP clients find at {@code /mcp}, and its bounds. Immutable.
 *
 * @param views by name
 * @param sessionIdle after which an idle session of the {@code initialize} era ends, default 30
 *     minutes
 * @param maxSessions of all clients together, default 10,000
 * @param maxCalls that one session may have in flight, default 256
 * @param maxStreams that may be open at a time, default 10,000
 * @param pageSize most entries of one page of a list, default 1,000
 * @param passUnknown whether requests and notifications that MCP does not define pass; null
 *     (default) for yes at the endpoint of one server and no elsewhere
 * @param handshakeWait how long a client's handshake at the endpoint of one server waits for a
 *     server that starts; default 5 s
 */
public record GatewayOptions(
    Map<String, ViewOptions> views,
    Duration sessionIdle,
    int maxSessions,
    int maxCalls,
    int maxStreams,
    int pageSize,
    @Nullable Boolean passUnknown,
    Duration handshakeWait) {

  public static final GatewayOptions DEFAULT =
      new GatewayOptions(
          Map.of(),
          Duration.ofMinutes(30),
          10_000,
          256,
          10_000,
          1_000,
          null,
          Duration.ofSeconds(5));

  public GatewayOptions {
    views = Map.copyOf(views);
    if (sessionIdle.toMillis() < 1
        || handshakeWait.isNegative()
        || maxSessions < 1
        || maxCalls < 1
        || maxStreams < 1
        || pageSize < 1) {
      throw new IllegalArgumentException("the bounds of the gateway must be positive");
    }
  }
}
