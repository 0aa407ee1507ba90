package dev.mcpbus.transport.stdio;

import static dev.mcpbus.transport.stdio.Peer.await;
import static dev.mcpbus.transport.stdio.Peer.running;
import static dev.mcpbus.transport.stdio.Peer.sh;
import static dev.mcpbus.transport.stdio.Peer.signal;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.mcpbus.protocol.ParseLimits;
import dev.mcpbus.protocol.RawJson;
import dev.mcpbus.testing.ScriptedServer;
import dev.mcpbus.transport.StdioOptions;
import dev.mcpbus.transport.TransportException;
import dev.mcpbus.transport.TransportException.Reached;
import dev.mcpbus.transport.TransportException.Reason;
import io.vertx.core.Vertx;
import io.vertx.junit5.VertxExtension;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The child-process faults, by the numbers of the fault list, against real processes. */
@ExtendWith(VertxExtension.class)
class StdioTransportIT {

  /** Answers every line with a result of the id 1. */
  private static final String ANSWER = "echo '{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{}}'";

  @AfterEach
  void no_property_is_left() {
    System.clearProperty(StdioTransport.IMPLEMENTATION_PROPERTY);
  }

  private static void refused(Vertx vertx, String script, Reason reason, String text)
      throws Exception {
    Peer peer = Peer.open(vertx, sh("read l; " + script + "; exec cat >/dev/null"));
    peer.request(1);
    TransportException end = peer.ending();
    assertThat(end.reason()).isEqualTo(reason);
    assertThat(end.reached()).isEqualTo(Reached.MAYBE);
    assertThat(end).hasMessageContaining(text);
    assertThat(peer.messages).isEmpty();
    peer.close();
  }

  @ParameterizedTest
  @ValueSource(strings = {"linux", "portable"})
  void messages_go_to_the_child_and_back_in_order(String implementation, Vertx vertx)
      throws Exception {
    System.setProperty(StdioTransport.IMPLEMENTATION_PROPERTY, implementation);
    Peer peer = Peer.open(vertx, StdioOptions.of("cat", List.of()));
    String large = "x".repeat(300_000);
    for (int i = 1; i <= 50; i++) {
      peer.request(i, RawJson.of("{\"n\":" + i + ",\"text\":\"" + large + "\"}"));
    }
    await().until(() -> peer.messages.size() == 50);
    for (int i = 1; i <= 50; i++) {
      assertThat(peer.messages.get(i - 1)).contains("\"n\":" + i + ",").contains(large);
    }
    assertThat(peer.diagnostics().getLong("readBytes"))
        .isEqualTo(peer.diagnostics().getLong("writtenBytes"));
    long pid = peer.pid();
    peer.close();
    peer.close();
    assertThat(running(pid)).isFalse();
    assertThat(peer.closed).isNotDone();
  }

  @ParameterizedTest
  @ValueSource(strings = {"linux", "portable"})
  void case_4_a_crash_ends_the_channel_with_exit_code_and_stderr(String implementation, Vertx vertx)
      throws Exception {
    System.setProperty(StdioTransport.IMPLEMENTATION_PROPERTY, implementation);
    Peer peer = Peer.open(vertx, sh("read l; echo out of luck >&2; exit 3"));
    peer.request(1);
    TransportException end = peer.ending();
    assertThat(end.reason()).isEqualTo(Reason.UPSTREAM_EXITED);
    assertThat(end.reached()).isEqualTo(Reached.MAYBE);
    assertThat(end).hasMessageContaining("exit code 3").hasMessageContaining("out of luck");
    assertThat(peer.failed).isEmpty();
    peer.close();
  }

  @Test
  void case_4_and_23_a_kill_is_reported_and_named_while_a_grandchild_lives(Vertx vertx)
      throws Exception {
    // The grandchild holds stdout open: the end of the pipe alone would not tell.
    Peer peer = Peer.open(vertx, sh("sleep 1000 & exec sleep 1000"));
    signal("KILL", peer.pid());
    assertThat(peer.ending()).hasMessageContaining("killed by SIGKILL (9)");
    peer.close();
  }

