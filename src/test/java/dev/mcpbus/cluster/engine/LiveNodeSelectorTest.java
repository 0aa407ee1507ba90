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
  private final Queue<Runnable> timers = new ArrayDeque<>();
  private final LiveNodeSelector routes =
      new LiveNodeSelector(nanos::get, (millis, task) -> timers.add(task));

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

    nanos.addAndGet(61_000_000_000L);
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
  void what_has_no_consumer_is_read_once_until_a_consumer_comes() {
    String events = "mcp.s1.events";
    assertThat(published(events)).isNull();
    int readings = table.readings;
    assertThat(published(events)).isNull();
    assertThat(table.readings).isEqualTo(readings);
    assertThat(routes.wantsUpdatesFor(events)).isTrue();
    nanos.addAndGet(10_000_000_000L);
    assertThat(published(events)).isNull();
    assertThat(table.readings).as("an update may have been lost").isEqualTo(readings + 1);

    table.nodes = List.of("a");
    routes.registrationsUpdated(
        new RegistrationUpdateEvent(events, List.of(new RegistrationInfo("a", 1, false))));
    assertThat(published(events)).containsExactly("a");

    table.nodes = List.of();
    routes.registrationsUpdated(new RegistrationUpdateEvent(events, List.of()));
    assertThat(published(events)).isNull();
    table.nodes = List.of("b");
    routes.refresh(); // an update may have been missed
    assertThat(published(events)).containsExactly("b");
  }

  @Test
  void a_consumer_that_comes_during_the_reading_is_heard_the_next_time() {
    String events = "mcp.s1.events";
    table.answers = false;
    assertThat(published(events)).isNull();
    routes.registrationsUpdated(
        new RegistrationUpdateEvent(events, List.of(new RegistrationInfo("a", 1, false))));
    table.answer(); // as it was before
    table.nodes = List.of("a");
    assertThat(published(events)).containsExactly("a");
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

  @Test
  void what_is_sent_to_a_node_by_its_id_needs_no_registration_and_no_membership() {
    table.answers = false;
    routes.lost("b");
    for (String service : List.of(Addresses.PLACEMENT, Addresses.SERVERS_ANSWERS)) {
      assertThat(sent(Addresses.at(service, "b"), null)).containsExactly("b null");
    }
    assertThat(table.readings).isZero();
  }

  /** Registrations are missing for a moment after the loss of another node. */
  @Test
  void a_door_is_asked_at_its_node_without_registrations_until_that_node_is_lost() {
    String door = Addresses.at(Addresses.GATEWAY_DOORS + "b", "a-random-name");
    assertThat(sent(door, null)).containsExactly("b null");
    assertThat(table.readings).isZero();
    routes.lost("b");
    assertThat(sent(door, null)).as("there is no receiver").containsExactly("null null");
    routes.found("b");
    assertThat(sent(door, null)).containsExactly("b null");
  }

  @Test
  void registrations_that_were_known_hold_while_they_cannot_be_read_again() {
    table.nodes = List.of("b");
    assertThat(sent("mcp.a.tools.call", null)).containsExactly("b null");
    table.answers = false;
    routes.refresh();
    List<String> told = sent("mcp.a.tools.call", null);
    assertThat(told).isEmpty();
    timers.remove().run();
    assertThat(told).containsExactly("b null");
    assertThat(sent("mcp.a.tools.call", null)).containsExactly("b null");

    table.nodes = List.of("c");
    table.answer();
    assertThat(sent("mcp.a.tools.call", null)).as("when it was read").containsExactly("c null");
  }

  @Test
  void registrations_that_were_known_do_not_hold_after_a_reading_that_failed() {
    table.nodes = List.of("b");
    sent("mcp.a.tools.call", null);
    table.answers = false;
    routes.refresh();
    Follower follower = new Follower(null, true);
    sent("mcp.a.tools.call", follower);
    timers.remove().run();
    assertThat(follower.choices).as("they may be out of date").containsExactly("b true");
    table.waiting.remove().fail("no members");

    table.nodes = List.of("c");
    table.answer();
    assertThat(sent("mcp.a.tools.call", null)).containsExactly("c null");
  }

  @Test
  void a_message_goes_to_the_known_owner_where_the_registrations_cannot_be_read() {
    table.answers = false;
    Follower follower = new Follower("b", true);
    List<String> told = sent("mcp.a.tools.call", follower);
    assertThat(told).isEmpty();
    timers.remove().run();
    assertThat(told).containsExactly("b null");
    assertThat(follower.choices).containsExactly("b true");

    table.nodes = List.of("c");
    table.answer();
    assertThat(told).as("once").hasSize(1);
    Follower read = new Follower("b", true);
    assertThat(sent("mcp.a.tools.call", read)).containsExactly("c null");
    assertThat(read.choices).containsExactly("c false");
  }

  @Test
  void a_lost_owner_is_no_guess() {
    table.answers = false;
    List<String> told = sent("mcp.a.tools.call", new Follower("b", true));
    routes.lost("b");
    timers.remove().run();
    assertThat(told).isEmpty();
  }

  @Test
  void a_message_that_was_taken_back_does_not_go_to_this_process_either() {
    table.answers = false;
    List<String> told = sent("mcp.a.tools.call", new Follower(null, false));
    table.nodes = List.of(); // the bus looks for a consumer in this process then
    table.answer();
    assertThat(told).singleElement().asString().doesNotEndWith("null");
    Follower allowed = new Follower(null, true);
    assertThat(sent("mcp.a.tools.call", allowed)).containsExactly("null null");
    assertThat(allowed.choices).containsExactly("null false");
  }

  @Test
  void a_message_that_must_not_go_there_is_not_sent() {
    table.nodes = List.of("b");
    assertThat(sent("mcp.a.tools.call", new Follower(null, false)))
        .singleElement()
        .asString()
        .startsWith("null ")
        .doesNotEndWith("null");
  }

  private record Follower(@Nullable String owner, boolean allows, List<String> choices)
      implements LiveNodeSelector.Sending {

    Follower(@Nullable String owner, boolean allows) {
      this(owner, allows, new ArrayList<>());
    }

    @Override
    public boolean goesTo(@Nullable String node, boolean guessed) {
      choices.add(node + " " + guessed);
      return allows;
    }
  }

  /** The choices for a message so far, each with its failure. */
  private List<String> sent(String address, @Nullable Follower follower) {
    List<String> told = new ArrayList<>();
    Runnable send =
        () -> routes.selectForSend(address, (node, failure) -> told.add(node + " " + failure));
    if (follower == null) {
      send.run();
    } else {
      LiveNodeSelector.follow(follower, send);
    }
    return told;
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
    private int readings;
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
      readings++;
      waiting.add(promise);
      if (answers) {
        answer();
      }
    }
  }
}
