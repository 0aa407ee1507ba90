package dev.mcpbus.observability.logging;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.LoggerContext;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.classic.spi.LoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import dev.mcpbus.bus.ConnectionId;
import dev.mcpbus.bus.LoggedConnection;
import io.netty.bootstrap.ServerBootstrap;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.nio.NioIoHandler;
import io.netty.channel.socket.nio.NioServerSocketChannel;
import io.vertx.core.Context;
import io.vertx.core.Vertx;
import io.vertx.core.json.JsonObject;
import io.vertx.junit5.VertxExtension;
import io.vertx.junit5.VertxTestContext;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.time.OffsetDateTime;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.slf4j.event.KeyValuePair;

/** The log of the service as a person and as a program read it. */
@ExtendWith(VertxExtension.class)
class LogSetupTest {

  private static LoggerContext logging(Map<String, String> variables) {
    LoggerContext logging = new LoggerContext();
    new LogSetup(variables, System.err).configure(logging);
    return logging;
  }

  private static String line(LoggerContext logging, ILoggingEvent event) {
    QueuedAppender err =
        (QueuedAppender) Objects.requireNonNull(logging.getLogger("ROOT").getAppender("err"));
    return new String(err.encoder().encode(event), StandardCharsets.UTF_8);
  }

  private static LoggingEvent event(
      LoggerContext logging, String message, @Nullable Throwable error) {
    Logger logger = logging.getLogger("dev.mcpbus.some.Place");
    return new LoggingEvent("", logger, Level.WARN, message, error, null);
  }

  @Test
  void what_a_cluster_survives_is_no_error_of_hazelcast_unless_its_log_is_wanted() {
    String operation = "com.hazelcast.multimap.impl.operations.GetAllOperation";
    String start = "com.hazelcast.instance.impl.Node";
    LoggerContext normal = logging(Map.of());
    assertThat(normal.getLogger(operation).isErrorEnabled()).isFalse();
    assertThat(normal.getLogger(start).isErrorEnabled()).isTrue();
    assertThat(logging(Map.of("MCPBUS_LOG_CLUSTER", "error")).getLogger(operation).isErrorEnabled())
        .isTrue();
  }

  @Test
  void a_client_that_comes_while_the_doors_close_is_no_stack_trace() {
    Logger accepting =
        (Logger) org.slf4j.LoggerFactory.getLogger("io.netty.bootstrap.ServerBootstrap");
    Level before = accepting.getLevel();
    try {
      accepting.setLevel(Level.WARN);
      LogLevels.doorsClose();
      assertThat(accepting.isWarnEnabled()).isFalse();
      assertThat(accepting.isErrorEnabled()).isTrue();
    } finally {
      accepting.setLevel(before);
    }
  }

  /** The class of Netty that does it, with the failure that it gets from Vert.x. */
  @Test
  void netty_logs_a_client_that_it_cannot_take_with_a_trace_until_the_doors_close()
      throws Exception {
    Logger accepting =
        (Logger) org.slf4j.LoggerFactory.getLogger("io.netty.bootstrap.ServerBootstrap");
    Level before = accepting.getLevel();
    ListAppender<ILoggingEvent> lines = new ListAppender<>();
    lines.start();
    accepting.addAppender(lines);
    try {
      accepting.setLevel(Level.WARN);
      aClientThatCannotBeTaken();
      assertThat(lines.list).hasSize(1);
      assertThat(lines.list.get(0).getFormattedMessage())
          .startsWith("Failed to register an accepted channel");
      assertThat(lines.list.get(0).getThrowableProxy()).as("a trace").isNotNull();

      LogLevels.doorsClose();
      aClientThatCannotBeTaken();
      assertThat(lines.list).hasSize(1);
    } finally {
      accepting.detachAppender(lines);
      accepting.setLevel(before);
    }
  }

  /** Returns when the server has got its failure, and has logged it. */
  private static void aClientThatCannotBeTaken() throws Exception {
    CountDownLatch refused = new CountDownLatch(1);
    EventLoopGroup accepts = new MultiThreadIoEventLoopGroup(1, NioIoHandler.newFactory());
    EventLoopGroup empty =
        new MultiThreadIoEventLoopGroup(1, NioIoHandler.newFactory()) {
          @Override
          public ChannelFuture register(Channel client) {
            refused.countDown();
            throw new IllegalStateException("no handler"); // as the group of Vert.x
          }
        };
    try {
      ServerBootstrap server =
          new ServerBootstrap()
              .group(accepts, empty)
              .channel(NioServerSocketChannel.class)
              .childHandler(new ChannelInboundHandlerAdapter());
      Channel bound = server.bind(InetAddress.getLoopbackAddress(), 0).sync().channel();
      int port = ((InetSocketAddress) bound.localAddress()).getPort();
      try (Socket client = new Socket(InetAddress.getLoopbackAddress(), port)) {
        assertThat(client.isConnected()).isTrue();
        assertThat(refused.await(60, TimeUnit.SECONDS)).isTrue();
        accepts.submit(() -> {}).get(60, TimeUnit.SECONDS); // after what it does now
      }
    } finally {
      assertThat(accepts.shutdownGracefully(0, 0, TimeUnit.SECONDS)).isNotNull();
      assertThat(empty.shutdownGracefully(0, 0, TimeUnit.SECONDS)).isNotNull();
    }
  }

