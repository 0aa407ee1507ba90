package dev.mcpbus;

import dev.mcpbus.bus.ClusterCalls;
import dev.mcpbus.bus.ConnectionId;
import dev.mcpbus.config.ServerDefinition;
import dev.mcpbus.config.ServerOrigin;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import io.vertx.core.json.JsonObject;
import io.vertx.core.shareddata.AsyncMap;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The definitions of all servers, in a map of the cluster. Files seed it: the first who names a
 * server wins at the start, and a file that says something else is a divergence, not a change; a
 * file that is changed while its node runs is a change. Confined to the context of {@link
 * ServersVerticle}.
 */
final class ClusterDefinitions {

  private static final Logger LOG = LoggerFactory.getLogger(ClusterDefinitions.class);

  /**
   * In place of what was removed on purpose, for longer than a node may be away: what is missing
   * without it was lost with the nodes that held it, and is put back by those who remember it.
   */
  private static final String REMOVED = "{\"removed\":true}";

  private static final long REMOVED_MILLIS = Duration.ofHours(1).toMillis();

  private final Vertx vertx;
  private final ServerEntryReader reader;
  private final Function<Set<ConnectionId>, Future<Void>> listener;
  private final Future<AsyncMap<String, String>> map;

  /** As they are in the map. */
  private final Map<String, String> texts = new HashMap<>();

  private final Map<ConnectionId, ServerDefinition> servers = new LinkedHashMap<>();

  /** What the file of this node says. */
  private final Map<ConnectionId, ServerDefinition> files = new HashMap<>();

  /** What this node cannot read. */
  private final Map<ConnectionId, String> unread = new LinkedHashMap<>();

  private Map<ConnectionId, String> divergences = Map.of();
  private @Nullable Future<Void> reading;
  private boolean again;

  /**
   * @param listener hears which have changed
   */
  ClusterDefinitions(
      Vertx vertx, ServerEntryReader reader, Function<Set<ConnectionId>, Future<Void>> listener) {
    this.vertx = vertx;
    this.reader = reader;
    this.listener = listener;
    this.map = vertx.sharedData().getClusterWideMap(ClusterCalls.SERVERS);
  }

  Map<ConnectionId, ServerDefinition> all() {
    return servers;
  }

  /** Sentences; empty where this node reads everything and its file says the same. */
  List<String> problems() {
    List<String> all = new ArrayList<>(divergences.values());
    all.addAll(unread.values());
    return all;
  }

  @Nullable String problem(ConnectionId id) {
    return divergences.getOrDefault(id, unread.get(id));
  }

  /** False where there is one of that name already. */
  Future<Boolean> add(ServerDefinition definition, boolean file) {
    if (file) {
      files.put(definition.id(), definition);
    }
    String id = definition.id().value();
    return map.compose(
            all ->
                all.putIfAbsent(id, encode(definition))
                    .compose(
                        before ->
                            REMOVED.equals(before)
                                ? all.put(id, encode(definition)).map(true)
                                : Future.succeededFuture(before == null)))
        .compose(added -> read().map(added));
  }

  Future<Void> replace(ServerDefinition definition) {
    files.put(definition.id(), definition);
    return map.compose(all -> all.put(definition.id().value(), encode(definition)))
        .compose(put -> read());
  }

  Future<Void> remove(ConnectionId id) {
    return map.compose(all -> all.put(id.value(), REMOVED, REMOVED_MILLIS))
        .compose(removed -> read());
  }

  /** The file of this node does not name it any more. */
  void unseed(ConnectionId id) {
    files.remove(id);
  }

  private static String encode(ServerDefinition definition) {
    return new JsonObject()
        .put("origin", origin(definition).toJson())
        .put("source", definition.source())
        .encode();
  }

  private static ServerOrigin origin(ServerDefinition definition) {
    return Objects.requireNonNull(definition.origin());
  }

