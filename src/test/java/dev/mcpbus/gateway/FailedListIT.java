package dev.mcpbus.gateway;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.mcpbus.bus.Addresses;
import dev.mcpbus.testing.McpHttp;
import dev.mcpbus.testing.NpmServers;
import dev.mcpbus.testing.TestBus;
import io.vertx.core.http.HttpServer;
import io.vertx.core.json.JsonObject;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Supabase's server, whose tools cannot be listed while the service behind it is down. */
class FailedListIT {

  private static final JsonObject NONE = new JsonObject();

  /** What the server answers without a gateway. */
  private static final String DIRECT =
      "{\"code\":-32603,\"message\":\"Failed to fetch Supabase Content API GraphQL schema:"
          + " HTTP status 500\"}";

  private final AtomicBoolean down = new AtomicBoolean(true);
  private TestBus bus;
  private JsonObject entry;

  @BeforeEach
  void start() {
    bus = TestBus.startWithBridge(NONE);
    HttpServer content =
        TestBus.await(
            bus.vertx()
                .createHttpServer()
                .requestHandler(
                    request ->
                        request
                            .response()
                            .setStatusCode(down.get() ? 500 : 200)
                            .putHeader("Content-Type", "application/json")
                            .end("{\"data\":{\"schema\":\"type Query { a: String }\"}}"))
                .listen(0, "127.0.0.1"));
    String url = "http://127.0.0.1:" + content.actualPort();
    entry =
        NpmServers.stdio(
            "@supabase/mcp-server-supabase/dist/cli.js",
            "--access-token",
            "none",
            "--api-url",
            url,
            "--content-api-url",
            url + "/graphql");
  }

  @AfterEach
  void close() {
    bus.close();
  }

  @Test
  void its_error_comes_as_it_is_and_clients_of_both_eras_are_told_when_the_tools_are_back() {
    bus.request(
        Addresses.SERVERS_ADD, new JsonObject().put("name", "supabase").put("config", entry));
    bus.awaitState("supabase", "READY");
    McpHttp client = new McpHttp(bus.port(), "/mcp/supabase");
    McpHttp.Session session = client.initialize();
    JsonObject filter = new JsonObject().put("toolsListChanged", true);
    JsonObject listen =
        client.described("subscriptions/listen", new JsonObject().put("notifications", filter));
    try (McpHttp.Stream old = session.listen();
        McpHttp.Stream young = client.streamed(listen, McpHttp.headers(listen))) {
      assertThat(session.call("tools/list", NONE).error().encode()).isEqualTo(DIRECT);
      assertThat(client.discover("tools/list", NONE).error().encode()).isEqualTo(DIRECT);
      JsonObject all = new McpHttp(bus.port(), "/mcp").discover("tools/list", NONE).result();
      assertThat(all.getJsonArray("tools")).isEmpty();
      assertThat(all.getJsonObject("_meta").getJsonArray("dev.mcpbus/notListed").encode())
          .contains("\"server\":\"supabase\"", "HTTP status 500");
      down.set(false);
      await()
          .atMost(Duration.ofSeconds(60))
          .until(() -> old.methods().contains("notifications/tools/list_changed"));
      await().until(() -> young.methods().contains("notifications/tools/list_changed"));
      assertThat(McpHttp.names(session.call("tools/list", NONE).result(), "tools"))
          .contains("search_docs");
      assertThat(McpHttp.names(client.discover("tools/list", NONE).result(), "tools"))
          .contains("search_docs");
    }
  }

  @Test
  void a_server_that_ends_at_its_start_says_why_in_the_list_of_all_and_at_its_own_endpoint() {
    JsonObject broken = NpmServers.stdio("@heroku/mcp-server/bin/heroku-mcp-server.mjs");
    bus.request(
        Addresses.SERVERS_ADD, new JsonObject().put("name", "heroku").put("config", broken));
    McpHttp every = new McpHttp(bus.port(), "/mcp");
    McpHttp one = new McpHttp(bus.port(), "/mcp/heroku");
    await()
        .atMost(Duration.ofSeconds(60))
        .untilAsserted(
            () -> {
              JsonObject all = every.discover("tools/list", NONE).result();
              assertThat(all.getJsonArray("tools")).isEmpty();
              assertThat(all.getJsonObject("_meta").getJsonArray("dev.mcpbus/notListed").encode())
                  .contains("\"server\":\"heroku\"", "Cannot find module");
            });
    assertThat(one.discover("tools/list", NONE).error().getString("message"))
        .contains("Cannot find module");
    assertThat(one.initialize().call("tools/list", NONE).error().getString("message"))
        .contains("Cannot find module");
  }
}
