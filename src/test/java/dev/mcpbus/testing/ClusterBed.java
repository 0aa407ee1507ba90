package dev.mcpbus.testing;

import dev.mcpbus.bus.ClusterSecret;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.io.BufferedReader;
import java.io.File;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.UUID;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.awaitility.Awaitility;
import org.awaitility.core.ConditionTimeoutException;
import org.jspecify.annotations.Nullable;

/** Several processes of the jar in one cluster of their own, on the loopback interface. */
public final class ClusterBed implements AutoCloseable {

  private static final Duration PATIENCE = Duration.ofSeconds(60);

  /** Of the log of each node, where something did not come. */
  private static final int LINES = 25;

  private static final String TEXT = "what only the nodes of this test know";

  private final Path folder;
  private final String name = "test-" + UUID.randomUUID();
  private final List<Integer> ports;
  private final Map<String, ServiceProcess> nodes = new LinkedHashMap<>();
  private final Map<String, JsonObject> clusters = new LinkedHashMap<>();
  private boolean keeping;
  private final Thread lastResort = new Thread(this::kill, "cluster-bed-end");

  /**
   * @param most processes that may be in the cluster
   */
  public ClusterBed(Path folder, int most) {
    this.folder = folder;
    this.ports = FreePorts.list(most);
    try {
      Files.writeString(folder.resolve("cluster.secret"), TEXT);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    Runtime.getRuntime().addShutdownHook(lastResort);
  }

  private List<String> members() {
    return ports.stream().map(port -> "127.0.0.1:" + port).toList();
  }

  /** So many copies of the shell server, named {@code s0}, {@code s1}, ... */
  public static JsonObject servers(int count) {
    JsonObject servers = new JsonObject();
    IntStream.range(0, count).forEach(i -> servers.put("s" + i, EchoServer.shell()));
    return servers;
  }

  /** Starts a node; its number in the cluster is that of those before it. */
  public ServiceProcess start(String node, JsonObject servers) {
    return start(node, servers, new JsonObject());
  }

  /**
   * The same.
   *
   * @param more of {@code cluster} in its configuration
   */
  public ServiceProcess start(String node, JsonObject servers, JsonObject more) {
    return start(node, servers, more, 0);
  }

  /**
   * The same.
   *
   * @param door the port of its bridge, 0 for any
   */
  public ServiceProcess start(String node, JsonObject servers, JsonObject more, int door) {
    JsonObject cluster =
        new JsonObject()
            .put("name", name)
            .put("node", node)
            .put("host", "127.0.0.1")
            .put("secretFile", folder.resolve("cluster.secret").toString())
            .put("port", ports.get(nodes.size()))
            .put("members", new JsonArray(members()))
            .mergeIn(more);
    clusters.put(node, cluster);
    rewrite(node, servers);
    ServiceProcess process =
        ServiceProcess.start(
            folder.resolve(node),
            "--cluster",
            "--config",
            "servers.json",
            "--port",
            String.valueOf(door));
    nodes.put(node, process);
    return process;
  }

  /** Each node that starts from now on has a state directory in its folder. */
  public ClusterBed keeping() {
    keeping = true;
    return this;
  }

  /** Starts a node again that has ended, in its folder and at its place in the cluster. */
  public ServiceProcess again(String node, JsonObject servers) {
    rewrite(node, servers);
    ServiceProcess process =
        ServiceProcess.start(
            folder.resolve(node), "--cluster", "--config", "servers.json", "--port", "0");
    nodes.put(node, process);
    return process;
  }

  /** Writes the file of a node anew, with other servers; it notices while it runs. */
  public void rewrite(String node, JsonObject servers) {
    JsonObject file =
        new JsonObject().put("mcpServers", servers).put("cluster", clusters.get(node));
    if (keeping) {
      file.put("state", new JsonObject().put("dir", "state"));
    }
    try {
      Path own = Files.createDirectories(folder.resolve(node));
      Files.writeString(own.resolve("servers.json"), file.encodePrettily());
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  public ServiceProcess node(String node) {
    ServiceProcess process = nodes.get(node);
    if (process == null) {
      throw new AssertionError("there is no node " + node);
    }
    return process;
  }

  /** Waits until the placement of every node knows all others. */
  public void met() {
    nodes.forEach(
        (node, process) ->
            Awaitility.await("all others to be known to " + node)
                .atMost(PATIENCE)
                .until(
                    () ->
                        nodes.keySet().stream()
                            .filter(other -> !other.equals(node))
                            .allMatch(
                                other ->
                                    process.errText().contains("node " + other + " is a member"))));
  }

  /** Any node but this one that runs. */
  public ServiceProcess other(String node) {
    return nodes.entrySet().stream()
        .filter(one -> !one.getKey().equals(node) && one.getValue().runs())
        .map(Map.Entry::getValue)
        .findFirst()
        .orElseThrow();
  }

  /** The status of every server, by id, as {@code from} tells it. */
  public static Map<String, JsonObject> statuses(ServiceProcess from) {
    return statuses(from.get("/api/servers"));
  }

  /** The same as one who administers it sees it, with the ids of sessions. */
  public static Map<String, JsonObject> allOfStatuses(ServiceProcess from) {
    return statuses(Http.get(from.port(), "/api/servers", Http.admin(from.port())));
  }

  private static Map<String, JsonObject> statuses(Http.Answer answer) {
    if (answer.status() != 200) {
      return Map.of();
    }
    return answer.json().getJsonArray("servers").stream()
        .map(JsonObject.class::cast)
        .collect(Collectors.toMap(one -> one.getString("id"), one -> one));
  }

  /**
   * Waits until {@code from} sees this many servers READY, owned by exactly these nodes. Fails
   * after a minute with what each node says.
   */
  public Map<String, JsonObject> settled(ServiceProcess from, int servers, Set<String> owners) {
    return until(
        "the servers of " + owners + " to be READY",
        from,
        all ->
            all.size() == servers
                && all.values().stream().allMatch(one -> "READY".equals(one.getString("state")))
                && all.values().stream()
                    .map(one -> one.getString("node"))
                    .collect(Collectors.toCollection(TreeSet::new))
                    .equals(owners));
  }

  /**
   * Waits until what {@code from} says of its servers is as wanted; bounded as {@link #settled}.
   */
  public Map<String, JsonObject> until(
      String what, ServiceProcess from, Predicate<Map<String, JsonObject>> wanted) {
    try {
      return Awaitility.await(what)
          .atMost(PATIENCE)
          .pollInterval(Duration.ofMillis(100))
          .until(() -> statuses(from), wanted);
    } catch (ConditionTimeoutException late) {
      throw new AssertionError(late.getMessage() + report(), late);
    }
  }

  /** What every node says of every server, and the last that it has logged. */
  private String report() {
    StringBuilder text = new StringBuilder();
    nodes.forEach(
        (node, process) -> {
          text.append("\n== ").append(node).append(process.runs() ? ": " : " has ended");
          if (process.runs()) {
            text.append(said(process));
          }
          List<String> lines = process.errText().lines().toList();
          lines.stream()
              .skip(Math.max(0, lines.size() - LINES))
              .forEach(line -> text.append("\n   ").append(line));
        });
    return text.toString();
  }

  private static String said(ServiceProcess process) {
    try {
      return statuses(process).values().stream()
          .map(
              one ->
                  one.getString("id")
                      + " "
                      + one.getString("state")
                      + "@"
                      + one.getString("node")
                      + (one.containsKey("problem") ? " " + one.getString("problem") : ""))
          .collect(Collectors.joining(", "));
    } catch (AssertionError silent) {
      return String.valueOf(silent.getMessage());
    }
  }

  /** A process that is no node, with Vert.x and Hazelcast on its class path and nothing of ours. */
  public Plain plain(Class<?> main) {
    return new Plain(main);
  }

  /** See {@link #plain}. */
  public final class Plain implements AutoCloseable {

    private final Process process;
    private final PrintWriter in;
    private final BlockingQueue<String> out = new LinkedBlockingQueue<>();

    private Plain(Class<?> main) {
      String path = main.getName().replace('.', '/') + ".class";
      String jars =
          Arrays.stream(System.getProperty("java.class.path").split(File.pathSeparator, -1))
              .filter(entry -> entry.endsWith(".jar"))
              .filter(entry -> !entry.contains("mcpbus") && !entry.contains("logback"))
              .collect(Collectors.joining(File.pathSeparator));
      try (var bytes = main.getResourceAsStream("/" + path)) {
        Path classes = folder.resolve("plain-classes");
        Path file = classes.resolve(path);
        Files.createDirectories(classes.resolve(main.getPackageName()));
        if (bytes != null) {
          Files.write(file, bytes.readAllBytes());
        }
        List<String> command =
            new ArrayList<>(
                List.of(
                    Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                    "-XX:TieredStopAtLevel=1",
                    "-cp",
                    classes + File.pathSeparator + jars,
                    main.getName(),
                    ClusterSecret.of(TEXT).clusterName(name),
                    String.valueOf(ports.get(ports.size() - 1))));
        command.addAll(members());
        process =
            new ProcessBuilder(command)
                .directory(folder.toFile())
                .redirectError(folder.resolve("plain.err").toFile())
                .start();
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
      in = new PrintWriter(process.outputWriter(), true);
      Thread reader = new Thread(this::read, "plain-out");
      reader.setDaemon(true);
      reader.start();
    }

    private void read() {
      try (BufferedReader lines = process.inputReader()) {
        for (String line = lines.readLine(); line != null; line = lines.readLine()) {
          out.add(line);
        }
      } catch (IOException closed) {
        out.add("closed");
      }
    }

    /** The next line that it prints. */
    public String line() {
      try {
        @Nullable String line = out.poll(PATIENCE.toSeconds(), TimeUnit.SECONDS);
        if (line == null) {
          throw new AssertionError("the plain process says nothing");
        }
        return line;
      } catch (InterruptedException e) {
        throw new AssertionError(e);
      }
    }

    public String request(String address, JsonObject body) {
      in.println(address + " " + body.encode());
      return line();
    }

    @Override
    public void close() {
      process.destroyForcibly();
    }
  }

  /** Kills everything that was started here: nodes, their children, and who looks after those. */
  @Override
  public void close() {
    Runtime.getRuntime().removeShutdownHook(lastResort);
    kill();
    List<Long> left = Pids.in(folder);
    for (int looks = 0; !left.isEmpty() && looks < 100; looks++) {
      LockSupport.parkNanos(50_000_000);
      kill();
      left = Pids.in(folder);
    }
    if (!left.isEmpty()) {
      throw new AssertionError("cannot be killed: " + left);
    }
  }

  /** Also where the thread was interrupted, because a test took too long. */
  private void kill() {
    for (long pid : Pids.in(folder)) {
      ProcessHandle.of(pid).ifPresent(ProcessHandle::destroyForcibly);
    }
  }
}
