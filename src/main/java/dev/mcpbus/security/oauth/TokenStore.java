package dev.mcpbus.security.oauth;

import dev.mcpbus.protocol.PublicApi;
import io.vertx.core.Future;
import io.vertx.core.json.JsonObject;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Keeps tokens and registrations across restarts. {@link OAuthClient} calls it from any context.
 */
@PublicApi
public interface TokenStore {

  /** The object that was saved last under {@code key}, null if there is none. */
  Future<@Nullable JsonObject> load(String key);

  /** Replaces the object; completes when it is stored. No caller changes the object afterwards. */
  Future<Void> save(String key, JsonObject state);

  /**
   * Runs {@code work} while no other user of the store runs work under the same key, because a
   * refresh token may be used only once. After a wait, {@code work} finds in the store what the
   * other one saved.
   */
  default <T> Future<T> alone(String key, Supplier<Future<T>> work) {
    return work.get();
  }

  /** A store that loses everything when the process ends. */
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
