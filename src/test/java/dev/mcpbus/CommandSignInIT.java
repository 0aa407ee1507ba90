package dev.mcpbus;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.mcpbus.testing.CallerServer;
import dev.mcpbus.testing.FormBrowser;
import dev.mcpbus.testing.Http;
import dev.mcpbus.testing.IdentityProvider;
import dev.mcpbus.testing.ServiceProcess;
import dev.mcpbus.testing.TestBus;
import io.vertx.core.Vertx;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * A person signs in from the command line at a real mcpbus, whose identity provider other people
 * wrote; each command is a process of the executable jar.
 */
class CommandSignInIT {

  private static final Duration PATIENCE = Duration.ofSeconds(60);

  @TempDir static Path home;

  private static IdentityProvider provider;
  private static Vertx vertx;
  private static McpBus bus;
  private static String url;

  @BeforeAll
  static void start() {
    provider = new IdentityProvider();
    JsonObject signIn =
        new JsonObject()
            .put(
                "provider",
                new JsonObject()
                    .put("issuer", provider.issuer())
                    .put("clientId", "mcpbus")
                    .put("clientSecret", IdentityProvider.SECRET)
                    .put("scopes", new JsonArray().add("email").add("groups")))
            .put("accessToken", "10s");
    vertx = Vertx.vertx();
    bus =
        TestBus.await(
            McpBus.start(
                vertx,
                McpBus.Options.of(
                        new JsonObject().put("auth", new JsonObject().put("signIn", signIn)))
                    .withServer("caller", CallerServer.stdio("both", CallerServer.secret("carol")))
                    .withPort(0)));
    TestBus.await(bus.awaitReady(PATIENCE, "caller"));
    url = "http://127.0.0.1:" + bus.port();
  }

  @AfterAll
  static void close() {
    TestBus.await(bus.close());
    TestBus.await(vertx.close());
    provider.close();
  }

  private static ServiceProcess begun(String... args) {
    List<String> all = new ArrayList<>(List.of(args));
    all.add("--url=" + url);
    return ServiceProcess.start(home, List.of("-Duser.home=" + home), all.toArray(String[]::new));
  }

  /** What a command says on stdout until it ends so. */
  private static String ends(int code, ServiceProcess command) {
    try (command) {
      assertThat(command.awaitExit(PATIENCE)).as("%s", command.errText()).isEqualTo(code);
      return command.outText();
    }
  }

  private static JsonObject kept() {
    try (Stream<Path> files = Files.list(home.resolve(".mcpbus/sign-ins"))) {
      Path file = files.filter(one -> !one.toString().endsWith(".lock")).findFirst().orElseThrow();
      assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(file)))
          .isEqualTo("rw-------");
      return new JsonObject(Files.readString(file));
    } catch (IOException e) {
      throw new AssertionError(e);
    }
  }

  private static void untilRefused(String token) {
    await("the end of a token")
        .atMost(PATIENCE)
        .until(() -> Http.get(bus.port(), "/api/caller", Http.admin(token)).status() == 401);
  }

  private static String signIn(String person, String... more) {
    List<String> args = new ArrayList<>(List.of("login"));
    args.addAll(List.of(more));
    ServiceProcess login = begun(args.toArray(String[]::new));
    String page = url + "/oauth/device?user_code=";
    await("the page").atMost(PATIENCE).until(() -> login.outText().contains(page));
    String text = login.outText();
    int at = text.indexOf(page);
    String link = text.substring(at, at + page.length() + "ABCD-EFGH".length());
    assertThat(new FormBrowser().signIn(URI.create(link), person).html())
        .contains("You are logged in");
    return ends(0, login);
  }

  @Test
  void a_person_signs_in_lists_calls_stays_logged_in_and_logs_out() {
    assertThat(ends(3, begun("tools"))).isEmpty();

    assertThat(signIn("alice")).contains("You are logged in at " + url + " as user:alice.");
    JsonObject first = kept();
    String token = first.getString("accessToken");
    assertThat(IdentityProvider.claims(token).getString("aud")).isEqualTo(url);
    assertThat(ends(0, begun("tools"))).contains("caller.whoami");
    assertThat(ends(0, begun("call", "caller.whoami"))).contains("carol");

    untilRefused(token);
    List<ServiceProcess> atOnce =
        Stream.generate(() -> begun("whoami", "--json")).limit(4).toList();
    for (ServiceProcess command : atOnce) {
      assertThat(ends(0, command)).contains("user:alice");
    }
    JsonObject second = kept();
    assertThat(second.getString("refreshToken")).isNotEqualTo(first.getString("refreshToken"));
    // A token that was used twice would end the login now.
    untilRefused(second.getString("accessToken"));
    assertThat(ends(0, begun("whoami"))).contains("user:alice");

    JsonObject last = kept();
    assertThat(ends(0, begun("logout"))).contains("You are logged out at " + url + ".");
    untilRefused(last.getString("accessToken"));
    Map<String, String> renewal =
        Map.of(
            "grant_type",
            "refresh_token",
            "client_id",
            last.getString("clientId"),
            "refresh_token",
            last.getString("refreshToken"));
    assertThat(Http.post(bus.port(), "/oauth/token", FormBrowser.encoded(renewal)).body())
        .contains("invalid_grant");
    ServiceProcess refused = begun("whoami");
    assertThat(ends(3, refused)).isEmpty();
    assertThat(refused.errText()).contains("mcpbus login");
  }

  @Test
  void a_program_gets_the_page_and_the_name_as_json() {
    String out = signIn("bob", "--json");
    assertThat(new JsonObject(out.substring(0, out.indexOf('\n'))).getMap())
        .containsOnlyKeys("page", "until");
    assertThat(new JsonObject(out.substring(out.indexOf('\n'))))
        .isEqualTo(new JsonObject().put("url", url).put("loggedIn", true).put("name", "user:bob"));
    assertThat(new JsonObject(ends(0, begun("logout", "--json"))).getBoolean("revoked")).isTrue();
  }
}
