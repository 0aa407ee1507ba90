package dev.mcpbus.cluster.definitions;

import dev.mcpbus.bus.ConnectionId;
import dev.mcpbus.cluster.engine.WireCompatibility;
import dev.mcpbus.cluster.membership.ClusterMembers;
import dev.mcpbus.cluster.membership.NodeMessage;
import dev.mcpbus.cluster.membership.NodeMessages;
import dev.mcpbus.config.ServerDefinition;
import dev.mcpbus.hosting.ServerEntryReader;
import io.vertx.core.Context;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;
import java.util.function.Function;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Keeps what this node knows of the cluster's servers up to date: reads what facts name, and
 * everything where a fact may have been missed. Confined to the context that it is made on.
 */
public final class DefinitionSync {

  private static final Logger LOG = LoggerFactory.getLogger(DefinitionSync.class);

  private static final Duration VERIFY = Duration.ofSeconds(30);

  /** Every so many times all is read: what a member wrote by itself was told to nobody. */
  private static final int THOROUGHLY = 10;

  /** How often a reading that failed is tried again, and the time of a verification looked at. */
  private static final long TICK_MILLIS = 2_000;

  /** When the maps of two halves are one again. */
  private static final Duration MERGED = Duration.ofSeconds(5);

  private final Vertx vertx;
  private final Context context;
  private final ClusterMembers members;
  private final NodeMessages messages;
  private final Duration settle;
  private final Function<Set<ConnectionId>, Future<Void>> listener;
  private final Consumer<Map<String, Set<String>>> refused;
  private final WireCompatibility versions;
  private final PlacementRefusals refusals;
  private final DefinitionChanges changes;
  private final DefinitionRegistry definitions;

  /** Nodes with which this one can not talk, sentences. */
  private List<String> strangers = List.of();

  private long verifiedAt = System.nanoTime();
  private int verified;
  private long ticker = -1;
  private boolean closed;

  /**
   * @param settle how long after a change of members is waited
   * @param listener hears which definitions have changed
   * @param refused hears which nodes can not serve which servers, all of it, when that may differ
   */
  public DefinitionSync(
      Vertx vertx,
      ServerEntryReader reader,
      ClusterMembers members,
      NodeMessages messages,
      Duration settle,
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
    this.definitions = new DefinitionRegistry(vertx, reader, changes, this::changed);
  }

  /** Fails where the definitions cannot be read. */
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

  /** Those that this node can read, and those that it cannot. */
  public Set<ConnectionId> ids() {
    Set<ConnectionId> all = new LinkedHashSet<>(definitions.all().keySet());
    all.addAll(definitions.unread().keySet());
    return all;
  }

  /**
   * Why this node should get no work, sentences. What it cannot read is no reason: others serve it,
   * and this one passes calls on.
   */
  public List<String> problems() {
    List<String> all = new ArrayList<>(definitions.problems());
    all.addAll(strangers);
    return all;
  }

  /** Why nobody serves it whose labels nobody has who can read it. */
  public String noPlace(ServerDefinition definition) {
    return refusals.all().containsKey(definition.id().value())
        ? "no node that has the labels it wants, " + definition.labels() + ", can read it"
        : "no node has the labels that it wants: " + definition.labels();
  }

  /**
   * Who has gone may have taken a fact with it; two halves that merge have not heard each other.
   * Any thread may call.
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
          for (Duration later : List.of(settle, MERGED)) {
            vertx.setTimer(later.toMillis(), due -> readAll());
          }
        });
  }

  /** Another node, or this one, has told that definitions have changed. */
  public void heard(NodeMessage.DefinitionsChanged told) {
    if (told.node().equals(members.self())) {
      return;
    }
    changes
        .heard(told)
        .ifPresentOrElse(
            ids ->
                definitions.read(
                    ids.stream().flatMap(id -> ConnectionId.parse(id).stream()).toList()),
            definitions::readAll);
  }

  /** Another node, or this one, cannot serve a server, or can again. */
  public void heard(NodeMessage.Refusal told) {
    if (!told.node().equals(members.self())) {
      refusals.heard(told.id(), told.node(), told.refused());
      refused.accept(refusals.all());
    }
  }

  private void tick() {
    if (definitions.isBehind()) {
      readAll();
    } else if (System.nanoTime() - verifiedAt >= VERIFY.toNanos()) {
      verifiedAt = System.nanoTime();
      readRefusals();
      if (++verified % THOROUGHLY == 0) {
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
          .onFailure(failure -> LOG.warn("the changes cannot be read: {}", failure.toString()));
    }
  }

  private Future<Void> readAll() {
    if (closed) {
      return Future.succeededFuture();
    }
    verifiedAt = System.nanoTime();
    versions.strangers().onSuccess(this::strangers);
    return readRefusals().compose(read -> definitions.readAll());
  }

  private Future<Void> readRefusals() {
    return refusals
        .read(members.alive())
        .onSuccess(read -> refused.accept(refusals.all()))
        .onFailure(failure -> LOG.warn("the refusals cannot be read: {}", failure.toString()))
        .otherwiseEmpty();
  }

  private void strangers(List<String> sentences) {
    sentences.stream()
        .filter(one -> !strangers.contains(one))
        .forEach(one -> LOG.warn("not ready: {}", one));
    strangers = sentences;
  }

  private Future<Void> changed(Set<ConnectionId> ids) {
    ids.forEach(this::refuse);
    refused.accept(refusals.all());
    return listener.apply(ids);
  }

  /** Tells the others whether this node can serve what it can read, or cannot. */
  private void refuse(ConnectionId id) {
    String why = definitions.unread().get(id);
    if (why == null ? refusals.accept(id.value()) : refusals.refuse(id.value(), why)) {
      messages.publish(new NodeMessage.Refusal(members.self(), id.value(), why != null));
    }
  }
}
