package dev.mcpbus.security.oauth;

import dev.mcpbus.protocol.PublicApi;
import io.vertx.core.Future;
import io.vertx.core.json.JsonObject;
import java.time.Duration;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Keeps tokens and registrations across restarts. {@link OAuthClient} calls it from any context.
 * What belongs to a principal is under a key of {@link #keyOf}. A store that implements {@link
 * #load} and {@link #save} alone serves OAuth; what mcpbus keeps for principals is then not listed,
 * and not removed with them.
 */
@PublicApi
public interface TokenStore {

  /** The object that was saved last under {@code key}, null if there is none. */
  Future<@Nullable JsonObject> load(String key);

  /** Replaces the object; completes when it is stored. No caller changes the object afterwards. */
  Future<Void> save(String key, JsonObject state);

  /**
   * Replaces the object by one that is of no use after some time. A store that does not implement
   * it keeps the object for longer.
   *
   * @param keep more than zero
   */
  default Future<Void> save(String key, JsonObject state, Duration keep) {
    return save(key, state);
  }

  /** Forgets the object; completes when it is gone, also where there was none. */
  default Future<Void> remove(String key) {
    return save(key, new JsonObject());
  }

  /**
   * All objects whose keys begin so, by key. A store that does not implement it fails.
   *
   * @param prefix such as {@code keyOf(principal, "")}
   */
  default Future<Map<String, JsonObject>> list(String prefix) {
    return Future.failedFuture(
        new UnsupportedOperationException(
            "the token store " + getClass().getName() + " does not list what it keeps"));
  }

  /**
   * Forgets all objects whose keys begin so.
   *
   * @return their keys; fails where {@link #list} does
   */
  default Future<Set<String>> removeAll(String prefix) {
    return list(prefix)
        .compose(
            all -> Future.join(all.keySet().stream().map(this::remove).toList()).map(all.keySet()));
  }

  /**
   * The key of what is kept for a principal. No key of one principal begins as those of another:
   * characters other than letters, digits, dots and hyphens are escaped in the name.
   *
   * @param what of the principal's, such as {@code "secret git"}; empty for the beginning of all
   */
  static String keyOf(String principal, String what) {
    StringBuilder key = new StringBuilder("principal ");
    for (int i = 0; i < principal.length(); i++) {
      char letter = principal.charAt(i);
      boolean plain =
          letter < 0x80 && (Character.isLetterOrDigit(letter) || ".-".indexOf(letter) >= 0);
      key.append(plain ? String.valueOf(letter) : String.format("%%%04x", (int) letter));
    }
    return key.append(' ').append(what).toString();
  }

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

      @Override
      public Future<Void> remove(String key) {
        states.remove(key);
        return Future.succeededFuture();
      }

      @Override
      public Future<Map<String, JsonObject>> list(String prefix) {
        Map<String, JsonObject> found = new TreeMap<>(states);
        found.keySet().removeIf(key -> !key.startsWith(prefix));
        return Future.succeededFuture(found);
      }
    };
  }
}
