package dev.mcpbus.gateway;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import dev.mcpbus.connection.options.ConnectionOptions;
import dev.mcpbus.internals.RecordCopy;
import dev.mcpbus.testing.McpHttp;
import dev.mcpbus.testing.ScriptedPeer;
import dev.mcpbus.testing.TestBus;
import io.vertx.core.json.JsonObject;
import org.junit.jupiter.api.Test;
import org.slf4j.LoggerFactory;

/** People know servers, not the private connections of clients: these have random names. */
class PrivateNamesTest {

  @Test
  void errors_and_the_log_name_the_server_of_a_private_connection() {
    ListAppender<ILoggingEvent> log = new ListAppender<>();
    log.start();
    Logger root = (Logger) LoggerFactory.getLogger(org.slf4j.Logger.ROOT_LOGGER_NAME);
    root.addAppender(log);
    try (TestBus bus = TestBus.startWithBridge(new JsonObject())) {
      ScriptedPeer.Script script =
          (method, params, connection) ->
              connection > 1 && method.equals("tools/list") ? null : Peers.tools("t");
      Peers.connected(
          bus,
          "git",
          new ScriptedPeer(
              bus.vertx(),
              (method, params, connection) ->
                  switch (method) {
                    case "server/discover" -> ScriptedPeer.error(-32601, "no such method");
                    case "initialize" ->
                        connection > 1
                            ? ScriptedPeer.error(-32000, "no more clients")
                            : Peers.INITIALIZE;
                    default -> script.answer(method, params, connection);
                  }),
          RecordCopy.with(ConnectionOptions.DEFAULT, "strict", true)); // else its clients share it
      McpHttp.Answer answer =
          new McpHttp(bus.port(), "/mcp/git").initialize().call("tools/call", Peers.call("t"));
      assertThat(answer.json().containsKey("error")).as(answer.body()).isTrue();
      assertThat(answer.body()).doesNotContain("git--");
    } finally {
      root.detachAppender(log);
    }
    assertThat(log.list)
        .filteredOn(line -> line.getLevel().isGreaterOrEqual(Level.INFO))
        .extracting(ILoggingEvent::getFormattedMessage)
        .noneMatch(line -> line.contains("git--"))
        .anyMatch(line -> line.contains("git (a private connection)"));
    assertThat(log.list)
        .filteredOn(line -> line.getKeyValuePairs() != null)
        .flatExtracting(ILoggingEvent::getKeyValuePairs)
        .noneMatch(pair -> pair.toString().contains("git--"));
  }
}
