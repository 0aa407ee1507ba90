package dev.mcpbus.cluster.engine;

import static org.assertj.core.api.Assertions.assertThat;

import dev.mcpbus.bus.Addresses;
import io.vertx.core.Completable;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.spi.cluster.RegistrationInfo;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

class ConnectionEntriesTest {

  /** By address: the numbers of the consumers that the cluster has. */
  private final TreeMap<String, List<Long>> cluster = new TreeMap<>();

  private final List<Runnable> late = new ArrayList<>();
  private boolean writesLate;

  private final ConnectionEntries entries =
      new ConnectionEntries(
          new ConnectionEntries.Table() {
            @Override
            public void add(String address, RegistrationInfo info, Completable<Void> done) {
              Runnable write =
                  () -> {
                    cluster.computeIfAbsent(address, none -> new ArrayList<>()).add(info.seq());
                    done.succeed();
                  };
              if (writesLate) {
                late.add(write);
              } else {
                write.run();
              }
            }

            @Override
            public void remove(String address, RegistrationInfo info, Completable<Void> done) {
              cluster.computeIfPresent(
                  address,
                  (same, seqs) -> {
                    seqs.remove(info.seq());
                    return seqs.isEmpty() ? null : seqs;
                  });
              done.succeed();
            }
          });

  private static RegistrationInfo consumer(long seq) {
    return new RegistrationInfo("n1", seq, false);
  }

  private Future<Void> add(String address, long seq) {
    Promise<Void> done = Promise.promise();
    entries.add(address, consumer(seq), done);
    return done.future();
  }

  private void remove(String address, long seq) {
    Promise<Void> done = Promise.promise();
    entries.remove(address, consumer(seq), done);
    assertThat(done.future().succeeded()).isTrue();
  }

  @Test
  void an_entry_is_that_of_the_connection_only_for_what_connections_serve() {
    assertThat(ConnectionEntries.entryOf("mcp.s1.tools.call")).isEqualTo("mcp.s1");
    assertThat(ConnectionEntries.entryOf("mcp.s1.status")).isEqualTo("mcp.s1");
    for (String own :
        List.of(
            "mcp.s1.events", // published to anyone
            "mcp.s1.input", // a handler of the program
            "mcp.s1.replica.0",
            "mcp.s1.tools.mine",
            "mcp.s1",
            "mcp.servers.calls",
            "mcp.tools.call",
            "mcp.gateway.sessions.abc",
            "other.s1.tools.call")) {
      assertThat(ConnectionEntries.entryOf(own)).isEqualTo(own);
    }
  }

  @Test
  void all_addresses_of_a_connection_are_one_entry_until_the_last_is_gone() {
    long seq = 0;
    for (String suffix : Addresses.SERVED) {
      assertThat(add("mcp.s1." + suffix, seq++).succeeded()).isTrue();
    }
    add("mcp.s1.replica.0", seq);
    assertThat(cluster.keySet()).containsExactly("mcp.s1", "mcp.s1.replica.0");
    seq = 0;
    for (String suffix : Addresses.SERVED) {
      assertThat(cluster).containsKey("mcp.s1");
      remove("mcp.s1." + suffix, seq++);
    }
    assertThat(cluster.keySet()).containsExactly("mcp.s1.replica.0");
  }

  @Test
  void each_registration_waits_until_the_cluster_has_the_entry() {
    writesLate = true;
    Future<Void> first = add("mcp.s1.ping", 1);
    Future<Void> second = add("mcp.s1.status", 2);
    assertThat(List.of(first.isComplete(), second.isComplete())).containsOnly(false);
    late.forEach(Runnable::run);
    assertThat(List.of(first.succeeded(), second.succeeded())).containsOnly(true);
    assertThat(late).hasSize(1);
  }

  @Test
  void a_new_connection_beside_one_that_ends_keeps_its_entry() {
    add("mcp.s1.ping", 1);
    add("mcp.s1.ping", 2);
    remove("mcp.s1.ping", 1);
    assertThat(cluster).containsKey("mcp.s1");
    remove("mcp.s1.ping", 2);
    assertThat(cluster).isEmpty();
  }

  @Test
  void what_is_withdrawn_is_out_of_the_cluster_and_a_new_connection_comes_in_again() {
    add("mcp.s1.ping", 1);
    add("mcp.s1.status", 2);
    assertThat(entries.withdraw(List.of("mcp.s1.ping", "mcp.s1.status")).succeeded()).isTrue();
    assertThat(cluster).isEmpty();
    add("mcp.s1.ping", 3);
    assertThat(cluster.get("mcp.s1")).containsExactly(3L);
    remove("mcp.s1.ping", 1);
    remove("mcp.s1.status", 2);
    assertThat(cluster.get("mcp.s1")).containsExactly(3L);
  }

  @Test
  void while_there_are_plain_callers_each_address_is_an_entry_as_well() {
    add("mcp.s1.ping", 1);
    assertThat(entries.plainCallers(true).succeeded()).isTrue();
    assertThat(cluster.keySet()).containsExactly("mcp.s1", "mcp.s1.ping");
    add("mcp.s1.status", 2);
    assertThat(cluster.keySet()).containsExactly("mcp.s1", "mcp.s1.ping", "mcp.s1.status");
    remove("mcp.s1.ping", 1);
    assertThat(cluster.keySet()).containsExactly("mcp.s1", "mcp.s1.status");
    assertThat(entries.plainCallers(false).succeeded()).isTrue();
    assertThat(cluster.keySet()).containsExactly("mcp.s1");
    entries.plainCallers(true);
    entries.withdraw(List.of("mcp.s1.status"));
    assertThat(cluster).isEmpty();
  }
}
