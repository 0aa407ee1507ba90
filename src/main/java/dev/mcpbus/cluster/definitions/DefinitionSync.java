package dev.mcpbus.cluster.definitions;

import dev.mcpbus.bus.ConnectionId;
import dev.mcpbus.cluster.engine.VertxClusterMembers;
import dev.mcpbus.cluster.engine.WireCompatibility;
import dev.mcpbus.cluster.membership.NodeMessage;
import dev.mcpbus.cluster.membership.NodeMessages;
import dev.mcpbus.config.ServerDefinition;
import dev.mcpbus.hosting.ServerEntryReader;
import io.vertx.core.Context;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import java.time.Duration;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;
import java.util.function.Function;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Keeps this node's definitions in line with the cluster's map: reads the definitions that a {@link
 * NodeMessage.DefinitionsChanged} names, and all of them where a message may have been missed.
 * Confined to the context on which it is made.
 */
public final class DefinitionSync {

  private static final Logger LOG = LoggerFactory.getLogger(DefinitionSync.class);

  private static final Duration VERIFY = Duration.ofSeconds(30);

  /**
   * Every tenth verification reads all definitions: a member that writes to the map by itself
   * publishes nothing.
   */
  private static final int FULL_READ_EVERY = 10;

  /**
   * How often a failed reading is repeated and the time for a verification is checked,
   * milliseconds.
   */
  private static final long TICK_MILLIS = 2_000;

  /** After a partition, the maps of both halves are one again within this time. */
  private static final Duration AFTER_MERGE = Duration.ofSeconds(5);

  private final Vertx vertx;
  private final Context context;
  private final VertxClusterMembers members;
  private final NodeMessages messages;
  private final Duration settle;
  private final Function<Set<ConnectionId>, Future<Void>> listener;
  private final Consumer<Map<String, Set<String>>> refused;
  private final WireCompatibility versions;
  private final PlacementRefusals refusals;
  private final DefinitionChanges changes;
  private final FileDivergences divergences;
  private final DefinitionRegistry definitions;

  /** Sentences about nodes whose wire form this node does not have. */
  private List<String> incompatible = List.of();

  private long verifiedAt = System.nanoTime();
  private int verifications;
  private long ticker = -1;
  private boolean closed;

  /**
   * @param settle pause after a change of nodes
   * @param rollout how long files may differ before that is a warning
   * @param listener receives the ids whose definitions have changed
   * @param refused receives, whenever they may differ, all ids with the nodes that cannot run them
   */
  public DefinitionSync(
      Vertx vertx,
      ServerEntryReader reader,
      VertxClusterMembers members,
      NodeMessages messages,
      Duration settle,
      Duration rollout,
      Function<Set<ConnectionId>, Future<Void>> listener,
      Consumer<Map<String, Set<String>>> refused) {
    this.vertx = vertx;
    this.context = vertx.getOrCreateContext();
    this.members = members;
    this.messages = messages;
    this.settle = settle;
    this.listener = listener;
    this.refused = refused;
    this.versions = new WireCompatibility(vertx);
    this.refusals = new PlacementRefusals(vertx, members.self());
    this.changes = new DefinitionChanges(vertx, members.self(), messages::publish);
    this.divergences = new FileDivergences(rollout, () -> System.nanoTime() / 1_000_000);
    this.definitions =
        new DefinitionRegistry(vertx, members.name(), reader, divergences, changes, this::changed);
  }

  /**
   * Reads everything once, then keeps it up to date. Fails where the definitions cannot be read.
   */
  public Future<Void> open() {
    return readAll().onSuccess(read -> ticker = vertx.setPeriodic(TICK_MILLIS, now -> tick()));
  }

  public void close() {
    closed = true;
    vertx.cancelTimer(ticker);
  }

  public DefinitionRegistry definitions() {
    return definitions;
  }

  /** The ids of all servers, also of those whose definition this node cannot read. */
  public Set<ConnectionId> ids() {
    Set<ConnectionId> all = new LinkedHashSet<>(definitions.all().keySet());
    all.addAll(definitions.unread().keySet());
    return all;
  }

