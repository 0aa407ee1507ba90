package dev.mcpbus.cluster.definitions;

import dev.mcpbus.bus.ConnectionId;
import dev.mcpbus.config.ServerDefinition;
import dev.mcpbus.config.ServerOrigin;
import dev.mcpbus.hosting.KeptServer;
import dev.mcpbus.hosting.ServerEntryReader;
import dev.mcpbus.hosting.ServerHosting.Addition;
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
  private final String node;
  private final ServerEntryReader reader;
  private final DefinitionChanges changes;
  private final Function<Set<ConnectionId>, Future<Void>> listener;
  private final DefinitionMap map;
  private final RemovalMap removals;

  private final Map<ConnectionId, KnownDefinition> held = new LinkedHashMap<>();
  private final Map<ConnectionId, ServerDefinition> servers = new LinkedHashMap<>();

  /** Those of {@link #servers} that only one node has. */
  private final Map<ConnectionId, ProgramServer> programs = new LinkedHashMap<>();

  /** The definitions in this node's file. */
  private final Map<ConnectionId, ServerDefinition> files = new LinkedHashMap<>();

  /** Why this node cannot read a definition, as a sentence. */
  private final Map<ConnectionId, String> unread = new LinkedHashMap<>();

  private final FileDivergences divergences;

  private final Set<ConnectionId> wanted = new LinkedHashSet<>();
  private boolean allWanted;
  private boolean running;
  private boolean behind;

  /** Whether this node adds its file: until it has, the cluster may lack what the file names. */
  private boolean seeding;

  private Promise<Void> next = Promise.promise();

  /**
   * @param node the name of this node
   * @param divergences receives how this node's file differs
   * @param changes publishes what this node writes
   * @param listener receives the ids that have changed
   */
  DefinitionRegistry(
      Vertx vertx,
      String node,
      ServerEntryReader reader,
      FileDivergences divergences,
      DefinitionChanges changes,
      Function<Set<ConnectionId>, Future<Void>> listener) {
    this.vertx = vertx;
    this.node = node;
    this.reader = reader;
    this.divergences = divergences;
    this.changes = changes;
    this.listener = listener;
    this.map = new DefinitionMap(vertx, InstantSource.system(), id -> changes.announce(id.value()));
    this.removals = new RemovalMap(vertx);
  }

  /** The definitions that this node can read. */
  public Map<ConnectionId, ServerDefinition> all() {
    return servers;
  }

  /** The servers over transports that programs made themselves, also of lost nodes. */
  public Map<ConnectionId, ProgramServer> programs() {
    return programs;
  }

  /** By id why this node cannot read the definition, as a sentence. */
  Map<ConnectionId, String> unread() {
    return unread;
  }

  /** How this node's file differs from the cluster's definition, or why it cannot be read. */
  public @Nullable String problem(ConnectionId id) {
    String divergence = divergences.of(id);
    return divergence == null ? unread.get(id) : divergence;
  }

  /** Whether the last reading failed, so that the known definitions may be old. */
  boolean isBehind() {
    return behind;
  }

  // ---- writing

  /**
   * Adds a definition. False where one with this id exists, and where a caller removed this entry
   * at run time and a file names it at the start.
   */
  public Future<Boolean> add(ServerDefinition definition, Addition why) {
    ConnectionId id = definition.id();
    if (why != Addition.CALLER) {
      files.put(id, definition);
    }
    return removals
        .get(id)
        .compose(
            removal -> {
              if (why == Addition.START && removal != null && removal.isRemovalOf(definition)) {
                return read(List.of(id)).map(false);
              }
              // A changed entry is newer than the removal of the entry before it.
              boolean seed = why == Addition.START && removal == null;
              return map.add(id, text(definition, why == Addition.CALLER), seed)
                  .compose(
                      added ->
                          !added
                              ? read(List.of(id)).map(false)
                              : (removal == null ? changed(id) : defined(id)).map(true));
            });
  }

  /**
   * Adds a server over a transport that this program made itself, or says again that it is here.
   * False where another definition has the id; that of a node which is no member does not count.
   *
   * @param self the id of this node
   */
  public Future<Boolean> addProgram(ServerDefinition definition, String self, Set<String> alive) {
    ConnectionId id = definition.id();
    return map.add(
            id,
            DefinitionEntry.ofProgram(definition, self).encode(),
            false,
            text -> {
              ProgramServer other = program(text);
              return other != null && (other.node().equals(self) || !alive.contains(other.node()));
            })
        .compose(added -> (added ? defined(id) : read(List.of(id))).map(added));
  }

  /**
   * Removes a server of a program, if it is as this node has read it.
   *
   * @param of the id of the program's node
   * @return whether this node has removed it
   */
  public Future<Boolean> removeProgram(ConnectionId id, String of) {
    ProgramServer program = programs.get(id);
    if (program == null || !program.node().equals(of)) {
      return Future.succeededFuture(false);
    }
    return map.forget(id)
        .compose(mine -> mine ? changed(id).map(true) : read(List.of(id)).map(false));
  }

  private static @Nullable ProgramServer program(String text) {
    try {
      return DefinitionEntry.decode(text).program();
    } catch (IllegalArgumentException unreadable) {
      return null;
    }
  }

  /**
   * Adds the definitions of this node's file at its start, except those that the cluster has, and
   * those that a caller removed. Reads the cluster's maps as a whole, and writes what is missing, a
   * few dozen at a time: nodes that start together share that work.
   *
   * @return the ids that this node has added
   */
  public Future<List<ConnectionId>> seed(List<ServerDefinition> definitions) {
    definitions.forEach(one -> files.put(one.id(), one));
    seeding = true;
    return readAll()
        .compose(read -> removals.all())
        .compose(
            removed ->
                new FileSeed(
                        definitions,
                        node,
                        held::containsKey,
                        one ->
                            removed.containsKey(one.id()) ? add(one, Addition.START) : write(one))
                    .run())
        .onComplete(over -> seeding = false)
        .compose(
            added ->
                readAll()
                    .onSuccess(read -> definitions.forEach(one -> compare(one.id())))
                    .map(added));
  }

  private Future<Boolean> write(ServerDefinition definition) {
    ConnectionId id = definition.id();
    return map.seed(id, text(definition, false))
        .onSuccess(
            mine -> {
              if (mine) {
                changes.announce(id.value());
              }
            });
  }

  /** Publishes that a server is defined, so that an earlier removal does not count any more. */
  private Future<Void> defined(ConnectionId id) {
    return removals.forget(id).compose(over -> changed(id));
  }

  /**
   * Defines a server again that a caller added before this node ended.
   *
   * @return false where the cluster has a newer revision
   */
  Future<Boolean> restore(ConnectionId id, KeptServer kept) {
    ServerOrigin origin = Objects.requireNonNull(kept.origin());
    String text = new DefinitionEntry(origin, kept.source(), node, true, null).encode();
    return map.restore(id, text, kept.revision())
        .compose(mine -> mine ? changed(id).map(true) : Future.succeededFuture(false));
  }

  /** The removals of callers. */
  RemovalMap removals() {
    return removals;
  }

  /** Whether the cluster's definition was added by a caller, not by a file. */
  boolean isAdded(ConnectionId id) {
    KnownDefinition there = held.get(id);
    return there != null && there.form() != null && there.form().added();
  }

  /** The digest of the cluster's definition; null where there is none that this node can read. */
  @Nullable String digest(ConnectionId id) {
    KnownDefinition there = held.get(id);
    return there == null || there.form() == null ? null : KeptServer.digest(there.form().origin());
  }

  /** The revision of the cluster's definition; 0 where there is none. */
  long revision(ConnectionId id) {
    return map.revision(id);
  }

  /**
   * This node's file has a changed definition: it replaces the cluster's. Where another node has
   * written the same before, nothing is written and no connection begins anew. A server of a
   * program stays.
   */
  public Future<Void> replace(ServerDefinition definition) {
    files.put(definition.id(), definition);
    KnownDefinition there = held.get(definition.id());
    boolean same = there != null && there.form() != null && there.form().isOf(definition);
    if (same || programs.containsKey(definition.id())) {
      return read(List.of(definition.id()));
    }
    return map.put(definition.id(), text(definition, false))
        .compose(put -> defined(definition.id()));
  }

  /**
   * Removes a server.
   *
   * @param file whether this node's file has ceased to name it; else a caller removes it, and no
   *     file that has the same entry brings it back
   */
  public Future<Void> remove(ConnectionId id, boolean file) {
    String digest = digest(id);
    // A node that reads at this moment that the entry is gone finds the removal.
    return map.remove(
            id,
            revision ->
                file ? removals.forget(id) : removals.put(id, KeptServer.removed(revision, digest)))
        .compose(removed -> changed(id));
  }

  private String text(ServerDefinition definition, boolean added) {
    return DefinitionEntry.of(definition, node, added).encode();
  }

  private Future<Void> changed(ConnectionId id) {
    changes.announce(id.value());
    return read(List.of(id));
  }

  /** Records that the file of this node does not name the server any more. */
  public void unseed(ConnectionId id) {
    files.remove(id);
    divergences.forget(id);
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
        programs.remove(id);
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
    programs.remove(id);
    try {
      form = DefinitionEntry.decode(text);
    } catch (IllegalArgumentException e) {
      held.put(id, new KnownDefinition(Sensitive.of(text), null));
      unreadable(id, e);
      return Future.succeededFuture();
    }
    held.put(id, new KnownDefinition(Sensitive.of(text), form));
    ProgramServer program = form.program();
    if (program != null) {
      programs.put(id, program);
      servers.put(id, program.definition(id, form));
      unread.remove(id);
      return Future.succeededFuture();
    }
    ServerDefinition own = files.get(id);
    Future<ServerDefinition> definition =
        own != null && form.isOf(own)
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

  private void compare(ConnectionId id) {
    if (seeding) {
      return;
    }
    ServerDefinition own = files.get(id);
    divergences.compared(id, own == null ? null : divergence(id, own));
  }

  private @Nullable String divergence(ConnectionId id, ServerDefinition own) {
    String here = own.source() + " on node '" + node + "': server '" + id + "' ";
    KnownDefinition there = held.get(id);
    if (there == null) {
      return here + "was removed from the cluster; remove it there too";
    }
    DefinitionEntry form = there.form();
    if (form != null && form.isOf(own)) {
      return null;
    }
    return form == null
        ? here + "is not compared with the cluster's definition, which counts: " + unread.get(id)
        : here
            + "is defined otherwise in the cluster ("
            + form.place()
            + "), whose definition counts; "
            + form.difference(own)
            + (form.added()
                ? "; a caller added the cluster's: rename the one in the file, or remove the added"
                    + " one"
                : "; make the files equal, and where they are, change the entry in one of them"
                    + " while its node runs");
  }
}
