package dev.mcpbus.bridge;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.mcpbus.bridge.options.BridgeLimitOptions;
import dev.mcpbus.bridge.options.BridgeOptions;
import dev.mcpbus.bus.Addresses;
import dev.mcpbus.bus.Codecs;
import dev.mcpbus.bus.Readiness;
import dev.mcpbus.internals.RecordCopy;
import dev.mcpbus.security.Admission;
import dev.mcpbus.security.MountedHandler;
import dev.mcpbus.testing.OpenAccess;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.json.JsonObject;
import io.vertx.junit5.VertxExtension;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** Two HTTP verticles behind one port; Vert.x deals connections out to them in turn. */
@ExtendWith(VertxExtension.class)
class SeveralBridgesTest {

  /** Names the thread that answers. */
  private static final class Here implements MountedHandler {
    @Override
    public boolean owns(String path) {
      return path.equals("/here");
    }

    @Override
    public Future<Void> open() {
      return Future.succeededFuture();
    }

    @Override
    public void handle(HttpServerRequest request, Admission admission, Buffer body) {
      request.response().end(Thread.currentThread().getName() + "\n");
    }

    @Override
    public void close() {}

    @Override
    public void giveUp() {}
  }

  private static final class Line implements AutoCloseable {
    private final Socket socket;
    private final BufferedReader reader;

    Line(int port, String path, String header) throws IOException {
      socket = new Socket(InetAddress.getLoopbackAddress(), port);
      socket.setSoTimeout(10_000);
      ask(port, path, header);
      reader =
          new BufferedReader(
              new InputStreamReader(socket.getInputStream(), StandardCharsets.US_ASCII));
    }

    /** Retries until there is room: the server notices the end of a stream a little later. */
    static Line granted(int port, String path, String header) {
      return Awaitility.await()
          .until(
              () -> {
                Line line = new Line(port, path, header);
                if (line.after("HTTP/1.1 ").startsWith("200")) {
                  return line;
                }
                line.close();
                return null;
              },
              Objects::nonNull);
    }

    void ask(int port, String path, String header) throws IOException {
      String request = "GET " + path + " HTTP/1.1\r\nHost: localhost:" + port + header + "\r\n\r\n";
      socket.getOutputStream().write(request.getBytes(StandardCharsets.US_ASCII));
    }

    String after(String start) throws IOException {
      for (String line = reader.readLine(); line != null; line = reader.readLine()) {
        if (line.startsWith(start)) {
          return line.substring(start.length());
        }
      }
      throw new AssertionError("the answer has ended");
    }

    @Override
    public void close() throws IOException {
      socket.close();
    }
  }

  private int port;

  @BeforeEach
  void deploy(Vertx vertx) {
    Codecs.register(vertx);
    BridgeLimitOptions limits =
        new BridgeLimitOptions(
            16 * 1024, 4, BridgeLimitOptions.share(4), 2, Duration.ofSeconds(15), 0);
    BridgeOptions options = RecordCopy.with(BridgeOptions.DEFAULT.withPort(0), "limits", limits);
    AtomicInteger calls = new AtomicInteger();
    List<BridgeVerticle> bridges =
        BridgeVerticle.several(
            2,
            options,
            () -> "call-" + calls.incrementAndGet(),
            Here::new,
            OpenAccess.control()::admissionControl,
            new Readiness(),
            OpenAccess.CALLERS);
    bridges.forEach(bridge -> BridgeFixture.await(vertx.deployVerticle(bridge)));
    port = bridges.get(0).port();
    assertThat(port).isPositive().isEqualTo(bridges.get(1).port());
  }

  @Test
  void both_answer() throws IOException {
    Set<String> threads = ConcurrentHashMap.newKeySet();
    for (int i = 0; i < 4; i++) {
      try (Line line = new Line(port, "/here", "")) {
        threads.add(line.after("vert.x-eventloop-thread-"));
      }
    }
    assertThat(threads).hasSize(2);
  }

  @Test
  void an_event_has_one_id_wherever_its_reader_comes_in(Vertx vertx) throws IOException {
    String seen;
    try (Line first = new Line(port, "/api/events", "");
        Line second = new Line(port, "/api/events", "")) {
      assertThat(first.after("id: ")).isEqualTo(second.after("id: "));
      publish(vertx, 0);
      seen = first.after("id: ");
      assertThat(second.after("id: ")).isEqualTo(seen);
    }
    publish(vertx, 1);
    for (int i = 0; i < 2; i++) {
      try (Line back = Line.granted(port, "/api/events", "\r\nLast-Event-ID: " + seen)) {
        assertThat(back.after("id: ")).isEqualTo(seen);
        assertThat(new JsonObject(back.after("data: ")).getInteger("n")).isEqualTo(1);
      }
    }
  }

  private static void publish(Vertx vertx, int n) {
    vertx
        .eventBus()
        .publish(
            Addresses.ALL_EVENTS, new JsonObject().put("type", "log").put("id", "a").put("n", n));
  }

  @Test
  void streams_count_together() throws IOException {
    try (Line first = new Line(port, "/api/events", "");
        Line second = new Line(port, "/api/events", "")) {
      assertThat(first.after("HTTP/1.1 ")).startsWith("200");
      assertThat(second.after("HTTP/1.1 ")).startsWith("200");
      try (Line third = new Line(port, "/api/events", "")) {
        assertThat(third.after("HTTP/1.1 ")).startsWith("503");
      }
    }
  }

  @Test
  void connections_count_together_and_the_longest_idle_makes_room() throws IOException {
    // One after the other, so that it is known which one has been idle for longest.
    List<Line> lines = new ArrayList<>();
    try {
      for (int i = 0; i < 4; i++) {
        lines.add(new Line(port, "/here", ""));
        assertThat(lines.get(i).after("HTTP/1.1 ")).startsWith("200");
      }
      assertThatThrownBy(() -> lines.get(0).after("never")).hasMessage("the answer has ended");
      lines.get(1).ask(port, "/here", "");
      assertThat(lines.get(1).after("HTTP/1.1 ")).startsWith("200");
    } finally {
      for (Line line : lines) {
        line.close();
      }
    }
  }
}