  /**
   * Sentences why this node is not ready for work. An unreadable definition is no reason: other
   * nodes run the server, and this node passes calls on. A file that differs is none either: the
   * cluster's definition counts.
   */
  public List<String> problems() {
    return incompatible;
  }

  /** Sentences about this node's file where it has differed from the cluster for too long. */
  public List<String> notes() {
    return divergences.overdue();
  }

  /** Why no node owns a server without an eligible node. */
  public String noPlace(ServerDefinition definition) {
    return refusals.all().containsKey(definition.id().value())
        ? "no node that has the labels it wants, " + definition.labels() + ", can read it"
        : "no node has the labels that it wants: " + definition.labels();
  }

  /**
   * Reads everything after a change of nodes: a lost node may have taken a message with it, and two
   * halves that merge have not received each other's. Any thread may call.
   */
  public void membership(String node, boolean joined) {
    context.runOnContext(
        now -> {
          if (closed) {
            return;
          }
          if (!joined) {
            changes.left(node);
          }
          for (Duration later : List.of(settle, AFTER_MERGE)) {
            vertx.setTimer(later.toMillis(), due -> readAll());
          }
        });
  }

  /** Receives the message of a node that definitions have changed; this node's own is ignored. */
  public void received(NodeMessage.DefinitionsChanged message) {
    if (message.node().equals(members.self())) {
      return;
    }
    changes
        .received(message)
        .ifPresentOrElse(
            ids ->
                definitions.read(
                    ids.stream().flatMap(id -> ConnectionId.parse(id).stream()).toList()),
            definitions::readAll);
  }

  /** Receives the message of a node that it cannot run a server, or can again. */
  public void received(NodeMessage.Refusal message) {
    if (!message.node().equals(members.self())) {
      refusals.received(message.id(), message.node(), message.refused());
      refused.accept(refusals.all());
    }
  }

  private void tick() {
    if (definitions.isBehind()) {
      readAll();
    } else if (System.nanoTime() - verifiedAt >= VERIFY.toNanos()) {
      verifiedAt = System.nanoTime();
      versions.incompatibleNodes().onSuccess(this::incompatible);
      readRefusals();
      if (++verifications % FULL_READ_EVERY == 0) {
        definitions.readAll();
        return;
      }
      changes
          .isBehind()
          .onSuccess(
              behind -> {
                if (behind) {
                  definitions.readAll();
                }
              })
          .onFailure(
              failure ->
                  LOG.warn(
                      "this node cannot read the numbers of changes, and tries again: {}",
                      failure.toString()));
    }
  }

  private Future<Void> readAll() {
    if (closed) {
      return Future.succeededFuture();
    }
    verifiedAt = System.nanoTime();
    versions.incompatibleNodes().onSuccess(this::incompatible);
    return readRefusals().compose(read -> definitions.readAll());
  }

  private Future<Void> readRefusals() {
    return refusals
        .read(members.alive())
        .onSuccess(read -> refused.accept(refusals.all()))
        .onFailure(
            failure ->
                LOG.warn(
                    "this node cannot read which nodes refuse which servers, and tries again: {}",
                    failure.toString()))
        .otherwiseEmpty();
  }

  private void incompatible(List<String> sentences) {
    sentences.stream()
        .filter(one -> !incompatible.contains(one))
        .forEach(one -> LOG.warn("not ready: {}", one));
    incompatible = sentences;
  }

  private Future<Void> changed(Set<ConnectionId> ids) {
    ids.forEach(this::refuse);
    refused.accept(refusals.all());
    return listener.apply(ids);
  }

  /** Publishes whether this node can run a server, where that has changed. */
  private void refuse(ConnectionId id) {
    String why = definitions.unread().get(id);
    if (why == null ? refusals.accept(id.value()) : refusals.refuse(id.value(), why)) {
      messages.publish(new NodeMessage.Refusal(members.self(), id.value(), why != null));
    }
  }
}
