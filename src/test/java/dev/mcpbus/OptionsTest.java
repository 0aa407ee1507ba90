package dev.mcpbus;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import dev.mcpbus.bridge.options.BridgeOptions;
import dev.mcpbus.bus.McpFailure;
import dev.mcpbus.bus.NamePolicy;
import dev.mcpbus.config.RpcLogMode;
import dev.mcpbus.config.ServerDefinition;
import dev.mcpbus.connection.options.PinStore;
import dev.mcpbus.protocol.Sensitive;
import dev.mcpbus.testing.TestBus;
import dev.mcpbus.transport.Authenticator;
import dev.mcpbus.transport.AuthenticatorFactory;
import dev.mcpbus.transport.EmbeddedTransportOptions;
import dev.mcpbus.transport.HttpOptions;
import dev.mcpbus.transport.Transport;
import dev.mcpbus.transport.memory.InMemoryTransport;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.slf4j.LoggerFactory;

/** The ways to make {@link McpBus.Options}. */
class OptionsTest {

  private static final JsonObject CAT = new JsonObject().put("command", "cat");

  private static final Vertx VERTX = Vertx.vertx();

  /** Is never opened here. */
  private static final Transport OWN =
      new InMemoryTransport(
          "own",
          VERTX.getOrCreateContext(),
          channel -> {
            throw new AssertionError("opened");
          });

  @TempDir Path folder;

  @AfterAll
  static void end() {
    TestBus.await(VERTX.close());
  }

  @Test
  void a_file_gives_its_servers_and_settings() throws IOException {
    McpBus.Options options =
        McpBus.Options.of(
            file(
                """
                {
                  // Comments are fine.
                  "mcpServers": {"cat": {"command": "cat"}, "docs": {"url": "http://127.0.0.1:1/mcp"}},
                  "catalog": {"search": true},
                  "supervisor": {"startConcurrency": 3}
                }
                """));

    assertThat(options.servers()).containsExactly("cat", "docs");
    assertThat(options.settings().search()).isTrue();
    assertThat(options.settings().supervisor().startConcurrency()).isEqualTo(3);
    assertThat(options.settings().bridge()).isNull();
    assertThat(options.problems()).isEmpty();
  }

  @Test
  void a_server_with_a_mistake_is_left_out_and_the_problems_name_it() throws IOException {
    McpBus.Options options =
        McpBus.Options.of(
            file("{\"mcpServers\": {\"cat\": {\"command\": \"cat\"}, \"none\": {\"args\": []}}}"));

    assertThat(options.servers()).containsExactly("cat");
    assertThat(options.problems())
        .isNotEmpty()
        .allSatisfy(problem -> assertThat(problem.server()).isEqualTo("none"));
    assertThat(options.withPort(0).problems())
        .as("the line of the file stays")
        .isEqualTo(options.problems());
  }

  @Test
  void a_file_that_cannot_be_used_is_refused_with_its_mistakes() throws IOException {
    Path broken = file("{\"mcpServers\": ");

    assertThatThrownBy(() -> McpBus.Options.of(broken))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("mcp.json:1");
    assertThatThrownBy(() -> McpBus.Options.of(folder.resolve("missing.json")))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("does not exist");
  }

  @Test
  void a_document_is_read_like_a_file() {
    JsonObject servers = new JsonObject().put("cat", CAT);

    McpBus.Options silent = McpBus.Options.of(new JsonObject().put("mcpServers", servers));
    McpBus.Options served =
        McpBus.Options.of(
            new JsonObject()
                .put("mcpServers", servers)
                .put("bridge", new JsonObject().put("port", 0)));

    assertThat(silent.servers()).containsExactly("cat");
    assertThat(silent.settings().bridge()).isNull();
    assertThat(served.settings().bridge()).isEqualTo(BridgeOptions.DEFAULT.withPort(0));
  }

  @Test
  void a_document_may_be_without_servers_but_not_with_a_misspelt_key() {
    assertThat(McpBus.Options.of(new JsonObject()).servers()).isEmpty();
    assertThat(
            McpBus.Options.of(new JsonObject().put("bridge", new JsonObject().put("port", 0)))
                .settings()
                .bridge())
        .isNotNull();
    assertThatThrownBy(() -> McpBus.Options.of(new JsonObject().put("mcpServer", new JsonObject())))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("mcpServers");
  }

