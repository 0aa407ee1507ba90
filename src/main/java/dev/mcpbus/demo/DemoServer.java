package dev.mcpbus.demo;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.LoggerContext;
import dev.mcpbus.transport.sdk.SdkServerVerticle;
import io.modelcontextprotocol.json.McpJsonDefaults;
import io.modelcontextprotocol.server.McpAsyncServer;
import io.modelcontextprotocol.server.transport.StdioServerTransportProvider;
import io.vertx.core.Deployable;
import java.io.FilterInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.PrintStream;
import java.time.Clock;
import java.util.concurrent.CountDownLatch;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The demo server's two doors: a bus address inside the program ({@link #deployable}) and stdin and
 * stdout of a process of its own ({@link #main}). What it offers is in {@link DemoFeatures}.
 */
public final class DemoServer {

  /** Where the embedded demo listens unless told otherwise. */
  public static final String ADDRESS = "mcpbus.demo";

  private DemoServer() {}

  /** A verticle that serves the demo at {@code address}, each connection its own session. */
  public static Deployable deployable(String address) {
    return deployable(address, Clock.systemUTC());
  }

  static Deployable deployable(String address, Clock clock) {
    return new SdkServerVerticle(address, provider -> DemoFeatures.serve(provider, clock));
  }

  /**
   * Serves the demo on stdin and stdout until stdin ends; then exits with 0. Stdout carries MCP
   * messages only: the log, and whatever else is printed, goes to stderr.
   */
  public static void main(String[] args) throws InterruptedException {
    PrintStream messages = System.out;
    System.setOut(System.err);
    if (LoggerFactory.getILoggerFactory() instanceof LoggerContext logging) {
      logging.getLogger(Logger.ROOT_LOGGER_NAME).setLevel(Level.WARN);
    }
    CountDownLatch end = new CountDownLatch(1);
    McpAsyncServer server =
        DemoFeatures.serve(
            new StdioServerTransportProvider(
                McpJsonDefaults.getMapper(), new EndNoticing(System.in, end), messages),
            Clock.systemUTC());
    end.await();
    server.closeGracefully().onErrorComplete().block();
    messages.flush();
    System.exit(0); // The SDK's threads are no daemons.
  }

  /** Tells when its reader has met the end. */
  private static final class EndNoticing extends FilterInputStream {

    private final CountDownLatch end;

    EndNoticing(InputStream in, CountDownLatch end) {
      super(in);
      this.end = end;
    }

    @Override
    public int read() throws IOException {
      return noticed(super.read());
    }

    @Override
    public int read(byte[] bytes, int offset, int length) throws IOException {
      return noticed(super.read(bytes, offset, length));
    }

    private int noticed(int read) {
      if (read < 0) {
        end.countDown();
      }
      return read;
    }
  }
}
