package dev.mcpbus.cli;

import dev.mcpbus.config.ConfigEnvironment;
import dev.mcpbus.config.ConfigResult;
import dev.mcpbus.config.McpBusConfig;
import dev.mcpbus.config.read.ConfigReader;
import io.vertx.core.json.JsonObject;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;
import picocli.CommandLine.Command;

/**
 * {@code archive-training}: loads the classes of a usual run, for {@code src/scripts/mcpbus}, which
 * lets the JVM write them to an archive when this process ends. Runs the service with the embedded
 * demo on a free loopback port and uses it as commands do, then ends the process. Hidden, because
 * it serves no person. Blocks the main thread.
 */
@Command(name = "archive-training", hidden = true)
final class ClassArchiveCommand implements Callable<Integer> {

  private static final long WAIT_SECONDS = 30;

  private final CommandContext context;

  ClassArchiveCommand(CommandContext context) {
    this.context = context;
  }

  @Override
  public Integer call() throws IOException, InterruptedException {
    Path folder = Files.createTempDirectory("mcpbus-training");
    Path file = folder.resolve("mcpbus.json");
    try {
      Integer port = startService(file).poll(WAIT_SECONDS, TimeUnit.SECONDS);
      if (port == null) {
        context.err().println("the service does not listen after " + WAIT_SECONDS + " s");
      }
      boolean used = port != null && useService(port);
      // Ends the service too; the JVM writes the archive after its end.
      System.exit((used ? ExitCode.DONE : ExitCode.UNREACHABLE).code());
      return 0;
    } finally {
      Files.deleteIfExists(file);
      Files.deleteIfExists(folder);
    }
  }

  /** Returns where the port of the service appears. */
  private BlockingQueue<Integer> startService(Path file) throws IOException {
    JsonObject demo = new JsonObject().put("type", "bus").put("address", "mcpbus.demo");
    Files.writeString(
        file, new JsonObject().put("mcpServers", new JsonObject().put("demo", demo)).encode());
    ConfigResult result = ConfigReader.read(file, ConfigEnvironment.system());
    McpBusConfig config = result.usable().orElseThrow();
    BlockingQueue<Integer> port = new ArrayBlockingQueue<>(1);
    ServiceLauncher.Launch launch =
        new ServiceLauncher.Launch(file, result, config, 0, false, null, null, port::add);
    Thread service = new Thread(() -> context.launcher().run(launch), "mcpbus-training");
    service.setDaemon(true);
    service.start();
    return port;
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
}
