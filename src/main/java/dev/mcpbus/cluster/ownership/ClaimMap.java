package dev.mcpbus.cluster.ownership;

import io.vertx.core.Future;
import io.vertx.core.shareddata.AsyncMap;
import java.util.HashMap;
import java.util.Map;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The claims in an asynchronous map of Vert.x. A value that is no claim counts as absent: any
 * process of the cluster can write to the map.
 *
 * @param map gives the map on the caller's context; a future of another context would make each
 *     reading wait for that context
 */
public record ClaimMap(Supplier<Future<AsyncMap<String, String>>> map) implements ClaimStore {

  @Override
  public Future<Map<String, OwnershipClaim>> all() {
    return map.get()
        .compose(AsyncMap::entries)
        .map(
            entries -> {
              Map<String, OwnershipClaim> claims = new HashMap<>();
              entries.forEach(
                  (id, text) -> {
                    OwnershipClaim claim = OwnershipClaim.decode(text);
                    if (claim != null) {
                      claims.put(id, claim);
                    }
                  });
              return claims;
            });
  }

  @Override
  public Future<Boolean> replace(
      String id, @Nullable OwnershipClaim expected, OwnershipClaim next) {
    return map.get()
        .compose(
            claims ->
                expected == null
                    ? claims
                        .putIfAbsent(id, next.encode())
                        .compose(
                            before ->
                                before == null || OwnershipClaim.decode(before) != null
                                    ? Future.succeededFuture(before == null)
                                    : claims.replaceIfPresent(id, before, next.encode()))
                    : claims.replaceIfPresent(id, expected.encode(), next.encode()));
  }
}
