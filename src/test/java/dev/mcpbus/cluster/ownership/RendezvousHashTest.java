package dev.mcpbus.cluster.ownership;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import dev.mcpbus.cluster.membership.ClusterNode;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.Set;
import java.util.UUID;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class RendezvousHashTest {

  private static final int IDS = 10_000;

  private static ClusterNode node(Random random, double weight, String... labels) {
    String id = new UUID(random.nextLong(), random.nextLong()).toString();
    return new ClusterNode(id, id, weight, Set.of(labels));
  }

  private static List<ClusterNode> nodes(Random random, int count) {
    List<ClusterNode> nodes = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      nodes.add(node(random, 1));
    }
    return nodes;
  }

  private static Map<String, ClusterNode> owners(List<ClusterNode> nodes) {
    Map<String, ClusterNode> owners = new HashMap<>();
    for (int i = 0; i < IDS; i++) {
      String id = "server-" + i;
      owners.put(id, RendezvousHash.owner(id, nodes, Set.of()).orElseThrow());
    }
    return owners;
  }

  private static long share(Map<String, ClusterNode> owners, ClusterNode node) {
    return owners.values().stream().filter(node::equals).count();
  }

  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3, 4, 5})
  void every_node_gets_about_the_same_share(long seed) {
    List<ClusterNode> nodes = nodes(new Random(seed), 5);
    Map<String, ClusterNode> owners = owners(nodes);
    nodes.forEach(
        node -> assertThat(share(owners, node)).isCloseTo(IDS / 5, within((long) IDS / 40)));
  }

  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3, 4, 5})
  void a_node_that_joins_takes_its_share_and_nothing_else_moves(long seed) {
    Random random = new Random(seed);
    List<ClusterNode> nodes = nodes(random, 4);
    Map<String, ClusterNode> before = owners(nodes);
    ClusterNode fresh = node(random, 1);
    nodes.add(fresh);
    Map<String, ClusterNode> after = owners(nodes);
    long moved =
        before.keySet().stream()
            .filter(id -> !Objects.equals(before.get(id), after.get(id)))
            .count();
    assertThat(moved).isEqualTo(share(after, fresh)).isCloseTo(IDS / 5, within((long) IDS / 40));
  }

  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3, 4, 5})
  void a_node_that_leaves_moves_only_what_it_had(long seed) {
    List<ClusterNode> nodes = nodes(new Random(seed), 5);
    Map<String, ClusterNode> before = owners(nodes);
    ClusterNode gone = nodes.remove(2);
    owners(nodes)
        .forEach(
            (id, owner) -> {
              if (!gone.equals(before.get(id))) {
                assertThat(owner).isEqualTo(before.get(id));
              }
            });
  }

  @Test
  void shares_are_as_the_weights() {
    Random random = new Random(6);
    ClusterNode heavy = node(random, 3);
    ClusterNode light = node(random, 1);
    assertThat(share(owners(List.of(heavy, light)), heavy))
        .isCloseTo(IDS * 3 / 4, within((long) IDS / 40));
  }

  @Test
  void the_order_in_which_nodes_are_known_does_not_matter() {
    List<ClusterNode> nodes = nodes(new Random(7), 6);
    Map<String, ClusterNode> owners = owners(nodes);
    Collections.shuffle(nodes, new Random(8));
    assertThat(owners(nodes)).isEqualTo(owners);
  }

  @Test
  void only_a_node_with_all_labels_owns_what_wants_them() {
    Random random = new Random(9);
    ClusterNode plain = node(random, 100);
    ClusterNode gpu = node(random, 1, "gpu");
    ClusterNode both = node(random, 1, "gpu", "linux");
    List<ClusterNode> nodes = List.of(plain, gpu, both);
    for (int i = 0; i < 100; i++) {
      assertThat(RendezvousHash.owner("s" + i, nodes, Set.of("gpu", "linux"))).contains(both);
    }
    assertThat(RendezvousHash.owner("s", nodes, Set.of("tpu"))).isEmpty();
    assertThat(RendezvousHash.owner("s", List.of(), Set.of())).isEmpty();
  }

  @Test
  void with_few_servers_a_node_may_get_none_by_chance_and_it_is_the_same_node_each_time() {
    int without = 0;
    for (int seed = 0; seed < 500; seed++) {
      List<ClusterNode> nodes = nodes(new Random(seed), 3);
      Set<ClusterNode> owners = new HashSet<>();
      for (int i = 0; i < 12; i++) {
        owners.add(RendezvousHash.owner("s" + i, nodes, Set.of()).orElseThrow());
      }
      without += owners.size() < 3 ? 1 : 0;
    }
    // 3 * (2/3)^12 is one in 43.
    assertThat(without).isBetween(2, 30);
    Set<String> named = new HashSet<>();
    for (int i = 0; i < 12; i++) {
      named.add(
          RendezvousHash.owner("s" + i, List.of(named("n1"), named("n2"), named("n3")), Set.of())
              .orElseThrow()
              .name());
    }
    assertThat(named).as("what ClusterIT relies on").containsExactlyInAnyOrder("n1", "n2", "n3");
  }

  private static ClusterNode named(String name) {
    return new ClusterNode(UUID.randomUUID().toString(), name, 1, Set.of());
  }

  @Test
  void a_node_that_is_started_anew_under_its_name_gets_what_it_had() {
    List<ClusterNode> before = List.of(named("a"), named("b"), named("c"));
    List<ClusterNode> after = List.of(before.get(0), named("b"), before.get(2));
    Map<String, ClusterNode> then = owners(before);
    owners(after)
        .forEach(
            (id, owner) ->
                assertThat(owner.name()).isEqualTo(Objects.requireNonNull(then.get(id)).name()));
  }

  @Test
  void nodes_of_one_name_share_what_one_of_them_would_have() {
    ClusterNode twin = named("a");
    List<ClusterNode> nodes = List.of(twin, named("a"), named("b"));
    assertThat(share(owners(nodes), twin)).isCloseTo(IDS / 4, within((long) IDS / 40));
  }

  @Test
  void several_owners_are_different_nodes_and_begin_with_the_owner_of_one() {
    List<ClusterNode> nodes = nodes(new Random(10), 5);
    for (int i = 0; i < 100; i++) {
      List<ClusterNode> three = RendezvousHash.best("s" + i, nodes, Set.of(), 3);
      assertThat(three).hasSize(3).doesNotHaveDuplicates();
      assertThat(RendezvousHash.owner("s" + i, nodes, Set.of())).contains(three.get(0));
    }
    assertThat(RendezvousHash.best("s", nodes, Set.of(), 9)).hasSize(5);
  }
}