  @Test
  void case_6_a_child_that_ignores_eof_and_sigterm_is_killed_with_its_group(Vertx vertx)
      throws Exception {
    Peer peer = Peer.open(vertx, sh("trap '' TERM; " + ANSWER + "; while :; do sleep 1000; done"));
    await().until(() -> peer.messages.size() == 1);
    long pid = peer.pid();
    long from = System.nanoTime();
    peer.close();
    assertThat(System.nanoTime() - from).isGreaterThanOrEqualTo(2 * Peer.GRACE.toNanos());
    assertThat(running(pid)).isFalse();
  }

  @Test
  void case_6_a_jvm_server_that_ignores_the_end_is_killed(Vertx vertx) throws Exception {
    List<String> command = ScriptedServer.command("ignore-end");
    Peer peer =
        Peer.open(
            vertx,
            StdioOptions.of(command.get(0), command.subList(1, command.size()))
                .withCloseGrace(Peer.GRACE));
    peer.request(1);
    await().until(() -> peer.messages.size() == 1);
    long pid = peer.pid();
    peer.close();
    assertThat(running(pid)).isFalse();
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void case_7_grandchildren_and_daemons_go_with_the_child(boolean crash, Vertx vertx)
      throws Exception {
    Peer peer =
        Peer.open(
            vertx,
            sh(
                "say() { echo \"{\\\"jsonrpc\\\":\\\"2.0\\\",\\\"id\\\":$1,\\\"result\\\":{}}\"; };"
                    + "sleep 1000 & say $!;"
                    + "(setsid sh -c 'echo \"{\\\"jsonrpc\\\":\\\"2.0\\\",\\\"id\\\":$$,"
                    + "\\\"result\\\":{}}\"; exec sleep 1000' &); exec cat >/dev/null"));
    await().until(() -> peer.messages.size() == 2);
    List<Long> family =
        peer.messages.stream().map(m -> Long.valueOf(m.replaceAll("[^0-9]|2\\.0", ""))).toList();
    assertThat(family).allMatch(Peer::running);
    if (crash) {
      signal("KILL", peer.pid());
      peer.ending();
    }
    peer.close();
    assertThat(family).noneMatch(Peer::running);
  }

  @Test
  void case_8_a_flood_on_stderr_is_drained_and_bounded(Vertx vertx) throws Exception {
    Peer peer = Peer.open(vertx, sh("yes flood >&2 & exec cat"));
    await().until(() -> peer.diagnostics().getString("stderr").length() > 10_000);
    for (int i = 0; i < 100; i++) {
      peer.request(i);
    }
    await().until(() -> peer.messages.size() == 100);
    assertThat(peer.diagnostics().getString("stderr").length()).isLessThanOrEqualTo(16 * 1024);
    peer.close();
  }

  @Test
  void case_8_a_closed_stderr_is_harmless(Vertx vertx) throws Exception {
    Peer peer = Peer.open(vertx, sh("exec 2>&-; exec cat"));
    peer.request(1);
    await().until(() -> peer.messages.size() == 1);
    peer.close();
    assertThat(peer.closed).isNotDone();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "run -i --rm image",
        "--context far run -i image --name other",
        "run -i --rm --name mine image",
        "container run -i image",
        "compose -f x.yaml run --rm service"
      })
  void a_container_ends_with_its_command(String command, @TempDir Path folder, Vertx vertx)
      throws Exception {
    FakeDocker docker = new FakeDocker(folder);
    if (command.startsWith("run -i --rm")) {
      docker.deaf();
    }
    Peer peer = Peer.open(vertx, docker.options(command.split(" ")));
    await().until(() -> peer.messages.size() == 1);
    List<Long> containers = docker.containers();
    assertThat(containers).hasSize(1).allMatch(Peer::running);
    peer.close();
    await().until(() -> containers.stream().noneMatch(Peer::running)); // a signal takes a moment
    try (var left = Files.list(ContainerProcess.FOLDER)) {
      assertThat(left.filter(file -> file.toString().contains(RunId.SELF))).isEmpty();
    }
  }

