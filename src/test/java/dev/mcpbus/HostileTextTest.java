package dev.mcpbus;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.encoder.LayoutWrappingEncoder;
import ch.qos.logback.core.read.ListAppender;
import dev.mcpbus.bus.ConnectionId;
import dev.mcpbus.cli.AdminTokenPublisher;
import dev.mcpbus.cli.TerminalOutput;
import dev.mcpbus.config.ConfigEnvironment;
import dev.mcpbus.config.McpBusConfig;
import dev.mcpbus.config.read.ConfigReader;
import dev.mcpbus.connection.options.ConnectionOptions;
import dev.mcpbus.observability.logging.PrintableLayout;
import dev.mcpbus.observability.logging.QueuedAppender;
import dev.mcpbus.testing.ScriptedPeer;
import dev.mcpbus.testing.TestBus;
import io.vertx.core.json.JsonObject;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.slf4j.LoggerFactory;

/** What a server calls itself, and says when it fails, reaches no terminal and no log raw. */
class HostileTextTest {

  /** Clears the screen, turns the direction, hides, forges a line of the log and of the table. */
  private static final String EVIL =
      "x\u001b[2J\u009b2J\u202e\u2066\u200b\ufeff\u2028\u0007"
          + "\n2026-11-22T00:00:00.000 INFO  [main] dev.mcpbus forged\r  forged  READY";

  @TempDir Path directory;

  private static void assertHarmless(String text) {
    for (String line : text.split("\n", -1)) {
      assertThat(line.codePoints().filter(c -> (c < 0x20 && c != '\t') || c > 0x7E))
          .as(line)
          .isEmpty();
      assertThat(line).doesNotStartWith("2026-11-22T00:00:00.000");
      assertThat(line.strip()).doesNotStartWith("forged");
    }
  }

  private static ScriptedPeer called(TestBus bus, String id, ScriptedPeer peer) {
    TestBus.await(
        TestOptions.add(
            bus.bus(), new ConnectionId(id), peer.transport(), ConnectionOptions.DEFAULT));
    return peer;
  }

  private static String evilInfo() {
    return "\"result\":"
        + new JsonObject()
            .put("protocolVersion", "2025-11-25")
            .put("capabilities", new JsonObject().put("tools", new JsonObject()))
            .put("serverInfo", new JsonObject().put("name", EVIL).put("version", EVIL));
  }

  private static String evilError() {
    return "\"error\":" + new JsonObject().put("code", -32000).put("message", EVIL);
  }

  @Test
  void neither_its_name_nor_its_error_steers_the_report_at_the_start_or_the_log()
      throws IOException {
    ListAppender<ILoggingEvent> logged = new ListAppender<>();
    logged.start();
    Logger root = (Logger) LoggerFactory.getLogger("dev.mcpbus");
    root.addAppender(logged);
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    try (TestBus bus = TestBus.startWithBridge(new JsonObject())) {
      called(
          bus,
          "named",
          new ScriptedPeer(
              bus.vertx(),
              (method, params, connection) ->
                  switch (method) {
                    case "initialize" -> evilInfo();
                    case "tools/list" -> "\"result\":{\"tools\":[]}";
                    default -> evilError();
                  }));
      called(
          bus,
          "failing",
          new ScriptedPeer(bus.vertx(), (method, params, connection) -> evilError()));
      bus.awaitState("named", "READY", "DEGRADED");
      Awaitility.await().until(() -> bus.status("failing").getJsonObject("lastError") != null);
      new StartReport(bus.vertx(), config(), new PrintStream(out, true, StandardCharsets.UTF_8))
          .print(bus.bus().port(), new AdminTokenPublisher(null, 0, Map.of()));
      Awaitility.await().until(() -> out.toString(StandardCharsets.UTF_8).contains("CONNECTION"));
    } finally {
      root.detachAppender(logged);
    }
    String report = out.toString(StandardCharsets.UTF_8);
    assertThat(report).contains("named", "failing", "\\u001b[2J");
    assertHarmless(report);
    assertThat(logged.list).isNotEmpty();
    logged.list.forEach(event -> assertHarmless(layout().doLayout(event)));
    assertThat(logged.list.stream().map(layout()::doLayout).toList().toString())
        .contains("\\u001b[2J");
  }

  private McpBusConfig config() throws IOException {
    Path file = Files.writeString(directory.resolve("mcp.json"), "{\"mcpServers\": {}}");
    return ConfigReader.read(file, ConfigEnvironment.system()).usable().orElseThrow();
  }

  /** The one that {@code LogSetup} sets up for the service. */
  private static PrintableLayout layout() {
    Logger root = (Logger) LoggerFactory.getLogger(org.slf4j.Logger.ROOT_LOGGER_NAME);
    QueuedAppender err = (QueuedAppender) Objects.requireNonNull(root.getAppender("err"));
    return (PrintableLayout) ((LayoutWrappingEncoder<ILoggingEvent>) err.encoder()).getLayout();
  }

  @Test
  void neither_does_the_message_of_an_exception() {
    ListAppender<ILoggingEvent> logged = new ListAppender<>();
    logged.start();
    Logger logger = (Logger) LoggerFactory.getLogger("dev.mcpbus.hostile");
    logger.addAppender(logged);
    logger.setAdditive(false);
    logger.error("it said {}", EVIL, new IllegalStateException(EVIL, new Exception(EVIL)));
    assertThat(logged.list).hasSize(1);
    String shown = layout().doLayout(logged.list.get(0));
    assertHarmless(shown);
    assertThat(List.of(shown.split("\n", -1)).stream().filter(l -> l.startsWith("20"))).hasSize(1);
  }

  @Test
  void a_stream_to_a_person_lets_nothing_through() {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    TerminalOutput terminal =
        new TerminalOutput(new PrintStream(out, true, StandardCharsets.UTF_8));
    terminal.println("a\u001b[2J\u202e");
    terminal.print("b\u009b\n");
    terminal.printf("%s%n", "c\u0007");
    assertThat(out.toString(StandardCharsets.UTF_8))
        .isEqualTo("a\\u001b[2J\\u202e\nb\\u009b\nc\\u0007\n");
  }
}
