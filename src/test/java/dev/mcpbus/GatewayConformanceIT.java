package dev.mcpbus;

import static org.assertj.core.api.Assertions.assertThat;

import dev.mcpbus.testing.Fixture;
import dev.mcpbus.testing.NpmServers;
import dev.mcpbus.testing.TestBus;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * The conformance suite as the client, a fixture of each era as the server, the gateway between
 * them. The suite exits with zero where every scenario that the revision requires has passed.
 */
class GatewayConformanceIT {

  private static final String SUITE = "@modelcontextprotocol/conformance/dist/index.js";

  private static Fixture fixture;
  private static TestBus bus;

  @TempDir Path folder;

  @TempDir static Path notes;

  @BeforeAll
  static void start() {
    fixture = new Fixture(notes);
    bus = fixture.served("old", "new", "stdio");
  }

  @AfterAll
  static void close() {
    bus.close();
    fixture.close();
  }

  @Tag("long")
  @ParameterizedTest(name = "{1} client, {0} server")
  @CsvSource({"old,2025-11-25", "new,2025-11-25", "new,2026-07-28"})
  void every_required_scenario_passes(String server, String revision)
      throws IOException, InterruptedException {
    Path log = folder.resolve("log");
    Process suite =
        new ProcessBuilder(
                List.of(
                    NpmServers.node(),
                    NpmServers.script(SUITE),
                    "server",
                    "--url",
                    "http://127.0.0.1:" + bus.port() + "/mcp/" + server,
                    "--requirements",
                    revision,
                    "-o",
                    folder.resolve("out").toString()))
            .redirectErrorStream(true)
            .redirectOutput(log.toFile())
            .start();
    boolean ended = suite.waitFor(5, TimeUnit.MINUTES);
    suite.destroyForcibly();
    assertThat(ended).isTrue();
    assertThat(suite.exitValue()).as(Files.readString(log)).isZero();
  }
}
