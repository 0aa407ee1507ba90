package dev.mcpbus.cluster.definitions;

import dev.mcpbus.bus.ConnectionId;
import dev.mcpbus.config.ServerDefinition;
import dev.mcpbus.config.ServerOrigin;
import dev.mcpbus.hosting.ServerEntryReader;
import dev.mcpbus.protocol.Sensitive;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The definitions of all servers, in a map of the cluster. Files seed the map: at the start the
 * first file that names a server wins, and a file with another definition is a divergence, not a
 * change; a file that changes while its node runs changes the map. {@link DefinitionChanges} says
 * which definitions have changed, and only those are read. Confined to the context of {@code
 * ServersVerticle}.
 */
public final class DefinitionRegistry {

  private static final Logger LOG = LoggerFactory.getLogger(DefinitionRegistry.class);

  /** Above this number of ids all definitions are read, with one request instead of many. */
  private static final int MAX_SINGLE_READS = 64;

  /**
   * An entry of the map.
   *
   * @param form null where this node cannot read it
   */
  private record KnownDefinition(Sensitive text, @Nullable DefinitionEntry form) {}

  private final Vertx vertx;
  private final ServerEntryReader reader;
  private final DefinitionChanges changes;
  private final Function<Set<ConnectionId>, Future<Void>> listener;
  private final DefinitionMap map;

  private final Map<ConnectionId, KnownDefinition> held = new LinkedHashMap<>();
  private final Map<ConnectionId, ServerDefinition> servers = new LinkedHashMap<>();

  /** The definitions in this node's file. */
  private final Map<ConnectionId, ServerDefinition> files = new LinkedHashMap<>();

  /** Why this node cannot read a definition, as a sentence. */
  private final Map<ConnectionId, String> unread = new LinkedHashMap<>();

  /** How this node's file differs from the cluster, as a sentence. */
  private final Map<ConnectionId, String> divergences = new LinkedHashMap<>();

  private final Set<ConnectionId> wanted = new LinkedHashSet<>();
  private boolean allWanted;
  private boolean running;
  private boolean behind;
  private Promise<Void> next = Promise.promise();

  /**
   * @param changes publishes what this node writes
   * @param listener receives the ids that have changed
   */
  DefinitionRegistry(
      Vertx vertx,
      ServerEntryReader reader,
      DefinitionChanges changes,
      Function<Set<ConnectionId>, Future<Void>> listener) {
    this.vertx = vertx;
    this.reader = reader;
    this.changes = changes;
    this.listener = listener;
    this.map = new DefinitionMap(vertx, InstantSource.system(), id -> changes.announce(id.value()));
  }

  /** The definitions that this node can read. */
  public Map<ConnectionId, ServerDefinition> all() {
    return servers;
  }

  /** By id why this node cannot read the definition, as a sentence. */
  Map<ConnectionId, String> unread() {
    return unread;
  }

  /** Sentences about this node's file where it differs from the cluster; each names both places. */
  List<String> problems() {
    return List.copyOf(divergences.values());
  }

  public @Nullable String problem(ConnectionId id) {
    return divergences.getOrDefault(id, unread.get(id));
  }

  /** Whether the last reading failed, so that the known definitions may be old. */
  boolean isBehind() {
    return behind;
  }

  // ---- writing

  /**
   * Adds a definition. False where one with this id exists.
   *
   * @param file whether this node's file has it
   */
  public Future<Boolean> add(ServerDefinition definition, boolean file) {
    if (file) {
      files.put(definition.id(), definition);
    }
    return map.add(definition.id(), text(definition))
        .compose(
            added -> {
              if (added) {
                changes.announce(definition.id().value());
              }
              return read(List.of(definition.id())).map(added);
            });
  }

  public Future<Void> replace(ServerDefinition definition) {
    files.put(definition.id(), definition);
    return map.put(definition.id(), text(definition)).compose(put -> changed(definition.id()));
  }

  public Future<Void> remove(ConnectionId id) {
    return map.remove(id).compose(removed -> changed(id));
  }

  private static String text(ServerDefinition definition) {
    return DefinitionEntry.of(definition).encode();
  }

  private Future<Void> changed(ConnectionId id) {
    changes.announce(id.value());
    return read(List.of(id));
  }

  /** Records that the file of this node does not name the server any more. */
  public void unseed(ConnectionId id) {
    files.remove(id);
    divergences.remove(id);
  }

  // ---- reading

  /** Reads these definitions. Succeeds when a reading that began after the call has finished. */
  public Future<Void> read(Collection<ConnectionId> ids) {
    wanted.addAll(ids);
    allWanted |= wanted.size() > MAX_SINGLE_READS;
    return readSoon();
  }

