package dev.mcpbus.cluster.ownership;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class ReplicaAssignmentTest {

  private static final List<String> KEYS = ReplicaAssignment.keys("s", 3);
  private static final Set<String> ALIVE = Set.of("a", "b", "c", "d");

  private final Map<String, OwnershipClaim> claims = new HashMap<>();
  private final Set<String> serving = new HashSet<>(KEYS);

  /** Nodes that own the replicas; null for none. */
  private void owned(@Nullable String... nodes) {
    for (int i = 0; i < nodes.length; i++) {
      claims.put(KEYS.get(i), new OwnershipClaim(nodes[i], 1));
    }
  }

  private Collection<@Nullable String> targets(String... best) {
    return ReplicaAssignment.targets(KEYS, List.of(best), claims).values();
  }

  private boolean mayMove(int replica, String... best) {
    return ReplicaAssignment.mayMove(
        KEYS.get(replica),
        ReplicaAssignment.targets(KEYS, List.of(best), claims),
        claims,
        ALIVE,
        serving::contains);
  }

  @Test
  void the_first_has_the_name_of_its_server_so_that_one_alone_is_as_before() {
    assertThat(KEYS).containsExactly("s", "s#1", "s#2");
    assertThat(ReplicaAssignment.keys("s", 1)).containsExactly("s");
  }

  @Test
  void each_of_the_best_nodes_gets_one() {
    assertThat(targets("b", "a", "c")).containsExactly("b", "a", "c");
  }

  @Test
  void with_fewer_nodes_than_replicas_some_have_no_target() {
    assertThat(targets("b")).containsExactly("b", null, null);
  }

  @Test
  void a_node_that_has_one_keeps_it_whatever_its_rank() {
    owned("c", "a", "b");
    assertThat(targets("a", "b", "c")).containsExactly("c", "a", "b");
  }

  @Test
  void a_better_node_takes_the_place_of_the_one_that_is_not_among_the_best_any_more() {
    owned("c", "a", "b");
    assertThat(targets("d", "a", "b")).containsExactly("d", "a", "b");
  }

  @Test
  void replicas_without_an_owner_are_assigned_before_replicas_that_must_move() {
    owned("x", null, "b");
    assertThat(targets("a", "b")).containsExactly(null, "a", "b");
  }

  @Test
  void a_node_that_has_two_keeps_one() {
    owned("a", "a", "b");
    assertThat(targets("a", "b", "c")).containsExactly("a", "c", "b");
  }

  @Test
  void nodes_that_see_the_same_come_to_the_same_and_no_node_gets_two() {
    Random random = new Random(1);
    List<String> all = List.of("a", "b", "c", "d", "e");
    for (int round = 0; round < 1_000; round++) {
      claims.clear();
      for (String key : KEYS) {
        int owner = random.nextInt(all.size() + 1);
        claims.put(key, new OwnershipClaim(owner == all.size() ? null : all.get(owner), 1));
      }
      List<String> best = all.subList(random.nextInt(3), 3 + random.nextInt(3));
      best = best.subList(0, Math.min(3, best.size()));
      List<String> given =
          ReplicaAssignment.targets(KEYS, best, claims).values().stream()
              .filter(Objects::nonNull)
              .toList();
      assertThat(given).doesNotHaveDuplicates().containsExactlyInAnyOrderElementsOf(best);
    }
  }

  @Test
  void one_after_the_other_moves() {
    owned("x", "y", "a");
    Set<String> living = Set.of("x", "y", "a", "b", "c");
    Map<String, @Nullable String> targets =
        ReplicaAssignment.targets(KEYS, List.of("a", "b", "c"), claims);
    assertThat(ReplicaAssignment.mayMove("s", targets, claims, living, serving::contains)).isTrue();
    assertThat(ReplicaAssignment.mayMove("s#1", targets, claims, living, serving::contains))
        .isFalse();
  }

  @Test
  void the_next_moves_only_when_the_one_that_has_moved_answers() {
    owned("a", "d", "b");
    serving.remove("s");
    assertThat(mayMove(1, "a", "b", "c")).isFalse();
    serving.add("s");
    assertThat(mayMove(1, "a", "b", "c")).isTrue();
  }

  @Test
  void a_replica_that_does_not_serve_may_move_at_any_time_and_so_may_the_only_one() {
    owned("d", "a", "b");
    serving.clear();
    assertThat(mayMove(0, "a", "b", "c")).isTrue();
    claims.clear();
    serving.addAll(KEYS);
    owned("d");
    assertThat(mayMove(0, "a", "b", "c")).isTrue();
  }
}
