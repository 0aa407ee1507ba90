package dev.mcpbus.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.mcpbus.testing.LoginPerson;
import dev.mcpbus.testing.OAuthWorld;
import dev.mcpbus.testing.TestBus;
import io.vertx.core.Vertx;
import io.vertx.core.json.JsonObject;
import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** The command at a server where each caller logs in itself. */
class CallerLoginCommandTest {

  private Vertx vertx;
  private OAuthWorld world;
  private TestBus bus;

  @BeforeEach
  void start() {
    vertx = Vertx.vertx();
    world = OAuthWorld.connectable(vertx);
    JsonObject demo = new JsonObject().put("type", "bus").put("address", "mcpbus.demo");
    bus =
        TestBus.startWithBridge(
            new JsonObject().put("crm", world.callersEntry()).put("demo", demo));
  }

  @AfterEach
  void stop() {
    bus.close();
    world.close();
    vertx.close().await();
  }

  private String url() {
    return "http://127.0.0.1:" + bus.port();
  }

  private CommandRun run(String... args) {
    return new CommandRun(Path.of("/nowhere"), Map.of(), "", args);
  }

  @Test
  void the_link_is_printed_and_the_command_ends_when_the_caller_has_logged_in() throws Exception {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    ByteArrayOutputStream err = new ByteArrayOutputStream();
    CommandContext context =
        CommandRun.context(Path.of("/nowhere"), Map.of(), "", out, err, new ArrayList<>());
    String[] args = {"login", "crm", "--as", "me", "--url", url()};
    CompletableFuture<Integer> login =
        CompletableFuture.supplyAsync(() -> McpBusCommand.execute(context, List.of(), args));
    String link =
        Awaitility.await()
            .until(
                () ->
                    out.toString(StandardCharsets.UTF_8)
                        .lines()
                        .filter(line -> line.startsWith(url() + "/login/"))
                        .findFirst()
                        .orElse(""),
                found -> !found.isEmpty());

    new LoginPerson().logsIn(link, "", "");

    int code = login.get(60, TimeUnit.SECONDS);
    assertThat(code).as(err.toString(StandardCharsets.UTF_8)).isZero();
    assertThat(out.toString(StandardCharsets.UTF_8)).contains("The server crm knows you now.");
    CommandRun again = run("login", "crm", "--url", url(), "--json");
    assertThat(new JsonObject(again.out()).getBoolean("loggedIn")).isTrue();
  }

  @Test
  void whose_login_it_is_has_to_be_what_the_entry_says() {
    assertThat(run("login", "crm", "--as", "mcpbus", "--url", url()).err()).contains("--as me");
    assertThat(run("login", "demo", "--as", "me", "--url", url()).err()).contains("--as mcpbus");
  }
}