  @Test
  void case_9_junk_lines_are_counted_and_skipped_up_to_a_budget(Vertx vertx) throws Exception {
    Peer peer =
        Peer.open(vertx, sh("echo starting; echo '[INFO] up'; " + ANSWER + "; read l; yes junk"));
    await().until(() -> peer.messages.size() == 1);
    assertThat(peer.diagnostics().getLong("junk")).isEqualTo(2);
    peer.request(2);
    assertThat(peer.ending().reason()).isEqualTo(Reason.PROTOCOL_ERROR);
    peer.close();
  }

  @Test
  void case_10_a_partial_line_at_the_end_is_never_parsed(Vertx vertx) throws Exception {
    Peer peer =
        Peer.open(vertx, sh("read l; printf '{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{}}'"));
    peer.request(1);
    assertThat(peer.ending()).hasMessageContaining("exit code 0");
    assertThat(peer.messages).isEmpty();
    peer.close();
  }

  @Test
  void case_11_a_line_over_the_limit_ends_the_channel_while_it_still_comes(Vertx vertx)
      throws Exception {
    Peer peer =
        Peer.open(
            vertx,
            sh("read l; yes '{\"text\":' | tr -d '\\n'")
                .withLimits(ParseLimits.DEFAULT.withMaxBytes(1 << 20)));
    peer.request(1);
    TransportException end = peer.ending();
    assertThat(end.reason()).isEqualTo(Reason.LIMIT_EXCEEDED);
    assertThat(end.reached()).isEqualTo(Reached.MAYBE);
    long pid = peer.pid();
    peer.close();
    assertThat(running(pid)).isFalse();
  }

  @Test
  void case_12_invalid_utf8_is_refused(Vertx vertx) throws Exception {
    String line = "printf '{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{\"a\":\"\\377\"}}\\n'";
    Peer peer = Peer.open(vertx, sh("read l; " + line + "; exec cat"));
    peer.request(1);
    await().until(() -> peer.failed.contains("1 PROTOCOL_ERROR MAYBE"));
    peer.request(2);
    await().until(() -> peer.messages.size() == 1);
    peer.close();
  }

  @Test
  void case_13_mark_carriage_returns_and_blank_lines_are_tolerated(Vertx vertx) throws Exception {
    Peer peer =
        Peer.open(
            vertx,
            sh(
                "printf '\\357\\273\\277{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{}}\\r\\n\\r\\n  \\n';"
                    + ANSWER
                    + "; exec cat"));
    await().until(() -> peer.messages.size() == 2);
    assertThat(peer.diagnostics().getLong("junk")).isZero();
    peer.close();
  }

  @Test
  void case_14_line_separator_and_nul_inside_strings_are_kept(Vertx vertx) throws Exception {
    Peer peer = Peer.open(vertx, sh("exec cat"));
    peer.request(1, RawJson.of("{\"a\":\"x\u2028y\\u0000z\"}"));
    await().until(() -> peer.messages.size() == 1);
    assertThat(peer.messages.get(0)).contains("{\"a\":\"x\u2028y\\u0000z\"}");
    peer.close();
  }

  @Test
  void case_15_a_batch_or_two_objects_on_a_line_are_refused(Vertx vertx) throws Exception {
    String one = "{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{}}";
    refused(vertx, "echo '[" + one + "]'", Reason.PROTOCOL_ERROR, "batch");
    refused(vertx, "echo '" + one + one + "'", Reason.PROTOCOL_ERROR, "line 1 of stdout");
  }

