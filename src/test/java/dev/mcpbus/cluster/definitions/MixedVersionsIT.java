package dev.mcpbus.cluster.definitions;

import static org.assertj.core.api.Assertions.assertThat;

import dev.mcpbus.bus.Addresses;
import dev.mcpbus.bus.WireForm;
import dev.mcpbus.testing.ClusterBed;
import dev.mcpbus.testing.EchoServer;
import dev.mcpbus.testing.Http;
import dev.mcpbus.testing.InnerCluster;
import dev.mcpbus.testing.InnerCluster.Node;
import dev.mcpbus.testing.ServiceProcess;
import io.vertx.core.json.JsonObject;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicBoolean;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Case 93: nodes are replaced one by one, and a node of a later version is named in a problem. */
@Tag("release")
class MixedVersionsIT {

  private static final int SERVERS = 6;

  @TempDir Path folder;

  @Test
  void a_node_that_shares_no_form_with_another_names_both_and_is_not_ready() {
    try (InnerCluster cluster = new InnerCluster(2)) {
      cluster.stranger(new JsonObject().put("name", "far").put("wire", 3).put("wireFrom", 2));
      Node node = cluster.start("near", WireForm.NEWEST, Map.of());
      JsonObject list = node.request(Addresses.SERVERS_LIST, new JsonObject());
      assertThat(list.getJsonArray("problems").encode())
          .contains(
              "node 'far' (another version of mcpbus) talks in form 2 to 3, this one (mcpbus ")
          .contains(") in form 1: ", "upgrade by a version of mcpbus between the two");
    }
  }

  @Test
  void all_nodes_are_replaced_one_by_one_under_calls_and_no_call_is_lost() throws IOException {
    JsonObject servers = new JsonObject();
    for (int i = 0; i < SERVERS; i++) {
      servers.put("s" + i, EchoServer.shell(folder.resolve("ran-" + i).toString()));
    }
    List<Integer> doors = new CopyOnWriteArrayList<>();
    List<String> wrong = new CopyOnWriteArrayList<>();
    List<String> answered = new CopyOnWriteArrayList<>();
    AtomicBoolean over = new AtomicBoolean();
    try (ClusterBed bed = new ClusterBed(folder, 4)) {
      bed.start("a1", servers);
      bed.start("a2", servers);
      ready(bed.node("a1"), Set.of("a1", "a2"));
      doors.add(bed.node("a1").port());
      doors.add(bed.node("a2").port());
      List<Thread> callers = new ArrayList<>();
      for (int c = 0; c < 2; c++) {
        String name = "caller" + c;
        Thread caller =
            new Thread(
                () -> {
                  for (int i = 0; !over.get(); i++) {
                    call(doors, name + "-" + i, i, answered, wrong);
                  }
                },
                name);
        callers.add(caller);
        caller.start();
      }
      replaced(bed, "a1", "b1", servers, doors, Set.of("a2", "b1"));
      assertThat(bed.node("b1").get("/health/ready").status()).isEqualTo(200);
      replaced(bed, "a2", "b2", servers, doors, Set.of("b1", "b2"));
      int until = answered.size() + 50;
      Awaitility.await("calls to the new nodes")
          .atMost(Duration.ofSeconds(60))
          .until(() -> answered.size() >= until || !wrong.isEmpty());
      over.set(true);
      for (Thread caller : callers) {
        caller.join(30_000);
      }
    } catch (InterruptedException e) {
      throw new AssertionError(e);
    } finally {
      over.set(true);
    }
    assertThat(wrong).isEmpty();
    assertThat(answered).hasSizeGreaterThan(100).doesNotHaveDuplicates();
    List<String> ran = new ArrayList<>();
    for (int i = 0; i < SERVERS; i++) {
      for (String line : Files.readAllLines(folder.resolve("ran-" + i))) {
        ran.add(line.substring(0, line.indexOf(' ')));
      }
    }
    assertThat(ran).containsExactlyInAnyOrderElementsOf(answered);
  }

  /** Waits until these nodes serve all servers. */
  private static void ready(ServiceProcess from, Set<String> nodes) {
    Awaitility.await("all servers on " + nodes)
        .atMost(Duration.ofSeconds(60))
        .pollInterval(Duration.ofMillis(100))
        .untilAsserted(
            () ->
                assertThat(ClusterBed.statuses(from).values())
                    .hasSize(SERVERS)
                    .allSatisfy(
                        one -> {
                          assertThat(one.getString("state")).isEqualTo("READY");
                          assertThat(one.getString("node")).isIn(nodes);
                        }));
  }

  private static void replaced(
      ClusterBed bed,
      String old,
      String next,
      JsonObject servers,
      List<Integer> doors,
      Set<String> after) {
    ServiceProcess fresh = bed.start(next, servers, new JsonObject());
    doors.add(fresh.port());
    Integer closed = bed.node(old).port();
    Set<String> all = new TreeSet<>(after);
    all.add(old);
    ready(fresh, all);
    doors.remove(closed);
    bed.node(old).signal("TERM");
    bed.node(old).awaitExit(Duration.ofSeconds(20));
    ready(fresh, after);
  }

  /** Repeats a call that was not sent, as a caller may. */
  private static void call(
      List<Integer> doors, String call, int turn, List<String> answered, List<String> wrong) {
    String arguments = new JsonObject().put("call", call).put("deadline", 1).encode();
    long until = System.nanoTime() + Duration.ofSeconds(20).toNanos();
    String last = "";
    for (int attempt = turn; System.nanoTime() < until; attempt++) {
      Http.Answer answer;
      try {
        answer =
            Http.post(
                doors.get(attempt % doors.size()),
                "/api/servers/s" + turn % SERVERS + "/tools/echo",
                arguments);
      } catch (AssertionError | IndexOutOfBoundsException e) {
        // The node's port has closed meanwhile; the end of the test shows whether the call ran.
        last = String.valueOf(e);
        continue;
      }
      if (answer.status() == 200) {
        answered.add(call);
        return;
      }
      last = answer.body();
      if (!last.contains("\"sent\":\"no\"")) {
        break;
      }
    }
    wrong.add(call + ": " + last);
  }
}
