package dev.mcpbus.bench;

import io.vertx.core.json.JsonObject;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What answers each line with a line of JSON, and writes one when it can be asked. One thread at a
 * time.
 */
public final class LineWorker implements AutoCloseable {

  private final String label;
  private final @Nullable Process process;
  private final OutputStream commands;
  private final BufferedReader answers;

  private LineWorker(
      String label, @Nullable Process process, OutputStream commands, InputStream answers) {
    this.label = label;
    this.process = process;
    this.commands = commands;
    this.answers = new BufferedReader(new InputStreamReader(answers, StandardCharsets.UTF_8));
  }

  /** A thread of this JVM. */
  static LineWorker inside(String label, OutputStream commands, InputStream answers) {
    return new LineWorker(label, null, commands, answers);
  }

  /** A JVM of its own, of this build or another. */
  public static LineWorker start(
      String label, List<String> flags, String classPath, Class<?> main, List<String> args)
      throws IOException {
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.addAll(flags);
    command.addAll(List.of("-cp", classPath, main.getName()));
    command.addAll(args);
    ProcessBuilder builder =
        new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.INHERIT);
    builder.environment().put("MCPBUS_LOG", "WARN");
    Process process = builder.start();
    return new LineWorker(label, process, process.getOutputStream(), process.getInputStream());
  }

  public JsonObject ask(String command) throws IOException {
    commands.write((command + "\n").getBytes(StandardCharsets.UTF_8));
    commands.flush();
    return answer();
  }

  /** The line that it writes by itself, once. */
  public JsonObject answer() throws IOException {
    String line = answers.readLine();
    if (line == null) {
      throw new IOException("the JVM of \"" + label + "\" has ended; its stderr says why");
    }
    return new JsonObject(line);
  }

  /** Ends it with its stdin; its children end with it. */
  @Override
  public void close() {
    try {
      commands.close();
      if (process != null) {
        process.waitFor();
      }
    } catch (IOException e) {
      if (process != null) {
        process.destroy();
      }
    } catch (InterruptedException e) {
      if (process != null) {
        process.destroy();
      }
      Thread.currentThread().interrupt();
    }
  }
}
