package dev.mcpbus.security.oauth;

import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.json.JsonObject;
import java.time.Duration;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * A store that is opened beside its first use, because its key is in a file. Where that failed,
 * each further use opens it again: a person may have mended the cause. Any thread may call.
 */
final class LateTokenStore implements TokenStore {

  private final Supplier<Future<TokenStore>> opening;
  private Future<TokenStore> opened;

  LateTokenStore(Supplier<Future<TokenStore>> opening) {
    this.opening = opening;
    this.opened = opening.get();
  }

  /**
   * A store that seals with the key of mcpbus.
   *
   * @throws IllegalArgumentException as {@link KeptKey#of}
   */
  static LateTokenStore keyed(
      Vertx vertx, Map<String, String> variables, Function<KeptKey, TokenStore> store) {
    return new LateTokenStore(() -> KeptKey.of(vertx, variables).map(store));
  }

  private synchronized Future<TokenStore> store() {
    if (opened.failed()) {
      opened = opening.get();
    }
    return opened;
  }

  @Override
  public Future<@Nullable JsonObject> load(String key) {
    return store().compose(store -> store.load(key));
  }

  @Override
  public Future<Void> save(String key, JsonObject state) {
    return store().compose(store -> store.save(key, state));
  }

  @Override
  public Future<Void> save(String key, JsonObject state, Duration keep) {
    return store().compose(store -> store.save(key, state, keep));
  }

  @Override
  public Future<Void> remove(String key) {
    return store().compose(store -> store.remove(key));
  }

  @Override
  public Future<Map<String, JsonObject>> list(String prefix) {
    return store().compose(store -> store.list(prefix));
  }

  @Override
  public Future<Set<String>> removeAll(String prefix) {
    return store().compose(store -> store.removeAll(prefix));
  }

  @Override
  public <T> Future<T> alone(String key, Supplier<Future<T>> work) {
    return store().compose(store -> store.alone(key, work));
  }
}
