package dev.mcpbus.cluster.definitions;

import dev.mcpbus.bus.ClusterMap;
import dev.mcpbus.bus.ClusterSecret;
import dev.mcpbus.bus.ConnectionId;
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
import java.util.function.LongFunction;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The cluster's map of definitions, as this node reads and writes it. Keeps the newest entry of
 * each id that it has seen, and restores an entry in the map that is missing, that was written
 * without the cluster's secret, or that is older. Confined to the context of {@code
 * ServersVerticle}.
 */
final class DefinitionMap {

  private static final Logger LOG = LoggerFactory.getLogger(DefinitionMap.class);

  /** A removal stays in the map for longer than a node may be away. */
  private static final long REMOVED_MILLIS = Duration.ofHours(1).toMillis();

  /** How many removals are kept here; the oldest make room. */
  private static final int MAX_REMOVED = 10_000;

  /** How many ignored entries are logged. */
  private static final int MAX_LOGGED = 100;

  private final ClusterSecret secret;
  private final InstantSource clock;
  private final Consumer<ConnectionId> corrected;
  private final Future<AsyncMap<String, String>> map;

  /** Ids of ignored entries that were logged. */
  private final Set<ConnectionId> ignored = new HashSet<>();

  /** The newest entry that this node has seen, of defined servers. */
  private final Map<ConnectionId, SignedEntry> present = new LinkedHashMap<>();

  private final Map<ConnectionId, SignedEntry> removed = new LinkedHashMap<>();

  /**
   * @param corrected receives the id of each entry that this node has restored, so that other nodes
   *     read it
   */
  DefinitionMap(Vertx vertx, InstantSource clock, Consumer<ConnectionId> corrected) {
    this.corrected = corrected;
    this.secret = ClusterSecret.of(vertx);
    this.clock = clock;
    this.map = ClusterMap.SERVERS.of(vertx);
  }

  // ---- writing

  /**
   * Adds a definition. False where one with this id exists.
   *
   * @param seed whether it comes from a file at the start: then each change at run time is newer
   */
  Future<Boolean> add(ConnectionId id, String text, boolean seed) {
    return add(id, text, seed, there -> false);
  }

  /**
   * The same.
   *
   * @param over whether a definition does not count any more
   */
  Future<Boolean> add(ConnectionId id, String text, boolean seed, Predicate<String> over) {
    return map.compose(
        all ->
            all.get(id.value())
                .compose(
                    before -> {
                      SignedEntry there = before == null ? null : open(id, before);
                      String present = there == null ? null : there.text();
                      if (present != null && !over.test(present)) {
                        return Future.succeededFuture(false);
                      }
                      String next = next(id, there, text, seed ? 0 : clock.millis()).raw();
                      return before == null
                          ? all.putIfAbsent(id.value(), next).map(other -> other == null)
                          : all.replaceIfPresent(id.value(), before, next);
                    }));
  }

  /** Adds a definition of a file at the start; false where the cluster has one. */
  Future<Boolean> seed(ConnectionId id, String text) {
    return map.compose(all -> all.putIfAbsent(id.value(), next(id, null, text, 0).raw()))
        .compose(
            before -> {
              SignedEntry there = before == null ? null : open(id, before);
              return before != null && (there == null || there.isRemoved())
                  ? add(id, text, true)
                  : Future.succeededFuture(before == null);
            });
  }

  Future<Void> put(ConnectionId id, String text) {
    return map.compose(
        all ->
            current(all, id)
                .compose(
                    there -> all.put(id.value(), next(id, there, text, clock.millis()).raw())));
  }

  /**
   * Replaces the entry by a note of the removal for an hour, which tells a removal from a loss.
   *
   * @param first what has to be there before the entry is gone, by the revision of the removal
   */
  Future<Void> remove(ConnectionId id, LongFunction<Future<Void>> first) {
    return map.compose(
        all ->
            current(all, id)
                .compose(
                    there -> {
                      SignedEntry note = next(id, there, null, clock.millis());
                      return first
                          .apply(note.revision())
                          .compose(known -> all.put(id.value(), note.raw(), REMOVED_MILLIS));
                    }));
  }

  /**
   * Replaces the entry that this node has read by a note of the removal; false where it changed.
   */
  Future<Boolean> forget(ConnectionId id) {
    SignedEntry known = present.get(id);
    if (known == null) {
      return Future.succeededFuture(false);
    }
    String note = next(id, known, null, clock.millis()).raw();
    return map.compose(
        all ->
            all.replaceIfPresent(id.value(), known.raw(), note)
                .compose(
                    mine ->
                        mine
                            ? all.put(id.value(), note, REMOVED_MILLIS).map(true)
                            : Future.succeededFuture(false)));
  }