  @Test
  void entries_are_added_one_by_one() {
    McpBus.Options options =
        McpBus.Options.of()
            .withServer("cat", CAT)
            .withServer("docs", Servers.http("http://127.0.0.1:1/mcp"))
            .withPort(0);

    assertThat(options.servers()).containsExactly("cat", "docs");
    assertThat(options.settings().bridge()).isEqualTo(BridgeOptions.DEFAULT.withPort(0));
    assertThatThrownBy(() -> options.withServer("none", new JsonObject()))
        .isInstanceOf(McpFailure.class)
        .hasMessageStartingWith("server \"none\": the entry does not say how to reach the server");
  }

  @Test
  void names_that_mean_one_server_are_refused_at_once_in_the_words_of_the_file() {
    McpBus.Options options = McpBus.Options.of().withServer("git", CAT);
    String words = "these names mean the same server \"git\": \"git\", \"GIT\"";

    assertThatThrownBy(() -> options.withServer("GIT", CAT))
        .isInstanceOf(McpFailure.class)
        .hasMessageContaining(words);
    assertThatThrownBy(() -> options.withServer("GIT", Servers.transport(OWN)))
        .hasMessageContaining(words);
    assertThatThrownBy(
            () ->
                McpBus.Options.of()
                    .withServer("git", Servers.transport(OWN))
                    .withServer("GIT", CAT))
        .hasMessageContaining(words);
    assertThatThrownBy(() -> options.withServer("git", CAT))
        .hasMessageContaining("there is a server \"git\" already. Choose another name");
    assertThatThrownBy(
            () ->
                McpBus.Options.of(
                    new JsonObject()
                        .put("mcpServers", new JsonObject().put("git", CAT).put("GIT", CAT))))
        .hasMessageContaining(words);
  }

  @Test
  void servers_that_a_new_section_leaves_out_are_told_once() {
    ListAppender<ILoggingEvent> logged = new ListAppender<>();
    logged.start();
    Logger logger = (Logger) LoggerFactory.getLogger("dev.mcpbus");
    logger.addAppender(logged);
    try {
      McpBus.Options options =
          McpBus.Options.of()
              .with("mcpServers", new JsonObject().put("empty", new JsonObject()))
              .withPort(0);

      assertThat(options.servers()).isEmpty();
      assertThat(logged.list)
          .singleElement()
          .asString()
          .contains("servers with mistakes are left out", "\"empty\"");
    } finally {
      logger.detachAppender(logged);
    }
  }

  @Test
  void a_section_is_read_as_in_a_file_and_names_its_mistakes() {
    McpBus.Options options =
        McpBus.Options.of()
            .withServer("cat", CAT)
            .with("supervisor", new JsonObject().put("startConcurrency", 3))
            .with("defaults", new JsonObject().put("timeout", "7s"));

    assertThat(options.settings().supervisor().startConcurrency()).isEqualTo(3);
    assertThat(definition(options, "cat").connection().requestTimeout())
        .as("the defaults are those of servers that were there before, too")
        .isEqualTo(Duration.ofSeconds(7));
    assertThat(options.with("supervisor", null).settings().supervisor().startConcurrency())
        .isEqualTo(16);
    assertThatThrownBy(() -> options.with("supervisr", new JsonObject()))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("Did you mean \"supervisor\"");
    assertThatThrownBy(() -> options.with("bridge", new JsonObject().put("port", 70_000)))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("bridge.port");
  }

  @Test
  void the_document_comes_out_as_it_went_in_and_is_a_copy() {
    JsonObject document =
        new JsonObject()
            .put(
                "mcpServers",
                new JsonObject()
                    .put("cat", CAT.copy().put("env", new JsonObject().put("K", "${X:-y}"))))
            .put("gateway", new JsonObject().put("pageSize", 7));
    McpBus.Options options = McpBus.Options.fromJson(document);

    assertThat(options.toJson()).isEqualTo(document);
    options.toJson().getJsonObject("mcpServers").clear();
    document.clear();
    assertThat(options.toJson().getJsonObject("mcpServers").fieldNames()).containsExactly("cat");
    assertThat(McpBus.Options.fromJson(options.withSearch(true).toJson()).settings().search())
        .isTrue();
    assertThat(options.toString()).contains("cat").doesNotContain("${X");
  }

