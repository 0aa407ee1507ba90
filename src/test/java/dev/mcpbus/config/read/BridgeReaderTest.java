package dev.mcpbus.config.read;

import static org.assertj.core.api.Assertions.assertThat;

import dev.mcpbus.bridge.options.BridgeLimitOptions;
import dev.mcpbus.bridge.options.BridgeOptions;
import dev.mcpbus.bridge.options.BridgeTlsOptions;
import dev.mcpbus.config.ConfigDiff;
import dev.mcpbus.config.ConfigResult;
import dev.mcpbus.config.McpBusConfig;
import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class BridgeReaderTest {

  @TempDir Path directory;

  private ConfigResult read(String bridge) {
    return Sample.in(directory).json("{\"bridge\": " + bridge + ", \"mcpServers\": {}}");
  }

  @Test
  void every_key_is_read() {
    ConfigResult result =
        read(
            """
            {"host": "::1", "port": 1, "allowedHosts": ["bus.example"],
             "allowedOrigins": ["https://app.example"], "maxBodyBytes": 2000,
             "maxHeaderBytes": 3000, "maxConnections": 4, "maxStreams": 5,
             "maxBytesInFlight": 5000000000,
             "receiveTimeout": "6s", "heartbeat": 700, "eventBus": false,
             "tls": {"certFile": "a.crt", "keyFile": "/b.key"}}
            """);

    assertThat(result.problems()).isEmpty();
    BridgeOptions bridge = result.usable().orElseThrow().bridge();
    assertThat(bridge.host()).isEqualTo("::1");
    assertThat(bridge.port()).isEqualTo(1);
    assertThat(bridge.allowedHosts()).containsExactly("bus.example");
    assertThat(bridge.allowedOrigins()).containsExactly("https://app.example");
    assertThat(bridge.maxBodyBytes()).isEqualTo(2_000);
    assertThat(bridge.receiveTimeout()).isEqualTo(Duration.ofSeconds(6));
    assertThat(bridge.limits())
        .isEqualTo(new BridgeLimitOptions(3_000, 4, 3, 5, Duration.ofMillis(700), 5_000_000_000L));
    assertThat(bridge.eventBus()).isFalse();
    assertThat(bridge.scheme()).isEqualTo("https");
    assertThat(bridge.tls())
        .isEqualTo(new BridgeTlsOptions(directory.resolve("a.crt"), Path.of("/b.key")));
  }

  @Test
  void without_any_key_it_is_the_default() {
    assertThat(read("{}").usable().orElseThrow().bridge()).isEqualTo(BridgeOptions.DEFAULT);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '~',
      value = {
        "{\"host\": \"0.0.0.0\"}|reachable from other machines",
        "{\"host\": \" \"}|is empty",
        "{\"allowedOrigins\": [\"*\"]}|allowedOrigins: '*'",
        "{\"allowedHosts\": [\"http://x\"]}|allowedHosts: 'http://x'",
        "{\"tls\": {\"certFile\": \"a\"}}|needs \"certFile\" and \"keyFile\"",
        "{\"maxStreams\": 0}|out of range",
        "{\"maxheaderBytes\": 1}|unknown key",
        "{\"heartbeat\": 0}|more than zero"
      })
  void a_mistake_is_reported(String bridge, String problem) {
    assertThat(read(bridge).problems())
        .anySatisfy(found -> assertThat(found.message()).contains(problem));
  }

  @Test
  void a_change_of_the_bridge_needs_a_restart() {
    McpBusConfig before = read("{}").usable().orElseThrow();
    McpBusConfig after = read("{\"maxStreams\": 7}").usable().orElseThrow();

    assertThat(ConfigDiff.between(before, after).needsRestart()).containsExactly("bridge");
    assertThat(ConfigDiff.between(after, after).isEmpty()).isTrue();
  }
}