  /** Reads all definitions. Succeeds when a reading that began after the call has finished. */
  Future<Void> readAll() {
    allWanted = true;
    return readSoon();
  }

  private Future<Void> readSoon() {
    Future<Void> done = next.future();
    run();
    return done;
  }

  private void run() {
    if (running || (!allWanted && wanted.isEmpty())) {
      return;
    }
    running = true;
    boolean full = allWanted;
    Set<ConnectionId> ids = Set.copyOf(wanted);
    Promise<Void> done = next;
    next = Promise.promise();
    allWanted = false;
    wanted.clear();
    (full ? changes.whole(map::all) : map.some(ids))
        .compose(found -> map.check(found, full ? null : ids))
        .compose(entries -> adopt(entries, full, ids))
        .onComplete(
            over -> {
              running = false;
              behind = over.failed() || (behind && !full);
              if (over.failed()) {
                LOG.warn(
                    "this node cannot read the cluster's definitions, and tries again: {}",
                    over.cause().toString());
              }
              done.handle(over);
              run();
            });
  }

  private Future<Void> adopt(
      Map<ConnectionId, SignedEntry> entries, boolean full, Set<ConnectionId> ids) {
    Set<ConnectionId> changed = new HashSet<>();
    List<Future<Void>> parsed = new ArrayList<>();
    entries.forEach(
        (id, entry) -> {
          String text = Objects.requireNonNull(entry.text());
          KnownDefinition before = held.get(id);
          if (before == null || !before.text().equals(Sensitive.of(text))) {
            changed.add(id);
            parsed.add(parse(id, text));
          }
        });
    for (ConnectionId id : full ? List.copyOf(held.keySet()) : ids) {
      if (!entries.containsKey(id) && held.remove(id) != null) {
        servers.remove(id);
        unread.remove(id);
        changed.add(id);
      }
    }
    return Future.join(parsed)
        .compose(
            over -> {
              ids.forEach(this::compare);
              changed.forEach(this::compare);
              if (full) {
                files.keySet().forEach(this::missing);
              }
              return changed.isEmpty() ? Future.succeededFuture() : listener.apply(changed);
            });
  }

  private Future<Void> parse(ConnectionId id, String text) {
    DefinitionEntry form;
    try {
      form = DefinitionEntry.decode(text);
    } catch (IllegalArgumentException e) {
      held.put(id, new KnownDefinition(Sensitive.of(text), null));
      unreadable(id, e);
      return Future.succeededFuture();
    }
    held.put(id, new KnownDefinition(Sensitive.of(text), form));
    ServerDefinition own = files.get(id);
    Future<ServerDefinition> definition =
        own != null && DefinitionEntry.of(own).isSame(form)
            ? Future.succeededFuture(own)
            : vertx.executeBlocking(() -> reader.read(form.origin(), form.source()));
    return definition.transform(
        read -> {
          if (read.succeeded()) {
            servers.put(id, read.result());
            unread.remove(id);
          } else {
            unreadable(id, read.cause());
          }
          return Future.succeededFuture();
        });
  }

  private void unreadable(ConnectionId id, Throwable cause) {
    String why =
        "server '"
            + id
            + "' cannot be read on this node: "
            + String.valueOf(cause.getMessage()).strip();
    servers.remove(id);
    if (!why.equals(unread.put(id, why))) {
      LOG.warn("{}", why);
    }
  }

  private void missing(ConnectionId id) {
    if (!held.containsKey(id)) {
      compare(id);
    }
  }

  /** Notes and logs how this node's file differs from the cluster. */
  private void compare(ConnectionId id) {
    ServerDefinition own = files.get(id);
    String sentence = own == null ? null : divergence(id, own);
    if (sentence == null) {
      divergences.remove(id);
    } else if (!sentence.equals(divergences.put(id, sentence))) {
      LOG.warn("not ready: {}", sentence);
    }
  }

  private @Nullable String divergence(ConnectionId id, ServerDefinition own) {
    KnownDefinition there = held.get(id);
    if (there == null) {
      return own.source()
          + ": server '"
          + id
          + "' was removed from the cluster; remove it here too";
    }
    DefinitionEntry form = there.form();
    ServerOrigin origin = Objects.requireNonNull(own.origin());
    if (form != null && form.origin().text().equals(origin.text())) {
      return null;
    }
    return own.source()
        + ": server '"
        + id
        + "' is defined otherwise in the cluster ("
        + (form == null ? "in a form that this node cannot read" : form.source())
        + "); make the files equal";
  }
}