  @Test
  void a_file_of_another_program_takes_sections_and_comes_out_in_our_keys() throws IOException {
    McpBus.Options options =
        McpBus.Options.of(
                file("{\"servers\": {\"docs\": {\"type\": \"http\", \"url\": \"http://h/mcp\"}}}"))
            .withServer("cat", CAT)
            .withSearch(true);

    assertThat(options.servers()).containsExactly("docs", "cat");
    assertThat(options.toJson().getJsonObject("mcpServers").fieldNames())
        .containsExactly("docs", "cat");
    assertThat(options.settings().search()).isTrue();

    McpBus.Options seeds =
        McpBus.Options.of(
            Files.writeString(
                folder.resolve("mcp.yaml"),
                "mcp_servers:\n  git:\n    command: cat\n    timeout: 9\n"));
    assertThat(seeds.toJson().getJsonObject("mcpServers").getJsonObject("git").getString("timeout"))
        .isEqualTo("9s");
    assertThat(definition(seeds.withPort(0), "git").connection().requestTimeout())
        .isEqualTo(Duration.ofSeconds(9));
  }

  @Test
  void what_json_cannot_say_stays_when_a_section_changes() {
    PinStore pins = PinStore.inMemory();
    McpBus.Options options =
        McpBus.Options.of()
            .withServer("own", Servers.transport(OWN).timeout(Duration.ofSeconds(3)))
            .withPins(pins)
            .withNames(NamePolicy.DOTTED)
            .with(
                "gateway",
                new JsonObject()
                    .put(
                        "views",
                        new JsonObject()
                            .put(
                                "mine",
                                new JsonObject().put("servers", new JsonArray().add("own")))))
            .withRpcLog(RpcLogMode.BUS);

    assertThat(options.settings().pins()).isSameAs(pins);
    ServerDefinition own = definition(options, "own");
    assertThat(own.transport()).isEqualTo(new EmbeddedTransportOptions(OWN));
    assertThat(own.rpcLog()).isEqualTo(RpcLogMode.BUS);
    assertThat(own.connection().requestTimeout()).isEqualTo(Duration.ofSeconds(3));
    assertThat(own.origin()).as("no other node can read it").isNull();
    assertThat(options.toJson().getJsonObject("mcpServers")).isEmpty();
  }

  @Test
  void credentials_of_the_program_come_before_those_of_an_entry() {
    Authenticator own =
        new Authenticator() {
          @Override
          public Future<Map<String, Sensitive>> headers() {
            return Future.succeededFuture(Map.of());
          }

          @Override
          public Future<Boolean> challenged(Challenge challenge) {
            return Future.succeededFuture(false);
          }
        };
    AuthenticatorFactory made =
        McpBus.Options.of()
            .withCredentials(
                (server, url) ->
                    server.equals("a") && url.reveal().equals("https://h/mcp") ? own : null)
            .settings()
            .authenticators()
            .apply(VERTX);

    assertThat(made.create("a", HttpOptions.of(URI.create("https://h/mcp")))).isSameAs(own);
    assertThat(made.create("b", HttpOptions.of(URI.create("https://h/mcp")))).isNull();
    assertThat(made.create("a", HttpOptions.of(URI.create("https://other/mcp")))).isNull();
  }

