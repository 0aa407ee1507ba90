package dev.mcpbus.bench;

import io.vertx.core.json.JsonObject;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.OutputStream;
import java.io.PipedInputStream;
import java.io.PipedOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The other end of a {@link Worker}, which is a process of its own but in a smoke test. */
final class WorkerProcess implements AutoCloseable {

  private static final List<String> FLAGS = List.of("-Xms512m", "-Xmx512m", "-XX:+UseG1GC");

  /** Connections, in place of {@link Kind#MANY}. */
  private static final int FEW = 50;

  private final Kind kind;
  private final @Nullable Process process;
  private final OutputStream commands;
  private final BufferedReader answers;

  private WorkerProcess(
      Kind kind, @Nullable Process process, OutputStream commands, InputStream answers) {
    this.kind = kind;
    this.process = process;
    this.commands = commands;
    this.answers = new BufferedReader(new InputStreamReader(answers, StandardCharsets.UTF_8));
  }

  /** A worker on a thread of this JVM, for a smoke test: starting it costs next to nothing. */
  static WorkerProcess inside(Kind kind, String target) throws IOException {
    PipedInputStream in = new PipedInputStream();
    PipedInputStream answers = new PipedInputStream();
    PrintStream out = new PrintStream(new PipedOutputStream(answers), true, StandardCharsets.UTF_8);
    WorkerProcess worker = new WorkerProcess(kind, null, new PipedOutputStream(in), answers);
    Thread thread =
        new Thread(
            () -> {
              try (out) {
                Worker.serve(kind.create(target, FEW), in, out);
              } catch (Exception e) {
                System.err.println("bench: " + kind.label + ": " + e);
              }
            },
            kind.name());
    thread.setDaemon(true);
    thread.start();
    worker.answer();
    return worker;
  }

  /** Returns when its contender is connected. */
  static WorkerProcess start(Kind kind, String target) throws IOException {
    return start(kind, target, System.getProperty("java.class.path"));
  }

  /** The same of another build. */
  static WorkerProcess start(Kind kind, String target, String classPath) throws IOException {
    return start(kind, target, classPath, List.of());
  }

  /**
   * The same with more flags for its JVM.
   *
   * @param more such as those of {@link BusContender}
   */
  static WorkerProcess start(Kind kind, String target, String classPath, List<String> more)
      throws IOException {
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.addAll(FLAGS);
    command.addAll(kind.flags());
    command.addAll(more);
    command.addAll(List.of("-cp", classPath, Worker.class.getName()));
    command.addAll(List.of(kind.name(), target));
    ProcessBuilder builder =
        new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.INHERIT);
    builder.environment().put("MCPBUS_LOG", "WARN");
    Process process = builder.start();
    WorkerProcess worker =
        new WorkerProcess(kind, process, process.getOutputStream(), process.getInputStream());
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
    commands.write((command + "\n").getBytes(StandardCharsets.UTF_8));
    commands.flush();
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
