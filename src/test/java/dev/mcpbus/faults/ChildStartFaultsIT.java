package dev.mcpbus.faults;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import dev.mcpbus.bus.Addresses;
import dev.mcpbus.bus.Events;
import dev.mcpbus.bus.FailureCode;
import dev.mcpbus.bus.McpFailure;
import dev.mcpbus.bus.McpFailure.Sent;
import dev.mcpbus.testing.TestBus;
import io.vertx.core.Future;
import io.vertx.core.json.JsonObject;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Children that cannot start, do not shake hands, or do so and die again and again. */
class ChildStartFaultsIT {

  @TempDir Path folder;

  private static JsonObject restart(int restarts, long backoff, long reprobe) {
    return new JsonObject()
        .put("intensity", new JsonObject().put("restarts", restarts))
        .put("backoff", new JsonObject().put("initial", backoff).put("max", 60_000))
        .put("reprobe", reprobe);
  }

  @ParameterizedTest
  @ValueSource(strings = {"missing", "not-executable"})
  void case_01_a_command_that_cannot_run_fails_every_call_until_the_configuration_changes(
      String command) throws IOException {
    Path program = folder.resolve(command);
    if (command.equals("not-executable")) {
      Files.writeString(program, "#!/bin/sh\n");
    }
    JsonObject entry = new JsonObject().put("command", program.toString());
    try (FaultBed bed = FaultBed.start(entry)) {
      bed.failure("echo", FailureCode.START_FAILED, Sent.NO);
      JsonObject status = bed.awaitState("FAILED");
      assertThat(status.getLong("epoch")).isEqualTo(1);
      assertThat(status.getInteger("restarts")).isZero();
      assertThat(status.getValue("nextAttempt")).isNull();
      assertThat(bed.lastError().getString("code")).isEqualTo("START_FAILED");
      assertThat(bed.lastError().getString("message")).contains(program.toString());
      McpFailure later = bed.failure("echo", FailureCode.START_FAILED, Sent.NO);
      assertThat(later).hasMessageContaining(program.toString());
      assertThat(later.retryAfterMillis()).isNegative();
      assertThat(bed.events(Events.GAVE_UP)).hasSize(1);
      assertThat(bed.events(Events.GAVE_UP).get(0).getJsonObject("lastError"))
          .isEqualTo(bed.lastError());

      JsonObject removed =
          bed.bus().request(Addresses.SERVERS_REMOVE, new JsonObject().put("id", FaultBed.VICTIM));
      assertThat(removed.getString("removed")).isEqualTo(FaultBed.VICTIM);
      bed.bus()
          .request(
              Addresses.SERVERS_ADD,
              new JsonObject()
                  .put("name", FaultBed.VICTIM)
                  .put("config", bed.mark(ShServer.good())));
      bed.awaitReady(2);
      assertThat(bed.text("echo")).isNotEmpty();
    }
  }

  @Test
  void case_01_a_command_that_vanishes_while_it_runs_fails_the_calls_that_wait()
      throws IOException {
    Path program = folder.resolve("server");
    JsonObject script = ShServer.good();
    Files.writeString(program, "#!/bin/sh\n" + script.getJsonArray("args").getString(1));
    Files.setPosixFilePermissions(program, PosixFilePermissions.fromString("rwx------"));
    JsonObject entry = new JsonObject().put("command", program.toString());
    try (FaultBed bed = FaultBed.ready(entry)) {
      Files.delete(program);
      Processes.kill(bed.pid());
      bed.awaitState("RECONNECTING");
      bed.failure("echo", FailureCode.START_FAILED, Sent.NO);
      assertThat(bed.awaitState("FAILED").getValue("nextAttempt")).isNull();
      bed.failure("echo", FailureCode.START_FAILED, Sent.NO);
      assertThat(bed.status().getLong("epoch")).isEqualTo(2);
    }
  }

  @Test
  void case_02_an_exit_before_the_handshake_says_exit_code_and_stderr_at_once() {
    JsonObject entry = FaultBed.scripted("exit-at-start").put("restart", restart(5, 60_000, 0));
    try (FaultBed bed = FaultBed.start(entry)) {
      Instant before = Instant.now();
      assertThat(bed.failure("echo", FailureCode.HANDSHAKE_FAILED, Sent.NO))
          .hasMessageContaining("exit code 3")
          .hasMessageContaining("no licence found");
      JsonObject status = bed.awaitState("RECONNECTING");
      FaultBed.until("the next attempt is planned")
          .until(() -> bed.status().getValue("nextAttempt") != null);
      assertThat(FaultBed.nextAttempt(bed.status())).isAfter(before.plusSeconds(40));
      assertThat(status.getLong("epoch")).isEqualTo(1);
      assertThat(bed.lastError().getString("code")).isEqualTo("HANDSHAKE_FAILED");
      assertThat(bed.lastError().getString("message")).contains("exit code 3", "no licence found");
      assertThat(bed.processes()).hasSize(1);
    }
  }

