package dev.mcpbus.bench;

import io.vertx.core.json.JsonObject;
import java.io.IOException;
import java.io.PipedInputStream;
import java.io.PipedOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

/** The other end of a {@link Worker}, which is a process of its own but in a smoke test. */
final class WorkerProcess implements AutoCloseable {

  private static final List<String> FLAGS = List.of("-Xms512m", "-Xmx512m", "-XX:+UseG1GC");

  /** Connections, in place of {@link Kind#MANY}. */
  private static final int FEW = 50;

  private final Kind kind;
  private final LineWorker lines;

  private WorkerProcess(Kind kind, LineWorker lines) throws IOException {
    this.kind = kind;
    this.lines = lines;
    lines.answer();
  }

  /** A worker on a thread of this JVM, for a smoke test: starting it costs next to nothing. */
  static WorkerProcess inside(Kind kind, String target) throws IOException {
    PipedInputStream in = new PipedInputStream();
    PipedInputStream answers = new PipedInputStream();
    PrintStream out = new PrintStream(new PipedOutputStream(answers), true, StandardCharsets.UTF_8);
    LineWorker lines = LineWorker.inside(kind.label, new PipedOutputStream(in), answers);
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
    return new WorkerProcess(kind, lines);
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
    List<String> flags = new ArrayList<>(FLAGS);
    flags.addAll(kind.flags());
    flags.addAll(more);
    return new WorkerProcess(
        kind,
        LineWorker.start(kind.label, flags, classPath, Worker.class, List.of(kind.name(), target)));
  }

  Kind kind() {
    return kind;
  }

  JsonObject closed(int callers, long millis) throws IOException {
    return lines.ask("closed " + callers + " " + millis);
  }

  JsonObject paced(int perSecond, long millis) throws IOException {
    return lines.ask("paced " + perSecond + " " + millis);
  }

  JsonObject memory() throws IOException {
    return lines.ask("memory");
  }

  /** Ends it with its stdin; its children end with it. */
  @Override
  public void close() {
    lines.close();
  }
}
