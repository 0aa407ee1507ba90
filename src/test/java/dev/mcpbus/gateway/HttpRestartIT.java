package dev.mcpbus.gateway;

import static org.assertj.core.api.Assertions.assertThat;

import dev.mcpbus.testing.FreePorts;
import dev.mcpbus.testing.McpHttp;
import dev.mcpbus.testing.NpmServers;
import dev.mcpbus.testing.TestBus;
import io.vertx.core.json.JsonObject;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** A server that is restarted knows no session: calls that it has not run are sent again. */
class HttpRestartIT {

  private static final JsonObject ECHO =
      new JsonObject()
          .put("name", "echo")
          .put("arguments", new JsonObject().put("message", "still here"));

  private static NpmServers.Running everything(int port) {
    return NpmServers.listening(
        port,
        Map.of("PORT", "PORT"),
        "@modelcontextprotocol/server-everything/dist/index.js",
        "streamableHttp");
  }

  @Test
  void case_37_the_next_call_of_each_client_succeeds_over_shared_and_private_connections()
      throws Exception {
    int port = FreePorts.one();
    JsonObject entry = new JsonObject().put("url", "http://127.0.0.1:" + port + "/mcp");
    NpmServers.Running first = everything(port);
    try (TestBus bus =
        TestBus.startWithBridge(
            new JsonObject().put("own", entry).put("all", entry.copy().put("shared", true)))) {
      bus.awaitState("own", "READY");
      bus.awaitState("all", "READY");
      McpHttp.Session own = new McpHttp(bus.port(), "/mcp/own").initialize();
      McpHttp.Session all = new McpHttp(bus.port(), "/mcp/all").initialize();
      McpHttp young = new McpHttp(bus.port(), "/mcp/own");
      for (int life = 0; life < 2; life++) {
        assertThat(echoed(own.call("tools/call", ECHO))).isEqualTo("Echo: still here");
        assertThat(echoed(all.call("tools/call", ECHO))).isEqualTo("Echo: still here");
        assertThat(echoed(young.discover("tools/call", ECHO))).isEqualTo("Echo: still here");
        JsonObject message = new JsonObject().put("message", "still here");
        assertThat(McpHttp.text(bus.callTool("own", "echo", message))).contains("still here");
        if (life == 0) {
          first.close();
          first.process().waitFor();
          first = everything(port);
        }
      }
    } finally {
      first.close();
    }
  }

  private static String echoed(McpHttp.Answer answer) {
    return McpHttp.text(answer.result());
  }
}
