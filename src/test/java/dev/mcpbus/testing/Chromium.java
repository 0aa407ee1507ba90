package dev.mcpbus.testing;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assertions.fail;
import static org.junit.jupiter.api.Assumptions.abort;

import io.vertx.core.json.JsonObject;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/**
 * Walks of {@code src/test/npm} through pages in Chromium. Without it a test is skipped on a
 * developer's machine and fails where {@code CI} is set.
 */
public final class Chromium {

  private static final int WALK_SECONDS = 240;

  private Chromium() {}

  /** Where it is; skips or fails the test where it, or what drives it, is not installed. */
  public static String place() {
    NpmServers.script("playwright-core/index.js");
    return Stream.of("/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome")
        .filter(place -> Files.isExecutable(Path.of(place)))
        .findFirst()
        .orElseGet(
            () -> {
              String remedy = "install Chromium: apt-get install chromium";
              if ("true".equals(System.getenv("CI"))) {
                fail(remedy);
              }
              return abort(remedy);
            });
  }

  /**
   * Runs one part of a walk; what is not as it should be fails the test.
   *
   * @param folder for what the walk says
   * @param env variables besides those of the test
   */
  public static void walk(
      String script, String part, JsonObject given, Path folder, Map<String, String> env)
      throws IOException, InterruptedException {
    Path out = Files.createTempFile(folder, part, ".log");
    ProcessBuilder walk =
        new ProcessBuilder(
                NpmServers.node(),
                NpmServers.own(script).getJsonArray("args").getString(0),
                part,
                given.put("chrome", place()).encode())
            .redirectErrorStream(true)
            .redirectOutput(out.toFile());
    walk.environment().putAll(env);
    Process walker = walk.start();
    try {
      boolean ended = walker.waitFor(WALK_SECONDS, TimeUnit.SECONDS);
      assertThat(ended).as("the walk ended; it said %s", Files.readString(out)).isTrue();
      assertThat(walker.exitValue()).as(Files.readString(out)).isZero();
    } finally {
      walker.descendants().forEach(ProcessHandle::destroyForcibly);
      walker.destroyForcibly();
    }
  }
}
