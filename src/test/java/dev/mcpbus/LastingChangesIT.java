package dev.mcpbus;

import static org.assertj.core.api.Assertions.assertThat;

import dev.mcpbus.testing.ClusterBed;
import dev.mcpbus.testing.EchoServer;
import dev.mcpbus.testing.Http;
import dev.mcpbus.testing.ServiceProcess;
import io.vertx.core.json.JsonObject;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentSkipListSet;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What callers add and remove at run time is so after kill -9 of every process. */
class LastingChangesIT {

  private static final JsonObject STATE = new JsonObject().put("dir", "state");
  private static final Duration SOON = Duration.ofSeconds(20);

  @TempDir private Path folder;

  private ServiceProcess start(JsonObject servers) throws IOException {
    Files.writeString(
        folder.resolve("mcp.json"),
        new JsonObject().put("mcpServers", servers).put("state", STATE).encode());
    return ServiceProcess.start(folder, "--config", "mcp.json", "--port", "0").early();
  }

  private static void kill(ServiceProcess process) {
    process.signal("KILL");
    process.awaitExit(SOON);
  }

  private static Http.Answer add(ServiceProcess to, String name) {
    JsonObject entry = new JsonObject().put("name", name).put("config", EchoServer.shell());
    int port = to.port();
    return Http.post(port, "/api/servers", entry.encode(), Http.admin(port));
  }

  private static Http.Answer remove(ServiceProcess from, String id) {
    int port = from.port();
    return Http.delete(port, "/api/servers/" + id, Http.admin(port));
  }

  @Tag("long")
  @Test
  void a_single_node_has_what_was_added_and_not_what_was_removed_until_its_entry_changes()
      throws IOException {
    JsonObject file =
        new JsonObject().put("stays", EchoServer.shell()).put("goes", EchoServer.shell());
    try (ServiceProcess first = start(file)) {
      Http.Answer added = add(first, "extra");
      assertThat(added.status()).as(added.body()).isEqualTo(201);
      assertThat(added.json().getBoolean("lasting")).isTrue();
      assertThat(remove(first, "goes").json().getBoolean("lasting")).isTrue();
      assertThat(add(first, "brief").status()).isEqualTo(201);
      assertThat(remove(first, "brief").status()).isEqualTo(200);
      kill(first);
    }
    try (ServiceProcess second = start(file)) {
      assertThat(ClusterBed.statuses(second)).containsOnlyKeys("stays", "extra");
      assertThat(second.errText()).contains("'goes' was removed at run time and stays away");
      ServiceProcess rival =
          ServiceProcess.start(folder, "--config", "mcp.json", "--port", "0").early();
      assertThat(rival.awaitExit(SOON)).isEqualTo(1);
      assertThat(rival.errText())
          .contains(
              "another mcpbus uses the state directory " + folder.toRealPath().resolve("state"))
          .doesNotContain("\tat ");
      kill(second);
    }
    // Its entry changes while mcpbus is down; and the file names what was added at run time.
    file.put("goes", EchoServer.shell("goes.txt")).put("extra", EchoServer.shell());
    try (ServiceProcess third = start(file)) {
      assertThat(ClusterBed.statuses(third)).containsOnlyKeys("stays", "goes", "extra");
      kill(third);
    }
    Files.writeString(folder.resolve("state").resolve("servers.json"), "{\"form\": 1, \"ser");
    try (ServiceProcess fourth = start(file)) {
      assertThat(ClusterBed.statuses(fourth)).containsOnlyKeys("stays", "goes", "extra");
      assertThat(fourth.errText()).contains("is torn", "servers.json.aside-");
    }
  }

  @Test
  void without_a_state_directory_the_answer_says_that_the_server_does_not_outlive_the_process()
      throws IOException {
    Files.writeString(folder.resolve("mcp.json"), "{\"mcpServers\": {}}");
    try (ServiceProcess process =
        ServiceProcess.start(folder, "--config", "mcp.json", "--port", "0").early()) {
      JsonObject added = add(process, "extra").json();
      assertThat(added.getBoolean("lasting")).isFalse();
      assertThat(added.getString("note")).contains("gone after a restart", "\"state\"");
    }
  }

  @Tag("long")
  @Test
  void after_kill_9_between_writes_every_server_is_there_whose_addition_was_answered()
      throws Exception {
    Set<String> answered = new ConcurrentSkipListSet<>();
    for (int round = 0; round < 3; round++) {
      String prefix = "r" + round + "-";
      int before = answered.size();
      try (ServiceProcess process = start(new JsonObject())) {
        process.port();
        assertThat(ClusterBed.statuses(process).keySet()).containsAll(answered);
        Thread caller =
            new Thread(
                () -> {
                  for (int i = 0; process.runs(); i++) {
                    try {
                      if (add(process, prefix + i).json().getBoolean("lasting", false)) {
                        answered.add(prefix + i);
                      }
                    } catch (AssertionError | RuntimeException killed) {
                      return;
                    }
                  }
                },
                "adds");
        caller.start();
        int some = before + 2 + 3 * round;
        Awaitility.await().atMost(SOON).until(() -> answered.size() >= some);
        kill(process);
        caller.join(20_000);
      }
    }
    try (ServiceProcess last = start(new JsonObject())) {
      assertThat(ClusterBed.statuses(last).keySet()).containsAll(answered);
      assertThat(last.errText()).doesNotContain("kept as");
    }
  }

  @Tag("release")
  @Test
  void both_nodes_of_a_cluster_are_killed_and_the_newest_change_of_each_server_counts() {
    JsonObject servers =
        new JsonObject().put("f0", EchoServer.shell()).put("f1", EchoServer.shell());
    try (ClusterBed bed = new ClusterBed(folder, 2).keeping()) {
      ServiceProcess one = bed.start("n1", servers);
      ServiceProcess two = bed.start("n2", servers);
      bed.settled(one, 2, Set.of("n1", "n2"));
      assertThat(add(one, "extra").json().getBoolean("lasting")).isTrue();
      assertThat(add(two, "stale").json().getBoolean("lasting")).isTrue();
      Http.Answer removed = remove(two, "f1");
      assertThat(removed.json().getBoolean("lasting")).as(removed.body()).isTrue();
      assertThat(removed.json().containsKey("unconfirmed")).isFalse();
      // No node calls it any more, from the moment of the answer on.
      for (ServiceProcess node : Set.of(one, two)) {
        Http.Answer gone =
            node.callTool("f1", "echo", new JsonObject().put("call", "c").put("deadline", 1));
        assertThat(gone.status()).as(gone.body()).isEqualTo(404);
      }
      until(bed, one, Set.of("f0", "extra", "stale"));
      until(bed, two, Set.of("f0", "extra", "stale"));

      // The copies differ: n1 does not see this removal.
      kill(one);
      assertThat(remove(two, "stale").status()).isEqualTo(200);
      kill(two);

      ServiceProcess oneAgain = bed.again("n1", servers);
      until(bed, oneAgain, Set.of("f0", "extra", "stale"));
      ServiceProcess twoAgain = bed.again("n2", servers);
      until(bed, twoAgain, Set.of("f0", "extra"));
      until(bed, oneAgain, Set.of("f0", "extra"));
      assertThat(bed.settled(twoAgain, 2, Set.of("n1", "n2"))).containsKeys("f0", "extra");
    }
  }

  private static Map<String, JsonObject> until(
      ClusterBed bed, ServiceProcess from, Set<String> servers) {
    return bed.until("exactly " + servers, from, all -> all.keySet().equals(servers));
  }
}
