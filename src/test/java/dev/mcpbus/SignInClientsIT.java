package dev.mcpbus;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.mcpbus.testing.CallerServer;
import dev.mcpbus.testing.FormBrowser;
import dev.mcpbus.testing.FreePorts;
import dev.mcpbus.testing.Http;
import dev.mcpbus.testing.IdentityProvider;
import dev.mcpbus.testing.McpHttp;
import dev.mcpbus.testing.NodeScript;
import dev.mcpbus.testing.SdkSignIn;
import dev.mcpbus.testing.TestBus;
import io.vertx.core.Vertx;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Clients that other people wrote sign in at mcpbus with their own OAuth code; people log in at an
 * identity provider that other people wrote. Each lists and calls, renews its token, and is refused
 * once its login was taken back.
 */
class SignInClientsIT {

  private static final Duration PATIENCE = Duration.ofSeconds(60);
  private static final String WHO = "caller__whoami";

  /** The server is everybody's, and has the secret of carol. */
  private static final String CAROL = "carol";

  private static final Pattern ACCESS_TOKEN = Pattern.compile("eyJ[\\w-]+\\.[\\w-]+\\.[\\w-]+");
  private static final Pattern REFRESH_TOKEN =
      Pattern.compile("refresh_?[tT]oken[\\\\\": ]+([\\w.-]{20,})");
  private static final Pattern LOGIN = Pattern.compile("http://\\S+/oauth/authorize\\?\\S+");

