package dev.mcpbus.config.read;

import dev.mcpbus.config.ConfigEnvironment;
import dev.mcpbus.config.ConfigReport;
import dev.mcpbus.config.ConfigResult;
import dev.mcpbus.config.ServerDefinition;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** Writes configurations to a temporary directory and reads them with a fixed environment. */
public record Sample(Path directory, ConfigEnvironment environment) {

  public static Sample in(Path directory) {
    return new Sample(
        directory,
        new ConfigEnvironment(
            Map.of("HOME_SET", "/srv", "EMPTY", "", "API_TOKEN", "canary-7f3a"),
            id -> Optional.empty(),
            Path.of("/home/ada"),
            "/jdk/bin/java",
            "/opt/mcpbus.jar"));
  }

  Sample with(Map<String, String> variables) {
    return new Sample(directory, environment.withVariables(variables));
  }

  public Path write(String name, String text) {
    try {
      Path file = directory.resolve(name);
      Files.createDirectories(file.toAbsolutePath().getParent());
      return Files.writeString(file, text);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  public ConfigResult read(String name, String text) {
    return ConfigReader.read(write(name, text), environment);
  }

  public ConfigResult json(String text) {
    return read("mcp.json", text);
  }

  ConfigResult yaml(String text) {
    return read("mcp.yaml", text);
  }

  /** One server named {@code one} on line 2, each of its keys on a line of its own from line 3. */
  public ConfigResult server(String... lines) {
    return json("{\"mcpServers\": {\n\"one\": {\n" + String.join(",\n", lines) + "\n}}}");
  }

  /** The only server of a configuration without problems. */
  public ServerDefinition good(String... lines) {
    ConfigResult result = server(lines);
    if (!result.problems().isEmpty()) {
      throw new AssertionError(ConfigReport.render(result.problems()));
    }
    return result.usable().orElseThrow().servers().get(0);
  }

  /** All problems without the directory: {@code mcp.json:3: server "one": what. remedy}. */
  public List<String> texts(ConfigResult result) {
    return result.problems().stream()
        .map(problem -> problem.toString().replace(directory + "/", ""))
        .toList();
  }
}
