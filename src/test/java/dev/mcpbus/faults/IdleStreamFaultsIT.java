package dev.mcpbus.faults;

import static org.assertj.core.api.Assertions.assertThat;

import dev.mcpbus.testing.Crowd;
import dev.mcpbus.testing.ServiceProcess;
import io.vertx.core.Future;
import io.vertx.core.json.JsonObject;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Ten thousand event streams that nothing happens on, of a service that is a process. */
@Tag("release")
class IdleStreamFaultsIT {

  private static final int STREAMS = 10_000;

  /** Of the heap, after a collection. Each stream is a connection here. */
  private static final long MOST_BYTES = 24 * 1024;

  /** With what lies outside of the heap, and what is not collected yet. */
  private static final long MOST_RESIDENT = 64 * 1024;

  private static final Pattern USED = Pattern.compile("generation.* used (\\d+)K");
  private static final Pattern SESSION = Pattern.compile("(?i)mcp-session-id: (\\S+)");

  private static final String INITIALIZE =
      new JsonObject()
          .put("jsonrpc", "2.0")
          .put("id", 1)
          .put("method", "initialize")
          .put(
              "params",
              new JsonObject()
                  .put("protocolVersion", "2025-11-25")
                  .put("capabilities", new JsonObject())
                  .put("clientInfo", new JsonObject().put("name", "one").put("version", "1")))
          .encode();

  @TempDir Path folder;

  private static Future<String> events(Crowd.One one) {
    return one.say(Crowd.get("/api/events"));
  }

  /** A session each, and its standing stream. */
  private static Future<String> standing(Crowd.One one) {
    return one.say(Crowd.post("/mcp", INITIALIZE))
        .compose(
            opened -> {
              Matcher session = SESSION.matcher(opened);
              assertThat(session.find()).as(opened).isTrue();
              return one.say(
                  Crowd.get(
                      "/mcp",
                      "Mcp-Session-Id: " + session.group(1) + "\r\n",
                      "MCP-Protocol-Version: 2025-11-25\r\n"));
            });
  }

  @Test
  void case_100_ten_thousand_idle_streams_of_the_bridge_cost_little_and_one_more_gets_503()
      throws IOException, InterruptedException {
    idle(IdleStreamFaultsIT::events);
  }

  @Test
  void case_100_ten_thousand_idle_streams_of_the_gateway_cost_little_and_one_more_gets_503()
      throws IOException, InterruptedException {
    idle(IdleStreamFaultsIT::standing);
  }

  private void idle(Function<Crowd.One, Future<String>> stream)
      throws IOException, InterruptedException {
    JsonObject bridge =
        new JsonObject().put("maxConnections", 2 * STREAMS).put("maxStreams", STREAMS);
    JsonObject gateway =
        new JsonObject().put("maxSessions", 2 * STREAMS).put("maxStreams", STREAMS);
    Path file =
        Files.writeString(
            folder.resolve("mcpbus.json"),
            new JsonObject()
                .put("mcpServers", new JsonObject())
                .put("bridge", bridge)
                .put("gateway", gateway)
                .encode());
    try (ServiceProcess service = ServiceProcess.start(folder, "-c", file.toString(), "-p", "0")) {
      int port = service.port();
      try (Crowd few = new Crowd(port)) {
        few.join(50, stream); // what is made once, whoever comes
      }
      awaitFiles(service, 200);
      long before = heap(service);
      long resident = resident(service);
      try (Crowd crowd = new Crowd(port)) {
        List<String> answers = crowd.join(STREAMS, stream);
        assertThat(answers).hasSize(STREAMS).allMatch(answer -> Crowd.status(answer) == 200);
        long each = (heap(service) - before) / STREAMS;
        assertThat(each).as("bytes of heap for each stream").isBetween(1L, MOST_BYTES);
        assertThat((resident(service) - resident) / STREAMS)
            .as("bytes of memory for each stream")
            .isLessThan(MOST_RESIDENT);
        String more = crowd.join(1, stream).get(0);
        assertThat(Crowd.status(more)).isEqualTo(503);
        assertThat(more).containsIgnoringCase("Retry-After").contains("streams are open");
        assertThat(service.get("/health/ready").status()).isEqualTo(200);
        assertThat(files(service)).isGreaterThan(STREAMS);
      }
      awaitFiles(service, 200);
      try (Crowd later = new Crowd(port)) {
        assertThat(later.join(50, stream)).allMatch(answer -> Crowd.status(answer) == 200);
      }
    }
  }

  private static void awaitFiles(ServiceProcess service, long most) {
    Awaitility.await("places of those who went")
        .atMost(Duration.ofSeconds(60))
        .until(() -> files(service) < most);
  }

  /** Open files of the process: a connection is one. */
  private static long files(ServiceProcess service) throws IOException {
    try (Stream<Path> all = Files.list(Path.of("/proc/" + service.pid() + "/fd"))) {
      return all.count();
    }
  }

  /** Bytes of memory that the process has, with what lies outside of the heap. */
  private static long resident(ServiceProcess service) throws IOException {
    Path status = Path.of("/proc/" + service.pid() + "/status");
    try (Stream<String> lines = Files.lines(status)) {
      String line = lines.filter(one -> one.startsWith("VmRSS:")).findFirst().orElseThrow();
      return Long.parseLong(line.replaceAll("\\D", "")) * 1024;
    }
  }

  /** Bytes in use after a collection. */
  private static long heap(ServiceProcess service) throws IOException, InterruptedException {
    jcmd(service, "GC.run");
    Matcher used = USED.matcher(jcmd(service, "GC.heap_info"));
    long sum = 0;
    while (used.find()) {
      sum += Long.parseLong(used.group(1)) * 1024;
    }
    assertThat(sum).isPositive();
    return sum;
  }

  private static String jcmd(ServiceProcess service, String command)
      throws IOException, InterruptedException {
    Path jcmd = Path.of(System.getProperty("java.home"), "bin", "jcmd");
    Process process =
        new ProcessBuilder(jcmd.toString(), Long.toString(service.pid()), command)
            .redirectErrorStream(true)
            .start();
    String said = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    assertThat(process.waitFor(60, TimeUnit.SECONDS)).as(said).isTrue();
    return said;
  }
}
