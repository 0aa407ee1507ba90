package dev.mcpbus;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.mcpbus.demo.DemoServer;
import dev.mcpbus.testing.McpHttp;
import dev.mcpbus.testing.NpmServers;
import dev.mcpbus.testing.TestBus;
import io.vertx.core.json.JsonObject;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** Our own address behind gateways of other people, which make handshakes of their own. */
class LoopIT {

  private static List<String> tools(TestBus bus) {
    McpHttp.Session client = new McpHttp(bus.port(), "/mcp").initialize();
    return McpHttp.names(client.call("tools/list", new JsonObject()).result(), "tools");
  }

  private static void refused(TestBus bus, JsonObject entry) {
    bus.awaitState("demo", "READY");
    List<String> before = tools(bus);
    assertThat(before).isNotEmpty();
    bus.request("mcp.servers.add", new JsonObject().put("name", "round").put("config", entry));
    await()
        .atMost(Duration.ofSeconds(60))
        .until(() -> bus.status("round").getString("state").equals("FAILED"));
    JsonObject error = bus.status("round").getJsonObject("lastError");
    assertThat(error.getString("code")).as(error.encode()).isEqualTo("LOOP_DETECTED");
    assertThat(tools(bus)).isEqualTo(before);
  }

  private static TestBus bus() {
    return TestBus.startWithBridge(
        new JsonObject().put("demo", new JsonObject().put("address", DemoServer.ADDRESS)));
  }

  @Test
  void behind_supergateway_as_a_child_process() {
    try (TestBus bus = bus()) {
      refused(
          bus,
          NpmServers.stdio(
                  "supergateway/dist/index.js",
                  "--streamableHttp",
                  "http://127.0.0.1:" + bus.port() + "/mcp",
                  "--logLevel",
                  "none")
              .put("protocolVersion", "2025-11-25")); // it takes the probe for its handshake
    }
  }

  @Test
  void behind_mcp_proxy_and_supergateway_over_http() {
    try (TestBus bus = bus();
        NpmServers.Running proxy =
            NpmServers.listening(
                NpmServers.freePort(),
                Map.of(),
                "mcp-proxy/dist/bin/mcp-proxy.mjs",
                "--port",
                "PORT",
                "--",
                NpmServers.node(),
                NpmServers.script("supergateway/dist/index.js"),
                "--streamableHttp",
                "http://127.0.0.1:" + bus.port() + "/mcp",
                "--logLevel",
                "none")) {
      refused(bus, new JsonObject().put("url", proxy.url("/mcp")));
    }
  }
}
