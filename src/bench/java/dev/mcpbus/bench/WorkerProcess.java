package dev.mcpbus.bench;

import io.vertx.core.json.JsonObject;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** The other end of a {@link Worker}. */
final class WorkerProcess implements AutoCloseable {

  private static final List<String> FLAGS = List.of("-Xms512m", "-Xmx512m", "-XX:+UseG1GC");

  private final Kind kind;
  private final Process process;
  private final BufferedReader answers;

  private WorkerProcess(Kind kind, Process process) {
    this.kind = kind;
    this.process = process;
    this.answers =
        new BufferedReader(new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8));
  }

  /** Returns when its contender is connected. */
  static WorkerProcess start(Kind kind, String target) throws IOException {
    return start(kind, target, System.getProperty("java.class.path"));
  }

  /** The same of another build. */
  static WorkerProcess start(Kind kind, String target, String classPath) throws IOException {
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.addAll(FLAGS);
    command.addAll(kind.flags());
    command.addAll(List.of("-cp", classPath, Worker.class.getName()));
    command.addAll(List.of(kind.name(), target));
    ProcessBuilder builder =
        new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.INHERIT);
    builder.environment().put("MCPBUS_LOG", "WARN");
    WorkerProcess worker = new WorkerProcess(kind, builder.start());
    worker.answer();
    return worker;
  }

  Kind kind() {
    return kind;
  }

  JsonObject closed(int callers, long millis) throws IOException {
    return ask("closed " + callers + " " + millis);
  }

  JsonObject paced(int perSecond, long millis) throws IOException {
    return ask("paced " + perSecond + " " + millis);
  }

  JsonObject memory() throws IOException {
    return ask("memory");
  }

  private JsonObject ask(String command) throws IOException {
    OutputStream stdin = process.getOutputStream();
    stdin.write((command + "\n").getBytes(StandardCharsets.UTF_8));
    stdin.flush();
    return answer();
  }

  private JsonObject answer() throws IOException {
    String line = answers.readLine();
    if (line == null) {
      throw new IOException("the JVM of \"" + kind.label + "\" has ended; its stderr says why");
    }
    return new JsonObject(line);
  }

  /** Ends it with its stdin; its children end with it. */
  @Override
  public void close() {
    try {
      process.getOutputStream().close();
      process.waitFor();
    } catch (IOException e) {
      process.destroy();
    } catch (InterruptedException e) {
      process.destroy();
      Thread.currentThread().interrupt();
    }
  }
}
