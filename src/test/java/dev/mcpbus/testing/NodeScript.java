package dev.mcpbus.testing;

import io.vertx.core.json.JsonObject;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.Callable;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;
import org.awaitility.Awaitility;
import org.awaitility.core.ConditionTimeoutException;
import org.jspecify.annotations.Nullable;

/**
 * A program of Node that runs beside a test, with lines both ways. Closing it ends it and what it
 * has started. Without {@code npm ci} the test is skipped, as {@link NpmServers} says.
 */
public final class NodeScript implements AutoCloseable {

  private static final Duration PATIENCE = Duration.ofSeconds(60);

  private final String name;
  private final Process process;
  private final List<Thread> readers;
  private final List<String> out = new CopyOnWriteArrayList<>();
  private final List<String> err = new CopyOnWriteArrayList<>();
  private int read;

  private NodeScript(String name, Process process) {
    this.name = name;
    this.process = process;
    this.readers = List.of(reads(process.inputReader(), out), reads(process.errorReader(), err));
  }

  /** Starts a file of {@code src/test/npm}. */
  public static NodeScript own(String file, String... args) {
    NpmServers.script("oidc-provider/package.json"); // the newest package; all are there, or none
    return start(Path.of("src", "test", "npm", file).toAbsolutePath().toString(), Map.of(), args);
  }

  /**
   * Starts a script of a package.
   *
   * @param env variables besides those of the test
   */
  public static NodeScript of(String script, Map<String, String> env, String... args) {
    return start(NpmServers.script(script), env, args);
  }

  private static NodeScript start(String script, Map<String, String> env, String... args) {
    List<String> command = new ArrayList<>(List.of(NpmServers.node(), script));
    command.addAll(List.of(args));
    ProcessBuilder builder = new ProcessBuilder(command);
    builder.environment().putAll(env);
    try {
      return new NodeScript(Path.of(script).getFileName().toString(), builder.start());
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static Thread reads(BufferedReader lines, List<String> to) {
    Thread thread = new Thread(() -> lines.lines().forEach(to::add), "node-script");
    thread.setUncaughtExceptionHandler((dead, closed) -> {}); // the stream was closed
    thread.setDaemon(true);
    thread.start();
    return thread;
  }

  /** Lines of stdout so far. */
  public List<String> out() {
    return out;
  }

  /** Lines of stderr so far. */
  public List<String> err() {
    return err;
  }

  public ProcessHandle handle() {
    return process.toHandle();
  }

  public void send(JsonObject line) {
    try {
      process.getOutputStream().write((line.encode() + "\n").getBytes(StandardCharsets.UTF_8));
      process.getOutputStream().flush();
    } catch (IOException e) {
      throw new UncheckedIOException(name + " has ended: " + err, e);
    }
  }

  /** Ends its stdin, waits for its end and gives its exit code; then all that it says is there. */
  public int exit() {
    try {
      process.getOutputStream().close();
      if (!process.waitFor(PATIENCE.toSeconds(), TimeUnit.SECONDS)) {
        throw new AssertionError(name + " runs on; said " + out + ", and on stderr " + err);
      }
      for (Thread reader : readers) {
        reader.join(PATIENCE.toMillis());
      }
    } catch (IOException | InterruptedException e) {
      throw new AssertionError(e);
    }
    return process.exitValue();
  }

  /** The first line of stdout after those that were given before which is like that. */
  public String next(Predicate<String> like) {
    return await(
        () -> {
          while (read < out.size()) {
            String line = out.get(read++);
            if (like.test(line)) {
              return line;
            }
          }
          return null;
        });
  }

  /** A line of stderr that is like that. */
  public String complains(Predicate<String> like) {
    return await(() -> err.stream().filter(like).findFirst().orElse(null));
  }

  private String await(Callable<@Nullable String> line) {
    try {
      return Awaitility.await(name + " to say something")
          .atMost(PATIENCE)
          .until(line, Objects::nonNull);
    } catch (ConditionTimeoutException e) {
      throw new AssertionError(name + " said " + out + ", and on stderr " + err, e);
    }
  }

  @Override
  public void close() {
    process.descendants().forEach(ProcessHandle::destroyForcibly);
    process.destroyForcibly();
  }
}
