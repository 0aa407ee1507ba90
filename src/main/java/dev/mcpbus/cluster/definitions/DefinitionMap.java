package dev.mcpbus.cluster.definitions;

import dev.mcpbus.bus.ClusterSecret;
import dev.mcpbus.bus.ConnectionId;
import dev.mcpbus.cluster.membership.ClusterMaps;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.shareddata.AsyncMap;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The cluster's map of definitions, as a node reads and writes it. Remembers of each id the newest
 * entry that it has seen: what was lost with the nodes that held it, what nobody with the cluster's
 * secret has written, and what is older than that is put right by whoever reads it. Confined to the
 * context of {@code ServersVerticle}.
 */
final class DefinitionMap {

  private static final Logger LOG = LoggerFactory.getLogger(DefinitionMap.class);

  /** A removal stays in the map for longer than a node may be away. */
  private static final long REMOVED_MILLIS = Duration.ofHours(1).toMillis();

  /** Removals that are remembered here; those of longest ago make room. */
  private static final int MOST_REMOVED = 10_000;

  /** Of what does not count, so many are logged. */
  private static final int MOST_IGNORED = 100;

  private final ClusterSecret secret;
  private final InstantSource clock;
  private final Consumer<ConnectionId> corrected;
  private final Future<AsyncMap<String, String>> map;

  /** Entries that do not count, as they were logged. */
  private final Set<ConnectionId> ignored = new HashSet<>();

  /** The newest that this node has seen, present ones. */
  private final Map<ConnectionId, SignedEntry> present = new LinkedHashMap<>();

  private final Map<ConnectionId, SignedEntry> removed = new LinkedHashMap<>();

  /**
   * @param corrected hears what was put right here, which the others have to read
   */
  DefinitionMap(Vertx vertx, InstantSource clock, Consumer<ConnectionId> corrected) {
    this.corrected = corrected;
    this.secret = ClusterSecret.of(vertx);
    this.clock = clock;
    this.map = vertx.sharedData().getClusterWideMap(ClusterMaps.SERVERS);
  }

  // ---- written here

  /** False where there is one of that name already. */
  Future<Boolean> add(ConnectionId id, String text) {
    return map.compose(
        all ->
            all.get(id.value())
                .compose(
                    before -> {
                      SignedEntry there = before == null ? null : open(id, before);
                      if (there != null && !there.isRemoved()) {
                        return Future.succeededFuture(false);
                      }
                      String next = next(id, there, text).raw();
                      return before == null
                          ? all.putIfAbsent(id.value(), next).map(other -> other == null)
                          : all.replaceIfPresent(id.value(), before, next);
                    }));
  }

  Future<Void> put(ConnectionId id, String text) {
    return map.compose(
        all -> current(all, id).compose(there -> all.put(id.value(), next(id, there, text).raw())));
  }

  /** Puts a note in its place for an hour, so that what is lost can be told from it. */
  Future<Void> remove(ConnectionId id) {
    return map.compose(
        all ->
            current(all, id)
                .compose(
                    there -> all.put(id.value(), next(id, there, null).raw(), REMOVED_MILLIS)));
  }

  private Future<@Nullable SignedEntry> current(AsyncMap<String, String> all, ConnectionId id) {
    return all.get(id.value()).map(raw -> raw == null ? null : open(id, raw));
  }

  private @Nullable SignedEntry open(ConnectionId id, String raw) {
    SignedEntry known = known(id);
    return known != null && known.raw().equals(raw)
        ? known
        : SignedEntry.open(secret, id.value(), raw);
  }

  private @Nullable SignedEntry known(ConnectionId id) {
    SignedEntry one = present.get(id);
    return one == null ? removed.get(id) : one;
  }

  /** Newer than all that was seen of it, here or there. */
  private SignedEntry next(ConnectionId id, @Nullable SignedEntry there, @Nullable String text) {
    SignedEntry known = known(id);
    long seen =
        Math.max(there == null ? 0 : there.revision(), known == null ? 0 : known.revision());
    return SignedEntry.seal(secret, id.value(), Math.max(seen + 1, clock.millis()), text);
  }

  // ---- read

  /** All of it. */
  Future<Map<String, String>> all() {
    return map.compose(AsyncMap::entries);
  }