  /** Succeeds when everything was read that was there when it was called. */
  Future<Void> read() {
    Future<Void> running = reading;
    if (running != null) {
      again = true;
      return running;
    }
    Promise<Void> done = Promise.promise();
    reading = done.future();
    map.compose(AsyncMap::entries)
        .compose(this::restore)
        .compose(this::adopt)
        .onFailure(failure -> LOG.warn("the definitions cannot be read: {}", failure.toString()))
        .onComplete(
            over -> {
              reading = null;
              if (again) {
                again = false;
                read().onComplete(done);
              } else {
                done.handle(over);
              }
            });
    return done.future();
  }

  /** Completes with what is there, without what was removed and with what was lost. */
  private Future<Map<String, String>> restore(Map<String, String> entries) {
    Map<String, String> all = new HashMap<>(entries);
    List<Future<String>> puts = new ArrayList<>();
    texts.forEach(
        (id, text) -> {
          if (!entries.containsKey(id)) {
            LOG.warn("the definition of '{}' was lost with a node; it is put back", id);
            puts.add(
                map.compose(to -> to.putIfAbsent(id, text))
                    .onSuccess(before -> all.put(id, before == null ? text : before)));
          }
        });
    return Future.join(puts)
        .map(
            done -> {
              all.values().removeIf(REMOVED::equals);
              return all;
            });
  }

  private Future<Void> adopt(Map<String, String> entries) {
    Map<String, String> fresh = new HashMap<>(entries);
    fresh.entrySet().removeIf(one -> one.getValue().equals(texts.get(one.getKey())));
    List<Future<Void>> reads = new ArrayList<>();
    Set<ConnectionId> changed = new HashSet<>();
    fresh.forEach(
        (name, text) ->
            ConnectionId.parse(name)
                .ifPresent(
                    id -> {
                      changed.add(id);
                      reads.add(parse(id, text));
                    }));
    for (String name : List.copyOf(texts.keySet())) {
      if (!entries.containsKey(name)) {
        texts.remove(name);
        ConnectionId id = new ConnectionId(name);
        servers.remove(id);
        unread.remove(id);
        changed.add(id);
      }
    }
    return Future.join(reads)
        .compose(
            parsed -> {
              compare();
              return changed.isEmpty() ? Future.succeededFuture() : listener.apply(changed);
            });
  }

  private Future<Void> parse(ConnectionId id, String text) {
    texts.put(id.value(), text);
    JsonObject entry = new JsonObject(text);
    ServerOrigin origin = ServerOrigin.of(entry.getJsonObject("origin"));
    ServerDefinition own = files.get(id);
    Future<ServerDefinition> definition =
        own != null && origin(own).text().equals(origin.text())
            ? Future.succeededFuture(own)
            : vertx.executeBlocking(() -> reader.read(origin, entry.getString("source", "")));
    return definition.transform(
        read -> {
          if (read.succeeded()) {
            servers.put(id, read.result());
            unread.remove(id);
          } else {
            servers.remove(id);
            unread.put(
                id,
                "server '"
                    + id
                    + "' cannot be read on this node: "
                    + String.valueOf(read.cause().getMessage()).strip());
          }
          return Future.succeededFuture();
        });
  }

  /** Names what the file of this node says otherwise. */
  private void compare() {
    Map<ConnectionId, String> now = new LinkedHashMap<>();
    files.forEach(
        (id, own) -> {
          String text = texts.get(id.value());
          if (text == null) {
            now.put(
                id,
                own.source()
                    + ": server '"
                    + id
                    + "' was removed from the cluster; remove it here too");
          } else if (!same(own, text)) {
            now.put(
                id,
                own.source()
                    + ": server '"
                    + id
                    + "' is defined otherwise in the cluster ("
                    + new JsonObject(text).getString("source")
                    + "); make the files equal");
          }
        });
    now.forEach(
        (id, sentence) -> {
          if (!sentence.equals(divergences.get(id))) {
            LOG.warn("not ready: {}", sentence);
          }
        });
    divergences = now;
  }

  private static boolean same(ServerDefinition own, String text) {
    JsonObject origin = new JsonObject(text).getJsonObject("origin");
    return origin(own).text().equals(ServerOrigin.of(origin).text());
  }
}
