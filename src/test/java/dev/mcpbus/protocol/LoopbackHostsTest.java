package dev.mcpbus.protocol;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class LoopbackHostsTest {

  @ParameterizedTest
  @ValueSource(strings = {"localhost", "LocalHost", "127.0.0.1", "127.9.0.2", "::1", "[::1]"})
  void only_this_machine_reaches_who_listens_there(String host) {
    assertThat(LoopbackHosts.isListenAddress(host)).isTrue();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "0.0.0.0",
        "::",
        "10.0.0.3",
        "127.999.0.1",
        "127.0.0",
        "localhost.example",
        "[::1",
        "",
        "-"
      })
  void anything_else_may_be_reached_from_elsewhere(String host) {
    assertThat(LoopbackHosts.isListenAddress(host)).isFalse();
  }
}
