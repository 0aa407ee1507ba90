package dev.mcpbus.bench;

import java.io.IOException;
import java.nio.file.Path;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;

/**
 * Calls over the bus, in this build and in an older one. Arguments: the directory of the fixtures,
 * the class path of the older build, and {@code --quick} for a smoke test.
 */
final class CoreComparison {

  private static final List<Kind> KINDS =
      List.of(Kind.STDIO_BUS, Kind.STDIO_BUS_MODERN, Kind.HTTP_BUS, Kind.HTTP_BUS_MODERN);

  private CoreComparison() {}

  public static void main(String[] args) throws IOException {
    Path directory = Path.of(args[0]);
    boolean quick = List.of(args).contains("--quick");
    Map<Paired.Side, String> builds = new EnumMap<>(Paired.Side.class);
    builds.put(Paired.Side.BEFORE, args[1]);
    builds.put(Paired.Side.NOW, System.getProperty("java.class.path"));
    Paired paired = new Paired();
    try (EchoHttpServer http = new EchoHttpServer(directory.resolve("echo_http"))) {
      String program = directory.resolve("echo_stdio").toAbsolutePath().toString();
      for (int pair = 0; pair < (quick ? 1 : Paired.PAIRS); pair++) {
        for (Kind kind : KINDS) {
          pair(paired, kind, kind.isHttp() ? http.url() : program, builds, quick);
        }
      }
    }
    paired.print();
  }

  private static WorkerProcess start(
      Kind kind, String target, Map<Paired.Side, String> builds, Paired.Side side)
      throws IOException {
    return WorkerProcess.start(kind, target, Objects.requireNonNull(builds.get(side)));
  }

  private static void pair(
      Paired paired, Kind kind, String target, Map<Paired.Side, String> builds, boolean quick)
      throws IOException {
    try (WorkerProcess before = start(kind, target, builds, Paired.Side.BEFORE);
        WorkerProcess now = start(kind, target, builds, Paired.Side.NOW)) {
      paired.measure(kind.label, before, now, quick);
    }
  }
}