  @ParameterizedTest
  @ValueSource(strings = {"linux", "portable"})
  void case_16_a_child_that_closes_stdout_and_lives_has_ended(String implementation, Vertx vertx)
      throws Exception {
    System.setProperty(StdioTransport.IMPLEMENTATION_PROPERTY, implementation);
    Peer peer = Peer.open(vertx, sh("exec >&-; exec sleep 1000"));
    TransportException end = peer.ending();
    assertThat(end.reason()).isEqualTo(Reason.UPSTREAM_EXITED);
    assertThat(end).hasMessageContaining("closed its stdout");
    long pid = peer.pid();
    peer.close();
    assertThat(running(pid)).isFalse();
  }

  @ParameterizedTest
  @ValueSource(strings = {"linux", "portable"})
  void case_17_a_child_that_stops_reading_fills_a_bounded_queue(String implementation, Vertx vertx)
      throws Exception {
    System.setProperty(StdioTransport.IMPLEMENTATION_PROPERTY, implementation);
    Peer peer = Peer.open(vertx, sh("exec sleep 1000").withWriteQueueBytes(200_000));
    RawJson params = RawJson.of("{\"text\":\"" + "x".repeat(50_000) + "\"}");
    AtomicInteger accepted = new AtomicInteger();
    TransportException full =
        catchThrowableOfType(
            TransportException.class,
            () -> {
              for (int i = 1; i < 100; i++) {
                peer.request(i, params);
                accepted.set(i);
              }
            });
    assertThat(full.reason()).isEqualTo(Reason.OVERLOADED);
    assertThat(full.reached()).isEqualTo(Reached.NO);
    signal("KILL", peer.pid());
    assertThat(peer.ending().reason()).isEqualTo(Reason.UPSTREAM_EXITED);
    // The last that never left are certainly not sent; what the pipe took may be. How many the
    // pipe and its writer took by then differs with the implementation and the moment.
    assertThat(peer.failed).hasSizeBetween(1, 4);
    int first = accepted.get() - peer.failed.size() + 1;
    assertThat(first).isGreaterThan(1);
    assertThat(peer.failed)
        .containsExactlyElementsOf(
            IntStream.rangeClosed(first, accepted.get())
                .mapToObj(id -> id + " UPSTREAM_EXITED NO")
                .toList());
    assertThat(peer.history.get(peer.history.size() - 1)).isEqualTo("closed");
    peer.close();
  }

  @Test
  void case_22_a_stopped_child_is_killed_on_close(Vertx vertx) throws Exception {
    Peer peer = Peer.open(vertx, sh("exec cat"));
    long pid = peer.pid();
    signal("STOP", pid);
    peer.close();
    assertThat(running(pid)).isFalse();
  }

  @Test
  void case_25_an_answer_right_before_the_exit_arrives_first(Vertx vertx) throws Exception {
    for (int i = 0; i < 20; i++) {
      Peer peer = Peer.open(vertx, sh("sleep 1000 & read l; " + ANSWER + "; exit 0"));
      peer.request(1);
      assertThat(peer.ending()).hasMessageContaining("exit code 0");
      assertThat(peer.history).containsExactly("message", "closed");
      peer.close();
    }
  }

  @Test
  void a_flood_that_the_owner_does_not_consume_is_not_read(Vertx vertx) throws Exception {
    String flood =
        "read l; line=$(head -c 60000 /dev/zero | tr '\\0' x);"
            + "yes '{\"jsonrpc\":\"2.0\",\"method\":\"'$line'\"}' | head -c 120000000";
    Peer peer = Peer.open(vertx, sh(flood));
    CountDownLatch busy = new CountDownLatch(1);
    peer.request(1);
    peer.context.runOnContext(
        ignored -> {
          try {
            busy.await();
          } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
          }
        });
    StdioChannel channel = (StdioChannel) peer.channel();
    await().until(() -> channel.diagnostics().getLong("readBytes") >= ChildEvents.HIGH_WATER);
    await()
        .during(Duration.ofMillis(200))
        .until(
            () -> channel.diagnostics().getLong("readBytes") < ChildEvents.HIGH_WATER + (8 << 20));
    busy.countDown();
    peer.ending();
    assertThat(channel.diagnostics().getLong("readBytes")).isGreaterThan(100 << 20);
    peer.close();
  }
}
