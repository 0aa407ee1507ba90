package dev.mcpbus.plugins;

import static org.assertj.core.api.Assertions.assertThat;

import dev.mcpbus.transport.BuiltInTransport;
import java.io.File;
import java.io.IOException;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The packed service finds plug-ins beside it on the class path. */
class PluginsOfTheServiceIT {

  private record Ended(int code, String said) {}

  @TempDir
  @SuppressWarnings("NullAway.Init") // set before each test
  private Path folder;

  private Ended check(String text) throws IOException, InterruptedException {
    Path file = Files.writeString(folder.resolve("mcpbus.json"), text);
    Path said = folder.resolve("said");
    Process process =
        new ProcessBuilder(
                List.of(
                    Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                    "-cp",
                    System.getProperty("mcpbus.jar") + File.pathSeparator + plugins(),
                    "dev.mcpbus.Main",
                    "--check",
                    "--config",
                    file.toString()))
            .redirectErrorStream(true)
            .redirectOutput(said.toFile())
            .start();
    assertThat(process.waitFor(60, TimeUnit.SECONDS)).isTrue();
    return new Ended(process.exitValue(), Files.readString(said, StandardCharsets.UTF_8));
  }

  /** Where this test's own classes are, and their META-INF/services. */
  private static String plugins() {
    return Path.of(
            URI.create(
                PluginsOfTheServiceIT.class
                    .getProtectionDomain()
                    .getCodeSource()
                    .getLocation()
                    .toString()))
        .toString();
  }

  @Test
  void a_configuration_that_names_one_of_each_has_no_problem() throws Exception {
    Ended ended =
        check(
            """
            {"catalog": {"names": "slash"},
             "mcpServers": {
               "a": {"url": "carrier://north", "restart": {"strategy": "patient"}},
               "b": {"url": "https://e.invalid/mcp", "oauth": {"tokenStore": "drawer"}}}}
            """);
    assertThat(ended.said()).contains("no problems, 2 servers");
    assertThat(ended.code()).isZero();
  }

  @Test
  void a_name_that_nobody_has_is_told_with_its_place_and_those_that_there_are() throws Exception {
    Ended ended = check("{\"mcpServers\": {\n\"a\": {\"command\": \"x\",\n\"type\": \"owl\"}}}");
    assertThat(ended.said())
        .contains("owl", String.join(", ", BuiltInTransport.all().keySet()) + ", carrier");
    assertThat(ended.code()).isEqualTo(1);
  }
}
