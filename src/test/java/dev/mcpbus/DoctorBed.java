package dev.mcpbus;

import static org.assertj.core.api.Assertions.assertThat;

import dev.mcpbus.cli.CommandContext;
import dev.mcpbus.cli.LocalService;
import dev.mcpbus.cli.McpBusCommand;
import dev.mcpbus.cli.ServiceLauncher;
import dev.mcpbus.cli.Terminal;
import dev.mcpbus.cli.doctor.DoctorCommand;
import dev.mcpbus.config.ConfigEnvironment;
import dev.mcpbus.config.ConfigResult;
import dev.mcpbus.config.McpBusConfig;
import dev.mcpbus.config.read.ConfigReader;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.PrintStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * {@code mcpbus doctor} in this JVM, with servers of a test; the service inside is the real one.
 */
final class DoctorBed {

  private final Path folder;
  private final JsonObject servers = new JsonObject();
  private final Map<String, String> variables = new HashMap<>(System.getenv());
  private final Launcher launcher = new Launcher();
  private @Nullable String text;

  DoctorBed(Path folder) {
    this.folder = folder;
    // No mcpbus of the machine has a say.
    variables.put("MCPBUS_URL", "http://127.0.0.1:1");
    variables.put("MCPBUS_TOKEN_FILE", folder.resolve("kept/tokens").toString());
  }

  /**
   * What the command gave.
   *
   * @param code its exit code
   */
  record Run(int code, String out, String err) {

    JsonObject json() {
      assertThat(out).as(err).startsWith("{");
      return new JsonObject(out);
    }

    JsonObject server(String id) {
      return json().getJsonArray("servers").stream()
          .map(JsonObject.class::cast)
          .filter(each -> each.getString("id").equals(id))
          .findFirst()
          .orElseThrow(() -> new AssertionError("no " + id + " in " + out));
    }
  }

  Path folder() {
    return folder;
  }

  DoctorBed variable(String name, String value) {
    variables.put(name, value);
    return this;
  }

  DoctorBed server(String id, JsonObject entry) {
    servers.put(id, entry);
    return this;
  }

  DoctorBed command(String id, String command, String... args) {
    return server(
        id, new JsonObject().put("command", command).put("args", new JsonArray(List.of(args))));
  }

  /** A server that runs lines of sh. */
  DoctorBed sh(String id, String script) {
    return server(id, sh(script));
  }

  static JsonObject sh(String script) {
    return new JsonObject()
        .put("command", "/bin/sh")
        .put("args", new JsonArray().add("-c").add(script));
  }

  /** Writes a file of the test's folder. */
  Path file(String name, String text, boolean executable) {
    try {
      Path file = Files.writeString(folder.resolve(name), text);
      assertThat(file.toFile().setExecutable(executable)).isTrue();
      return file;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** In place of the servers: this text as the file. */
  DoctorBed text(String whole) {
    text = whole;
    return this;
  }

  /** How many services the command has started. */
  int started() {
    return launcher.started.get();
  }

  /** A mcpbus with one of the servers, which runs on. */
  InProcessService start(String id) {
    Path config = file("running.json", text(Set.of(id)), false);
    ConfigResult result = ConfigReader.read(config, ConfigEnvironment.system());
    return InProcessService.start(config, result, result.usable().orElseThrow());
  }

  /** Runs the command on all servers so far, as in a pipe. */
  Run run(String... args) {
    return run(Terminal.NONE, args);
  }

  Run run(Terminal terminal, String... args) {
    return runAs("doctor", terminal, args);
  }

  /** Runs another command with this configuration. */
  Run runAs(String command, Terminal terminal, String... args) {
    String whole = text == null ? text(servers.fieldNames()) : text;
    Path config = file("mcp.json", whole, false);
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    ByteArrayOutputStream err = new ByteArrayOutputStream();
    CommandContext context =
        new CommandContext(
            new PrintStream(out, true, StandardCharsets.UTF_8),
            new PrintStream(err, true, StandardCharsets.UTF_8),
            InputStream.nullInputStream(),
            variables,
            folder,
            terminal,
            launcher);
    List<String> all = new ArrayList<>(List.of(command, "--config", config.toString()));
    all.addAll(List.of(args));
    int code =
        McpBusCommand.create(context, List.of(new DoctorCommand(context)))
            .execute(all.toArray(String[]::new));
    return new Run(
        code, out.toString(StandardCharsets.UTF_8), err.toString(StandardCharsets.UTF_8));
  }

  /** One line for each server: problems are named by line. */
  private String text(Set<String> ids) {
    return ids.stream()
        .map(id -> '"' + id + "\": " + servers.getJsonObject(id).encode())
        .collect(Collectors.joining(",\n", "{\"mcpServers\": {\n", "\n}}\n"));
  }

  private static final class Launcher implements ServiceLauncher {

    private final AtomicInteger started = new AtomicInteger();

    @Override
    public int run(Launch launch) {
      throw new AssertionError("doctor does not run mcpbus");
    }

    @Override
    public LocalService start(Path file, ConfigResult result, McpBusConfig config) {
      started.incrementAndGet();
      return InProcessService.start(file, result, config);
    }
  }
}
