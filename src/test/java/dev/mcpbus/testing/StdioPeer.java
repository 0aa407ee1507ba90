package dev.mcpbus.testing;

import static org.assertj.core.api.Assertions.assertThat;

import io.vertx.core.json.JsonObject;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.Predicate;
import org.awaitility.Awaitility;

/** {@code mcpbus --stdio} as an editor starts it: the executable jar, and lines both ways. */
public final class StdioPeer implements AutoCloseable {

  private static final long PATIENCE_SECONDS = 60;

  private final Process process;
  private final OutputStream stdin;
  private final LinkedBlockingQueue<String> out = new LinkedBlockingQueue<>();
  private final List<String> err = new CopyOnWriteArrayList<>();

  private StdioPeer(Process process) {
    this.process = process;
    this.stdin = process.getOutputStream();
    read(process.inputReader(), out::add);
    read(process.errorReader(), err::add);
  }

  /** The command line of {@code mcpbus --stdio args}. */
  public static List<String> command(String... args) {
    List<String> command = ServiceJar.command(List.of());
    command.add("--stdio");
    command.addAll(List.of(args));
    return command;
  }

  /**
   * Starts it.
   *
   * @param folder its working directory
   */
  public static StdioPeer start(Path folder, String... args) {
    ProcessBuilder builder = new ProcessBuilder(command(args)).directory(folder.toFile());
    builder.environment().keySet().removeIf(name -> name.startsWith("MCPBUS_"));
    try {
      return new StdioPeer(builder.start());
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static void read(BufferedReader lines, Consumer<String> to) {
    Thread thread = new Thread(() -> lines.lines().forEach(to), "stdio-peer");
    thread.setUncaughtExceptionHandler((dead, closed) -> {}); // the stream was closed
    thread.setDaemon(true);
    thread.start();
  }

  public long pid() {
    return process.pid();
  }

  public boolean runs() {
    return process.isAlive();
  }

  public String errText() {
    return String.join("\n", err);
  }

  public void send(String line) {
    try {
      stdin.write((line + "\n").getBytes(StandardCharsets.UTF_8));
      stdin.flush();
    } catch (IOException e) {
      throw new UncheckedIOException(errText(), e);
    }
  }

  public void request(Object id, String method, JsonObject params) {
    send(
        new JsonObject()
            .put("jsonrpc", "2.0")
            .put("id", id)
            .put("method", method)
            .put("params", params)
            .encode());
  }

  /** The next line on stdout, whatever it is. */
  public String line() {
    try {
      String line = out.poll(PATIENCE_SECONDS, TimeUnit.SECONDS);
      assertThat(line).as("a line on stdout; stderr: %s", errText()).isNotNull();
      return String.valueOf(line);
    } catch (InterruptedException e) {
      throw new AssertionError(e);
    }
  }

  /** The next message of which this is true; skips others. */
  public JsonObject next(Predicate<JsonObject> wanted) {
    while (true) {
      JsonObject message = new JsonObject(line());
      if (wanted.test(message)) {
        return message;
      }
    }
  }

  /** The answer to a request; skips other messages. */
  public JsonObject answer(Object id) {
    return next(message -> !message.containsKey("method") && id.equals(message.getValue("id")));
  }

  /** Opens a session of the {@code initialize} era; the result. */
  public JsonObject initialize() {
    request(
        "init",
        "initialize",
        new JsonObject()
            .put("protocolVersion", "2025-11-25")
            .put("capabilities", new JsonObject())
            .put("clientInfo", new JsonObject().put("name", "peer").put("version", "1")));
    JsonObject answer = answer("init");
    send("{\"jsonrpc\":\"2.0\",\"method\":\"notifications/initialized\"}");
    return answer;
  }

  public JsonObject call(Object id, String tool, JsonObject arguments) {
    request(id, "tools/call", new JsonObject().put("name", tool).put("arguments", arguments));
    return answer(id);
  }

  public void closeStdin() {
    try {
      stdin.close();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Its processes: servers of its own. */
  public List<Long> children() {
    return process.descendants().map(ProcessHandle::pid).toList();
  }

  public int awaitExit(Duration most) {
    Awaitility.await("the end; " + errText()).atMost(most).until(() -> !process.isAlive());
    return process.exitValue();
  }

  @Override
  public void close() {
    process.destroyForcibly();
  }
}