  @Test
  void case_02_one_that_never_starts_is_given_up_and_calls_say_when_to_try_again() {
    JsonObject entry =
        ShServer.raw("echo 'no licence found' >&2; exit 3").put("restart", restart(2, 5, 30_000));
    try (FaultBed bed = FaultBed.start(entry)) {
      JsonObject status = bed.awaitState("FAILED");
      assertThat(status.getLong("epoch")).isEqualTo(3);
      assertThat(status.getInteger("restarts")).isEqualTo(2);
      McpFailure refused = bed.failure("echo", FailureCode.UNAVAILABLE, Sent.NO);
      assertThat(refused).hasMessageContaining("exit code 3");
      assertThat(refused.retryAfterMillis()).isBetween(20_000L, 33_000L);
      assertThat(bed.lastError().getString("code")).isEqualTo("HANDSHAKE_FAILED");
      assertThat(FaultBed.nextAttempt(status)).isAfter(Instant.now().plusSeconds(20));
    }
  }

  @Test
  void case_03_closing_while_a_child_is_being_started_leaves_nothing() {
    for (int i = 0; i < 10; i++) {
      try (FaultBed bed = FaultBed.start(ShServer.raw("while :; do sleep 1000; done"))) {
        Future<Ending> call = bed.sendTool("echo");
        bed.bus().request(TestBus.address(FaultBed.VICTIM, Addresses.DISCONNECT), new JsonObject());
        bed.ending(call).failure(FailureCode.UNAVAILABLE, Sent.NO);
        bed.awaitState("IDLE");
        assertThat(bed.processes()).as("only the neighbour").hasSize(1);
        assertThat(bed.status().getValue("lastError")).isNull();
        bed.bus().request(TestBus.address(FaultBed.VICTIM, Addresses.CONNECT), new JsonObject());
      }
    }
  }

  @Test
  void case_03_a_hanging_handshake_times_out_and_its_whole_group_is_killed() {
    JsonObject entry =
        ShServer.raw("trap '' TERM; sleep 1000 & while :; do sleep 1000; done")
            .put("handshakeTimeout", 300)
            .put("restart", restart(5, 60_000, 0));
    try (FaultBed bed = FaultBed.start(entry)) {
      Future<Ending> call = bed.sendTool("echo");
      FaultBed.until("the family runs").until(() -> bed.processes().size() == 4);
      assertThat(bed.ending(call).failure(FailureCode.HANDSHAKE_TIMEOUT, Sent.NO))
          .hasMessageContaining("300 ms");
      FaultBed.until("only the neighbour runs").until(() -> bed.processes().size() == 1);
      JsonObject status = bed.awaitState("RECONNECTING");
      assertThat(status.getLong("epoch")).isEqualTo(1);
      assertThat(bed.lastError().getString("code")).isEqualTo("HANDSHAKE_TIMEOUT");
      FaultBed.until("the next attempt is planned")
          .until(() -> bed.status().getValue("nextAttempt") != null);
    }
  }

  @Test
  void case_05_a_crash_loop_is_given_up_and_probed_slowly_until_it_heals() throws IOException {
    Path healed = folder.resolve("healed");
    Path starts = folder.resolve("starts");
    JsonObject entry =
        ShServer.of(
                "echo x >> '" + starts + "'",
                "*notifications/initialized*) [ -e '" + healed + "' ] || exit 9 ;;")
            .put("restart", restart(3, 10, 400));
    try (FaultBed bed = FaultBed.start(entry)) {
      bed.awaitState("FAILED");
      assertThat(bed.events(Events.GAVE_UP)).isNotEmpty();
      JsonObject gaveUp = bed.events(Events.GAVE_UP).get(0);
      assertThat(gaveUp.getLong("epoch")).as("one start and three restarts").isEqualTo(4);
      assertThat(gaveUp.getLong("reprobe")).isBetween(360L, 440L);
      FaultBed.until("a refusal between two probes")
          .untilAsserted(
              () -> {
                McpFailure refused = bed.failure("echo", FailureCode.UNAVAILABLE, Sent.NO);
                assertThat(refused.retryAfterMillis()).isBetween(0L, 440L);
                assertThat(refused).hasMessageContaining("exit code 9");
              });
      assertThat(bed.lastError().getString("code"))
          .isIn("UPSTREAM_EXITED", "HANDSHAKE_FAILED", "UNAVAILABLE");
      int before = bed.events(Events.GAVE_UP).size();
      FaultBed.until("two more probes")
          .until(() -> bed.events(Events.GAVE_UP).size() >= before + 2);
      List<Instant> ends =
          bed.events(Events.GAVE_UP).stream().map(e -> Instant.parse(e.getString("time"))).toList();
      assertThat(Duration.between(ends.get(before - 1), ends.get(before)))
          .isGreaterThan(Duration.ofMillis(350));
      Files.createFile(healed);
      JsonObject status = bed.awaitState("READY");
      assertThat(bed.text("echo")).isNotEmpty();
      assertThat(status.getLong("epoch")).isEqualTo(Files.readAllLines(starts).size());
      assertThat(status.getValue("nextAttempt")).isNull();
    }
  }

