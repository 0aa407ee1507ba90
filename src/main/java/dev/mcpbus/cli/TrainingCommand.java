package dev.mcpbus.cli;

import dev.mcpbus.config.ConfigEnvironment;
import dev.mcpbus.config.ConfigReader;
import dev.mcpbus.config.ConfigResult;
import dev.mcpbus.config.McpBusConfig;
import io.vertx.core.json.JsonObject;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;

/**
 * {@code archive-training}: loads the classes of a usual run, for {@code src/scripts/mcpbus}, which
 * lets the JVM write them to an archive when this process ends. Runs the service with the embedded
 * demo on a free loopback port and uses it as commands do, then ends the process. Hidden, because
 * it serves no person. Blocks the main thread.
 */
@Command(name = "archive-training", hidden = true)
final class TrainingCommand implements Callable<Integer> {

  private static final long WAIT_NANOS = Duration.ofSeconds(30).toNanos();
  private static final long POLL_MILLIS = 20;

  private final CommandContext context;

  TrainingCommand(CommandContext context) {
    this.context = context;
  }

  @Override
  public Integer call() throws IOException, InterruptedException {
    Path folder = Files.createTempDirectory("mcpbus-training");
    Path file = folder.resolve("mcpbus.json");
    try {
      int port = freePort();
      startService(file, port);
      boolean ready = awaitPort(port) && useService(port);
      // Ends the service too; the JVM writes the archive after its end.
      System.exit((ready ? ExitCode.DONE : ExitCode.UNREACHABLE).code());
      return 0;
    } finally {
      Files.deleteIfExists(file);
      Files.deleteIfExists(folder);
    }
  }

  private void startService(Path file, int port) throws IOException {
    JsonObject demo = new JsonObject().put("type", "bus").put("address", "mcpbus.demo");
    Files.writeString(
        file, new JsonObject().put("mcpServers", new JsonObject().put("demo", demo)).encode());
    ConfigResult result = ConfigReader.read(file, ConfigEnvironment.system());
    McpBusConfig config = result.usable().orElseThrow();
    Thread service =
        new Thread(
            () ->
                context
                    .launcher()
                    .run(new ServiceLauncher.Launch(file, result, config, port, false, null)),
            "mcpbus-training");
    service.setDaemon(true);
    service.start();
  }

  /** Asks for the state of the demo and calls a tool of it. */
  private boolean useService(int port) {
    String url = "http://127.0.0.1:" + port;
    int called = execute("call", "--url", url, "demo.add", "a=2", "b=3");
    return called == ExitCode.DONE.code()
        && execute("status", "--url", url) == ExitCode.DONE.code();
  }

  private int execute(String... args) {
    return McpBusCommand.execute(context, List.of(), args);
  }

  private static int freePort() throws IOException {
    try (ServerSocket free = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      return free.getLocalPort();
    }
  }

  private static boolean awaitPort(int port) throws InterruptedException {
    long until = System.nanoTime() + WAIT_NANOS;
    while (System.nanoTime() < until) {
      try (Socket open = new Socket(InetAddress.getLoopbackAddress(), port)) {
        return open.isConnected();
      } catch (IOException notYet) {
        Thread.sleep(POLL_MILLIS);
      }
    }
    return false;
  }
}
