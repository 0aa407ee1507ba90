package dev.mcpbus.transport.stdio;

import static dev.mcpbus.transport.stdio.Peer.await;
import static dev.mcpbus.transport.stdio.Peer.sh;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.mcpbus.internals.RecordCopy;
import dev.mcpbus.transport.StdioOptions;
import io.vertx.core.Vertx;
import io.vertx.junit5.VertxExtension;
import java.io.BufferedReader;
import java.io.IOException;
import java.lang.ref.Reference;
import java.lang.ref.WeakReference;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

/** What must hold over the life of many children, and after the death of the JVM. */
@ExtendWith(VertxExtension.class)
class ChildProcessLifeIT {

  @TempDir Path folder;

  /** Running processes whose environment holds {@code text}. */
  private static List<Long> marked(String text) throws IOException {
    try (Stream<Path> all = Files.list(Path.of("/proc"))) {
      return all.filter(p -> p.getFileName().toString().matches("[0-9]+"))
          .filter(p -> holds(p.resolve("environ"), text))
          .map(p -> Long.valueOf(p.getFileName().toString()))
          .filter(Peer::running)
          .toList();
    }
  }

  private static boolean holds(Path file, String text) {
    try {
      return Files.readString(file, StandardCharsets.ISO_8859_1).contains(text);
    } catch (IOException e) {
      return false;
    }
  }

  /**
   * The orphan reaper of the JVM {@code run}: the shell that has the run's name as its argument.
   */
  private static List<Long> orphanReapers(String run) throws IOException {
    try (Stream<Path> all = Files.list(Path.of("/proc"))) {
      return all.filter(p -> p.getFileName().toString().matches("[0-9]+"))
          .filter(p -> holds(p.resolve("cmdline"), "mcpbus-orphan-reaper\0" + run))
          .map(p -> Long.valueOf(p.getFileName().toString()))
          .filter(Peer::running)
          .toList();
    }
  }

  private Process startHolder() throws IOException {
    return new ProcessBuilder(
            Path.of(System.getProperty("java.home"), "bin", "java").toString(),
            // Any mcpbus that starts meanwhile stops what it finds in the home of the user.
            "-Duser.home=" + folder,
            "-cp",
            System.getProperty("java.class.path"),
            HeldChildren.class.getName(),
            folder.toString())
        .redirectError(ProcessBuilder.Redirect.DISCARD)
        .start();
  }

  private static String runOf(BufferedReader out) throws IOException {
    for (String line = out.readLine(); line != null; line = out.readLine()) {
      if (line.startsWith("ready ")) {
        return line.substring("ready ".length());
      }
    }
    throw new AssertionError("the JVM with children did not get ready");
  }

  @Test
  void case_26_nothing_is_left_two_seconds_after_the_jvm_is_killed() throws Exception {
    Process holder = startHolder();
    try (BufferedReader out = holder.inputReader()) {
      String run = runOf(out);
      assertThat(marked(run)).hasSizeGreaterThanOrEqualTo(8);
      holder.destroyForcibly().waitFor();
      await().atMost(Duration.ofSeconds(2)).until(() -> marked(run).isEmpty());
      await().until(() -> orphanReapers(run).isEmpty());
      List<Long> containers = new FakeDocker(folder).containers();
      assertThat(containers).hasSize(1);
      await().until(() -> containers.stream().noneMatch(Peer::running));
    } finally {
      holder.destroyForcibly();
    }
  }

  @Test
  void what_a_jvm_and_its_orphan_reaper_left_is_reaped_by_the_next_one() throws Exception {
    Process holder = startHolder();
    try (BufferedReader out = holder.inputReader()) {
      String run = runOf(out);
      // Both die at once: the JVM must not get to start another orphan reaper.
      Peer.signal("STOP", holder.pid());
      for (long reaper : orphanReapers(run)) {
        Peer.signal("KILL", reaper);
      }
      holder.destroyForcibly().waitFor();
      assertThat(marked(run)).isNotEmpty();
      assertThat(RunId.isDead(run)).isTrue();
      assertThat(RunId.isDead(RunId.SELF)).isFalse();
      Posix.retain();
      new OrphanReaper().descendants().sweepDeadRuns();
      Posix.release();
      await().until(() -> marked(run).isEmpty());
      List<Long> containers = new FakeDocker(folder).containers();
      assertThat(containers).hasSize(1).allMatch(Peer::running);
      ContainerProcess.stopOfDeadRuns(folder.resolve(".mcpbus").resolve("containers"));
      await().until(() -> containers.stream().noneMatch(Peer::running));
    } finally {
      holder.destroyForcibly();
    }
  }

  @Test
  void a_killed_orphan_reaper_comes_back_and_knows_the_children(Vertx vertx) throws Exception {
    Peer peer = Peer.open(vertx, sh("exec cat"));
    List<Long> before = orphanReapers(RunId.SELF);
    assertThat(before).hasSize(1);
    Peer.signal("KILL", before.get(0));
    await()
        .until(
            () -> {
              List<Long> now = orphanReapers(RunId.SELF);
              return now.size() == 1 && !now.equals(before);
            });
    peer.request(1);
    await().until(() -> peer.messages.size() == 1);
    peer.close();
  }

