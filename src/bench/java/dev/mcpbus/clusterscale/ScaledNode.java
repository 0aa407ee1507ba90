package dev.mcpbus.clusterscale;

import io.vertx.core.json.JsonObject;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** A process of the service with its own folder, file and ports. */
final class ScaledNode {

  private static final Duration PATIENCE = Duration.ofSeconds(20);

  private final Path folder;
  private final Launch launch;
  private final int port;
  private final HttpClient client;
  private @Nullable Process process;

  /** How operators start a node: the script, with the environment that it reads. */
  record Launch(Path script, Map<String, String> environment) {}

  ScaledNode(Path folder, Launch launch, int port, HttpClient client) {
    this.folder = folder;
    this.launch = launch;
    this.port = port;
    this.client = client;
  }

  String name() {
    return String.valueOf(folder.getFileName());
  }

  void configure(JsonObject document) throws IOException {
    Files.createDirectories(folder);
    Files.writeString(folder.resolve("mcpbus.json"), document.encode());
  }

  void start() throws IOException {
    List<String> command = new ArrayList<>(List.of(launch.script().toString()));
    command.addAll(List.of("--cluster", "--config", "mcpbus.json"));
    command.addAll(List.of("--port", Integer.toString(port)));
    ProcessBuilder builder =
        new ProcessBuilder(command)
            .directory(folder.toFile())
            .redirectErrorStream(true)
            .redirectOutput(ProcessBuilder.Redirect.appendTo(log().toFile()));
    builder.environment().putAll(launch.environment());
    builder.environment().put("MCPBUS_CLUSTER_SECRET", "what only the nodes of this run know");
    process = builder.start();
  }

  Path log() {
    return folder.resolve("out.log");
  }

  Process process() {
    Process running = process;
    if (running == null) {
      throw new IllegalStateException(name() + " was not started");
    }
    return running;
  }

  boolean isAlive() {
    return process != null && process.isAlive();
  }

  void kill() throws InterruptedException {
    process().destroyForcibly();
    process().waitFor(10, TimeUnit.SECONDS);
  }

  /** The document at {@code path}; null where the node does not answer with one. */
  @Nullable JsonObject get(String path) throws InterruptedException {
    try {
      HttpResponse<String> answer =
          client.send(request(path).GET().build(), HttpResponse.BodyHandlers.ofString());
      return answer.statusCode() == 200 ? new JsonObject(answer.body()) : null;
    } catch (IOException | RuntimeException e) {
      return null;
    }
  }

  /** The connections of this node in a state, from its metrics; 0 where it does not answer. */
  int inState(String state) throws InterruptedException {
    try {
      HttpResponse<Stream<String>> answer =
          client.send(request("/metrics").GET().build(), HttpResponse.BodyHandlers.ofLines());
      try (Stream<String> lines = answer.body()) { // line by line: thousands have 50 MB
        return (int)
            lines
                .filter(line -> line.startsWith("mcpbus_connections{"))
                .filter(line -> line.contains("state=\"" + state + "\"") && line.endsWith(" 1.0"))
                .count();
      }
    } catch (IOException | RuntimeException e) {
      return 0;
    }
  }

  /** Whether a call of a server's tool through this node has a result within {@code budget}. */
  CompletableFuture<Boolean> call(String server, Duration budget) {
    HttpRequest call =
        request("/api/servers/" + server + "/tools/echo?timeout=" + budget.toMillis())
            .header("Content-Type", "application/json")
            .POST(HttpRequest.BodyPublishers.ofString("{\"text\":\"x\"}"))
            .build();
    return client
        .sendAsync(call, HttpResponse.BodyHandlers.discarding())
        .handle((answer, failure) -> failure == null && answer.statusCode() == 200);
  }

  private HttpRequest.Builder request(String path) {
    return HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port + path)).timeout(PATIENCE);
  }

  /** CPU that the process has used so far. */
  Duration cpu() {
    return process().toHandle().info().totalCpuDuration().orElse(Duration.ZERO);
  }

  /** Resident memory, in MB. */
  double residentMegabytes() throws IOException {
    return Files.readAllLines(Path.of("/proc", Long.toString(process().pid()), "status")).stream()
        .filter(line -> line.startsWith("VmRSS:"))
        .mapToDouble(line -> Long.parseLong(line.replaceAll("\\D", "")) / 1024.0)
        .findFirst()
        .orElse(0);
  }
}
