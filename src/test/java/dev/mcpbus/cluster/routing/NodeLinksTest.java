package dev.mcpbus.cluster.routing;

import static org.assertj.core.api.Assertions.assertThat;

import dev.mcpbus.cluster.membership.NodeMessage;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** Node a looks at b and c, which announce themselves every 500 ms as nodes do. */
class NodeLinksTest {

  private static final List<String> NODES = List.of("a", "b", "c");

  private long now = 1_000_000;
  private final NodeLinks links = new NodeLinks("a", () -> now);

  /** Pairs "from to" over which nothing arrives. */
  private final Set<String> cut = new HashSet<>();

  /** Nodes that do not run. */
  private final Set<String> suspended = new HashSet<>();

  /** By listener: the last clock value of each speaker. */
  private final Map<String, Map<String, Long>> heard = new HashMap<>();

  private void passes(long millis) {
    for (long until = now + millis; now < until; now += 500) {
      for (String speaker : NODES) {
        if (!suspended.contains(speaker)) {
          announce(speaker);
        }
      }
    }
  }

  private void announce(String speaker) {
    NodeMessage.Announcement announcement =
        new NodeMessage.Announcement(
            speaker,
            now,
            heard.getOrDefault(speaker, Map.of()),
            Set.copyOf(NODES),
            Set.of(),
            false,
            false,
            null);
    for (String listener : NODES) {
      if (!cut.contains(speaker + " " + listener) && !suspended.contains(listener)) {
        if (!listener.equals(speaker)) {
          heard.computeIfAbsent(listener, none -> new HashMap<>()).put(speaker, now);
        }
        if (listener.equals("a")) {
          links.announced(announcement);
        }
      }
    }
  }

  private void cut(String one, String other) {
    cut.add(one + " " + other);
    cut.add(other + " " + one);
  }

  @Test
  void a_node_that_is_heard_or_unknown_is_reached_directly() {
    assertThat(links.to("b")).isEqualTo(new NodeLinks.Way.Direct());
    passes(5_000);
    assertThat(links.to("b")).isEqualTo(new NodeLinks.Way.Direct());
    assertThat(links.to("a process without mcpbus")).isEqualTo(new NodeLinks.Way.Direct());
    assertThat(links.cutFrom()).isNull();
  }

  @Test
  void while_one_link_is_cut_the_third_node_passes_on_and_after_it_has_healed_it_does_not() {
    passes(5_000);
    cut("a", "b");
    passes(500);
    assertThat(links.to("b")).as("it may only be late").isEqualTo(new NodeLinks.Way.Direct());
    passes(1_000);
    assertThat(links.to("b")).isEqualTo(new NodeLinks.Way.Around("c"));
    assertThat(links.to("c")).isEqualTo(new NodeLinks.Way.Direct());
    assertThat(links.cutFrom()).isEqualTo("b");
    passes(20_000);
    assertThat(links.to("b")).isEqualTo(new NodeLinks.Way.Around("c"));
    cut.clear();
    passes(1_000);
    assertThat(links.to("b")).isEqualTo(new NodeLinks.Way.Direct());
    assertThat(links.cutFrom()).isNull();
  }

  @Test
  void a_link_that_is_cut_in_one_direction_is_cut() {
    passes(5_000);
    cut.add("a b");
    passes(3_500);
    assertThat(links.to("b")).isEqualTo(new NodeLinks.Way.Around("c"));
  }

  @Test
  void a_suspended_node_is_closed_after_three_seconds_and_makes_no_node_cut_off() {
    passes(5_000);
    suspended.add("b");
    passes(2_500);
    assertThat(links.to("b")).isEqualTo(new NodeLinks.Way.Direct());
    passes(1_500);
    assertThat(links.to("b")).isInstanceOf(NodeLinks.Way.Closed.class);
    assertThat(links.to("c")).isEqualTo(new NodeLinks.Way.Direct());
    assertThat(links.cutFrom()).isNull();
    suspended.clear();
    passes(1_000);
    assertThat(links.to("b")).isEqualTo(new NodeLinks.Way.Direct());
  }

  @Test
  void a_node_that_was_not_running_itself_says_nothing_of_the_others() {
    passes(5_000);
    now += 60_000;
    assertThat(links.to("b")).isEqualTo(new NodeLinks.Way.Direct());
    assertThat(links.to("c")).isEqualTo(new NodeLinks.Way.Direct());
  }

  @Test
  void a_node_that_is_cut_off_from_all_has_no_way() {
    passes(5_000);
    cut("a", "b");
    cut("a", "c");
    passes(5_000);
    assertThat(links.to("b")).isInstanceOf(NodeLinks.Way.Closed.class);
    assertThat(links.to("c")).isInstanceOf(NodeLinks.Way.Closed.class);
    assertThat(links.cutFrom()).isNull();
  }

  @Test
  void a_node_that_has_left_and_is_back_is_reached_around_while_its_link_is_cut() {
    passes(5_000);
    cut("a", "b");
    passes(5_000);
    links.left("b");
    passes(1_000);
    links.joined("b");
    assertThat(links.to("b")).isEqualTo(new NodeLinks.Way.Around("c"));
    cut.clear();
    passes(1_000);
    assertThat(links.to("b")).isEqualTo(new NodeLinks.Way.Direct());
  }

  @Test
  void only_a_node_whose_links_are_all_there_is_whole() {
    passes(5_000);
    assertThat(NODES).allMatch(links::isWhole);
    cut("b", "c");
    passes(3_000);
    assertThat(NODES).filteredOn(links::isWhole).containsExactly("a");
    assertThat(NODES).as("they may only be late").noneMatch(links::isCut);
    passes(4_000);
    assertThat(NODES).filteredOn(links::isCut).containsExactly("b", "c");
    cut.clear();
    passes(1_000);
    assertThat(NODES).allMatch(links::isWhole).noneMatch(links::isCut);

    suspended.add("b");
    passes(3_000);
    assertThat(NODES).as("nobody hears b").noneMatch(links::isWhole);
    links.left("b");
    assertThat(NODES).filteredOn(links::isWhole).containsExactly("a", "c");
    suspended.clear();
    links.joined("b");
    passes(1_000);
    assertThat(NODES).allMatch(links::isWhole);
  }

  @Test
  void the_widest_node_sees_most_and_hears_this_one() {
    assertThat(links.widest()).isNull();
    passes(5_000);
    assertThat(links.widest()).isIn("b", "c");
    cut("a", "c");
    passes(3_000);
    assertThat(links.widest()).isEqualTo("b");
    cut.add("a b");
    passes(3_500);
    assertThat(links.widest()).as("b does not hear a").isNull();
  }

  @Test
  void a_node_that_was_lost_passes_nothing_on_until_it_is_heard_again() {
    passes(5_000);
    links.left("b");
    links.left("c");
    assertThat(links.widest()).as("both may have ended").isNull();
    suspended.add("c");
    passes(1_000);
    assertThat(links.widest()).as("b runs, and was dropped").isEqualTo("b");
  }
}