  @Test
  void case_24_a_pid_that_was_reaped_is_not_signalled_by_a_close_under_way(Vertx vertx)
      throws Exception {
    Path lastPid = Path.of("/proc/sys/kernel/ns_last_pid");
    assumeTrue(Files.isWritable(lastPid), "cannot choose a pid here");
    Peer peer =
        Peer.open(vertx, RecordCopy.with(sh("exec cat"), "closeGrace", Duration.ofMillis(300)));
    long pid = peer.pid();
    peer.close();
    // The next process gets the number that the close's SIGTERM and SIGKILL were meant for.
    Process victim = null;
    for (int i = 0; i < 50 && (victim == null || victim.pid() != pid); i++) {
      if (victim != null) {
        victim.destroyForcibly().waitFor();
      }
      Files.writeString(lastPid, Long.toString(pid - 2));
      victim = new ProcessBuilder("setsid", "sleep", "1000").start();
    }
    Process same = Objects.requireNonNull(victim);
    try {
      assumeTrue(same.pid() == pid, "the number went to another process");
      await().during(Duration.ofMillis(900)).until(same::isAlive);
    } finally {
      same.destroyForcibly();
    }
  }

  @Tag("long")
  @Test
  void five_hundred_children_cost_four_threads_at_most(Vertx vertx) throws Exception {
    Peer.open(vertx, sh("exec cat")).close();
    Set<Thread> before = Set.copyOf(Thread.getAllStackTraces().keySet());
    List<Peer> peers = new ArrayList<>();
    for (int i = 0; i < 500; i++) {
      peers.add(Peer.open(vertx, StdioOptions.of("cat", List.of())));
    }
    for (Peer peer : peers) {
      peer.request(1);
    }
    await().until(() -> peers.stream().allMatch(p -> p.messages.size() == 1));
    Set<Thread> now = Thread.getAllStackTraces().keySet();
    assertThat(now)
        .filteredOn(t -> t.getName().startsWith("mcpbus") || t.getName().startsWith("JNA"))
        .hasSizeLessThanOrEqualTo(4);
    assertThat(now)
        .filteredOn(
            t -> !before.contains(t) && !t.getName().matches("(vert\\.x|awaitility|mcpbus)-.*"))
        .isEmpty();
    List<Long> pids = new ArrayList<>();
    for (Peer peer : peers) {
      pids.add(peer.pid());
    }
    for (Peer peer : peers) {
      peer.close();
    }
    assertThat(pids).noneMatch(Peer::running);
  }

  @Test
  void children_that_come_and_go_leave_no_descriptor_and_no_process(Vertx vertx) throws Exception {
    Peer.open(vertx, sh("exit 0")).close();
    long before = descriptors();
    for (int i = 0; i < 100; i++) {
      Peer peer = Peer.open(vertx, sh(i % 2 == 0 ? "exit 0" : "exec cat"));
      if (i % 2 == 0) {
        peer.ending();
      }
      peer.close();
    }
    await().until(() -> descriptors() <= before + 2);
    await().until(() -> marked(RunId.SELF).isEmpty());
  }

  /** While a process begins to run another program, it has no environment, and so no mark. */
  @Test
  void a_descendant_that_is_about_to_run_another_program_is_found(Vertx vertx, @TempDir Path folder)
      throws Exception {
    Path again = Files.writeString(folder.resolve("again"), "#!/bin/sh\nexec \"$0\"\n");
    assertThat(again.toFile().setExecutable(true)).isTrue();
    for (int i = 0; i < 60; i++) {
      Peer peer =
          Peer.open(
              vertx,
              sh(
                  "setsid '"
                      + again
                      + "' & echo '{\"jsonrpc\":\"2.0\",\"method\":\"up\"}'; exec cat"));
      await().until(() -> !peer.messages.isEmpty());
      peer.close();
      assertThat(marked(RunId.SELF)).isEmpty();
    }
  }

  @Test
  void a_child_that_is_gone_keeps_its_owner_in_memory_no_longer(Vertx vertx) throws Exception {
    Reference<Peer> owner = closedWithinAnHour(vertx);
    await()
        .until(
            () -> {
              System.gc();
              return owner.refersTo(null);
            });
  }

  /** A channel that may take an hour to close, and takes no time. */
  private static Reference<Peer> closedWithinAnHour(Vertx vertx) throws Exception {
    Peer peer =
        Peer.open(vertx, RecordCopy.with(sh("exec cat"), "closeGrace", Duration.ofHours(1)));
    peer.close();
    return new WeakReference<>(peer);
  }

  private static long descriptors() throws IOException {
    try (Stream<Path> open = Files.list(Path.of("/proc/self/fd"))) {
      return open.count();
    }
  }
}
