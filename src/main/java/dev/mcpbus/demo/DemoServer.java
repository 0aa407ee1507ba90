package dev.mcpbus.demo;

import dev.mcpbus.observability.logging.LogLevels;
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
    return new SdkServerVerticle(address, provider -> DemoFeatures.serve(provider, clock));
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
    CountDownLatch end = new CountDownLatch(1);
    McpAsyncServer server =
        DemoFeatures.serve(
            new StdioServerTransportProvider(
                McpJsonDefaults.getMapper(), new EndSignalling(System.in, end), messages),
            Clock.systemUTC());
    end.await();
    server.closeGracefully().onErrorComplete().block();
    messages.flush();
    System.exit(0); // The SDK's threads are no daemon threads.
  }

  /** Counts down when its reader reaches the end of the stream. */
  private static final class EndSignalling extends FilterInputStream {

    private final CountDownLatch end;

    EndSignalling(InputStream in, CountDownLatch end) {
      super(in);
      this.end = end;
    }

    @Override
    public int read() throws IOException {
      return signalled(super.read());
    }

    @Override
    public int read(byte[] bytes, int offset, int length) throws IOException {
      return signalled(super.read(bytes, offset, length));
    }

    private int signalled(int read) {
      if (read < 0) {
        end.countDown();
      }
      return read;
    }
  }
}
