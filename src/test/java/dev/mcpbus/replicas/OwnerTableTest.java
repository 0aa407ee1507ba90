package dev.mcpbus.replicas;

import static org.assertj.core.api.Assertions.assertThat;

import dev.mcpbus.bus.ConnectionId;
import dev.mcpbus.bus.ConnectionState;
import dev.mcpbus.bus.ReplicaId;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class OwnerTableTest {

  private static final ConnectionId WEB = new ConnectionId("web");

  private final OwnerTable owners = new OwnerTable();

  private static ReplicaId replica(int number) {
    return new ReplicaId(WEB, number);
  }

  private void owned(int number, String node, @Nullable ConnectionState state) {
    owners.put(new ReplicaOwner(replica(number), node, state, "1"));
  }

  private Map<String, Integer> spread(int calls) {
    Map<String, Integer> nodes = new HashMap<>();
    for (int i = 0; i < calls; i++) {
      nodes.merge(
          Objects.requireNonNull(owners.next(WEB, true, Set.of(), null)).node(), 1, Integer::sum);
    }
    return nodes;
  }

  @Test
  void calls_are_spread_over_those_that_can_take_them() {
    owned(0, "a", ConnectionState.READY);
    owned(1, "b", ConnectionState.RECONNECTING);
    owned(2, "c", ConnectionState.READY);
    assertThat(spread(10)).containsExactlyInAnyOrderEntriesOf(Map.of("a", 5, "c", 5));
    owners.state(replica(1), "b", ConnectionState.READY, "1");
    assertThat(spread(9)).containsExactlyInAnyOrderEntriesOf(Map.of("a", 3, "b", 3, "c", 3));
  }

  @Test
  void where_none_can_take_them_they_are_spread_over_all() {
    owned(0, "a", ConnectionState.RECONNECTING);
    owned(1, "b", ConnectionState.CONNECTING);
    assertThat(spread(4)).containsOnlyKeys("a", "b");
  }

  @Test
  void what_is_not_spread_goes_to_the_first_that_serves() {
    owned(0, "a", ConnectionState.DRAINING);
    owned(1, "b", ConnectionState.READY);
    owned(2, "c", ConnectionState.READY);
    assertThat(owners.next(WEB, false, Set.of(), null)).matches(one -> one.node().equals("b"));
  }

  @Test
  void one_that_was_tried_is_not_tried_again() {
    owned(0, "a", ConnectionState.READY);
    owned(1, "b", ConnectionState.READY);
    Set<ReplicaId> tried = new HashSet<>(Set.of(replica(0)));
    assertThat(owners.next(WEB, true, tried, null)).matches(one -> one.node().equals("b"));
    tried.add(replica(1));
    assertThat(owners.next(WEB, true, tried, null)).isNull();
  }

  @Test
  void a_lost_node_takes_no_calls_and_listeners_are_called() {
    AtomicInteger heard = new AtomicInteger();
    owned(0, "a", ConnectionState.READY);
    owned(1, "b", ConnectionState.READY);
    owners.listen(replica(0), heard::incrementAndGet);
    owners.lost("b");
    assertThat(heard).hasPositiveValue();
    assertThat(spread(3)).containsOnlyKeys("a");
    assertThat(owners.isReplicated(WEB)).isFalse();
    owners.lost("a");
    assertThat(owners.next(WEB, true, Set.of(), null)).isNull();
  }

  @Test
  void the_state_of_a_replica_is_taken_from_its_owner_only() {
    owned(0, "a", ConnectionState.READY);
    owners.state(replica(0), "b", ConnectionState.FAILED, "2");
    owners.remove(replica(0), "b");
    assertThat(owners.all(WEB))
        .containsExactly(new ReplicaOwner(replica(0), "a", ConnectionState.READY, "1"));
  }

  @Test
  void the_map_of_claims_says_nothing_new_of_an_owner_that_is_known() {
    owned(0, "a", ConnectionState.READY);
    owners.learn(new ReplicaOwner(replica(0), "a", null, ""));
    assertThat(owners.speaker(WEB)).matches(ReplicaOwner::serves);
    owners.learn(new ReplicaOwner(replica(0), "b", null, ""));
    assertThat(owners.speaker(WEB)).matches(one -> one.node().equals("b"));
  }

  @Test
  void a_replica_survives_its_name() {
    assertThat(ReplicaId.parse("web")).contains(replica(0));
    assertThat(ReplicaId.parse("web#2")).contains(replica(2));
    assertThat(replica(2).key()).isEqualTo("web#2");
    assertThat(ReplicaId.parse("web#x")).isEmpty();
    assertThat(ReplicaId.parse("no id#1")).isEmpty();
  }

  @Test
  void a_key_has_its_replica_and_a_lost_one_moves_only_its_own_keys() {
    for (int number = 0; number < 4; number++) {
      owned(number, "n" + number, ConnectionState.READY);
    }
    Map<String, String> homes = homes();
    assertThat(new HashSet<>(homes.values())).hasSize(4);
    assertThat(homes()).isEqualTo(homes);

    owners.state(replica(2), "n2", ConnectionState.RECONNECTING, "1");
    homes()
        .forEach(
            (key, node) -> {
              if (!"n2".equals(homes.get(key))) {
                assertThat(node).isEqualTo(homes.get(key));
              } else {
                assertThat(node).isNotEqualTo("n2");
              }
            });
    owners.state(replica(2), "n2", ConnectionState.READY, "1");
    assertThat(homes()).isEqualTo(homes);
  }

  private Map<String, String> homes() {
    Map<String, String> homes = new HashMap<>();
    for (int i = 0; i < 100; i++) {
      String key = "key " + i;
      homes.put(key, Objects.requireNonNull(owners.next(WEB, true, Set.of(), key)).node());
    }
    return homes;
  }
}
