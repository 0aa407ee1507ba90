package dev.mcpbus.security.oauth;

import dev.mcpbus.bus.ClusterMap;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.json.DecodeException;
import io.vertx.core.json.JsonObject;
import io.vertx.core.shareddata.AsyncMap;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.UUID;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Stores tokens in a map of the cluster, sealed with a key that every node has. The map exists as
 * long as one node runs. Runs on the caller's context.
 */
final class ClusterTokenStore implements TokenStore {

  /**
   * Milliseconds; longer than a renewal with all its time-outs. Where a person takes longer to log
   * in, another node may show a page of its own.
   */
  private static final long LOCK_MILLIS = 60_000;

  private static final long RETRY_MILLIS = 50;
  private static final long MAX_RETRY_MILLIS = 1_000;

  private final Vertx vertx;
  private final AesGcmSeal seal;
  private final String source;
  private final String node = UUID.randomUUID().toString();

  private final long lockMillis;

  /**
   * @param key the same on all nodes
   * @param lockMillis how long the lock of a node that failed blocks the others
   */
  ClusterTokenStore(Vertx vertx, KeptKey key, long lockMillis) {
    this.vertx = vertx;
    this.seal = key.seal();
    this.source = key.source();
    this.lockMillis = lockMillis;
  }

  /**
   * @param key the same on all nodes
   */
  static ClusterTokenStore of(Vertx vertx, KeptKey key) {
    return new ClusterTokenStore(vertx, key, LOCK_MILLIS);
  }

  @Override
  public Future<@Nullable JsonObject> load(String key) {
    return tokens()
        .compose(tokens -> tokens.get(key))
        .map(hidden -> hidden == null ? null : opened(key, hidden));
  }

  private JsonObject opened(String key, Buffer hidden) {
    try {
      return new JsonObject(Buffer.buffer(seal.open(hidden.getBytes(), place(key))));
    } catch (GeneralSecurityException | DecodeException e) {
      throw new IllegalStateException(
          "the cluster's tokens were sealed with another key than that of "
              + source
              + ": give all nodes the same "
              + TokenStoreProvider.KEY_VARIABLE
              + ", or none");
    }
  }

  @Override
  public Future<Void> save(String key, JsonObject state) {
    return sealed(key, state).compose(hidden -> tokens().compose(all -> all.put(key, hidden)));
  }

  @Override
  public Future<Void> save(String key, JsonObject state, Duration keep) {
    return sealed(key, state)
        .compose(hidden -> tokens().compose(all -> all.put(key, hidden, keep.toMillis())));
  }

  private Future<Buffer> sealed(String key, JsonObject state) {
    try {
      return Future.succeededFuture(
          Buffer.buffer(seal.seal(state.toBuffer().getBytes(), place(key))));
    } catch (GeneralSecurityException e) {
      return Future.failedFuture(e);
    }
  }

  @Override
  public Future<Void> remove(String key) {
    return tokens().compose(tokens -> tokens.remove(key)).mapEmpty();
  }

  @Override
  public Future<Map<String, JsonObject>> list(String prefix) {
    return tokens()
        .compose(AsyncMap::keys)
        .compose(
            keys -> {
              List<String> own = keys.stream().filter(key -> key.startsWith(prefix)).toList();
              return Future.join(own.stream().map(this::load).toList())
                  .map(
                      loaded -> {
                        Map<String, JsonObject> found = new TreeMap<>();
                        for (int i = 0; i < own.size(); i++) {
                          JsonObject state = loaded.resultAt(i);
                          if (state != null) { // not removed meanwhile
                            found.put(own.get(i), state);
                          }
                        }
                        return found;
                      });
            });
  }

  @Override
  public <T> Future<T> alone(String key, Supplier<Future<T>> work) {
    return locks()
        .compose(
            locks ->
                lock(locks, key, RETRY_MILLIS)
                    .compose(
                        mine -> work.get().eventually(() -> locks.removeIfPresent(key, node))));
  }

  /** Tries again after growing pauses until the lock is free; a lock expires by itself. */
  private Future<Void> lock(AsyncMap<String, String> locks, String key, long pause) {
    return locks
        .putIfAbsent(key, node, lockMillis)
        .compose(
            other ->
                other == null
                    ? Future.succeededFuture()
                    : vertx
                        .timer(pause)
                        .compose(later -> lock(locks, key, Math.min(2 * pause, MAX_RETRY_MILLIS))));
  }

  private Future<AsyncMap<String, Buffer>> tokens() {
    return ClusterMap.TOKENS.of(vertx);
  }

  private Future<AsyncMap<String, String>> locks() {
    return ClusterMap.TOKEN_FLIGHTS.of(vertx);
  }

  private static byte[] place(String key) {
    return key.getBytes(StandardCharsets.UTF_8);
  }
}
