package dev.mcpbus.bridge;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import dev.mcpbus.bridge.options.BridgeLimitOptions;
import dev.mcpbus.bridge.options.BridgeOptions;
import dev.mcpbus.internals.InboundConnection;
import dev.mcpbus.internals.RecordCopy;
import io.netty.channel.socket.nio.NioSocketChannel;
import io.vertx.core.Vertx;
import io.vertx.core.http.impl.http1.Http1ServerConnection;
import io.vertx.core.http.impl.websocket.ServerWebSocketImpl;
import io.vertx.ext.web.impl.RoutingContextImpl;
import io.vertx.junit5.VertxExtension;
import java.io.IOException;
import java.io.InputStream;
import java.lang.management.ManagementFactory;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import javax.management.JMException;
import javax.management.ObjectName;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** Many connections, in turn and at a time: none leaves objects behind or excludes others. */
@ExtendWith(VertxExtension.class)
@Tag("release")
class ConnectionChurnTest {

  private static final BridgeOptions OPTIONS = BridgeOptions.DEFAULT.withPort(0);

  /** More by {@code -Dmcpbus.churn=}. */
  private static final int CHURN = Integer.getInteger("mcpbus.churn", 10_000);

  private static final int IDLE = 4_300;
  private static final int CUT = 400;

  /** Such as {@code 12: 345 6789 java.lang.String (java.base@17)}. */
  private static final Pattern ROW =
      Pattern.compile("^\\s*\\d+:\\s+(?<count>\\d+)\\s+\\d+\\s+(?<name>\\S+)");

  /** A masked close frame of code 1000. */
  private static final byte[] CLOSE = {(byte) 0x88, (byte) 0x82, 0, 0, 0, 0, 3, (byte) 0xe8};

  private final ListAppender<ILoggingEvent> log = new ListAppender<>();

  @BeforeEach
  void listen() {
    log.start();
    ((Logger) org.slf4j.LoggerFactory.getLogger(org.slf4j.Logger.ROOT_LOGGER_NAME))
        .addAppender(log);
  }

  @AfterEach
  void stopListening() {
    ((Logger) org.slf4j.LoggerFactory.getLogger(org.slf4j.Logger.ROOT_LOGGER_NAME))
        .detachAppender(log);
  }

  private static final List<String> OF_A_CONNECTION =
      List.of(
          InboundConnection.class.getName(),
          RoutingContextImpl.class.getName(),
          Http1ServerConnection.class.getName(),
          ServerWebSocketImpl.class.getName(),
          NioSocketChannel.class.getName());

  private static String upgrade(BridgeFixture bridge, String path, String... headers) {
    return "GET "
        + path
        + " HTTP/1.1\r\nHost: localhost:"
        + bridge.port
        + "\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\n"
        + "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n"
        + String.join("", headers)
        + "\r\n";
  }

  private static String get(BridgeFixture bridge, String path) {
    return "GET "
        + path
        + " HTTP/1.1\r\nHost: localhost:"
        + bridge.port
        + "\r\nConnection: close\r\n\r\n";
  }

  /** Reads one head. */
  private static String head(Socket socket) throws IOException {
    InputStream in = socket.getInputStream();
    StringBuilder head = new StringBuilder();
    while (head.indexOf("\r\n\r\n") < 0) {
      int next = in.read();
      if (next < 0) {
        return head.toString();
      }
      head.append((char) next);
    }
    return head.toString();
  }

