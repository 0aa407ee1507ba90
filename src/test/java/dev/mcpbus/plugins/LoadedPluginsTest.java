package dev.mcpbus.plugins;

import static dev.mcpbus.testing.Entries.scripted;
import static dev.mcpbus.testing.TestBus.await;
import static dev.mcpbus.testing.TestBus.server;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.mcpbus.McpBus;
import dev.mcpbus.TestOptions;
import dev.mcpbus.bus.Addresses;
import dev.mcpbus.bus.Events;
import dev.mcpbus.bus.FailureCode;
import dev.mcpbus.bus.McpFailure;
import dev.mcpbus.config.ConfigEnvironment;
import dev.mcpbus.config.ConfigResult;
import dev.mcpbus.config.McpBusConfig;
import dev.mcpbus.config.ServerDefinition;
import dev.mcpbus.config.ServerSettings;
import dev.mcpbus.config.read.ConfigReader;
import dev.mcpbus.hosting.BuiltInTransports;
import dev.mcpbus.hosting.ServerEntryReader;
import dev.mcpbus.hosting.credentials.OAuthAuthenticators;
import dev.mcpbus.protocol.Sensitive;
import dev.mcpbus.server.RawServer;
import dev.mcpbus.server.ToolResult;
import dev.mcpbus.supervisor.SupervisorOptions;
import dev.mcpbus.testing.ChannelProbe;
import dev.mcpbus.testing.OAuthWorld;
import dev.mcpbus.testing.TestBus;
import dev.mcpbus.transport.BuiltInTransport;
import dev.mcpbus.transport.HttpOptions;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Plug-ins of every kind, found on the class path and named by a configuration. */
class LoadedPluginsTest {

  @TempDir
  @SuppressWarnings("NullAway.Init") // set before each test
  private Path folder;

  private ConfigResult read(String text) {
    try {
      Path file = Files.writeString(folder.resolve("mcpbus.json"), text);
      return ConfigReader.read(
          file, ConfigEnvironment.system().withVariables(Map.of("RING", "r-4711-secret")));
    } catch (IOException e) {
      throw new AssertionError(e);
    }
  }

  private ConfigResult readServer(String entry) {
    return read("{\"mcpServers\": {\"one\": " + entry + "}}");
  }

  private McpBusConfig good(String text) {
    ConfigResult result = read(text);
    assertThat(result.problems()).isEmpty();
    return result.usable().orElseThrow();
  }

  private ServerDefinition goodServer(String entry) {
    return good("{\"mcpServers\": {\"one\": " + entry + "}}").servers().get(0);
  }

  private String problem(String text) {
    ConfigResult result = read(text);
    assertThat(result.problems()).hasSize(1);
    return result.problems().get(0).toString();
  }

  private String serverProblem(String entry) {
    return problem("{\"mcpServers\": {\"one\": " + entry + "}}");
  }

  // Transports.

  @Test
  void a_transport_is_chosen_by_its_type_and_by_the_scheme_of_a_url() {
    JsonObject servers =
        server(
                "typed",
                new JsonObject()
                    .put("type", "carrier")
                    .put("options", new JsonObject().put("loft", "north")))
            .put("by-url", new JsonObject().put("url", "carrier://south"));
    try (TestBus bus = TestBus.start(servers)) {
      bus.awaitState("typed", "READY");
      bus.awaitState("by-url", "READY");
      assertThat(bus.callTool("typed", "where", new JsonObject()).encode()).contains("loft north");
      assertThat(bus.callTool("by-url", "where", new JsonObject()).encode()).contains("loft south");
    }
  }

  @Test
  void its_options_are_filled_in_compared_and_not_shown() {
    String entry = "{\"type\": \"Carrier\", \"options\": {\"loft\": \"x\", \"ring\": \"${RING}\"}}";
    ServerDefinition definition = goodServer(entry);
    assertThat(definition.transport().type()).isEqualTo("carrier");
    assertThat(definition.transport().secrets()).containsExactly(Sensitive.of("r-4711-secret"));
    assertThat(definition.sameAs(goodServer(entry))).isTrue();
    assertThat(definition.sameAs(goodServer("{\"url\": \"carrier://x\"}"))).isFalse();
    assertThat(definition.view().encode() + definition.transport()).doesNotContain("4711");
  }