  /** Writes a definition of a known revision, unless the map has one of this revision or newer. */
  Future<Boolean> restore(ConnectionId id, String text, long revision) {
    String raw = SignedEntry.seal(secret, id.value(), revision, text).raw();
    return map.compose(
        all ->
            all.get(id.value())
                .compose(
                    before -> {
                      SignedEntry there = before == null ? null : open(id, before);
                      if (there != null && there.revision() >= revision) {
                        return Future.succeededFuture(false);
                      }
                      return before == null
                          ? all.putIfAbsent(id.value(), raw).map(other -> other == null)
                          : all.replaceIfPresent(id.value(), before, raw);
                    }));
  }

  /** The revision of a definition that this node has read; 0 for none. */
  long revision(ConnectionId id) {
    SignedEntry one = present.get(id);
    return one == null ? 0 : one.revision();
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

  /**
   * A signed entry with a higher revision than all that this node has seen or finds in the map.
   *
   * @param least the revision where that is higher
   */
  private SignedEntry next(
      ConnectionId id, @Nullable SignedEntry there, @Nullable String text, long least) {
    SignedEntry known = known(id);
    long seen =
        Math.max(there == null ? 0 : there.revision(), known == null ? 0 : known.revision());
    return SignedEntry.seal(secret, id.value(), Math.max(seen + 1, least), text);
  }

  // ---- reading

  /** Reads all entries. */
  Future<Map<String, String>> all() {
    return map.compose(AsyncMap::entries);
  }

  /** Reads these entries; the result has those that exist. */
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
   * Checks the entries that were found, and restores wrong ones. An entry that was written without
   * the secret counts as absent, unless this node knows the entry that it replaced.
   *
   * @param found the raw entries by id
   * @param wanted the ids that were read; null for all
   * @return the valid definitions
   */
  Future<Map<ConnectionId, SignedEntry>> check(
      Map<String, String> found, @Nullable Collection<ConnectionId> wanted) {
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
                "the definition of '{}' in the cluster's map {}; this node restores it",
                id,
                there == null ? "was not written by a node of this cluster" : "is an old one");
            entries.put(id, known);
            steps.add(restore(id, raw, known));
          } else {
            ignored(id);
          }
        });
    List<ConnectionId> expected =
        List.copyOf(wanted == null ? present.keySet() : wanted).stream()
            .filter(id -> present.containsKey(id) && !found.containsKey(id.value()))
            .toList();
    Future<Void> back =
        expected.isEmpty() ? Future.succeededFuture() : restoreLost(expected, entries);
    return back.compose(done -> Future.join(steps))
        .map(
            done -> {
              remember(entries, wanted == null ? List.copyOf(present.keySet()) : wanted);
              return entries;
            });
  }

  private void ignored(ConnectionId id) {
    if (ignored.size() < MAX_LOGGED && ignored.add(id)) {
      LOG.warn(
          "'{}' in the cluster's map of definitions was not written by a node that has the"
              + " cluster's secret; this node ignores it",
          id);
    }
  }

  /** Writes only where the wrong entry still stands. */
  private Future<Void> restore(ConnectionId id, String wrong, SignedEntry known) {
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

  private Future<Void> restoreLost(
      List<ConnectionId> missing, Map<ConnectionId, SignedEntry> entries) {
    return Future.join(missing.stream().map(id -> restoreLost(id, entries)).toList()).mapEmpty();
  }

  private Future<Void> restoreLost(ConnectionId id, Map<ConnectionId, SignedEntry> entries) {
    SignedEntry lost = present.get(id);
    if (lost == null) {
      return Future.succeededFuture();
    }
    LOG.warn("the definition of '{}' was lost with a node; this node restores it", id);
    return map.compose(all -> all.putIfAbsent(id.value(), lost.raw()))
        .onSuccess(
            before -> {
              SignedEntry there = before == null ? lost : open(id, before);
              entries.put(id, there == null ? lost : there);
            })
        .mapEmpty();
  }

  /**
   * Keeps the entries as the newest ones; a removal leaves {@code entries} and is kept as a
   * removal.
   */
  private void remember(Map<ConnectionId, SignedEntry> entries, Collection<ConnectionId> wanted) {
    for (ConnectionId id : wanted) {
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
    while (removed.size() > MAX_REMOVED) {
      removed.remove(removed.keySet().iterator().next());
    }
  }
}
