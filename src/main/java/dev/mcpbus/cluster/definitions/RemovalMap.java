package dev.mcpbus.cluster.definitions;

import dev.mcpbus.bus.ClusterMap;
import dev.mcpbus.bus.ClusterSecret;
import dev.mcpbus.bus.ConnectionId;
import dev.mcpbus.hosting.KeptServer;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.shareddata.AsyncMap;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * What callers removed at run time, in a map of the cluster: by server the revision of the removal
 * and the digest of the entry, {@link SignedEntry signed}. Unlike the note in the map of
 * definitions, which ends after an hour, it stays until the server is defined again. Confined to
 * the context of {@code ServersVerticle}.
 */
final class RemovalMap {

  /** Part of the signed id: no removal can be copied into the map of definitions, nor back. */
  private static final String PURPOSE = "removal of ";

  private final ClusterSecret secret;
  private final Future<AsyncMap<String, String>> map;

  RemovalMap(Vertx vertx) {
    this.secret = ClusterSecret.of(vertx);
    this.map = ClusterMap.REMOVALS.of(vertx);
  }

  /** The removal of a server; null where it was not removed, or was defined again. */
  Future<@Nullable KeptServer> get(ConnectionId id) {
    return map.compose(all -> all.get(id.value())).map(raw -> open(id, raw));
  }

  /** All removals, by the server's id. */
  Future<Map<ConnectionId, KeptServer>> all() {
    return map.compose(AsyncMap::entries)
        .map(
            entries -> {
              Map<ConnectionId, KeptServer> removals = new HashMap<>();
              entries.forEach(
                  (name, raw) ->
                      ConnectionId.parse(name)
                          .ifPresent(
                              id -> {
                                KeptServer removal = open(id, raw);
                                if (removal != null) {
                                  removals.put(id, removal);
                                }
                              }));
              return removals;
            });
  }

  private @Nullable KeptServer open(ConnectionId id, @Nullable String raw) {
    SignedEntry entry = raw == null ? null : SignedEntry.open(secret, PURPOSE + id, raw);
    String digest = entry == null ? null : entry.text();
    return entry == null || digest == null
        ? null
        : KeptServer.removed(entry.revision(), digest.isEmpty() ? null : digest);
  }

  Future<Void> put(ConnectionId id, KeptServer removal) {
    String digest = removal.digest() == null ? "" : removal.digest();
    String raw = SignedEntry.seal(secret, PURPOSE + id, removal.revision(), digest).raw();
    return map.compose(all -> all.put(id.value(), raw));
  }

  Future<Void> forget(ConnectionId id) {
    return map.compose(all -> all.remove(id.value())).mapEmpty();
  }
}
