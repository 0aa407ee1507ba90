package dev.mcpbus;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.mcpbus.testing.FreePorts;
import dev.mcpbus.testing.Pids;
import io.vertx.core.json.JsonObject;
import java.io.File;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** {@code src/scripts/three-nodes}, as somebody uses it who sees it for the first time. */
class ThreeNodesIT {

  private static final Path BASE = Path.of(System.getProperty("mcpbus.basedir", "."));
  private static final Pattern DOOR =
      Pattern.compile("(?m)^ {2}(one|two|three) +http://127\\.0\\.0\\.1:(\\d+) +(\\d+)$");
  private static final Pattern TRY =
      Pattern.compile("-d '(\\{.*})' (http://127\\.0\\.0\\.1:)\\d+(/\\S+)");

  private final HttpClient http = HttpClient.newHttpClient();

  @TempDir private Path directory;

  private record Door(String name, int port, long pid) {}

  @Tag("release")
  @Test
  void a_call_goes_through_another_door_after_its_owner_was_killed_and_nothing_is_left_behind()
      throws Exception {
    assumeTrue(isOnPath("curl"), "curl is missing: the script waits with it");
    Path out = directory.resolve("out.txt");
    ProcessBuilder builder =
        new ProcessBuilder("sh", "src/scripts/three-nodes", String.valueOf(FreePorts.row(6)))
            .directory(BASE.toFile())
            .redirectErrorStream(true)
            .redirectOutput(out.toFile());
    builder.environment().put("MCPBUS_JAR", System.getProperty("mcpbus.jar", "target/mcpbus.jar"));
    Process script = builder.start();
    List<Long> pids = List.of();
    try {
      Awaitility.await()
          .atMost(Duration.ofMinutes(2))
          .until(() -> Files.readString(out).contains("Ctrl-C ends") || !script.isAlive());
      String said = Files.readString(out);
      List<Door> doors =
          DOOR.matcher(said)
              .results()
              .map(
                  f ->
                      new Door(
                          f.group(1), Integer.parseInt(f.group(2)), Long.parseLong(f.group(3))))
              .toList();
      assertThat(doors).as(said).hasSize(3);
      pids = doors.stream().map(Door::pid).toList();
      assertThat(Pids.running(pids)).isEqualTo(pids);
      String owner = get(doors.get(0), "/api/servers/demo-1").getString("node");
      Door lost = doors.stream().filter(one -> one.name().equals(owner)).findFirst().orElseThrow();
      Door other = doors.stream().filter(one -> !one.equals(lost)).findFirst().orElseThrow();
      Pids.signal("KILL", lost.pid());
      Awaitility.await()
          .atMost(Duration.ofMinutes(1))
          .pollInterval(Duration.ofMillis(200))
          .ignoreExceptionsInstanceOf(IOException.class) // a call in the moment of the loss
          .until(() -> tried(said, other).contains("\"sum\":5"));
      Awaitility.await().until(() -> Files.readString(out).contains(lost.pid() + " has ended"));
    } finally {
      script.destroy();
      assertThat(script.waitFor(60, TimeUnit.SECONDS)).isTrue();
    }
    assertThat(Pids.running(pids)).isEmpty();
  }

  /** The call that the script proposes, at this door. */
  private String tried(String said, Door door) throws IOException, InterruptedException {
    Matcher line = TRY.matcher(said);
    assertThat(line.find()).as(said).isTrue();
    HttpRequest request =
        HttpRequest.newBuilder(URI.create(line.group(2) + door.port() + line.group(3)))
            .header("Content-Type", "application/json")
            .timeout(Duration.ofSeconds(10))
            .POST(HttpRequest.BodyPublishers.ofString(line.group(1)))
            .build();
    return http.send(request, HttpResponse.BodyHandlers.ofString()).body();
  }

  private JsonObject get(Door door, String path) throws IOException, InterruptedException {
    URI uri = URI.create("http://127.0.0.1:" + door.port() + path);
    HttpRequest request = HttpRequest.newBuilder(uri).build();
    return new JsonObject(http.send(request, HttpResponse.BodyHandlers.ofString()).body());
  }

  private static boolean isOnPath(String program) {
    String path = System.getenv().getOrDefault("PATH", "");
    return Arrays.stream(path.split(File.pathSeparator, -1))
        .anyMatch(folder -> Files.isExecutable(Path.of(folder, program)));
  }
}
