package dev.mcpbus.cli.stdio;

import static org.assertj.core.api.Assertions.assertThat;

import dev.mcpbus.internals.InternalContext;
import dev.mcpbus.internals.RecordCopy;
import dev.mcpbus.transport.HttpOptions;
import dev.mcpbus.transport.http.StreamableHttpTransport;
import io.vertx.core.Vertx;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.io.PipedInputStream;
import java.io.PipedOutputStream;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/** A bridge between two pipes and an HTTP server, with a clock that the test moves. */
final class BridgeRig implements AutoCloseable {

  private final Vertx vertx = Vertx.vertx();
  private final InternalContext owner = InternalContext.create(vertx);
  private final PipedOutputStream toBridge = new PipedOutputStream();
  private final Lines lines = new Lines();
  private final StdoutWriter out = new StdoutWriter(lines);
  private final CountDownLatch over = new CountDownLatch(1);
  final AtomicLong clock = new AtomicLong(1);

  /** What the client reads; a gate can keep it from reading. */
  static final class Lines extends OutputStream {

    final LinkedBlockingQueue<String> lines = new LinkedBlockingQueue<>();
    private final ByteArrayOutputStream line = new ByteArrayOutputStream();
    private volatile @Nullable CountDownLatch gate;
    private volatile boolean broken;

    @Override
    public void write(int b) throws IOException {
      write(new byte[] {(byte) b}, 0, 1);
    }

    @Override
    public synchronized void write(byte[] bytes, int from, int length) throws IOException {
      CountDownLatch closed = gate;
      try {
        if (closed != null) {
          closed.await();
        }
      } catch (InterruptedException e) {
        throw new IOException(e);
      }
      if (broken) {
        throw new IOException("the client is gone");
      }
      for (int i = from; i < from + length; i++) {
        if (bytes[i] == '\n') {
          lines.add(line.toString(StandardCharsets.UTF_8));
          line.reset();
        } else {
          line.write(bytes[i]);
        }
      }
    }
  }

  private BridgeRig() {}

  static BridgeRig to(URI url) throws Exception {
    return to(url, null, () -> null);
  }

  /**
   * @param again finds the key anew
   */
  static BridgeRig to(URI url, @Nullable String key, Callable<@Nullable String> again)
      throws Exception {
    BridgeRig rig = new BridgeRig();
    HttpOptions options =
        RecordCopy.with(HttpOptions.of(url), "connectTimeout", Duration.ofSeconds(2));
    StdioBridge bridge =
        new StdioBridge(
            rig.owner,
            new StreamableHttpTransport(options, new BridgeKey(rig.vertx, key, again)),
            new BridgeErrors(url.toString(), null),
            rig.out,
            rig.clock::get);
    PipedInputStream in = new PipedInputStream(rig.toBridge, 1024 * 1024);
    rig.out.start(bridge);
    rig.owner.run(
        () -> {
          bridge
              .open()
              .onSuccess(opened -> new StdinReader(rig.owner.context(), in, bridge).start());
          bridge.whenOver().onComplete(ended -> rig.over.countDown());
        });
    return rig;
  }

  void send(String line) throws IOException {
    sendBytes((line + "\n").getBytes(StandardCharsets.UTF_8));
  }

  void sendBytes(byte[] bytes) throws IOException {
    toBridge.write(bytes);
    toBridge.flush();
  }

  /** The next line on stdout. */
  String line() throws InterruptedException {
    String line = lines.lines.poll(60, TimeUnit.SECONDS);
    assertThat(line).as("a line on stdout").isNotNull();
    return String.valueOf(line);
  }

  /** How many lines wait to be read. */
  int waiting() {
    return lines.lines.size();
  }

  /** The client stops reading until the latch opens. */
  CountDownLatch stopReading() {
    CountDownLatch gate = new CountDownLatch(1);
    lines.gate = gate;
    return gate;
  }

  void breakStdout() {
    lines.broken = true;
  }

  /** The client begins a session; the server has to answer {@code initialize}. */
  void begin() throws Exception {
    send(INITIALIZE);
    assertThat(line()).contains("\"protocolVersion\":\"2025-11-25\"");
    send("{\"jsonrpc\":\"2.0\",\"method\":\"notifications/initialized\"}");
  }

  static final String INITIALIZE =
      "{\"jsonrpc\":\"2.0\",\"id\":\"i-0\",\"method\":\"initialize\",\"params\":{\"protocolVersion\":"
          + "\"2025-11-25\",\"capabilities\":{},\"clientInfo\":{\"name\":\"t\",\"version\":\"1\"}}}";

  void endOfStdin() throws IOException {
    toBridge.close();
  }

  boolean isOver() throws InterruptedException {
    return over.await(60, TimeUnit.SECONDS);
  }

  @Override
  public void close() throws IOException {
    CountDownLatch gate = lines.gate;
    if (gate != null) {
      gate.countDown();
    }
    toBridge.close();
    try {
      out.end(100);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    vertx.close().await();
  }
}
