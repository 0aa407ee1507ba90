package dev.mcpbus;

import static dev.mcpbus.testing.TestBus.server;
import static org.assertj.core.api.Assertions.assertThat;

import dev.mcpbus.testing.RawHttpServer;
import dev.mcpbus.testing.TestBus;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** {@code sessionId} of an entry: a session that a server over Streamable HTTP has already. */
class GivenSessionIT {

  private static final String GIVEN = "session-that-was-before";
  private static final String ERROR =
      "{\"jsonrpc\":\"2.0\",\"id\":%d,\"error\":{\"code\":-32601,\"message\":\"no\"}}";
  private static final String INITIALIZED =
      "{\"jsonrpc\":\"2.0\",\"id\":%d,\"result\":{\"protocolVersion\":\"2025-06-18\",\"capabilities\":"
          + "{\"tools\":{}},\"serverInfo\":{\"name\":\"s\",\"version\":\"1\"}}}";
  private static final String TOOLS = "{\"jsonrpc\":\"2.0\",\"id\":%d,\"result\":{\"tools\":[]}}";

  /**
   * @param knows whether the server knows the session that was given
   */
  private static RawHttpServer serve(boolean knows) {
    return RawHttpServer.answering(
        (request, peer) -> {
          boolean given = GIVEN.equals(request.headers().get("mcp-session-id"));
          if (!request.method().equals("POST")) {
            peer.reply("405 Method Not Allowed", "");
          } else if (given && !knows) {
            peer.reply("404 Not Found", "");
          } else if (request.calls("initialize")) {
            String body = INITIALIZED.formatted(request.id());
            if (knows) {
              peer.json(body);
            } else {
              peer.json(body, "Mcp-Session-Id: fresh");
            }
          } else if (request.calls("tools/list")) {
            peer.json(TOOLS.formatted(request.id()));
          } else if (request.id() >= 0) {
            peer.json(ERROR.formatted(request.id()));
          } else {
            peer.reply("202 Accepted", "");
          }
        });
  }

  private static JsonObject entry(RawHttpServer server) {
    return new JsonObject()
        .put("url", server.url().toString())
        .put("sessionId", GIVEN)
        .put("version", "1.2.3");
  }

  private static List<String> sessions(RawHttpServer server) {
    List<String> ids = new ArrayList<>();
    server
        .requests("POST")
        .forEach(request -> ids.add(request.headers().getOrDefault("mcp-session-id", "none")));
    return ids;
  }

  @Test
  void the_first_request_names_it_and_the_server_that_knows_it_goes_on_with_it() {
    try (RawHttpServer server = serve(true)) {
      try (TestBus bus = TestBus.start(server("s", entry(server)))) {
        assertThat(bus.awaitState("s", "READY").getString("sessionId")).isEqualTo(GIVEN);
        bus.request("mcp.s.tools.list", new JsonObject());
        assertThat(sessions(server)).isNotEmpty().containsOnly(GIVEN);
        JsonObject shown = bus.request("mcp.servers.get", new JsonObject().put("id", "s"));
        assertThat(shown.getJsonObject("config").getString("sessionId")).isEqualTo("***");
      }
      assertThat(server.requests("DELETE")).as("it was there before, and may go on").isEmpty();
    }
  }

  @Test
  void a_server_that_does_not_know_it_gets_a_new_one_at_once() {
    try (RawHttpServer server = serve(false);
        TestBus bus = TestBus.start(server("s", entry(server)))) {
      JsonObject status = bus.awaitState("s", "READY");
      assertThat(status.getString("sessionId")).isEqualTo("fresh");
      assertThat(status.getInteger("restarts")).isZero();
      assertThat(sessions(server).get(0)).isEqualTo(GIVEN);
      bus.request("mcp.s.restart", new JsonObject());
      org.awaitility.Awaitility.await()
          .until(
              () ->
                  bus.status("s").getLong("epoch") == 2
                      && bus.status("s").getString("state").equals("READY"));
      long named = sessions(server).stream().filter(GIVEN::equals).count();
      assertThat(named).as("the first requests alone").isLessThanOrEqualTo(2);
    }
  }

  @Test
  void the_words_of_the_seed_are_read_as_ours() {
    try (RawHttpServer server = serve(true)) {
      JsonObject entry =
          entry(server)
              .put(
                  "eventSourceInit",
                  new JsonObject().put("headers", new JsonObject().put("X-Stream", "yes")))
              .put("reconnectionOptions", new JsonObject().put("maxRetries", 2));
      try (TestBus bus = TestBus.start(new JsonObject().put("s", entry))) {
        bus.awaitState("s", "READY");
        bus.request("mcp.s.tools.list", new JsonObject());
        org.awaitility.Awaitility.await().until(() -> !server.requests("GET").isEmpty());
        assertThat(server.requests("GET"))
            .allMatch(get -> "yes".equals(get.headers().get("x-stream")));
        JsonArray servers =
            ((JsonObject) bus.request("mcp.servers.list", new JsonObject()))
                .getJsonArray("servers");
        assertThat(servers).hasSize(1);
      }
    }
  }
}
