package dev.mcpbus.cli.stdio;

import dev.mcpbus.protocol.Sensitive;
import dev.mcpbus.transport.Authenticator;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import java.util.Map;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;

/**
 * The key for mcpbus. A service that starts again has a new admin key in its file: a refused
 * request reads the key anew, and is sent again if it differs. Owner: the bridge's context.
 */
final class BridgeKey implements Authenticator {

  private final Vertx vertx;
  private final Callable<@Nullable String> reader;
  private Map<String, Sensitive> headers;

  /**
   * @param key as it was found at the start, null for none
   * @param reader finds it again; blocks
   */
  BridgeKey(Vertx vertx, @Nullable String key, Callable<@Nullable String> reader) {
    this.vertx = vertx;
    this.reader = reader;
    this.headers = headers(key);
  }

  private static Map<String, Sensitive> headers(@Nullable String key) {
    return key == null ? Map.of() : Map.of("Authorization", Sensitive.of("Bearer " + key));
  }

  @Override
  public Future<Map<String, Sensitive>> headers() {
    return Future.succeededFuture(headers);
  }

  @Override
  public Future<Boolean> challenged(Challenge challenge) {
    if (challenge.status() != 401) {
      return Future.succeededFuture(false);
    }
    return vertx
        .executeBlocking(() -> headers(reader.call()), false)
        .map(
            found -> {
              headers = found;
              return !found.equals(challenge.sent());
            })
        .otherwise(false);
  }
}
