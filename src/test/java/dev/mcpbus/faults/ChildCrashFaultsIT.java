package dev.mcpbus.faults;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.mcpbus.bus.Addresses;
import dev.mcpbus.bus.Events;
import dev.mcpbus.bus.FailureCode;
import dev.mcpbus.bus.McpFailure.Sent;
import dev.mcpbus.testing.TestBus;
import io.vertx.core.Future;
import io.vertx.core.json.JsonObject;
import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.awaitility.Awaitility;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Children that end, or stop moving, while calls are under way. */
class ChildCrashFaultsIT {

  private static final String HANG = "*'\"name\":\"hang\"'*) ;;";

  @TempDir Path folder;

  @Test
  void case_04_all_pending_calls_fail_before_the_restart_is_due() {
    JsonObject backoff = new JsonObject().put("initial", "1h").put("max", "1h");
    JsonObject entry =
        ShServer.of("", HANG, "hang").put("restart", new JsonObject().put("backoff", backoff));
    try (FaultBed bed = FaultBed.ready(entry)) {
      List<Future<Ending>> pending = Stream.generate(() -> bed.sendTool("hang")).limit(50).toList();
      bed.awaitInFlight(50);
      Processes.kill(bed.pid());
      for (Future<Ending> call : pending) {
        assertThat(bed.ending(call).failure(FailureCode.UPSTREAM_EXITED, Sent.MAYBE))
            .hasMessageContaining("SIGKILL");
      }
      assertThat(bed.status().getLong("epoch")).isEqualTo(1);
    }
  }

  @Test
  void case_04_a_call_that_comes_meanwhile_waits_for_the_restarted_child() {
    JsonObject entry = ShServer.of("", HANG, "hang");
    try (FaultBed bed = FaultBed.ready(entry)) {
      for (int round = 1; round <= 3; round++) {
        bed.awaitReady(round);
        Future<Ending> pending = bed.sendTool("hang");
        bed.awaitInFlight(1);
        long pid = bed.pid();
        Processes.kill(pid);
        bed.ending(pending).failure(FailureCode.UPSTREAM_EXITED, Sent.MAYBE);
        assertThat(bed.text("echo")).isNotEqualTo(Long.toString(pid));
        assertThat(bed.status().getInteger("restarts")).isEqualTo(round);
        assertThat(bed.lastError().getString("code")).isEqualTo("UPSTREAM_EXITED");
        assertThat(Processes.running(pid)).isFalse();
      }
    }
  }

  @Test
  void case_04_a_server_that_crashes_in_a_call_is_restarted_and_its_last_words_are_kept() {
    try (FaultBed bed = FaultBed.ready(FaultBed.scripted("good"))) {
      long pid = bed.pid();
      Future<Ending> other = bed.sendTool("hang");
      assertThat(bed.failure("crash", FailureCode.UPSTREAM_EXITED, Sent.MAYBE))
          .hasMessageContaining("exit code 7")
          .hasMessageContaining("crashing as told");
      TestBus.await(other).failure(FailureCode.UPSTREAM_EXITED, Sent.MAYBE);
      bed.assertBack(pid, FailureCode.UPSTREAM_EXITED);
      assertThat(bed.text("count")).as("nothing is replayed but the echo").isEqualTo("1");
    }
  }

  @Test
  void case_04_calls_that_wait_for_the_first_list_of_tools_survive_the_crash() {
    Path crashed = folder.resolve("crashed");
    String once =
        "*'\"method\":\"tools/list\"'*) [ -e '"
            + crashed
            + "' ] || { : > '"
            + crashed
            + "'; exit 5; }\n"
            + "  answer '{\"tools\":[{\"name\":\"echo\",\"inputSchema\":{}}]}' ;;";
    try (FaultBed bed = FaultBed.start(ShServer.of("", once))) {
      assertThat(bed.text("echo")).isNotEmpty();
      assertThat(bed.awaitReady(2).getInteger("restarts")).isEqualTo(1);
    }
  }

  @Test
  void case_04_a_crash_while_it_is_being_disconnected_ends_in_idle() {
    try (FaultBed bed = FaultBed.ready(ShServer.of("", HANG, "hang").put("drain", 10_000))) {
      Future<Ending> call = bed.sendTool("hang");
      bed.awaitInFlight(1);
      long pid = bed.pid();
      bed.bus().request(TestBus.address(FaultBed.VICTIM, Addresses.DISCONNECT), new JsonObject());
      bed.awaitState("DRAINING");
      Processes.kill(pid);
      bed.ending(call).failure(FailureCode.UPSTREAM_EXITED, Sent.MAYBE);
      bed.awaitState("IDLE");
      bed.failure("echo", FailureCode.UNAVAILABLE, Sent.NO);
      bed.bus().request(TestBus.address(FaultBed.VICTIM, Addresses.CONNECT), new JsonObject());
      bed.awaitReady(2);
    }
  }

