package dev.mcpbus.plugins;

import dev.mcpbus.security.oauth.TokenStore;
import dev.mcpbus.security.oauth.TokenStoreProvider;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.json.JsonObject;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/** Keeps tokens where a test can see them. */
public final class DrawerStore implements TokenStoreProvider {

  static final Map<String, JsonObject> SAVED = new ConcurrentHashMap<>();

  @Override
  public String name() {
    return "drawer";
  }

  @Override
  public TokenStore open(Vertx vertx, Map<String, String> variables) {
    if (variables.containsKey("DRAWER_STUCK")) {
      throw new IllegalArgumentException("the drawer is stuck; unset DRAWER_STUCK");
    }
    return new TokenStore() {
      @Override
      public Future<@Nullable JsonObject> load(String key) {
        return Future.succeededFuture(SAVED.get(key));
      }

      @Override
      public Future<Void> save(String key, JsonObject state) {
        SAVED.put(key, state);
        return Future.succeededFuture();
      }
    };
  }
}
