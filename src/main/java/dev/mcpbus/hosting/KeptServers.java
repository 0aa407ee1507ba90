package dev.mcpbus.hosting;

import dev.mcpbus.bus.ConnectionId;
import dev.mcpbus.bus.SerialRuns;
import dev.mcpbus.config.ServerDefinition;
import dev.mcpbus.config.ServerOrigin;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.json.JsonObject;
import java.time.InstantSource;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The servers that were added or removed at run time, kept in a state directory beyond the end of
 * the process. Confined to the context of {@link ServersVerticle}; {@link StateFile} reads and
 * writes on worker threads, one write at a time, each with everything that has changed before it.
 */
public final class KeptServers {

  private static final Logger LOG = LoggerFactory.getLogger(KeptServers.class);

  /** How many changes are kept; the oldest removals make room. */
  static final int MAX = 10_000;

  private static final long AGAIN_MILLIS = 10_000;

  private final Vertx vertx;
  private final @Nullable StateFile file;
  private final InstantSource clock;
  private final Map<ConnectionId, KeptServer> all = new LinkedHashMap<>();
  private final SerialRuns<Void> writes = new SerialRuns<>(this::write);
  private volatile @Nullable String failure;
  private boolean waits;

  /**
   * @param file null: nothing outlives the process
   */
  public KeptServers(Vertx vertx, @Nullable StateFile file, InstantSource clock) {
    this.vertx = vertx;
    this.file = file;
    this.clock = clock;
  }

  /**
   * Takes the directory for this process and reads the file. Fails where another process has the
   * directory; a file that cannot be read is kept aside and the log says so.
   */
  public Future<Void> open() {
    StateFile from = file;
    return from == null
        ? Future.succeededFuture()
        : vertx.executeBlocking(from::open, false).onSuccess(all::putAll).mapEmpty();
  }

  /** Gives the directory free, after the writes that were requested. */
  public Future<Void> close() {
    StateFile open = file;
    return open == null
        ? Future.succeededFuture()
        : writes
            .quiet()
            .compose(
                quiet ->
                    vertx.executeBlocking(
                        () -> {
                          open.close();
                          return null;
                        },
                        false));
  }

  /** All changes, by server. */
  public Map<ConnectionId, KeptServer> all() {
    return Map.copyOf(all);
  }

  public @Nullable KeptServer get(ConnectionId id) {
    return all.get(id);
  }

  /** A revision for a change of this server that happens now, above all that are kept. */
  public long next(ConnectionId id) {
    KeptServer before = all.get(id);
    return Math.max(clock.millis(), before == null ? 0 : before.revision() + 1);
  }

  /**
   * Keeps a server that was added at run time, unless {@link #whyNotLasting} says why it cannot.
   * Succeeds in any case, when the change is on the disk or has failed.
   */
  public Future<Void> added(ServerDefinition definition, long revision) {
    ServerOrigin origin = definition.origin();
    if (file == null || origin == null || unfit(definition) != null) {
      return forget(definition.id());
    }
    return put(definition.id(), KeptServer.added(revision, origin, definition.source()));
  }

  /** Keeps a removal; as {@link #added}. */
  public Future<Void> removed(ConnectionId id, KeptServer removal) {
    return file == null ? Future.succeededFuture() : put(id, removal);
  }

  private Future<Void> put(ConnectionId id, KeptServer change) {
    if (change.equals(all.get(id)) && failure == null) {
      return writes.quiet();
    }
    all.remove(id); // the newest change is the last
    all.put(id, change);
    if (all.size() > MAX) {
      makeRoom();
    }
    return save();
  }

  private void makeRoom() {
    ConnectionId oldest =
        all.entrySet().stream()
            .filter(one -> one.getValue().origin() == null)
            .map(Map.Entry::getKey)
            .findFirst()
            .orElse(all.keySet().iterator().next());
    all.remove(oldest);
    LOG.warn(
        "the state directory keeps {} changes at most; that of server '{}' made room", MAX, oldest);
  }

  /** Nothing is kept of this server any more. */
  public Future<Void> forget(ConnectionId id) {
    return all.remove(id) == null ? Future.succeededFuture() : save();
  }

  private Future<Void> save() {
    return writes.request().otherwiseEmpty();
  }

  private Future<Void> write() {
    StateFile to = file;
    if (to == null) {
      return Future.succeededFuture();
    }
    Map<ConnectionId, KeptServer> now = new LinkedHashMap<>(all);
    return vertx
        .<Void>executeBlocking(
            () -> {
              to.write(now);
              return null;
            },
            false)
        .onSuccess(written -> failure = null)
        .onFailure(
            cause -> {
              String why = "it could not be written to " + to.path() + ": " + cause.getMessage();
              if (!why.equals(failure)) {
                LOG.error("a change of servers does not survive a restart: {}", why);
              }
              failure = why;
              if (!waits) {
                waits = true;
                vertx.setTimer(AGAIN_MILLIS, timer -> writeAgain());
              }
            });
  }

  /** The disk may have room again. */
  private void writeAgain() {
    waits = false;
    if (isFailing()) {
      save();
    }
  }

  /** Why changes at run time do not survive a restart at the moment; null where they do. */
  public @Nullable String problem() {
    return failure == null
        ? null
        : "servers that are added or removed now are lost at a restart: " + failure;
  }

  /** Whether the state directory cannot be written; any thread. */
  public boolean isFailing() {
    return failure != null;
  }

  /**
   * Why the last change of this server does not survive a restart of mcpbus, as a sentence without
   * a full stop; null where it does.
   *
   * @param added the definition of a server that was added; null for one that was removed
   */
  public @Nullable String whyNotLasting(ConnectionId id, @Nullable ServerDefinition added) {
    if (file == null) {
      return "no \"state\": {\"dir\": ...} is configured";
    }
    String unfit = added == null ? null : unfit(added);
    return unfit != null ? unfit : failure;
  }

  private @Nullable String unfit(ServerDefinition added) {
    ServerOrigin origin = added.origin();
    if (origin == null) {
      return "only the program that added it can make its transport";
    }
    JsonObject entry = origin.toJson();
    return file != null && !file.isSealed() && !added.redactor().redact(entry).equals(entry)
        ? "a value in its entry looks like a secret, and without MCPBUS_TOKEN_KEY nothing is"
            + " encrypted; write \"${NAME}\" in place of that value, or set the key"
        : null;
  }
}
