package dev.mcpbus.cli.stdio;

import dev.mcpbus.internals.InternalContext;
import dev.mcpbus.internals.RecordCopy;
import dev.mcpbus.protocol.OutboundProxy;
import dev.mcpbus.protocol.Sensitive;
import dev.mcpbus.transport.Authenticator;
import dev.mcpbus.transport.HttpOptions;
import dev.mcpbus.transport.Transport;
import dev.mcpbus.transport.http.StreamableHttpTransport;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import io.vertx.core.VertxOptions;
import io.vertx.core.file.FileSystemOptions;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.URI;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;

/**
 * The two streams, an event loop of their own, and what runs between them until it ends: at the end
 * of stdin, where stdout breaks, or by a signal. For the main thread, which waits here.
 */
final class StdioProcess implements AutoCloseable {

  private static final Duration CONNECT = Duration.ofSeconds(5);

  /** Streams have connections of their own. */
  private static final int CONNECTIONS = InFlight.MAX_MESSAGES + 16;

  private static final long WRITE_MILLIS = 2_000;
  private static final long CLOSE_SECONDS = 5;
  private static final long SIGNAL_SECONDS = 20;

  private final Vertx vertx =
      Vertx.vertx(
          new VertxOptions()
              .setEventLoopPoolSize(1)
              .setWorkerPoolSize(1)
              .setInternalBlockingPoolSize(1)
              .setFileSystemOptions(
                  new FileSystemOptions()
                      .setFileCachingEnabled(false)
                      .setClassPathResolvingEnabled(false)));

  private final InternalContext owner = InternalContext.create(vertx);
  private final InputStream in;
  private final StdoutWriter out;
  private final CountDownLatch done = new CountDownLatch(1);

  StdioProcess(InputStream in, OutputStream out) {
    this.in = in;
    this.out = new StdoutWriter(out);
  }

  Vertx vertx() {
    return vertx;
  }

  /** Passes messages on to an MCP endpoint; returns at the end. */
  void bridge(URI endpoint, BridgeErrors errors, Authenticator key) throws InterruptedException {
    HttpOptions options =
        RecordCopy.with(
            HttpOptions.of(endpoint),
            Map.of(
                "connectTimeout", CONNECT,
                "maxConnections", CONNECTIONS,
                "proxy", Sensitive.of(OutboundProxy.NONE)));
    Transport transport = new StreamableHttpTransport(options, key);
    StdioBridge bridge = new StdioBridge(owner, transport, errors, out, System::nanoTime);
    out.start(bridge);
    run(
        () -> bridge.open().compose(opened -> read(bridge)).compose(read -> bridge.whenOver()),
        () -> bridge.end(0));
  }

  /** Answers each request with {@code why}; returns at the end of stdin. */
  void refuse(String why) throws InterruptedException {
    Promise<Void> ended = owner.promise();
    RefusingServer server = new RefusingServer(owner, why, out, ended);
    out.start(server);
    run(() -> read(server).compose(read -> ended.future()), ended::tryComplete);
  }

  private Future<Void> read(StdinReader.LineListener listener) {
    new StdinReader(owner.context(), in, listener).start();
    return owner.succeededFuture();
  }

  /**
   * Waits for the end.
   *
   * @param begin starts on the owner context; the future completes at the end
   * @param end ends it early, on the owner context
   */
  private void run(Supplier<Future<Void>> begin, Runnable end) throws InterruptedException {
    CountDownLatch over = new CountDownLatch(1);
    Runtime.getRuntime().addShutdownHook(new Thread(() -> endBySignal(end), "mcpbus-stdio-end"));
    owner.run(() -> begin.get().onComplete(ended -> over.countDown()));
    over.await();
    out.end(WRITE_MILLIS);
  }

  /** On the shutdown hook: the process ends when the main thread has closed everything. */
  private void endBySignal(Runnable end) {
    try {
      owner.run(end);
      done.await(SIGNAL_SECONDS, TimeUnit.SECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    } catch (RejectedExecutionException e) {
      // The event loop has ended already.
    }
  }

  @Override
  public void close() {
    CountDownLatch closed = new CountDownLatch(1);
    vertx.close().onComplete(done -> closed.countDown());
    try {
      closed.await(CLOSE_SECONDS, TimeUnit.SECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    done.countDown();
  }
}
