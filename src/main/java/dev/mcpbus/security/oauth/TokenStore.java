package dev.mcpbus.security.oauth;

import io.vertx.core.Future;
import io.vertx.core.json.JsonObject;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** Keeps tokens and registrations over restarts. Called from any context. */
public interface TokenStore {

  /** What was saved last under {@code key}, null where nothing was. */
  Future<@Nullable JsonObject> load(String key);

  /** Replaces it; completes when it is safe. The object is not changed afterwards by anybody. */
  Future<Void> save(String key, JsonObject state);

  /**
   * Runs {@code work} while nobody else who shares the store runs any under the same key: a refresh
   * token is used once. Whoever had to wait finds in the store what the other one saved.
   */
  default <T> Future<T> alone(String key, Supplier<Future<T>> work) {
    return work.get();
  }

  /** Forgets everything when the process ends. */
  static TokenStore inMemory() {
    Map<String, JsonObject> states = new ConcurrentHashMap<>();
    return new TokenStore() {
      @Override
      public Future<@Nullable JsonObject> load(String key) {
        return Future.succeededFuture(states.get(key));
      }

      @Override
      public Future<Void> save(String key, JsonObject state) {
        states.put(key, state);
        return Future.succeededFuture();
      }
    };
  }
}
