package dev.mcpbus.demo;

import dev.mcpbus.observability.logging.LogLevels;
import dev.mcpbus.server.StdioServer;
import io.vertx.core.Deployable;
import io.vertx.core.Vertx;
import io.vertx.core.VertxOptions;
import java.io.PrintStream;
import java.time.Clock;
import java.util.concurrent.CountDownLatch;

/**
 * The two entry points of the demo server: a bus address inside the program ({@link #deployable}),
 * and stdin and stdout of a process of its own ({@link #main}). {@link DemoFeatures} holds its
 * features.
 */
public final class DemoServer {

  /** The address of the embedded demo unless the caller chooses another. */
  public static final String ADDRESS = "mcpbus.demo";

  private DemoServer() {}

  /**
   * Returns a verticle that serves the demo at {@code address}; each connection has its own
   * session.
   */
  public static Deployable deployable(String address) {
    return deployable(address, Clock.systemUTC());
  }

  static Deployable deployable(String address, Clock clock) {
    return DemoFeatures.server(clock).deployable(address);
  }

  /**
   * Serves the demo on stdin and stdout until stdin ends; then exits with 0. Stdout carries MCP
   * messages only; the log and all other output go to stderr.
   */
  public static void main(String[] args) throws InterruptedException {
    PrintStream messages = System.out;
    System.setOut(System.err);
    LogLevels levels = LogLevels.find();
    if (levels != null) {
      levels.set(LogLevels.ROOT, "WARN");
    }
    Vertx vertx = Vertx.vertx(new VertxOptions().setEventLoopPoolSize(1));
    CountDownLatch end = new CountDownLatch(1);
    StdioServer.serve(vertx, DemoFeatures.server(Clock.systemUTC()), System.in, messages)
        .onComplete(ended -> end.countDown());
    end.await();
    messages.flush();
    System.exit(0); // The event loop is no daemon thread.
  }
}
