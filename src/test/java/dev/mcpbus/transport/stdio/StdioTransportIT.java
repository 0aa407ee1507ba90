package dev.mcpbus.transport.stdio;

import static dev.mcpbus.transport.stdio.Peer.await;
import static dev.mcpbus.transport.stdio.Peer.running;
import static dev.mcpbus.transport.stdio.Peer.sh;
import static dev.mcpbus.transport.stdio.Peer.signal;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.mcpbus.internals.RecordCopy;
import dev.mcpbus.protocol.ParseLimits;
import dev.mcpbus.protocol.RawJson;
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
  void case_11_a_line_over_the_limit_ends_the_channel_while_it_still_comes(Vertx vertx)
      throws Exception {
    Peer peer =
        Peer.open(
            vertx,
            RecordCopy.with(
                sh("read l; yes '{\"text\":' | tr -d '\\n'"),
                "limits",
                ParseLimits.DEFAULT.withMaxBytes(1 << 20)));
    peer.request(1);
    TransportException end = peer.ending();
    assertThat(end.reason()).isEqualTo(Reason.LIMIT_EXCEEDED);
    assertThat(end.reached()).isEqualTo(Reached.MAYBE);
    long pid = peer.pid();
    peer.close();
    assertThat(running(pid)).isFalse();
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
    Peer peer =
        Peer.open(vertx, RecordCopy.with(sh("exec sleep 1000"), "writeQueueBytes", 200_000));
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
