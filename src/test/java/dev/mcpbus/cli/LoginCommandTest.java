package dev.mcpbus.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.mcpbus.McpBus;
import dev.mcpbus.testing.OAuthWorld;
import io.vertx.core.Vertx;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.io.ByteArrayOutputStream;
import java.net.URI;
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

/** The command at a mcpbus whose server wants a person to log in. */
class LoginCommandTest {

  private Vertx vertx;
  private OAuthWorld world;
  private McpBus bus;

  @BeforeEach
  void start() {
    vertx = Vertx.vertx();
    world = OAuthWorld.connectable(vertx);
    JsonObject server = world.entry();
    JsonObject plain = new JsonObject().put("type", "bus").put("address", "mcpbus.demo");
    JsonObject scoped =
        server.copy().put("oauth", new JsonObject().put("scopes", new JsonArray().add("other")));
    JsonObject servers =
        new JsonObject()
            .put("wants-login", server)
            .put("twin", server.copy())
            .put("scoped", scoped)
            .put("demo", plain);
    bus =
        McpBus.start(
                vertx, McpBus.Options.of(new JsonObject().put("mcpServers", servers)).withPort(0))
            .await();
  }

  @AfterEach
  void stop() {
    bus.close().await();
    world.close();
    vertx.close().await();
  }

  private CommandRun run(String server, String... more) {
    String[] args = new String[more.length + 4];
    args[0] = "login";
    args[1] = server;
    args[2] = "--url";
    args[3] = "http://127.0.0.1:" + bus.port();
    System.arraycopy(more, 0, args, 4, more.length);
    return new CommandRun(Path.of("/nowhere"), variables(), "", args);
  }

  private Map<String, String> variables() {
    return Map.of("MCPBUS_KEY", String.valueOf(bus.adminToken()));
  }

  private ServiceClient client() {
    URI url = URI.create("http://127.0.0.1:" + bus.port());
    return new ServiceClient(url, bus.adminToken(), null);
  }

  @Test
  void the_page_is_printed_and_the_command_ends_when_the_person_has_logged_in() throws Exception {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    ByteArrayOutputStream err = new ByteArrayOutputStream();
    CommandContext context =
        CommandRun.context(Path.of("/nowhere"), variables(), "", out, err, new ArrayList<>());
    String[] args = {"login", "wants-login", "--url", "http://127.0.0.1:" + bus.port()};
    CompletableFuture<Integer> login =
        CompletableFuture.supplyAsync(() -> McpBusCommand.execute(context, List.of(), args));
    String page =
        Awaitility.await()
            .until(
                () ->
                    out.toString(StandardCharsets.UTF_8)
                        .lines()
                        .filter(line -> line.startsWith("http://"))
                        .findFirst()
                        .orElse(""),
                found -> !found.isEmpty());

    world.browse(URI.create(page));

    int code = login.get(60, TimeUnit.SECONDS);
    assertThat(code).as(err.toString(StandardCharsets.UTF_8)).isZero();
    assertThat(out.toString(StandardCharsets.UTF_8))
        .contains("wants-login is connected, you are logged in");
    CommandRun again = run("wants-login", "--json");
    assertThat(new JsonObject(again.out()).getBoolean("loggedIn")).isTrue();
  }

  private List<String> pages(String server) {
    return client().get("/api/logins").getJsonArray("logins").stream()
        .map(JsonObject.class::cast)
        .filter(login -> login.getString("server").equals(server))
        .map(login -> login.getString("page"))
        .toList();
  }

  @Test
  void a_page_is_listed_for_its_own_servers_and_only_while_it_waits() {
    Awaitility.await()
        .until(
            () ->
                pages("wants-login").size() == 1
                    && pages("twin").size() == 1
                    && pages("scoped").size() == 1);
    assertThat(pages("twin")).as("the same settings share a token").isEqualTo(pages("wants-login"));
    assertThat(pages("scoped")).isNotEqualTo(pages("wants-login"));
    assertThat(pages("scoped").get(0)).contains("scope=other");

    world.browse(URI.create(pages("wants-login").get(0)));

    Awaitility.await().until(() -> pages("wants-login").isEmpty() && pages("twin").isEmpty());
    Awaitility.await()
        .until(() -> client().get("/api/servers/twin").getString("state").equals("READY"));
    assertThat(pages("scoped")).hasSize(1);
    client().delete("/api/servers/scoped");
    assertThat(pages("scoped")).isEmpty();
  }

  @Test
  void a_server_without_a_url_has_no_login() {
    Awaitility.await()
        .until(() -> client().get("/api/servers/demo").getString("state").equals("READY"));
    assertThat(run("demo").out()).contains("no login is needed");
    assertThat(run("nowhere").code()).isEqualTo(2);
  }

  @Test
  void the_pages_are_for_admins_alone() {
    URI url = URI.create("http://127.0.0.1:" + bus.port());
    CommandRun stranger =
        new CommandRun(
            Path.of("/nowhere"),
            Map.of("MCPBUS_ADMIN_FOLDER", "/nowhere"),
            "",
            "login",
            "demo",
            "--url",
            url.toString(),
            "--json");
    assertThat(stranger.code()).isZero();
    JsonObject seen = new ServiceClient(url, null, null).get("/api/logins");
    assertThat(seen.getJsonArray("logins")).isEmpty();
  }
}
