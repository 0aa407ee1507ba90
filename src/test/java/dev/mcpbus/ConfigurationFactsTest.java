package dev.mcpbus;

import static org.assertj.core.api.Assertions.assertThat;

import dev.mcpbus.bus.FailureCode;
import dev.mcpbus.bus.McpFailure;
import dev.mcpbus.config.ConfigProblem;
import dev.mcpbus.testing.Http;
import dev.mcpbus.testing.TestBus;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.eventbus.Message;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import io.vertx.junit5.VertxExtension;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

/** What a caller learns of a server whose entry has a mistake, and an operator of a broken file. */
@ExtendWith(VertxExtension.class)
class ConfigurationFactsTest {

  private static final String KEY = "0123456789abcdef0123456789abcdef";

  private static final String HASH =
      "3eb1bd439947eb762998e566ccc2e099c791118b2f40579cc4f7da2b5061b7f9";

  @TempDir private Path folder;

  private McpBus start(Vertx vertx, String auth) throws IOException {
    Path file = folder.resolve("conf.json");
    Files.writeString(
        file,
        "{\n\"mcpServers\": {\n\"good\": {\"command\": \"cat\", \"lazy\": true},\n"
            + "\"Bad One\": {\"command\": 5}\n},\n\"bridge\": {\"port\": 0}"
            + auth
            + "}");
    McpBus bus = TestBus.await(McpBus.start(vertx, McpBus.Options.of(file)));
    return bus;
  }

  private static McpFailure failure(Future<?> call) {
    Awaitility.await().until(call::isComplete);
    return McpFailure.of(call.cause());
  }

  private static JsonObject request(Vertx vertx, String address, JsonObject body) {
    return TestBus.await(vertx.eventBus().<JsonObject>request(address, body).map(Message::body));
  }

  @Test
  void a_server_that_is_left_out_says_so_at_every_door(Vertx vertx) throws IOException {
    McpBus bus = start(vertx, "");
    String why = "server 'bad-one' is left out of the configuration: line 4: ";

    McpFailure onBus = failure(bus.server("bad-one").listTools());
    assertThat(onBus.code()).isEqualTo(FailureCode.UNKNOWN_CONNECTION);
    assertThat(onBus.getMessage()).startsWith(why);
    JsonObject named = new JsonObject().put("name", "bad-one.t");
    assertThat(failure(vertx.eventBus().request("mcp.tools.call", named)).getMessage())
        .startsWith(why);
    assertThat(
            failure(
                    vertx
                        .eventBus()
                        .request("mcp.servers.get", new JsonObject("{\"id\":\"bad-one\"}")))
                .getMessage())
        .startsWith(why);
    assertThat(Http.get(bus.port(), "/api/servers/bad-one/tools").body()).contains(why);
    assertThat(Http.get(bus.port(), "/api/servers/bad-one").status()).isEqualTo(404);
    assertThat(Http.get(bus.port(), "/api/servers/bad-one/status").body()).contains(why);
    assertThat(Http.get(bus.port(), "/api/tools?server=bad-one&form=openai").body())
        .doesNotContain("internal");
    String rpc =
        "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/call\",\"params\":{\"name\":\"bad-one:t\"}}";
    assertThat(Http.post(bus.port(), "/rpc", rpc, "Content-Type", "application/json").body())
        .contains(why);
    assertThat(Http.get(bus.port(), "/mcp/bad-one").body()).contains(why);
    assertThat(failure(bus.server("nope").listTools()).getMessage()).doesNotContain("left out");

    JsonArray left = Http.get(bus.port(), "/api/servers").json().getJsonArray("leftOut");
    assertThat(left).hasSize(1);
    assertThat(left.getJsonObject(0).getString("id")).isEqualTo("bad-one");
    JsonObject problem = left.getJsonObject(0).getJsonArray("problems").getJsonObject(0);
    assertThat(problem.getInteger("line")).isEqualTo(4);
    Awaitility.await()
        .until(() -> Http.get(bus.port(), "/health/ready").json().containsKey("notes"));
    assertThat(Http.get(bus.port(), "/health/ready").json().getString("status")).isEqualTo("UP");
    assertThat(Http.get(bus.port(), "/health/ready").body()).contains(why);
  }