  @Test
  void an_entry_that_was_built_is_that_of_a_file() {
    Servers entry =
        Servers.stdio("npx")
            .args("-y", "@scope/server")
            .env("TOKEN", "s3cret")
            .env("MODE", "fast")
            .cwd(Path.of("/tmp"))
            .timeout(Duration.ofSeconds(20))
            .lazy(true)
            .restart(new JsonObject().put("type", "temporary"))
            .drain(Duration.ofMillis(300))
            .rpcLog(RpcLogMode.ON)
            .toolsOnly(true)
            .pin(true)
            .capabilities("elicitation.form")
            .labels("gpu")
            .set("maxPending", 5);
    JsonObject written =
        new JsonObject(
            """
            {"command": "npx", "args": ["-y", "@scope/server"],
             "env": {"TOKEN": "s3cret", "MODE": "fast"}, "cwd": "/tmp", "timeout": "20000ms",
             "lazy": true, "restart": {"type": "temporary"}, "drain": "300ms", "rpcLog": "on",
             "toolsOnly": true, "pin": true, "capabilities": ["elicitation.form"],
             "labels": ["gpu"], "maxPending": 5}
            """);

    assertThat(entry.toJson()).isEqualTo(written);
    assertThat(Servers.fromJson(written).toJson()).isEqualTo(written);
    assertThat(entry.toString()).contains("command", "env").doesNotContain("s3cret", "npx");
    entry.toJson().getJsonObject("env").clear();
    assertThat(entry.toJson()).as("a copy").isEqualTo(written);
    ServerDefinition read = definition(McpBus.Options.of().withServer("s", entry), "s");
    assertThat(read.sameAs(definition(McpBus.Options.of().withServer("s", written), "s"))).isTrue();
    assertThat(read.connection().maxPending()).isEqualTo(5);
    assertThat(read.labels()).containsExactly("gpu");
    assertThat(Servers.http("https://h/mcp").header("A", "b").toJson())
        .isEqualTo(
            new JsonObject(
                Map.of("url", "https://h/mcp", "headers", new JsonObject().put("A", "b"))));
    assertThat(Servers.bus("a.b").set("lazy", true).set("lazy", null).toJson())
        .isEqualTo(new JsonObject().put("address", "a.b"));
  }

  @Test
  void a_transport_of_the_program_takes_settings_and_no_way_to_reach_a_server() {
    for (String key : List.of("command", "url", "headers", "type", "labels", "replicas")) {
      assertThatThrownBy(
              () -> McpBus.Options.of().withServer("own", Servers.transport(OWN).set(key, "x")))
          .isInstanceOf(McpFailure.class)
          .hasMessageContaining(
              "server \"own\": \"" + key + "\" has no meaning for a transport that the program");
    }
    ServerDefinition own =
        definition(
            McpBus.Options.of()
                .withServer(
                    "own",
                    Servers.transport(OWN)
                        .lazy(true)
                        .drain(Duration.ofSeconds(1))
                        .restart(new JsonObject().put("type", "temporary"))
                        .set("disabledTools", new JsonArray().add("rm"))),
            "own");
    assertThat(own.connection().lazy()).isTrue();
    assertThat(own.connection().tools().isOpen()).isFalse();
    assertThat(own.drain()).isEqualTo(Duration.ofSeconds(1));
    assertThat(own.restart().type().name()).isEqualTo("TEMPORARY");
  }

  @Test
  void a_thousand_servers_are_added_in_the_time_of_a_thousand_entries() {
    McpBus.Options options = McpBus.Options.of();
    for (int i : IntStream.range(0, 1_000).toArray()) {
      options = options.withServer("s" + i, CAT);
    }

    assertThat(options.withSearch(true).servers()).hasSize(1_000);
  }

  @Test
  void a_bridge_beyond_loopback_needs_a_login_whatever_comes_first() {
    JsonObject open =
        new JsonObject()
            .put("host", "0.0.0.0")
            .put("allowedHosts", new JsonArray().add("mcp.example.com"));
    JsonObject keys =
        new JsonObject()
            .put(
                "apiKeys",
                new JsonArray()
                    .add(
                        new JsonObject()
                            .put("name", "ada")
                            .put("hash", "sha256:" + "0".repeat(64))));

    assertThatThrownBy(() -> McpBus.Options.of().with("bridge", open))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("let callers log in");
    McpBus.Options locked = McpBus.Options.of().with("auth", keys).with("bridge", open);
    assertThatThrownBy(() -> locked.with("auth", null))
        .isInstanceOf(IllegalArgumentException.class);
  }

  private static ServerDefinition definition(McpBus.Options options, String name) {
    return options.settings().servers().stream()
        .filter(one -> one.name().equals(name))
        .findFirst()
        .orElseThrow();
  }

  private Path file(String text) throws IOException {
    return Files.writeString(folder.resolve("mcp.json"), text);
  }
}
