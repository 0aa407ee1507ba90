package dev.mcpbus.placement;

import io.vertx.core.Future;
import io.vertx.core.shareddata.AsyncMap;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Claims in an asynchronous map of Vert.x. What is no claim there counts as none. */
public final class MapClaims implements Claims {

  private final Future<AsyncMap<String, String>> map;

  public MapClaims(Future<AsyncMap<String, String>> map) {
    this.map = map;
  }

  @Override
  public Future<Map<String, Claim>> all() {
    return map.compose(AsyncMap::entries)
        .map(
            entries -> {
              Map<String, Claim> claims = new HashMap<>();
              entries.forEach(
                  (id, text) -> {
                    Claim claim = Claim.decode(text);
                    if (claim != null) {
                      claims.put(id, claim);
                    }
                  });
              return claims;
            });
  }

  @Override
  public Future<Boolean> replace(String id, @Nullable Claim expected, Claim next) {
    return map.compose(
        claims ->
            expected == null
                ? claims
                    .putIfAbsent(id, next.encode())
                    .compose(
                        before ->
                            before == null || Claim.decode(before) != null
                                ? Future.succeededFuture(before == null)
                                : claims.replaceIfPresent(id, before, next.encode()))
                : claims.replaceIfPresent(id, expected.encode(), next.encode()));
  }
}
