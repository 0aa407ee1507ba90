package dev.mcpbus.clusterscale;

import dev.mcpbus.bench.EchoHttpServer;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** The command line of the runs with many connections. */
@Command(
    name = "cluster-scale",
    mixinStandardHelpOptions = true,
    sortOptions = false,
    description = "Nodes with many connections: start, idle, loss of a node, its return.",
    footer = "Exit codes: 0 all figures were reached; 1 one was not; 2 wrong usage.")
public final class ClusterScale implements Callable<Integer> {

  @Option(names = "--connections", description = "Over HTTP. Default: ${DEFAULT-VALUE}.")
  private int connections = 2_000;

  @Option(names = "--nodes", description = "Processes of the service. Default: ${DEFAULT-VALUE}.")
  private int nodes = 3;

  @Option(names = "--runs", description = "Each with new processes. Default: ${DEFAULT-VALUE}.")
  private int runs = 1;

  @Option(
      names = "--busy",
      description = "Other programs that take all the CPU they get. Default: ${DEFAULT-VALUE}.")
  private int busy;

  @Option(
      names = "--settle",
      description =
          "Seconds from READY until idle nodes are watched; compilers are at work for"
              + " minutes. Default: ${DEFAULT-VALUE}.")
  private int settleSeconds = 20;

  @Option(
      names = "--idle",
      description = "Seconds to watch idle nodes; 0: none. Default: ${DEFAULT-VALUE}.")
  private int idleSeconds = 30;

  @Option(names = "--heap", description = "Of each node, in MB. Default: ${DEFAULT-VALUE}.")
  private int heapMegabytes = 512;

  @Option(
      names = "--flags",
      split = " ",
      description = "Options of the nodes' JVM instead of the script's.")
  private List<String> flags = new ArrayList<>();

  @Option(names = "--start-only", description = "Neither the loss nor the return of a node.")
  private boolean startOnly;

  @Option(names = "--lenient", description = "Figures are printed, and decide nothing.")
  private boolean lenient;

  @Option(names = "--out", hidden = true, required = true)
  private Path out = Path.of("target", "scale");

  @Option(names = "--jar", hidden = true, required = true)
  private Path jar = Path.of("target", "mcpbus.jar");

  private static final Path SCRIPT = Path.of("src", "scripts", "mcpbus").toAbsolutePath();

  public static void main(String[] args) {
    System.exit(new CommandLine(new ClusterScale()).execute(args));
  }

  @Override
  public Integer call() throws IOException, InterruptedException {
    ScaleFigures figures = new ScaleFigures();
    List<Process> programs = new ArrayList<>();
    try (EchoHttpServer server = new EchoHttpServer(out.resolve("echo_http"))) {
      for (int i = 0; i < busy; i++) {
        programs.add(new ProcessBuilder("sh", "-c", "while :; do :; done").start());
      }
      ScaleRun.Plan plan =
          new ScaleRun.Plan(connections, nodes, settleSeconds, idleSeconds, startOnly);
      ScaledNode.Launch launch = launch();
      for (int run = 1; run <= runs; run++) {
        Path folder = Files.createTempDirectory(out, "run-");
        System.out.printf(
            "run %d of %d: %d connections, %d nodes of %d MB, %d busy programs; logs in %s%n",
            run, runs, connections, nodes, heapMegabytes, busy, folder);
        new ScaleRun(plan, folder, launch, server.url(), figures).run();
      }
    } finally {
      programs.forEach(Process::destroyForcibly);
    }
    figures.print();
    return lenient || figures.areReached() ? 0 : 1;
  }

  /** With an archive of classes, as after the first start on a machine. */
  private ScaledNode.Launch launch() throws IOException, InterruptedException {
    Path archive = out.resolve("classes.jsa").toAbsolutePath();
    Map<String, String> environment = new HashMap<>();
    environment.put("MCPBUS_JAR", jar.toAbsolutePath().toString());
    environment.put("MCPBUS_ARCHIVE", archive.toString());
    environment.put("JDK_JAVA_OPTIONS", "-Xmx" + heapMegabytes + "m"); // beside the script's
    if (!flags.isEmpty()) {
      environment.put("MCPBUS_JAVA_OPTS", String.join(" ", flags));
    }
    Files.deleteIfExists(archive);
    ProcessBuilder making = new ProcessBuilder(SCRIPT.toString(), "make-archive").inheritIO();
    making.environment().putAll(environment);
    if (making.start().waitFor() != 0) {
      throw new IOException("the archive of classes was not made");
    }
    return new ScaledNode.Launch(SCRIPT, environment);
  }
}
