package dev.mcpbus.testing;

import static org.assertj.core.api.Assertions.assertThat;

import io.vertx.core.json.JsonObject;
import java.io.BufferedReader;
import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.awaitility.Awaitility;

/** The executable jar as a process of its own, with all that it prints. */
public final class ServiceProcess implements AutoCloseable {

  private static final Duration PATIENCE = Duration.ofSeconds(40);
  private static final Duration LAST_TABLE = Duration.ofSeconds(18);
  private static final Pattern BRIDGE =
      Pattern.compile("^Bridge: https?://127\\.0\\.0\\.1:(\\d+)$");

  private final Process process;
  private final List<String> out = new CopyOnWriteArrayList<>();
  private final List<String> err = new CopyOnWriteArrayList<>();
  private final List<Thread> readers;
  private final long lastTable = System.nanoTime() + LAST_TABLE.toNanos();
  private boolean early;

  private ServiceProcess(Process process) {
    this.process = process;
    this.readers =
        List.of(
            reader("out", process.inputReader(), out), reader("err", process.errorReader(), err));
  }

  /**
   * Starts {@code java -jar mcpbus.jar args}.
   *
   * @param folder its working directory
   */
  public static ServiceProcess start(Path folder, String... args) {
    return start(folder, List.of(), args);
  }

  /**
   * The same with options for the JVM.
   *
   * @param jvm such as {@code -Xmx256m}
   */
  public static ServiceProcess start(Path folder, List<String> jvm, String... args) {
    return start(Path.of(System.getProperty("java.home")), folder, jvm, args);
  }

  /**
   * The same with another JVM.
   *
   * @param home its folder, with {@code bin/java}
   */
  public static ServiceProcess start(Path home, Path folder, List<String> jvm, String... args) {
    List<String> command = ServiceJar.command(home, jvm);
    command.addAll(List.of(args));
    ProcessBuilder builder = new ProcessBuilder(command).directory(folder.toFile());
    builder.environment().remove("MCPBUS_LOG");
    builder.environment().put("MCPBUS_TOKEN_FILE", folder.resolve(".mcpbus/tokens").toString());
    builder.redirectInput(ProcessBuilder.Redirect.from(new File("/dev/null")));
    try {
      return new ServiceProcess(builder.start());
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static Thread reader(String name, BufferedReader lines, List<String> to) {
    Thread thread =
        new Thread(
            () -> {
              try (lines) {
                for (String line = lines.readLine(); line != null; line = lines.readLine()) {
                  to.add(line);
                }
              } catch (IOException closed) {
                // The process has ended.
              }
            },
            "service-" + name);
    thread.setDaemon(true);
    thread.start();
    return thread;
  }

  public long pid() {
    return process.pid();
  }

  public boolean runs() {
    return process.isAlive();
  }

  /** Lines of stdout so far. */
  public List<String> out() {
    return out;
  }

  public String outText() {
    return String.join("\n", out);
  }

  public String errText() {
    return String.join("\n", err);
  }

  /** Waits for its end and all that it has printed; gives its exit code. */
  public int awaitExit(Duration most) {
    try {
      assertThat(process.waitFor(most.toMillis(), TimeUnit.MILLISECONDS))
          .as("ended within %s; printed %s %s", most, out, err)
          .isTrue();
      for (Thread reader : readers) {
        reader.join(5_000);
      }
    } catch (InterruptedException e) {
      throw new AssertionError(e);
    }
    return process.exitValue();
  }

  /** {@link #port} gives the port as soon as the service has started, and waits for no table. */
  public ServiceProcess early() {
    early = true;
    return this;
  }

  /** Of the bridge, once the table says how all connections have ended up, or {@link #early}. */
  public int port() {
    if (!early) {
      // One that does not differ from the first is not printed.
      await("the last table", () -> hasLastTable(outText()) || System.nanoTime() > lastTable);
    }
    Supplier<Matcher> line =
        () -> out.stream().map(BRIDGE::matcher).filter(Matcher::matches).findFirst().orElse(null);
    await("the port", () -> line.get() != null);
    return Integer.parseInt(line.get().group(1));
  }

  /** Whether a report of the start has its last table: another one follows one with this line. */
  public static boolean hasLastTable(String report) {
    return report.lastIndexOf("  CONNECTION") > report.lastIndexOf("the table follows again");
  }

  /** Waits for a text on stderr. */
  public void awaitErr(String text) {
    await("'" + text + "' on stderr", () -> errText().contains(text));
  }

  private void await(String what, Supplier<Boolean> condition) {
    Awaitility.await()
        .atMost(PATIENCE)
        .pollInterval(Duration.ofMillis(20))
        .untilAsserted(
            () ->
                assertThat(condition.get())
                    .as("%s\nstdout: %s\nstderr: %s", what, outText(), errText())
                    .isTrue());
  }

  public Http.Answer get(String path) {
    return Http.get(port(), path);
  }

  public Http.Answer callTool(String server, String tool, JsonObject arguments) {
    return Http.post(port(), "/api/servers/" + server + "/tools/" + tool, arguments.encode());
  }

  /** The status of a server once it is READY. */
  public JsonObject awaitReady(String id) {
    await(
        id + " to be READY",
        () -> {
          Http.Answer answer = get("/api/servers/" + id);
          return answer.status() == 200 && "READY".equals(answer.json().getString("state"));
        });
    return get("/api/servers/" + id).json();
  }

  public static long pidOf(JsonObject status) {
    return status.getJsonObject("transport").getLong("pid");
  }

  public void signal(String name) {
    Pids.signal(name, process.pid());
  }

  @Override
  public void close() {
    process.destroy();
    try {
      if (!process.waitFor(15, TimeUnit.SECONDS)) {
        process.destroyForcibly().waitFor();
        throw new AssertionError("SIGTERM did not end the service within 15 s: " + errText());
      }
    } catch (InterruptedException e) {
      throw new AssertionError(e);
    }
  }
}
