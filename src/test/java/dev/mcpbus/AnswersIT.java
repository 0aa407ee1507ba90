package dev.mcpbus;

import static org.assertj.core.api.Assertions.assertThat;

import dev.mcpbus.testing.Fixture;
import dev.mcpbus.testing.NpmServers;
import dev.mcpbus.testing.TestBus;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * Whatever a person answers reaches the server as it was given: clients of the TypeScript SDKs that
 * accept what does not fit, leave fields out, decline, cancel and fail, on servers of both eras,
 * directly and through the gateway.
 */
class AnswersIT {

  private static final String EVERYTHING = "@modelcontextprotocol/server-everything/dist/index.js";

  @TempDir static Path folder;

  private static Fixture fixture;
  private static JsonObject servers;
  private static TestBus bus;

  @BeforeAll
  static void start() {
    fixture = new Fixture(folder);
    servers =
        new JsonObject()
            .put("legacy", fixture.entry("legacy", "stdio"))
            .put("modern", fixture.entry("modern", "stdio"))
            .put("everything", NpmServers.stdio(EVERYTHING));
    bus = TestBus.startWithBridge(servers);
    servers.fieldNames().forEach(server -> bus.awaitState(server, "READY"));
  }

  @AfterAll
  static void close() {
    bus.close();
    fixture.close();
  }

  private static JsonObject answers(String kind, String server, List<String> place)
      throws Exception {
    boolean everything = server.equals("everything");
    List<String> args =
        new ArrayList<>(
            List.of(
                Path.of("src", "test", "npm", "sdk-answers.mjs").toAbsolutePath().toString(),
                kind,
                everything ? "trigger-elicitation-request" : "test_elicitation",
                everything ? "{}" : "{\"message\":\"Who?\"}"));
    args.addAll(place);
    return new JsonObject(NpmServers.run(folder, args.toArray(String[]::new)));
  }

  private static JsonObject direct(String kind, String server) throws Exception {
    JsonObject entry = servers.getJsonObject(server);
    List<String> command = new ArrayList<>(List.of(entry.getString("command")));
    for (Object arg : entry.getJsonArray("args", new JsonArray())) {
      command.add((String) arg);
    }
    return answers(kind, server, command);
  }

  private static JsonObject through(String kind, String server) throws Exception {
    return answers(kind, server, List.of("http://127.0.0.1:" + bus.port() + "/mcp/" + server));
  }

  @Tag("release")
  @ParameterizedTest(name = "{0} client of the TypeScript SDK, {1} server")
  @CsvSource({
    "v1,legacy",
    "v2-legacy,legacy",
    "v2-modern,modern",
    "v1,everything",
    "v2-legacy,everything"
  })
  void answers_through_the_gateway_are_those_of_a_client_without_it(String kind, String server)
      throws Exception {
    assertThat(through(kind, server).encodePrettily())
        .isEqualTo(direct(kind, server).encodePrettily());
  }

  /** The eras differ in what becomes of an error: the client's own call ends with it. */
  @Tag("release")
  @ParameterizedTest(
      name = "{0} client of the TypeScript SDK, {1} server, as {2} without a gateway")
  @CsvSource({
    "v1,modern,v2-modern",
    "v2-legacy,modern,v2-modern",
    "v2-modern,legacy,v2-legacy",
    "v2-modern,everything,v2-legacy"
  })
  void answers_reach_a_server_of_the_other_era_unchanged(String kind, String server, String known)
      throws Exception {
    JsonObject through = through(kind, server);
    JsonObject direct = direct(known, server);
    for (String answer :
        List.of("unfit", "partial", "empty", "bare", "declined", "cancelled", "asked", "times")) {
      assertThat(through.getValue(answer)).as(answer).isEqualTo(direct.getValue(answer));
    }
    JsonObject rejected = through.getJsonObject("rejected");
    assertThat(rejected.getInteger("code")).isEqualTo(-1);
    assertThat(rejected.getString("message")).endsWith("User rejected");
    JsonObject failed = through.getJsonObject("failed");
    assertThat(failed.getInteger("code")).isEqualTo(-32000);
    assertThat(failed.getString("message")).endsWith("No screen");
  }
}