  @Test
  void a_policy_that_hides_a_server_hides_why_it_is_left_out(Vertx vertx) throws IOException {
    String auth =
        ", \"auth\": {\"apiKeys\": [{\"name\": \"alice\", \"hash\": \"sha256:"
            + HASH
            + "\"}], \"policies\": [{\"principals\": [\"alice\"], \"servers\": [\"good\"],"
            + " \"effect\": \"allow\"}]}";
    McpBus bus = start(vertx, auth);
    String[] alice = {"Authorization", "Bearer " + KEY};
    for (String path :
        List.of(
            "/api/servers/bad-one/tools",
            "/api/servers",
            "/mcp/bad-one",
            "/health/ready",
            "/api/tools")) {
      assertThat(Http.get(bus.port(), path, alice).body())
          .as(path)
          .doesNotContain("left out")
          .doesNotContain("LEFT_OUT")
          .doesNotContain("bad-one\"")
          .doesNotContain("line 4");
    }
    assertThat(Http.get(bus.port(), "/api/config", alice).status()).isEqualTo(403);
  }

  @Test
  void a_file_that_breaks_is_told_until_it_is_mended(Vertx vertx) throws IOException {
    McpBus bus = start(vertx, "");
    JsonObject loaded = request(vertx, "mcp.servers.config", new JsonObject());
    assertThat(loaded.getString("loadedAt")).isNotBlank();
    assertThat(loaded.containsKey("brokenSince")).isFalse();
    assertThat(loaded.getJsonArray("problems")).hasSize(1);

    Instant first = Instant.parse("2026-11-23T01:02:03Z");
    ConfigProblem comma =
        new ConfigProblem("conf.json", 7, null, "a comma is missing", "Add it", true);
    ConfigProblem good =
        new ConfigProblem("conf.json", 3, "good", "no such key", "Remove it", false);
    bus.configured(bus.configuration().broken(first, List.of(comma, good)));
    bus.configured(bus.configuration().broken(first.plusSeconds(9), List.of(comma)));

    JsonObject broken = request(vertx, "mcp.servers.config", new JsonObject());
    assertThat(broken.getString("brokenSince")).isEqualTo(first.toString());
    assertThat(broken.getJsonArray("problems").getJsonObject(0).getInteger("line")).isEqualTo(7);
    assertThat(broken.getJsonArray("leftOut").getJsonObject(0))
        .isEqualTo(new JsonObject(Map.of("id", "bad-one", "problems", new JsonArray())));
    assertThat(failure(bus.server("bad-one").listTools()).getMessage())
        .contains("another entry has a mistake, line 7: a comma is missing. Add it");
    assertThat(
            Http.get(
                    bus.port(), "/api/config", Http.admin(Objects.requireNonNull(bus.adminToken())))
                .json())
        .isEqualTo(broken);

    bus.configured(dev.mcpbus.hosting.ConfigurationState.loaded("conf.json", first, List.of()));
    JsonObject mended = request(vertx, "mcp.servers.config", new JsonObject());
    assertThat(mended.getJsonArray("leftOut")).isEmpty();
    assertThat(mended.getString("file")).isEqualTo("conf.json");
    assertThat(failure(bus.server("bad-one").listTools()).getMessage()).doesNotContain("left out");
  }

  @Test
  void a_list_of_all_servers_says_which_list_nothing_and_why(Vertx vertx) throws IOException {
    McpBus bus = start(vertx, "");
    TestBus.await(bus.add("gone", new JsonObject("{\"command\": \"mcpbus-no-such-command\"}")));
    Awaitility.await()
        .untilAsserted(
            () -> {
              JsonObject meta = Http.get(bus.port(), "/api/tools").json().getJsonObject("_meta");
              JsonArray absent = meta.getJsonArray("dev.mcpbus/notListed");
              assertThat(absent).hasSize(3);
              JsonObject gone = absent.getJsonObject(0);
              assertThat(gone.getString("server")).isEqualTo("gone");
              assertThat(gone.getString("state")).isEqualTo("FAILED");
              assertThat(gone.getString("reason")).startsWith("START_FAILED: command mcpbus-no");
              JsonObject lazy = absent.getJsonObject(1);
              assertThat(lazy.getString("server")).isEqualTo("good");
              assertThat(lazy.getString("state")).isEqualTo("IDLE");
              JsonObject left = absent.getJsonObject(2);
              assertThat(left.getString("server")).isEqualTo("bad-one");
              assertThat(left.getString("state")).isEqualTo("LEFT_OUT");
              assertThat(left.getString("reason")).contains("line 4");
            });
    JsonObject only = request(vertx, "mcp.tools.list", new JsonObject("{\"servers\": [\"good\"]}"));
    assertThat(only.getJsonObject("_meta").getJsonArray("dev.mcpbus/notListed")).hasSize(1);
  }
}
