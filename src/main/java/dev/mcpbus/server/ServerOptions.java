package dev.mcpbus.server;

import dev.mcpbus.protocol.PublicApi;
import java.time.Duration;

/**
 * Bounds of a server.
 *
 * @param requestTimeout how long a handler may take; after that the server cancels the request and
 *     answers it with an error; default 120 s
 * @param maxRequests how many requests of one client may be in flight; the next gets error -32003;
 *     default 1,024
 * @param pageSize how many tools one page of {@code tools/list} has, default 100
 */
@PublicApi
public record ServerOptions(Duration requestTimeout, int maxRequests, int pageSize) {

  public static final ServerOptions DEFAULT = new ServerOptions(Duration.ofMinutes(2), 1_024, 100);

  public ServerOptions {
    if (requestTimeout.toMillis() < 1 || maxRequests < 1 || pageSize < 1) {
      throw new IllegalArgumentException(
          "requestTimeout must be at least 1 ms, maxRequests and pageSize at least 1");
    }
  }

  public ServerOptions withRequestTimeout(Duration other) {
    return new ServerOptions(other, maxRequests, pageSize);
  }

  public ServerOptions withMaxRequests(int other) {
    return new ServerOptions(requestTimeout, other, pageSize);
  }

  public ServerOptions withPageSize(int other) {
    return new ServerOptions(requestTimeout, maxRequests, other);
  }
}