  /** These, as far as they are there. */
  Future<Map<String, String>> some(Collection<ConnectionId> ids) {
    Map<String, String> found = new HashMap<>();
    return map.compose(
            all ->
                Future.all(
                    ids.stream()
                        .map(
                            id ->
                                all.get(id.value())
                                    .onSuccess(
                                        text -> {
                                          if (text != null) {
                                            found.put(id.value(), text);
                                          }
                                        }))
                        .toList()))
        .map(found);
  }

  /**
   * Judges what was found, and puts right what is not what it should be. What nobody with the
   * secret has written is not there, unless this node knows what stood in its place.
   *
   * @param asked what was looked for; null for everything
   * @return the definitions that count
   */
  Future<Map<ConnectionId, SignedEntry>> judge(
      Map<String, String> found, @Nullable Collection<ConnectionId> asked) {
    Map<ConnectionId, SignedEntry> entries = new LinkedHashMap<>();
    List<Future<Void>> steps = new ArrayList<>();
    found.forEach(
        (name, raw) -> {
          ConnectionId id = ConnectionId.parse(name).orElse(null);
          if (id == null) {
            return;
          }
          SignedEntry there = open(id, raw);
          SignedEntry known = known(id);
          if (there != null && (known == null || there.revision() >= known.revision())) {
            entries.put(id, there);
          } else if (known != null) {
            LOG.warn(
                "the definition of '{}' in the cluster's map {}; it is put right",
                id,
                there == null ? "is not of a node of this cluster" : "is an old one");
            entries.put(id, known);
            steps.add(putRight(id, raw, known));
          } else {
            ignored(id);
          }
        });
    List<ConnectionId> expected =
        List.copyOf(asked == null ? present.keySet() : asked).stream()
            .filter(id -> present.containsKey(id) && !found.containsKey(id.value()))
            .toList();
    Future<Void> back = expected.isEmpty() ? Future.succeededFuture() : putBack(expected, entries);
    return back.compose(done -> Future.join(steps))
        .map(
            done -> {
              remember(entries, asked == null ? List.copyOf(present.keySet()) : asked);
              return entries;
            });
  }

  private void ignored(ConnectionId id) {
    if (ignored.size() < MOST_IGNORED && ignored.add(id)) {
      LOG.warn(
          "'{}' in the cluster's map of definitions was not written by a node that knows the"
              + " cluster's secret; it is ignored",
          id);
    }
  }

  /** Where nobody has written meanwhile. */
  private Future<Void> putRight(ConnectionId id, String wrong, SignedEntry known) {
    return map.compose(
            all ->
                all.replaceIfPresent(id.value(), wrong, known.raw())
                    .compose(
                        mine ->
                            mine && known.isRemoved()
                                ? all.put(id.value(), known.raw(), REMOVED_MILLIS)
                                : Future.<Void>succeededFuture()))
        .onSuccess(done -> corrected.accept(id));
  }

  private Future<Void> putBack(List<ConnectionId> missing, Map<ConnectionId, SignedEntry> entries) {
    return Future.join(missing.stream().map(id -> putBack(id, entries)).toList()).mapEmpty();
  }

  private Future<Void> putBack(ConnectionId id, Map<ConnectionId, SignedEntry> entries) {
    SignedEntry lost = present.get(id);
    if (lost == null) {
      return Future.succeededFuture();
    }
    LOG.warn("the definition of '{}' was lost with a node; it is put back", id);
    return map.compose(all -> all.putIfAbsent(id.value(), lost.raw()))
        .onSuccess(
            before -> {
              SignedEntry there = before == null ? lost : open(id, before);
              entries.put(id, there == null ? lost : there);
            })
        .mapEmpty();
  }

  /** What is removed is no entry any more, and is remembered as that. */
  private void remember(Map<ConnectionId, SignedEntry> entries, Collection<ConnectionId> looked) {
    for (ConnectionId id : looked) {
      if (!entries.containsKey(id)) {
        present.remove(id);
      }
    }
    for (Map.Entry<ConnectionId, SignedEntry> one : List.copyOf(entries.entrySet())) {
      ConnectionId id = one.getKey();
      SignedEntry entry = one.getValue();
      removed.remove(id);
      if (entry.isRemoved()) {
        entries.remove(id);
        present.remove(id);
        removed.put(id, entry);
      } else {
        present.put(id, entry);
      }
    }
    while (removed.size() > MOST_REMOVED) {
      removed.remove(removed.keySet().iterator().next());
    }
  }
}
