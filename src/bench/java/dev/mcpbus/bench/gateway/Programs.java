package dev.mcpbus.bench.gateway;

import io.vertx.core.json.JsonObject;
import java.io.BufferedReader;
import java.io.File;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/** The processes of one run; all end with it. */
public final class Programs implements AutoCloseable {

  private static final long START_NANOS = TimeUnit.SECONDS.toNanos(60);

  private final Path directory;
  private final List<Process> running = new ArrayList<>();
  private @Nullable Process latest;

  /**
   * @param directory that has {@code load_http}, and gets their logs
   */
  public Programs(Path directory) {
    this.directory = directory;
  }

  /** A fixture that writes its port; it ends with its stdin. */
  public int fixture(String... command) throws IOException {
    Process process =
        new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.INHERIT).start();
    running.add(process);
    latest = process;
    String line =
        new BufferedReader(
                new InputStreamReader(process.getInputStream(), StandardCharsets.US_ASCII))
            .readLine();
    if (line == null) {
      throw new IOException(command[0] + " has ended; its stderr says why");
    }
    return Integer.parseInt(line);
  }

  /** The program that was started last. */
  ProcessHandle latest() {
    Process process = latest;
    if (process == null) {
      throw new IllegalStateException("nothing was started");
    }
    return process.toHandle();
  }

  /** A JVM of the benchmark's class path. Returns when {@code port} is open. */
  Process java(int port, String mainClass, String... args) throws IOException {
    return java(System.getProperty("java.class.path"), port, mainClass, List.of(args));
  }

  /** A JVM of another class path. */
  Process java(String classPath, int port, String mainClass, List<String> args) throws IOException {
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.addAll(List.of("-Xms512m", "-Xmx512m", "-XX:+UseG1GC"));
    command.addAll(List.of("-cp", classPath, mainClass));
    command.addAll(args);
    return start(port, command);
  }

  /** Any program. Returns when {@code port} is open. */
  Process start(int port, List<String> command) throws IOException {
    File log = directory.resolve("program-" + port + ".log").toFile();
    Process process =
        new ProcessBuilder(command).redirectErrorStream(true).redirectOutput(log).start();
    running.add(process);
    latest = process;
    if (!awaitOpen(port, process::isAlive)) {
      throw new IOException(command + " does not listen; see " + log);
    }
    return process;
  }

  /**
   * Returns when the port is open.
   *
   * @param goesOn whether it still can be
   * @return false if it is not
   */
  public static boolean awaitOpen(int port, BooleanSupplier goesOn) {
    long until = System.nanoTime() + START_NANOS;
    while (!isOpen(port)) {
      if (!goesOn.getAsBoolean() || System.nanoTime() > until) {
        return false;
      }
      pause();
    }
    return true;
  }

  /** Returns when a node of mcpbus is ready; its doors are open before its servers are. */
  public void awaitReady(int port) throws IOException, InterruptedException {
    HttpRequest look =
        HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port + "/health/ready")).build();
    HttpClient client = HttpClient.newHttpClient();
    long until = System.nanoTime() + START_NANOS;
    while (client.send(look, HttpResponse.BodyHandlers.discarding()).statusCode() != 200) {
      if (System.nanoTime() > until) {
        throw new IOException(
            "mcpbus is not ready; see " + directory.resolve("program-" + port + ".log"));
      }
      pause();
    }
  }

  private static boolean isOpen(int port) {
    try (Socket socket = new Socket()) {
      socket.connect(new InetSocketAddress(InetAddress.getLoopbackAddress(), port), 200);
      return true;
    } catch (IOException e) {
      return false;
    }
  }

  private static void pause() {
    try {
      Thread.sleep(50);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  /** Bytes of live objects in a JVM of ours, after a full collection. */
  static long liveHeap(ProcessHandle jvm) throws IOException {
    Process jcmd =
        new ProcessBuilder(
                Path.of(System.getProperty("java.home"), "bin", "jcmd").toString(),
                Long.toString(jvm.pid()),
                "GC.class_histogram")
            .redirectErrorStream(true)
            .start();
    String total = "";
    try (BufferedReader out =
        new BufferedReader(
            new InputStreamReader(jcmd.getInputStream(), StandardCharsets.US_ASCII))) {
      for (String line = out.readLine(); line != null; line = out.readLine()) {
        total = line.startsWith("Total") ? line : total;
      }
    }
    String[] words = total.trim().split(" +", -1);
    if (words.length < 3) {
      throw new IOException("jcmd has not told the live objects of process " + jvm.pid());
    }
    return Long.parseLong(words[2]);
  }

  /**
   * One run of the load.
   *
   * @param measure milliseconds, or less than zero: so many answers
   */
  public JsonObject load(Endpoint endpoint, int callers, long warmup, long measure, Path request)
      throws IOException {
    try {
      return withCpu(endpoint, () -> run(endpoint, callers, warmup, measure, request));
    } catch (IOException e) {
      throw e;
    } catch (Exception e) {
      throw new IOException(e);
    }
  }

  /** Adds the CPU time of the endpoint's process, all threads, warm-up included, per call. */
  static JsonObject withCpu(Endpoint endpoint, Callable<JsonObject> load) throws Exception {
    Duration before = endpoint.process().info().totalCpuDuration().orElse(Duration.ZERO);
    long began = System.nanoTime();
    JsonObject row = load.call();
    Duration used = endpoint.process().info().totalCpuDuration().orElse(before).minus(before);
    double share = used.toNanos() / (double) (System.nanoTime() - began);
    double rate = Math.max(1, row.getDouble("perSecond"));
    return row.put("cpuMicros", Math.round(10 * share * 1e6 / rate) / 10.0);
  }

  private JsonObject run(Endpoint endpoint, int callers, long warmup, long measure, Path request)
      throws IOException {
    Process process =
        new ProcessBuilder(
                directory.resolve("load_http").toAbsolutePath().toString(),
                Integer.toString(endpoint.port()),
                Integer.toString(callers),
                Long.toString(warmup),
                Long.toString(measure),
                request.toString())
            .redirectError(ProcessBuilder.Redirect.INHERIT)
            .start();
    try (BufferedReader out =
        new BufferedReader(
            new InputStreamReader(process.getInputStream(), StandardCharsets.US_ASCII))) {
      String line = out.readLine();
      if (line == null) {
        throw new IOException(endpoint.label() + ": the load ended without a result");
      }
      return new JsonObject(line);
    }
  }

  @Override
  public void close() {
    for (Process process : running) {
      process.descendants().forEach(ProcessHandle::destroy);
      process.destroy();
    }
  }
}