  @Test
  void case_04_the_catalog_keeps_the_tools_of_a_server_that_is_away_and_marks_them() {
    try (FaultBed bed = FaultBed.ready(ShServer.good())) {
      String fresh = "{\"dev.mcpbus/server\":\"victim\"}";
      FaultBed.until("listed").until(() -> victimInCatalog(bed).equals(fresh));
      bed.bus().request(TestBus.address(FaultBed.VICTIM, Addresses.DISCONNECT), new JsonObject());
      bed.awaitState("IDLE");
      FaultBed.until("stale").until(() -> victimInCatalog(bed).contains("dev.mcpbus/stale"));
      bed.bus().request(TestBus.address(FaultBed.VICTIM, Addresses.CONNECT), new JsonObject());
      bed.awaitReady(2);
      FaultBed.until("listed again").until(() -> victimInCatalog(bed).equals(fresh));
    }
  }

  private static String victimInCatalog(FaultBed bed) {
    JsonObject all = bed.bus().request(Addresses.ALL_TOOLS_LIST, new JsonObject());
    return all.getJsonArray("tools").stream()
        .map(JsonObject.class::cast)
        .filter(tool -> "victim.echo".equals(tool.getString("name")))
        .map(tool -> tool.getJsonObject("_meta").encode())
        .findFirst()
        .orElse("");
  }

  @Test
  void case_04_hundreds_of_crashes_leave_no_process_and_no_descriptor() {
    JsonObject restart =
        new JsonObject()
            .put("intensity", new JsonObject().put("restarts", 1_000))
            .put("backoff", new JsonObject().put("initial", 1).put("max", 1));
    try (FaultBed bed = FaultBed.ready(ShServer.of("", HANG, "hang").put("restart", restart))) {
      int descriptors = 0;
      for (int cycle = 1; cycle <= 200; cycle++) {
        bed.awaitReady(cycle);
        Future<Ending> call = bed.sendTool("hang");
        bed.awaitInFlight(1);
        Processes.kill(bed.pid());
        TestBus.await(call).failure(FailureCode.UPSTREAM_EXITED, Sent.MAYBE);
        if (cycle == 10) {
          descriptors = Processes.descriptors();
        }
      }
      JsonObject status = bed.awaitReady(201);
      assertThat(status.getInteger("restarts")).isEqualTo(200);
      assertThat(bed.processes()).as("victim and neighbour").hasSize(2);
      assertThat(Processes.descriptors()).isLessThanOrEqualTo(descriptors + 4);
    }
  }

  @Test
  void case_10_half_an_answer_before_the_end_is_never_parsed() {
    try (FaultBed bed = FaultBed.ready(FaultBed.scripted("good"))) {
      long pid = bed.pid();
      assertThat(bed.failure("partial", FailureCode.UPSTREAM_EXITED, Sent.MAYBE))
          .hasMessageContaining("exit code 0");
      bed.assertBack(pid, FailureCode.UPSTREAM_EXITED);
    }
  }

  @Test
  void case_16_one_that_closes_stdout_and_lives_on_counts_as_ended_and_is_killed() {
    try (FaultBed bed = FaultBed.ready(FaultBed.scripted("good"))) {
      long pid = bed.pid();
      assertThat(bed.failure("close-stdout", FailureCode.UPSTREAM_EXITED, Sent.MAYBE))
          .hasMessageContaining("closed its stdout");
      bed.assertBack(pid, FailureCode.UPSTREAM_EXITED);
    }
  }

  @Test
  void case_22_a_stopped_process_fails_its_health_checks_and_is_replaced()
      throws IOException, InterruptedException {
    // Long enough that a busy machine does not fail a healthy server, which has another pid then.
    JsonObject ping =
        new JsonObject().put("interval", 50).put("timeout", 1_000).put("threshold", 2);
    try (FaultBed bed = FaultBed.ready(ShServer.of("", HANG, "hang").put("ping", ping))) {
      long pid = bed.pid();
      Future<Ending> call = bed.sendTool("hang");
      bed.awaitInFlight(1);
      Processes.signal("STOP", pid);
      bed.ending(call).failure(FailureCode.OUTCOME_UNKNOWN, Sent.MAYBE);
      JsonObject status = bed.awaitReady(2);
      assertThat(Processes.running(pid)).isFalse();
      assertThat(status.getInteger("restarts")).isEqualTo(1);
      assertThat(bed.lastError().getString("message")).contains("health check");
      assertThat(bed.events(Events.HEALTH_CHECK_FAILED)).hasSizeGreaterThanOrEqualTo(2);
      assertThat(bed.events(Events.STATE_CHANGED))
          .anyMatch(event -> "DEGRADED".equals(event.getString("to")));
      assertThat(bed.events(Events.DISCONNECTED)).hasSize(1);
      assertThat(bed.text("echo")).isNotEqualTo(Long.toString(pid));
    }
  }

  @Test
  void case_23_a_signal_that_ended_the_process_is_named() {
    try (FaultBed bed = FaultBed.ready(FaultBed.scripted("good"))) {
      long pid = bed.pid();
      assertThat(bed.failure("kill", FailureCode.UPSTREAM_EXITED, Sent.MAYBE))
          .hasMessageContaining("SIGKILL");
      bed.assertBack(pid, FailureCode.UPSTREAM_EXITED);
    }
  }

