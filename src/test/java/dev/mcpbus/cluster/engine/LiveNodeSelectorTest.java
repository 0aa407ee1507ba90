package dev.mcpbus.cluster.engine;

import static org.assertj.core.api.Assertions.assertThat;

import dev.mcpbus.bus.Addresses;
import io.vertx.core.Completable;
import io.vertx.core.spi.cluster.ClusteredNode;
import io.vertx.core.spi.cluster.NodeInfo;
import io.vertx.core.spi.cluster.RegistrationInfo;
import io.vertx.core.spi.cluster.RegistrationUpdateEvent;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class LiveNodeSelectorTest {

  private final Table table = new Table();
  private final AtomicLong nanos = new AtomicLong(1);
  private final LiveNodeSelector routes = new LiveNodeSelector(nanos::get);

  @BeforeEach
  void start() {
    routes.init(table);
    routes.eventBusStarted();
  }

  @Test
  void whatIsSaidToAllNodesDoesNotWaitForATableThatCannotBeRead() {
    table.nodes = List.of("a", "b");
    assertThat(published(Addresses.PLACEMENT)).containsExactlyInAnyOrder("a", "b");

    table.answers = false;
    routes.refresh();

    assertThat(published(Addresses.PLACEMENT)).containsExactlyInAnyOrder("a", "b");
    assertThat(published("mcp.events.a")).as("any other address waits").isNull();
  }

  @Test
  void aLostNodeIsToldNothingUntilItIsBack() {
    table.nodes = List.of("a", "b");
    assertThat(published(Addresses.PLACEMENT)).hasSize(2);

    routes.lost("b");
    assertThat(published(Addresses.PLACEMENT)).containsExactly("a");

    routes.found("b");
    assertThat(published(Addresses.PLACEMENT)).containsExactlyInAnyOrder("a", "b");
  }

  @Test
  void aLostNodeThatMayBeAliveHearsForAWhileThatItIsLost() {
    table.nodes = List.of("a", "b");
    published(Addresses.PLACEMENT);
    published(Addresses.ALL_EVENTS);
    routes.lost("b");
    routes.keepInformed("b");
    assertThat(published(Addresses.PLACEMENT)).containsExactlyInAnyOrder("a", "b");
    assertThat(published(Addresses.ALL_EVENTS)).as("and nothing else").containsExactly("a");

    nanos.addAndGet(11_000_000_000L);
    assertThat(published(Addresses.PLACEMENT)).containsExactly("a");
  }

  @Test
  void aNewNodeIsToldAtOnceAndNobodyTwice() {
    table.nodes = List.of("a");
    assertThat(published(Addresses.PLACEMENT)).containsExactly("a");

    table.nodes = List.of("a", "c");
    routes.refresh();

    assertThat(published(Addresses.PLACEMENT)).containsExactlyInAnyOrder("a", "c");
  }

  @Test
  void whereNobodyListensThePublisherIsToldSo() {
    AtomicInteger told = new AtomicInteger();
    routes.selectForPublish(Addresses.ALL_EVENTS, (nodes, failure) -> told.incrementAndGet());
    assertThat(told).hasValue(1);
  }

  @Test
  void eventsGoToEveryNodeAndToWhoElseListens() {
    table.nodes = List.of("a", "b");
    published(Addresses.PLACEMENT);
    table.nodes = List.of("a", "plain");

    assertThat(published(Addresses.ALL_EVENTS)).containsExactlyInAnyOrder("a", "b", "plain");
  }

  @Test
  void oneToWhomNothingCanBeWrittenKeepsNobodyElseFromHearing() {
    table.nodes = List.of("a", "b", "c");
    published(Addresses.PLACEMENT);
    List<String> tried = new ArrayList<>();
    routes.selectForPublish(
        Addresses.PLACEMENT,
        (nodes, failure) -> {
          nodes.forEach(tried::add);
          throw new IllegalStateException("Promise already completed");
        });
    assertThat(tried).containsExactlyInAnyOrder("a", "b", "c");
  }

  @Test
  void whoAsksWhileAnAddressGoesIsToldThatNobodyListens() {
    table.answers = false;
    List<String> told = new ArrayList<>();
    routes.selectForSend("mcp.a.tools.call", (node, failure) -> told.add(node + " " + failure));
    routes.selectForPublish("mcp.events.a", (nodes, failure) -> told.add(nodes + " " + failure));
    for (String address : List.of("mcp.a.tools.call", "mcp.events.a")) {
      routes.registrationsUpdated(new RegistrationUpdateEvent(address, List.of()));
    }
    assertThat(told).isEmpty();

    table.answer();

    assertThat(told).containsExactly("null null", "[] null");
    table.nodes = List.of("b");
    routes.selectForSend("mcp.a.tools.call", (node, failure) -> told.add(node + " " + failure));
    assertThat(told).as("and the next asks anew").endsWith("b null");
  }

  @Test
  void whoAsksWhileTheTableCannotBeReadHearsWhy() {
    table.answers = false;
    List<String> told = new ArrayList<>();
    routes.selectForSend("mcp.a.tools.call", (node, failure) -> told.add(node + " " + failure));
    routes.refresh();
    table.waiting.remove().fail("no members");
    assertThat(told).singleElement().asString().startsWith("null ").endsWith("no members");
  }

  /** The nodes of a publish; null before the registrations are known. */
  private @Nullable List<String> published(String address) {
    List<String> chosen = new ArrayList<>();
    routes.selectForPublish(address, (nodes, failure) -> nodes.forEach(chosen::add));
    return chosen.isEmpty() ? null : chosen;
  }

  /** The registrations in the cluster, of one address after another. */
  private static final class Table implements ClusteredNode {

    private List<String> nodes = List.of();
    private boolean answers = true;
    private final Queue<Completable<List<RegistrationInfo>>> waiting = new ArrayDeque<>();

    /** Answers all readings from now on at once. */
    private void answer() {
      answers = true;
      while (!waiting.isEmpty()) {
        waiting
            .remove()
            .succeed(nodes.stream().map(node -> new RegistrationInfo(node, 1, false)).toList());
      }
    }

    @Override
    public String getNodeId() {
      return "a";
    }

    @Override
    public void getNodeInfo(String nodeId, Completable<NodeInfo> promise) {
      throw new UnsupportedOperationException();
    }

    @Override
    public NodeInfo getNodeInfo() {
      throw new UnsupportedOperationException();
    }

    @Override
    public List<String> getNodes() {
      return nodes;
    }

    @Override
    public void getRegistrations(String address, Completable<List<RegistrationInfo>> promise) {
      waiting.add(promise);
      if (answers) {
        answer();
      }
    }
  }
}