  @TempDir static Path folder;

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
            .put("accessToken", "6s");
    vertx = Vertx.vertx();
    bus =
        TestBus.await(
            McpBus.start(
                vertx,
                McpBus.Options.of(
                        new JsonObject().put("auth", new JsonObject().put("signIn", signIn)))
                    .withServer("caller", CallerServer.stdio("both", CallerServer.secret(CAROL)))
                    .withPort(0)));
    TestBus.await(bus.awaitReady(PATIENCE, "caller"));
    url = "http://127.0.0.1:" + bus.port() + "/mcp";
  }

  @AfterAll
  static void close() {
    TestBus.await(bus.close());
    TestBus.await(vertx.close());
    provider.close();
  }

  /** Tokens are for {@code /mcp} alone: that is what these clients ask for. */
  private static void untilRefused(String token) {
    McpHttp door = new McpHttp(bus.port(), "/mcp");
    await("the end of a token")
        .atMost(PATIENCE)
        .until(
            () ->
                door.post(
                            door.request("ping", new JsonObject()),
                            "Authorization",
                            "Bearer " + token)
                        .status()
                    == 401);
  }

  private static void takeBack(String client, String token) {
    Map<String, String> form = Map.of("client_id", client, "token", token);
    assertThat(Http.post(bus.port(), "/oauth/revoke", FormBrowser.encoded(form)).status())
        .isEqualTo(200);
  }

  @ParameterizedTest(name = "{0} client of the TypeScript SDK")
  @ValueSource(strings = {"v1", "v2-modern"})
  void a_typescript_sdk_signs_in_and_its_person_is_the_caller(String kind) {
    try (SdkSignIn client = new SdkSignIn(kind, url)) {
      client.signIn("alice");
      JsonObject claims = IdentityProvider.claims(client.tokens().getString("access_token"));
      assertThat(claims.getString("sub")).isEqualTo("user:alice");
      assertThat(claims.getString("aud")).isEqualTo(url);
      assertThat(client.tools()).contains(WHO);
      assertThat(client.call(WHO)).isEqualTo(CAROL);

      int before = client.saved().size();
      client.spoil();
      assertThat(client.call(WHO)).isEqualTo(CAROL);
      assertThat(client.saved()).hasSizeGreaterThan(before);
    }
  }

  @Tag("release")
  @ParameterizedTest(name = "{0} client of the TypeScript SDK")
  @ValueSource(strings = {"v1", "v2-legacy", "v2-modern"})
  void a_typescript_sdk_renews_its_token_until_its_login_is_taken_back(String kind) {
    try (SdkSignIn client = new SdkSignIn(kind, url)) {
      client.signIn("bob");
      untilRefused(client.tokens().getString("access_token"));
      assertThat(client.call(WHO)).isEqualTo(CAROL);
      JsonObject tokens = client.tokens();

      takeBack(tokens.getString("client_id"), tokens.getString("refresh_token"));
      untilRefused(tokens.getString("access_token"));
      assertThat(client.refusedCall(WHO)).contains("Unauthorized");
    }
  }

  @Tag("release")
  @Test
  void mcp_remote_signs_in_for_a_client_over_stdio() {
    Path home = folder.resolve("mcp-remote");
    try (NodeScript client = NodeScript.of("mcp-remote/dist/proxy.js", env(home), url)) {
      client.send(
          request(
              1,
              "initialize",
              new JsonObject()
                  .put("protocolVersion", "2025-11-25")
                  .put("capabilities", new JsonObject())
                  .put("clientInfo", new JsonObject().put("name", "test").put("version", "1"))));
      String clientId = logIn(client, "bob");
      assertThat(answer(client, 1).encode()).contains("mcpbus");
      client.send(request(2, "tools/list", new JsonObject()));
      assertThat(answer(client, 2).encode()).contains(WHO);

      untilRefused(stored(home, ACCESS_TOKEN).get(0));
      JsonObject call = new JsonObject().put("name", WHO).put("arguments", new JsonObject());
      client.send(request(3, "tools/call", call));
      assertThat(answer(client, 3).encode()).contains(CAROL);
      client.complains(line -> line.contains("Refreshed the access token"));

      int lines = client.err().size();
      stored(home, REFRESH_TOKEN).forEach(token -> takeBack(clientId, token));
      stored(home, ACCESS_TOKEN).forEach(SignInClientsIT::untilRefused);
      client.send(request(4, "tools/call", call));
      await("a second login")
          .atMost(PATIENCE)
          .until(
              () -> {
                List<String> err = List.copyOf(client.err());
                return err.subList(lines, err.size()).stream().anyMatch(LOGIN.asPredicate());
              });
    }
  }

  private static JsonObject request(int id, String method, JsonObject params) {
    return new JsonObject()
        .put("jsonrpc", "2.0")
        .put("id", id)
        .put("method", method)
        .put("params", params);
  }

  private static JsonObject answer(NodeScript client, int id) {
    return new JsonObject(client.next(line -> line.contains("\"id\":" + id)));
  }

  @Tag("release")
  @Test
  void mcpc_logs_in_and_its_sessions_go_on() {
    Path home = folder.resolve("mcpc");
    String clientId;
    try (NodeScript login = mcpc(home, "login", url)) {
      clientId = logIn(login, "bob");
      assertThat(login.exit()).isZero();
    }
    // Its background process has 5 s to start, which no option changes.
    await("mcpc to connect")
        .atMost(PATIENCE)
        .until(() -> ends(mcpc(home, "connect", url, "@one"), 0).startsWith("{"));
    try {
      assertThat(ends(mcpc(home, "@one", "tools-list"), 0)).contains(WHO);
      String first = stored(home, ACCESS_TOKEN).get(0);
      untilRefused(first);
      assertThat(ends(mcpc(home, "@one", "tools-call", WHO), 0)).contains(CAROL);
      assertThat(stored(home, ACCESS_TOKEN)).doesNotContain(first);

      stored(home, REFRESH_TOKEN).forEach(token -> takeBack(clientId, token));
      stored(home, ACCESS_TOKEN).forEach(SignInClientsIT::untilRefused);
      try (NodeScript call = mcpc(home, "@one", "tools-call", WHO)) {
        assertThat(call.exit()).isNotZero();
        assertThat(call.err().toString() + call.out()).contains("login");
      }
    } finally {
      ends(mcpc(home, "close", "@one"), 0);
    }
  }

  private static NodeScript mcpc(Path home, String... args) {
    List<String> all = new ArrayList<>(List.of("--json"));
    all.addAll(List.of(args));
    return NodeScript.of("@apify/mcpc/bin/mcpc", env(home), all.toArray(String[]::new));
  }

  @Tag("release")
  @Test
  void the_inspector_logs_in_and_keeps_its_login() {
    Path home = folder.resolve("inspector");
    String clientId;
    try (NodeScript list = inspector(home, "tools/list")) {
      clientId = logIn(list, "bob");
      assertThat(list.exit()).isZero();
      assertThat(list.out().toString()).contains(WHO);
    }
    String first = stored(home, ACCESS_TOKEN).get(0);
    untilRefused(first);
    String[] call = {"tools/call", "--tool-name", WHO, "--stored-auth-only"};
    assertThat(ends(inspector(home, call), 0)).contains(CAROL);
    assertThat(stored(home, ACCESS_TOKEN)).doesNotContain(first);

    stored(home, REFRESH_TOKEN).forEach(token -> takeBack(clientId, token));
    stored(home, ACCESS_TOKEN).forEach(SignInClientsIT::untilRefused);
    try (NodeScript refused = inspector(home, call)) {
      assertThat(refused.exit()).isEqualTo(3);
      assertThat(refused.err().toString()).contains("auth_required");
    }
  }

  private static NodeScript inspector(Path home, String... method) {
    List<String> all =
        new ArrayList<>(
            List.of(
                "--cli",
                "--transport",
                "http",
                "--server-url",
                url,
                "--callback-url",
                "http://127.0.0.1:" + FreePorts.one() + "/oauth/callback",
                "--method"));
    all.addAll(List.of(method));
    return NodeScript.of(
        "@modelcontextprotocol/inspector/clients/launcher/build/index.js",
        env(home),
        all.toArray(String[]::new));
  }

  /** What a program says on stdout until it ends so. */
  private static String ends(NodeScript program, int exit) {
    try (program) {
      assertThat(program.exit()).as("%s %s", program.out(), program.err()).isEqualTo(exit);
      return String.join("\n", program.out());
    }
  }

  /**
   * A person goes to the address that a client prints, and ends at the page of the client's own.
   *
   * @return the client's id
   */
  private static String logIn(NodeScript client, String person) {
    Matcher login = LOGIN.matcher(client.complains(LOGIN.asPredicate()));
    assertThat(login.find()).isTrue();
    URI address = URI.create(login.group());
    assertThat(new FormBrowser().signIn(address, person).status()).isEqualTo(200);
    return IdentityProvider.parameter(address, "client_id");
  }

  /** No client opens a browser of the person who runs the tests, or knows of his logins. */
  private static Map<String, String> env(Path home) {
    Map<String, String> env = new HashMap<>();
    env.put("HOME", home.toString());
    env.put("MCPC_HOME_DIR", home.resolve("mcpc").toString());
    env.put("MCP_AUTO_OPEN_ENABLED", "true");
    env.put("MCP_INSPECTOR_SECRET_STORE", "file");
    env.put("BROWSER", "/bin/true");
    env.put("XDG_CURRENT_DESKTOP", "X-Generic");
    env.put("DISPLAY", "");
    env.put("DBUS_SESSION_BUS_ADDRESS", "");
    return env;
  }

  /** What a client keeps in its files. */
  private static List<String> stored(Path home, Pattern token) {
    List<String> found = new ArrayList<>();
    try (Stream<Path> files = Files.walk(home)) {
      for (Path file : files.filter(Files::isRegularFile).toList()) {
        Matcher one = token.matcher(Files.readString(file));
        while (one.find()) {
          found.add(one.group(one.groupCount()));
        }
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    assertThat(found).isNotEmpty();
    return found;
  }
}