  @Test
  void an_entry_that_it_refuses_is_a_problem_of_that_server() {
    assertThat(serverProblem("{\"type\": \"carrier\"}"))
        .endsWith(
            "transport \"carrier\" refuses this entry. Give \"options\": {\"loft\": \"name\"}");
    assertThat(serverProblem("{\"type\": \"carrier\", \"options\": 5}"))
        .contains("\"options\" must be an object, not a number");
    assertThat(serverProblem("{\"type\": \"carrier\", \"options\": {\"ring\": \"${NOT_SET}\"}}"))
        .contains("NOT_SET");
    assertThat(serverProblem("{\"url\": \"carrier://broken\"}"))
        .contains("transport \"carrier\" is broken: IllegalStateException")
        .contains(CarrierTransport.class.getName())
        .doesNotContain("swordfish");
    assertThat(serverProblem("{\"command\": \"x\", \"options\": {}}"))
        .contains("\"options\" belongs to a transport that is a plug-in");
  }

  @Test
  void an_unknown_type_lists_those_that_there_are() {
    assertThat(serverProblem("{\"type\": \"telegraph\", \"url\": \"x:y\"}"))
        .endsWith(
            "unknown type \"telegraph\". Use one of "
                + String.join(", ", BuiltInTransport.all().keySet())
                + ", carrier");
  }

  // Strategies.

  @Test
  void a_strategy_is_chosen_by_its_name_and_decides() {
    JsonObject restart = new JsonObject().put("strategy", "patient").put("reprobe", "1h");
    JsonObject servers =
        server("broken", new JsonObject().put("command", "false").put("restart", restart))
            .put("asleep", new JsonObject().put("url", "carrier://x").put("restart", restart));
    try (TestBus bus = TestBus.start(servers)) {
      bus.awaitState("broken", "FAILED");
      bus.awaitState("asleep", "FAILED");
      assertThat(bus.status("asleep").encode())
          .contains("does not want it connected now")
          .contains("patient");
      assertThat(PatientStrategy.HEARD).hasSize(1);
      assertThat(PatientStrategy.HEARD.get(0)).startsWith("broken 1 ");
    }
  }

  @Test
  void a_strategy_is_asked_again_when_a_caller_needs_the_server() {
    JsonObject restart = new JsonObject().put("strategy", "patient").put("reprobe", "1h");
    JsonObject servers =
        server("asleep-late", scripted("good").put("restart", restart))
            .put("asleep-lazy", scripted("good").put("lazy", true).put("restart", restart));
    try (TestBus bus = TestBus.start(servers)) {
      bus.awaitState("asleep-late", "FAILED");
      for (String id : List.of("asleep-late", "asleep-lazy")) {
        McpFailure refused = bus.failure("mcp." + id + ".tools.list", new JsonObject());
        assertThat(refused.code()).isEqualTo(FailureCode.UNAVAILABLE);
        assertThat(refused).hasMessageContaining("does not want it connected now");
        PatientStrategy.AWAKE.add(id);
        JsonObject tools = bus.request("mcp." + id + ".tools.list", new JsonObject());
        assertThat(tools.getJsonArray("tools")).isNotEmpty();
        assertThat(bus.status(id).getString("state")).isEqualTo("READY");
      }
      assertThat(bus.events(Events.GAVE_UP)).as("one for each, not one for each call").hasSize(2);
    } finally {
      PatientStrategy.AWAKE.clear();
    }
  }

  @Test
  void an_unknown_strategy_lists_those_that_there_are() {
    assertThat(serverProblem("{\"command\": \"x\", \"restart\": {\"strategy\": \"hasty\"}}"))
        .endsWith("\"restart.strategy\" cannot be \"hasty\". Use one of configured, patient");
    assertThat(
            readServer("{\"command\": \"x\", \"restart\": {\"strategy\": \"configured\"}}")
                .problems())
        .isEmpty();
  }

  // Token stores.