  @Test
  void case_05_calls_that_wait_for_a_server_that_was_ready_end_when_it_is_given_up()
      throws IOException {
    Path broken = folder.resolve("broken");
    JsonObject entry =
        ShServer.of("[ -e '" + broken + "' ] && exit 9", "")
            .put("restart", restart(2, 100, 30_000));
    try (FaultBed bed = FaultBed.ready(entry)) {
      Files.createFile(broken);
      Processes.kill(bed.pid());
      bed.awaitState("RECONNECTING");
      McpFailure waited = bed.failure("echo", FailureCode.UNAVAILABLE, Sent.NO);
      assertThat(waited.retryAfterMillis()).isBetween(20_000L, 33_000L);
      assertThat(waited).hasMessageContaining("exit code 9");
      assertThat(bed.awaitState("FAILED").getLong("epoch")).isEqualTo(3);
    }
  }

  @Test
  void case_05_calls_are_refused_at_once_where_the_configuration_says_so() {
    JsonObject entry =
        ShServer.good().put("restart", restart(5, 20_000, 0)).put("whenUnavailable", "refuse");
    try (FaultBed bed = FaultBed.ready(entry)) {
      Processes.kill(bed.pid());
      FaultBed.until("the restart is planned")
          .until(() -> bed.status().getValue("nextAttempt") != null);
      Instant planned = bed.status().getInstant("nextAttempt");
      McpFailure refused = bed.failure("echo", FailureCode.UNAVAILABLE, Sent.NO);
      assertThat(refused.retryAfterMillis()).isBetween(10_000L, 24_000L);
      assertThat(refused).hasMessageContaining("SIGKILL");
      // A status computes it from the time that is left.
      assertThat(bed.status().getInstant("nextAttempt"))
          .as("still to come")
          .isCloseTo(planned, within(1, ChronoUnit.SECONDS));
      assertThat(bed.status().getLong("epoch")).isEqualTo(1);
    }
  }

  @Test
  void case_06_one_that_ignores_eof_and_sigterm_is_killed_after_the_grace_time() {
    try (FaultBed bed = FaultBed.ready(FaultBed.scripted("ignore-end").put("closeGrace", 200))) {
      long pid = bed.pid();
      long before = System.nanoTime();
      bed.bus().request(TestBus.address(FaultBed.VICTIM, Addresses.DISCONNECT), new JsonObject());
      bed.awaitState("IDLE");
      assertThat(Processes.running(pid)).isFalse();
      assertThat(Duration.ofNanos(System.nanoTime() - before))
          .isGreaterThanOrEqualTo(Duration.ofMillis(200));
      bed.failure("echo", FailureCode.UNAVAILABLE, Sent.NO);
      bed.bus().request(TestBus.address(FaultBed.VICTIM, Addresses.CONNECT), new JsonObject());
      bed.awaitReady(2);
      assertThat(bed.status().getInteger("restarts")).isZero();
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"disconnect", "killed"})
  void case_07_grandchildren_and_daemons_go_with_their_server(String how) {
    try (FaultBed bed = FaultBed.ready(FaultBed.scripted("family"))) {
      List<Long> family = List.of(bed.text("pids").split(" ")).stream().map(Long::valueOf).toList();
      assertThat(family).hasSize(3).allMatch(Processes::running);
      if (how.equals("killed")) {
        Processes.kill(family.get(0));
        bed.awaitReady(2);
      } else {
        bed.bus().request(TestBus.address(FaultBed.VICTIM, Addresses.DISCONNECT), new JsonObject());
        bed.awaitState("IDLE");
        assertThat(bed.processes()).as("only the neighbour").hasSize(1);
      }
      assertThat(family).noneMatch(Processes::running);
    }
  }
}
