package dev.mcpbus.bench;

import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;

/**
 * Calls over the bus with metrics, and with metrics and traces, against calls without. Arguments:
 * the directory of the fixtures; {@code --short} for one pair of processes for each row, {@code
 * --quick} for a smoke test.
 */
final class TelemetryComparison {

  private static final List<Kind> KINDS =
      List.of(Kind.STDIO_BUS, Kind.STDIO_BUS_MODERN, Kind.HTTP_BUS, Kind.HTTP_BUS_MODERN);

  private TelemetryComparison() {}

  public static void main(String[] args) throws IOException {
    Path directory = Path.of(args[0]);
    boolean quick = List.of(args).contains("--quick");
    int pairs = quick || List.of(args).contains("--short") ? 1 : Paired.PAIRS;
    HttpServer collector = collector();
    String metrics = "-D" + BusContender.METRICS + "=true";
    String url = "http://127.0.0.1:" + collector.getAddress().getPort();
    Map<String, List<String>> settings =
        Map.of(
            "metrics",
            List.of(metrics),
            "metrics, " + Math.round(100 * BusContender.SAMPLING) + " % traces",
            List.of(metrics, "-D" + BusContender.TRACES + "=" + url));
    Paired paired = new Paired();
    try (EchoHttpServer http = new EchoHttpServer(directory.resolve("echo_http"))) {
      String program = directory.resolve("echo_stdio").toAbsolutePath().toString();
      for (int pair = 0; pair < pairs; pair++) {
        for (Kind kind : KINDS) {
          String target = kind.isHttp() ? http.url() : program;
          for (Map.Entry<String, List<String>> on : settings.entrySet()) {
            pair(paired, kind.label + ", " + on.getKey(), kind, target, on.getValue(), quick);
          }
        }
      }
    } finally {
      collector.stop(0);
    }
    System.out.printf("%nBefore: without telemetry. Now: with what the row names.%n");
    paired.print();
  }

  /** Takes every trace. */
  private static HttpServer collector() throws IOException {
    HttpServer server =
        HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    server.createContext(
        "/",
        exchange -> {
          exchange.getRequestBody().readAllBytes();
          exchange.sendResponseHeaders(200, -1);
          exchange.close();
        });
    server.start();
    return server;
  }

  private static void pair(
      Paired paired, String label, Kind kind, String target, List<String> flags, boolean quick)
      throws IOException {
    String classPath = System.getProperty("java.class.path");
    try (WorkerProcess off = WorkerProcess.start(kind, target);
        WorkerProcess on = WorkerProcess.start(kind, target, classPath, flags)) {
      paired.measure(label, off, on, quick);
    }
  }
}