  @Test
  void ten_thousand_connections_of_each_kind_of_end_leave_nothing(Vertx vertx)
      throws IOException, JMException {
    BridgeFixture bridge = new BridgeFixture(vertx, OPTIONS);
    assertAllAreCounted(bridge);
    long before = live(); // what other tests of this process have left open
    for (int i = 0; i < CHURN; i++) {
      try (Socket socket = bridge.connect()) {
        switch (i % 6) {
          case 0 -> politely(bridge, socket);
          case 1 -> {
            BridgeFixture.write(socket, upgrade(bridge, "/eventbus/websocket"));
            assertThat(head(socket)).startsWith("HTTP/1.1 101 ");
            socket.setSoLinger(true, 0); // cut
          }
          case 2 -> {
            BridgeFixture.write(
                socket,
                upgrade(bridge, "/eventbus/websocket").replace("Version: 13", "Version: 3"));
            assertThat(head(socket)).startsWith("HTTP/1.1 426 ");
          }
          case 3 -> {
            BridgeFixture.write(socket, upgrade(bridge, "/eventbus/websocket", "Origin: null\r\n"));
            assertThat(head(socket)).startsWith("HTTP/1.1 403 ");
          }
          case 4 -> {
            BridgeFixture.write(socket, get(bridge, "/api/events"));
            assertThat(head(socket)).startsWith("HTTP/1.1 200 ");
            socket.setSoLinger(true, 0);
          }
          default -> {
            BridgeFixture.write(socket, upgrade(bridge, "/eventbus/1/a/websocket"));
            assertThat(head(socket)).startsWith("HTTP/1.1 101 ");
            socket.setSoLinger(true, 0);
          }
        }
      }
    }
    Awaitility.await().atMost(Duration.ofSeconds(60)).until(() -> bridge.bridge.connections() == 0);
    assertThat(bridge.raw(get(bridge, "/openapi.json"))).startsWith("HTTP/1.1 200 ");
    Awaitility.await()
        .atMost(Duration.ofSeconds(60))
        .untilAsserted(() -> assertThat(live() - before).as("live objects").isLessThan(50));
    assertThat(log.list).noneMatch(event -> event.getLevel().isGreaterOrEqual(Level.WARN));
  }

  /** Its client is gone before the event bus has heard of it. */
  @Test
  void a_socket_that_is_cut_while_it_opens_is_no_defect(Vertx vertx) throws IOException {
    BridgeFixture bridge = new BridgeFixture(vertx, OPTIONS);
    for (int i = 0; i < CUT; i++) {
      try (Socket socket = bridge.connect()) {
        // What stands behind it is no frame, and ends the socket at once.
        BridgeFixture.write(socket, upgrade(bridge, "/eventbus/websocket") + "no frame");
        socket.setSoLinger(true, 0);
      }
    }
    Awaitility.await().atMost(Duration.ofSeconds(60)).until(() -> bridge.bridge.connections() == 0);
    assertThat(bridge.raw(get(bridge, "/openapi.json"))).startsWith("HTTP/1.1 200 ");
    // What Vert.x' bridge says of such a socket is not written by the service: LogSetup.
    assertThat(log.list)
        .filteredOn(event -> !event.getLoggerName().endsWith(".EventBusBridgeImpl"))
        .noneMatch(event -> event.getLevel().isGreaterOrEqual(Level.WARN));
  }

  private static void politely(BridgeFixture bridge, Socket socket) throws IOException {
    BridgeFixture.write(socket, upgrade(bridge, "/eventbus/websocket"));
    assertThat(head(socket)).startsWith("HTTP/1.1 101 ");
    socket.getOutputStream().write(CLOSE);
    assertThat(socket.getInputStream().readAllBytes()).startsWith(0x88);
  }

  /** A class that an upgrade renames would be counted as none, and leave nothing for ever. */
  private static void assertAllAreCounted(BridgeFixture bridge) throws IOException, JMException {
    try (Socket webSocket = bridge.connect();
        Socket stream = bridge.connect()) {
      BridgeFixture.write(webSocket, upgrade(bridge, "/eventbus/websocket"));
      assertThat(head(webSocket)).startsWith("HTTP/1.1 101 ");
      BridgeFixture.write(stream, get(bridge, "/api/events"));
      assertThat(head(stream)).startsWith("HTTP/1.1 200 ");
      assertThat(histogram()).containsKeys(OF_A_CONNECTION.toArray(String[]::new));
    }
    Awaitility.await().atMost(Duration.ofSeconds(60)).until(() -> bridge.bridge.connections() == 0);
  }