  @Test
  void tokens_are_kept_where_the_server_says() throws Exception {
    Vertx vertx = Vertx.vertx();
    try (OAuthWorld world = new OAuthWorld(vertx)) {
      HttpOptions options =
          (HttpOptions)
              goodServer(
                      "{\"url\": \""
                          + world.url()
                          + "\", \"listen\": false, \"oauth\": {\"grant\": \"client_credentials\","
                          + " \"clientId\": \"m\", \"clientSecret\": \"s\", \"tokenStore\":"
                          + " \"drawer\"}}")
                  .transport();
      ChannelProbe probe =
          ChannelProbe.open(
              vertx,
              BuiltInTransports.create(
                  vertx, options, OAuthAuthenticators.ofVariables(vertx, Map.of())));
      probe.call(1, "tools/list");
      Awaitility.await().until(() -> DrawerStore.SAVED.toString().contains("token"));
      probe.close();
      OAuthAuthenticators stuck =
          OAuthAuthenticators.ofVariables(vertx, Map.of("DRAWER_STUCK", "1"));
      assertThatThrownBy(() -> BuiltInTransports.create(vertx, options, stuck))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessage("token store \"drawer\": the drawer is stuck; unset DRAWER_STUCK");
    } finally {
      await(vertx.close());
    }
  }

  @Test
  void an_unknown_token_store_lists_those_that_there_are() {
    assertThat(
            serverProblem(
                "{\"url\": \"https://e.invalid/mcp\", \"oauth\": {\"tokenStore\": \"hat\"}}"))
        .endsWith(
            "\"oauth.tokenStore\" cannot be \"hat\". Use one of cluster, drawer, file, memory");
  }

  // Names.

  @Test
  void names_are_formed_by_the_policy_and_what_it_cannot_name_is_reported() {
    McpBusConfig config =
        good(
            "{\"catalog\": {\"names\": \"slash\"}, \"mcpServers\": {\"one\": {\"url\":"
                + " \"carrier://x\"}}}");
    Vertx vertx = Vertx.vertx();
    McpBus bus =
        await(
            TestOptions.of(
                    config.servers(),
                    SupervisorOptions.DEFAULT,
                    null,
                    ServerEntryReader.in(
                        folder, ConfigEnvironment.system(), ServerSettings.DEFAULT))
                .withNames(config.names())
                .withSearch(config.search())
                .start(vertx));
    RawServer two = RawServer.of("two", "1");
    for (String name : List.of("good", "lost", "bad")) {
      two.tool(
          name,
          "",
          new JsonObject().put("type", "object"),
          (request, arguments) -> Future.succeededFuture(ToolResult.text(name)));
    }
    try {
      await(bus.add("two", two.inMemory(vertx.getOrCreateContext())));
      Awaitility.await()
          .until(() -> listed(bus).getJsonArray("tools", new JsonArray()).size() == 2);
      JsonObject list = listed(bus);
      assertThat(list.getJsonArray("tools").encode()).contains("\"one/where\"", "\"two/good\"");
      assertThat(list.getJsonObject("_meta").encode())
          .contains("lost", "bad", "the name policy \\\"slash\\\" has no name");
      assertThat(call(bus, "two/good").encode()).contains("good");
      assertThatThrownBy(() -> call(bus, "two.good"))
          .isInstanceOf(McpFailure.class)
          .hasMessageContaining("write server/tool");
      assertThatThrownBy(() -> call(bus, "")).isInstanceOf(McpFailure.class);
      assertThatThrownBy(() -> call(bus, "two/goood")).hasMessageContaining("two/good?");
    } finally {
      await(bus.close());
      await(vertx.close());
    }
  }

  private static JsonObject listed(McpBus bus) {
    return await(bus.eventBus().<JsonObject>request(Addresses.ALL_TOOLS_LIST, new JsonObject()))
        .body();
  }

  private static JsonObject call(McpBus bus, String name) {
    return await(
            bus.eventBus()
                .<JsonObject>request(Addresses.ALL_TOOLS_CALL, new JsonObject().put("name", name)))
        .body();
  }

  @Test
  void an_unknown_policy_lists_those_that_there_are() {
    assertThat(problem("{\"catalog\": {\"names\": \"latin\"}, \"mcpServers\": {}}"))
        .endsWith("\"catalog.names\" cannot be \"latin\". Use one of dotted, slash");
  }
}
