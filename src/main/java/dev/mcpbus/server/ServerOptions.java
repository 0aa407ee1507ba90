package dev.mcpbus.server;

import dev.mcpbus.protocol.PublicApi;
import java.time.Duration;

/**
 * Bounds and manners of a server.
 *
 * @param requestTimeout how long a handler may take; after that the server cancels the request and
 *     answers it with an error; default 120 s
 * @param maxRequests how many requests of one client may be in flight; the next gets error -32003;
 *     default 1,024
 * @param pageSize how many tools one page of {@code tools/list} has, default 100
 * @param refuseArguments whether arguments that do not fit a tool's schema are the JSON-RPC error
 *     -32602, which a program reads, in place of a result with {@code isError}, which the model
 *     reads and can mend (SEP-1303); default false
 */
@PublicApi
public record ServerOptions(
    Duration requestTimeout, int maxRequests, int pageSize, boolean refuseArguments) {

  public static final ServerOptions DEFAULT =
      new ServerOptions(Duration.ofMinutes(2), 1_024, 100, false);

  public ServerOptions {
    if (requestTimeout.toMillis() < 1 || maxRequests < 1 || pageSize < 1) {
      throw new IllegalArgumentException(
          "requestTimeout must be at least 1 ms, maxRequests and pageSize at least 1");
    }
  }

  public ServerOptions withRequestTimeout(Duration other) {
    return new ServerOptions(other, maxRequests, pageSize, refuseArguments);
  }

  public ServerOptions withMaxRequests(int other) {
    return new ServerOptions(requestTimeout, other, pageSize, refuseArguments);
  }

  public ServerOptions withPageSize(int other) {
    return new ServerOptions(requestTimeout, maxRequests, other, refuseArguments);
  }

  public ServerOptions withRefuseArguments(boolean other) {
    return new ServerOptions(requestTimeout, maxRequests, pageSize, other);
  }
}
