package dev.mcpbus.testing;

import dev.mcpbus.demo.DemoProcess;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.io.BufferedReader;
import java.io.File;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.URISyntaxException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;

/** Servers small enough for a thousand of them: shell scripts, and one HTTP process for all. */
public final class EchoServer implements AutoCloseable {

  private final Process process;
  private final BufferedReader commands;
  private final int port;

  private EchoServer(Process process) throws IOException {
    this.process = process;
    this.commands = process.inputReader();
    this.port = Integer.parseInt(commands.readLine());
  }

  /** An entry that runs {@code echo-server.sh}, whose head says what it does. */
  public static JsonObject shell(String... arguments) {
    JsonArray args = new JsonArray().add(script().toString());
    List.of(arguments).forEach(args::add);
    return new JsonObject().put("command", "sh").put("args", args);
  }

  private static Path script() {
    try {
      return Path.of(
          Objects.requireNonNull(EchoServer.class.getResource("/echo-server.sh")).toURI());
    } catch (URISyntaxException e) {
      throw new IllegalStateException(e);
    }
  }

  /**
   * One process that serves any number of HTTP connections; returns when it listens.
   *
   * @param idle how long a TCP connection may be idle before the server closes it
   */
  public static EchoServer overHttp(Duration idle) {
    List<String> command = new ArrayList<>(List.of(DemoProcess.java(), "-Xmx512m", "-cp"));
    command.add(System.getProperty("java.class.path"));
    command.add(HttpEcho.class.getName());
    command.add(Long.toString(idle.toMillis()));
    try {
      return new EchoServer(
          new ProcessBuilder(command)
              .redirectError(ProcessBuilder.Redirect.to(new File("/dev/null")))
              .start());
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /**
   * An entry for the server in its process.
   *
   * @param listen whether the connection opens the GET stream
   */
  public JsonObject http(boolean listen) {
    return new JsonObject().put("url", "http://127.0.0.1:" + port + "/mcp").put("listen", listen);
  }

  /** TCP connections that the HTTP server has open, without the one that asks. */
  public int connections() {
    try (InputStream in =
        URI.create("http://127.0.0.1:" + port + "/connections").toURL().openStream()) {
      return Integer.parseInt(new String(in.readAllBytes(), StandardCharsets.US_ASCII)) - 1;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  @Override
  public void close() {
    process.destroyForcibly();
    try {
      commands.close();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
