package dev.mcpbus.bench.cluster;

import io.vertx.core.json.JsonObject;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** The other end of a {@link NodeMain}. */
final class NodeProcess implements AutoCloseable {

  private static final List<String> FLAGS = List.of("-Xms512m", "-Xmx512m", "-XX:+UseG1GC");

  private final String name;
  private final Process process;
  private final BufferedReader answers;
  private final String id;

  private NodeProcess(String name, Process process) throws IOException {
    this.name = name;
    this.process = process;
    this.answers =
        new BufferedReader(new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8));
    this.id = answer().getString("node");
  }

  /** Returns when it has joined the cluster that {@code file} names; it serves nothing yet. */
  static NodeProcess start(String name, Path file) throws IOException {
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.addAll(FLAGS);
    command.addAll(List.of("-cp", System.getProperty("java.class.path")));
    command.addAll(List.of(NodeMain.class.getName(), file.toString()));
    ProcessBuilder builder =
        new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.INHERIT);
    builder.environment().putIfAbsent("MCPBUS_LOG", "ERROR");
    Process process = builder.start();
    try {
      return new NodeProcess(name, process);
    } catch (IOException | RuntimeException e) {
      process.destroyForcibly();
      throw e;
    }
  }

  String name() {
    return name;
  }

  /** As the cluster calls it. */
  String id() {
    return id;
  }

  JsonObject ask(String what) throws IOException {
    return ask(new JsonObject().put("do", what));
  }

  JsonObject ask(JsonObject command) throws IOException {
    tell(command);
    return answer();
  }

  /** Without waiting for the answer, which {@link #answer} gives. */
  void tell(JsonObject command) throws IOException {
    OutputStream stdin = process.getOutputStream();
    stdin.write((command.encode() + "\n").getBytes(StandardCharsets.UTF_8));
    stdin.flush();
  }

  JsonObject answer() throws IOException {
    String line = answers.readLine();
    while (line != null && !line.startsWith("{")) {
      line = answers.readLine(); // of the JVM itself, such as a recorder's
    }
    if (line == null) {
      throw new IOException("node " + name + " has ended; its stderr says why");
    }
    return new JsonObject(line);
  }

  /** SIGTERM. */
  void leave() {
    process.destroy();
  }

  /** SIGKILL. */
  void kill() {
    process.destroyForcibly();
  }

  boolean awaitEnd(long seconds) throws InterruptedException {
    return process.waitFor(seconds, TimeUnit.SECONDS);
  }

  @Override
  public void close() {
    process.destroyForcibly();
  }
}