  /** How many objects of {@link #OF_A_CONNECTION} are reachable. */
  private static long live() throws JMException {
    Map<String, Long> histogram = histogram();
    return OF_A_CONNECTION.stream().mapToLong(name -> histogram.getOrDefault(name, 0L)).sum();
  }

  /** Reachable objects by class, by the JVM's own histogram, which collects first. */
  private static Map<String, Long> histogram() throws JMException {
    String histogram =
        (String)
            ManagementFactory.getPlatformMBeanServer()
                .invoke(
                    new ObjectName("com.sun.management:type=DiagnosticCommand"),
                    "gcClassHistogram",
                    new Object[] {new String[0]},
                    new String[] {String[].class.getName()});
    Map<String, Long> found = new HashMap<>();
    for (String line : histogram.lines().toList()) {
      Matcher row = ROW.matcher(line);
      if (row.find()) {
        found.put(row.group("name"), Long.parseLong(row.group("count")));
      }
    }
    return found;
  }

  @Test
  void idle_connections_of_one_client_do_not_exclude_others(Vertx vertx) throws IOException {
    BridgeFixture bridge = new BridgeFixture(vertx, OPTIONS);
    List<SocketChannel> idle = new ArrayList<>();
    try {
      for (int i = 0; i < IDLE; i++) {
        SocketChannel channel =
            SocketChannel.open(
                new InetSocketAddress(InetAddress.getLoopbackAddress(), bridge.port));
        idle.add(channel);
        if (i % 2 == 0) {
          channel.write(
              ByteBuffer.wrap("GET / HTTP/1.1\r\nHost".getBytes(StandardCharsets.US_ASCII)));
        }
      }
      int max = OPTIONS.limits().maxConnectionsPerAddress();
      Awaitility.await()
          .atMost(Duration.ofSeconds(60))
          .until(() -> bridge.bridge.connections() == max);

      long since = System.nanoTime();
      assertThat(bridge.raw(get(bridge, "/openapi.json"))).startsWith("HTTP/1.1 200 ");
      assertThat(bridge.raw(get(bridge, "/health/live"))).startsWith("HTTP/1.1 200 ");
      assertThat(Duration.ofNanos(System.nanoTime() - since)).isLessThan(Duration.ofSeconds(50));
    } finally {
      for (SocketChannel channel : idle) {
        channel.close();
      }
    }
    Awaitility.await().atMost(Duration.ofSeconds(60)).until(() -> bridge.bridge.connections() == 0);
  }

  @Test
  void if_all_are_in_use_others_get_503_and_health_is_answered(Vertx vertx) throws IOException {
    BridgeFixture bridge =
        new BridgeFixture(
            vertx,
            RecordCopy.with(
                OPTIONS,
                "limits",
                new BridgeLimitOptions(8_192, 3, 3, 9, Duration.ofSeconds(9), 0)));
    bridge.readiness.tell(List.of(), List.of(), 0);
    List<Socket> streams = new ArrayList<>();
    try {
      for (int i = 0; i < 3; i++) {
        Socket socket = bridge.connect();
        streams.add(socket);
        BridgeFixture.write(
            socket, i == 0 ? upgrade(bridge, "/eventbus/websocket") : get(bridge, "/api/events"));
        assertThat(head(socket)).matches("(?s)HTTP/1.1 (101|200) .*");
      }
      assertThat(bridge.raw(get(bridge, "/openapi.json")))
          .startsWith("HTTP/1.1 503 ")
          .contains("\"code\":\"OVERLOADED\"", "bridge.maxConnections", "Retry-After: 1");
      for (String health : List.of("/health/live", "/health/ready")) {
        assertThat(bridge.raw(get(bridge, health))).startsWith("HTTP/1.1 200 ");
      }
      streams.remove(2).close();
      Awaitility.await()
          .atMost(Duration.ofSeconds(60))
          .until(() -> bridge.raw(get(bridge, "/openapi.json")).startsWith("HTTP/1.1 200 "));
      assertThat(bridge.bridge.connections()).isGreaterThanOrEqualTo(2);
    } finally {
      for (Socket socket : streams) {
        socket.close();
      }
    }
  }
}