  @Test
  void an_event_is_one_line_of_json_with_its_error() {
    LoggerContext logging = logging(Map.of("MCPBUS_LOG_FORMAT", "json"));
    String text = line(logging, event(logging, "two\nlines \u202e", new Exception("why")));
    assertThat(text).endsWith("\n").doesNotContain("\n{").hasLineCount(1);
    JsonObject line = new JsonObject(text);
    assertThat(OffsetDateTime.parse(line.getString("time"))).isNotNull();
    assertThat(line.getString("level")).isEqualTo("WARN");
    assertThat(line.getString("logger")).isEqualTo("dev.mcpbus.some.Place");
    assertThat(line.getString("message")).isEqualTo("two\nlines \u202e");
    assertThat(line.getString("error")).startsWith("java.lang.Exception: why\n");
    assertThat(line.containsKey("server")).isFalse();
  }

  @Test
  void a_key_of_the_event_names_the_server_and_cannot_replace_a_member() {
    LoggerContext logging = logging(Map.of("MCPBUS_LOG_FORMAT", "json"));
    LoggingEvent event = event(logging, "failed", null);
    event.addKeyValuePair(new KeyValuePair("server", "git"));
    event.addKeyValuePair(new KeyValuePair("level", "forged"));
    event.addKeyValuePair(new KeyValuePair("attempt", 3));
    JsonObject line = new JsonObject(line(logging, event));
    assertThat(line.getString("server")).isEqualTo("git");
    assertThat(line.getString("level")).isEqualTo("WARN");
    assertThat(line.getString("attempt")).isEqualTo("3");
  }

  @Test
  void what_a_connection_logs_has_its_id(Vertx vertx, VertxTestContext test) {
    LoggerContext text = logging(Map.of());
    LoggerContext json = logging(Map.of("MCPBUS_LOG_FORMAT", "json"));
    Context context = vertx.getOrCreateContext();
    LoggedConnection.set(context, new ConnectionId("git"));
    context.runOnContext(
        now ->
            test.verify(
                () -> {
                  assertThat(line(text, event(text, "refused", null))).endsWith(" git: refused\n");
                  assertThat(line(text, event(text, "connection git: refused", null)))
                      .endsWith("Place connection git: refused\n");
                  assertThat(new JsonObject(line(json, event(json, "x", null))).getString("server"))
                      .isEqualTo("git");
                  test.completeNow();
                }));
  }

  @Test
  void a_line_of_text_has_a_time_with_its_offset() {
    LoggerContext logging = logging(Map.of());
    String line = line(logging, event(logging, "x", null));
    assertThat(OffsetDateTime.parse(line.substring(0, line.indexOf(' ')))).isNotNull();
  }

  @Test
  void a_message_of_several_lines_is_one_line_of_text() {
    LoggerContext logging = logging(Map.of());
    assertThat(line(logging, event(logging, "two problems:\n  a\n  b\n", null)))
        .endsWith("two problems: | a | b\n")
        .hasLineCount(1);
  }

  @Test
  void variables_give_the_levels() {
    LoggerContext logging = logging(Map.of("MCPBUS_LOG", "debug", "MCPBUS_LOG_CLUSTER", "warn"));
    assertThat(logging.getLogger("dev.mcpbus.x").getEffectiveLevel()).isEqualTo(Level.DEBUG);
    assertThat(logging.getLogger("com.hazelcast.x").getEffectiveLevel()).isEqualTo(Level.WARN);
    LoggerContext plain = logging(Map.of());
    assertThat(plain.getLogger("dev.mcpbus.x").getEffectiveLevel()).isEqualTo(Level.INFO);
    assertThat(plain.getLogger("com.hazelcast.x").getEffectiveLevel()).isEqualTo(Level.ERROR);
  }

  @Test
  void levels_change_at_run_time_and_bad_ones_are_refused() {
    LogLevels levels = Objects.requireNonNull(LogLevels.find());
    String name = "dev.mcpbus.levels.Example";
    org.slf4j.Logger logger = org.slf4j.LoggerFactory.getLogger(name);
    assertThat(levels.set(name, "trace")).isNull();
    assertThat(logger.isTraceEnabled()).isTrue();
    assertThat(levels.all()).containsEntry(name, "TRACE").containsKey(LogLevels.ROOT);
    assertThat(levels.set(name, null)).isEqualTo("TRACE");
    assertThat(logger.isTraceEnabled()).isFalse();
    assertThatThrownBy(() -> levels.set(name, "loud")).hasMessageContaining("TRACE, DEBUG");
    assertThatThrownBy(() -> levels.set("a b", "INFO")).hasMessageContaining("name of a logger");
    assertThatThrownBy(() -> levels.set(LogLevels.ROOT, null)).hasMessageContaining("root");
  }
}
