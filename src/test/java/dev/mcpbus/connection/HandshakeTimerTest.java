package dev.mcpbus.connection;

import static org.assertj.core.api.Assertions.assertThat;

import dev.mcpbus.connection.options.ConnectionOptions;
import dev.mcpbus.internals.RecordCopy;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class HandshakeTimerTest {

  private static final ConnectionOptions OPTIONS =
      RecordCopy.with(
          ConnectionOptions.DEFAULT,
          Map.of(
              "handshakeTimeout",
              Duration.ofSeconds(30),
              "installTimeout",
              Duration.ofSeconds(300)));

  private final ManualTimers time = new ManualTimers();
  private final List<Boolean> expired = new ArrayList<>();
  private boolean installing = true;

  private HandshakeTimer timer(boolean installs) {
    return new HandshakeTimer(time, time, OPTIONS, installs, () -> installing, expired::add);
  }

  @Test
  void case_3_a_program_that_starts_at_once_has_the_time_of_the_handshake() {
    timer(false);
    time.pass(29_999);
    assertThat(expired).isEmpty();
    time.pass(1);
    assertThat(expired).containsExactly(false);
    assertThat(time.armed()).isZero();
  }

  @Test
  void the_handshake_of_a_command_that_installs_begins_when_its_program_speaks() {
    timer(true);
    time.pass(200_000);
    installing = false;
    time.pass(29_000);
    assertThat(expired).isEmpty();
    time.pass(2_000);
    assertThat(expired).containsExactly(false);
  }

  /** A warning of a compiler, or a server that says hello and loads a model then. */
  @Test
  void a_command_that_installs_more_has_the_time_of_the_handshake_after_it() {
    timer(true);
    time.pass(10_000);
    installing = false;
    time.pass(20_000);
    installing = true;
    time.pass(20_000);
    installing = false;
    time.pass(28_000);
    assertThat(expired).isEmpty();
    time.pass(3_000);
    assertThat(expired).containsExactly(false);
  }

  @Test
  void an_installation_without_end_is_bounded() {
    timer(true);
    time.pass(299_999);
    assertThat(expired).isEmpty();
    time.pass(1);
    assertThat(expired).containsExactly(true);
    assertThat(time.armed()).isZero();
  }

  @Test
  void nothing_is_left_of_a_handshake_that_is_over() {
    HandshakeTimer timer = timer(true);
    time.pass(5_000);
    timer.cancel();
    time.pass(600_000);
    assertThat(expired).isEmpty();
    assertThat(time.armed()).isZero();
  }
}