  /** Needs the right to choose the next pid; without it the kernel cannot be made to reuse one. */
  @Test
  void case_24_a_pid_that_was_reaped_and_given_to_another_is_never_signalled() throws IOException {
    @Nullable Process stranger = null;
    JsonObject restart =
        new JsonObject().put("backoff", new JsonObject().put("initial", 60_000).put("max", 60_000));
    try (FaultBed bed = FaultBed.ready(ShServer.good().put("restart", restart))) {
      long pid = bed.pid();
      Processes.kill(pid);
      bed.awaitState("RECONNECTING");
      FaultBed.until("reaped").until(() -> !Files.exists(Path.of("/proc/" + pid)));
      stranger = withPid(pid);
      assumeTrue(stranger != null, "pid " + pid + " cannot be had again here");
      FaultBed.until("the restart is planned")
          .until(() -> bed.status().getValue("nextAttempt") != null);
      bed.bus().request(TestBus.address(FaultBed.VICTIM, Addresses.RESTART), new JsonObject());
      bed.awaitReady(2);
      bed.bus().request(TestBus.address(FaultBed.VICTIM, Addresses.DISCONNECT), new JsonObject());
      bed.awaitState("IDLE");
    } finally {
      if (stranger != null) {
        // Past the times at which the dead child would have got its SIGTERM and SIGKILL.
        boolean ended = endsWithin(stranger, 400);
        stranger.destroyForcibly();
        assertThat(ended).as("the new owner of the pid was signalled").isFalse();
      }
    }
  }

  private static boolean endsWithin(Process process, long millis) {
    try {
      return process.waitFor(millis, TimeUnit.MILLISECONDS);
    } catch (InterruptedException e) {
      throw new AssertionError(e);
    }
  }

  /** A process of that pid, or null where the system does not let us choose. */
  private static @Nullable Process withPid(long pid) {
    for (int attempt = 0; attempt < 20; attempt++) {
      try {
        // The JDK forks twice per start: the helper takes a number, too.
        for (long last = pid - 1; last >= pid - 2; last--) {
          Files.writeString(Path.of("/proc/sys/kernel/ns_last_pid"), Long.toString(last));
          Process process = new ProcessBuilder("sleep", "1000").start();
          if (process.pid() == pid) {
            return process;
          }
          process.destroyForcibly();
        }
      } catch (IOException notAllowed) {
        return null;
      }
    }
    return null;
  }

  @Test
  void case_25_an_answer_before_an_exit_arrives_and_the_server_is_restarted() {
    try (FaultBed bed = FaultBed.ready(FaultBed.scripted("good"))) {
      long pid = bed.pid();
      assertThat(bed.text("exit")).isEqualTo("done");
      bed.assertBack(pid, FailureCode.UPSTREAM_EXITED);
      assertThat(bed.lastError().getString("message")).contains("exit code 0");
    }
  }

  @Test
  void case_26_when_the_jvm_is_killed_all_children_are_gone_within_2_s()
      throws IOException, InterruptedException {
    String mark = UUID.randomUUID().toString();
    JsonObject env = new JsonObject().put(FaultBed.MARK, mark);
    JsonObject deaf =
        ShServer.of("trap '' TERM HUP; sleep 1000 & (setsid sleep 1000 &)", "").put("env", env);
    JsonObject servers =
        new JsonObject()
            .put("family", FaultBed.scripted("family").put("env", env))
            .put("ignore-end", FaultBed.scripted("ignore-end").put("env", env))
            .put("deaf", deaf)
            .put("hang", ShServer.raw("while :; do sleep 1000; done").put("env", env));
    Path file = folder.resolve("mcpbus.json");
    Files.writeString(file, new JsonObject().put("mcpServers", servers).encode());
    Process service =
        new ProcessBuilder(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-XX:TieredStopAtLevel=1",
                "-Xmx256m",
                "-cp",
                System.getProperty("java.class.path")
                    .replace(File.pathSeparator + File.pathSeparator, File.pathSeparator),
                "dev.mcpbus.Main",
                "--config",
                file.toString(),
                "--port",
                "0")
            .redirectErrorStream(true)
            .redirectOutput(folder.resolve("service.log").toFile())
            .start();
    try {
      // family 3, ignore-end 1, deaf 3, hang 2
      Awaitility.await("all servers run")
          .atMost(Duration.ofSeconds(60))
          .pollInterval(Duration.ofMillis(50))
          .until(() -> Processes.marked(FaultBed.MARK, mark).size() == 9);
    } finally {
      service.destroyForcibly();
    }
    assertThat(service.waitFor(60, TimeUnit.SECONDS)).isTrue();
    Awaitility.await("no child is left")
        .atMost(Duration.ofSeconds(2))
        .pollInterval(Duration.ofMillis(20))
        .until(() -> Processes.marked(FaultBed.MARK, mark).isEmpty());
  }
}
