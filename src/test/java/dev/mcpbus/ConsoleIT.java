package dev.mcpbus;

import static org.assertj.core.api.Assertions.assertThat;

import dev.mcpbus.bridge.options.BridgeOptions;
import dev.mcpbus.security.ApiKeys;
import dev.mcpbus.testing.CallerServer;
import dev.mcpbus.testing.Chromium;
import dev.mcpbus.testing.ClusterBed;
import dev.mcpbus.testing.ConsoleSignIn;
import dev.mcpbus.testing.FormBrowser;
import dev.mcpbus.testing.FreePorts;
import dev.mcpbus.testing.IdentityProvider;
import dev.mcpbus.testing.NpmServers;
import dev.mcpbus.testing.RawHttpServer;
import dev.mcpbus.testing.ServiceProcess;
import dev.mcpbus.testing.TestBus;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * The console in Chromium against the jar and real servers: {@code src/test/npm/console-walk.mjs}
 * has what is done and looked at. Screenshots are in {@code target/console}.
 */
class ConsoleIT {

  private static final SecureRandom RANDOM = new SecureRandom();
  private static final ApiKeys.Fresh ADMIN = ApiKeys.generate(RANDOM);
  private static final ApiKeys.Fresh CALLER = ApiKeys.generate(RANDOM);
  private static final ApiKeys.Fresh READER = ApiKeys.generate(RANDOM);

  private static final Path SHOTS = Path.of("target", "console").toAbsolutePath();
  private static final int LEAK_PORT = FreePorts.one();
  private static final int PORT = FreePorts.one();

  @TempDir private static Path folder;

  private static final RawHttpServer REGISTRY = RawHttpServer.answering(ConsoleIT::registered);

  private static ServiceProcess service;

  @BeforeAll
  static void start() throws IOException {
    Chromium.place();
    JsonObject servers =
        new JsonObject()
            .put("demo", new JsonObject().put("type", "bus").put("address", "mcpbus.demo"))
            .put("everything", everything().put("shared", true))
            .put("sessions", everything())
            .put("questions", questions())
            .put("hostile", hostile())
            .put("left", pages("left"))
            .put("right", pages("right"))
            .put(
                "app",
                NpmServers.stdio(
                    "@modelcontextprotocol/server-basic-vanillajs/dist/index.js", "--stdio"))
            .put("broken", new JsonObject().put("command", "/no/such/program"));
    JsonObject auth =
        new JsonObject()
            .put(
                "apiKeys",
                new JsonArray()
                    .add(key("root", ADMIN).put("admin", true))
                    .add(key("caller", CALLER))
                    .add(key("reader", READER)))
            .put(
                "policies",
                new JsonArray()
                    .add(policy("root"))
                    .add(policy("caller", "list", "call", "read", "get"))
                    .add(policy("reader", "list")));
    JsonObject file =
        new JsonObject()
            .put("mcpServers", servers)
            .put("auth", auth)
            .put("catalog", new JsonObject().put("registry", "http://127.0.0.1:" + REGISTRY.port()))
            .put("bridge", new JsonObject().put("port", PORT))
            .put("state", new JsonObject().put("dir", folder.resolve("state").toString()));
    Path config = Files.writeString(folder.resolve("mcpbus.json"), file.encodePrettily());
    service = ServiceProcess.start(folder, "run", "--config", config.toString());
    service.port();
  }

  /** A registry with one server. */
  private static void registered(RawHttpServer.Request request, RawHttpServer.Peer peer)
      throws IOException {
    if (!request.path().equals("/v0.1/servers/io.github.ada%2Fweather/versions/latest")) {
      peer.reply("404 Not Found", "{\"error\":\"Server not found\"}");
      return;
    }
    JsonObject npm =
        new JsonObject()
            .put("registryType", "npm")
            .put("identifier", "@ada/weather-mcp")
            .put("version", "1.2.0")
            .put("transport", new JsonObject().put("type", "stdio"));
    JsonObject server =
        new JsonObject()
            .put("name", "io.github.ada/weather")
            .put("description", "Tells the weather.")
            .put("version", "1.2.0")
            .put("packages", new JsonArray().add(npm));
    peer.json(new JsonObject().put("server", server).encode());
  }

  @AfterAll
  static void close() {
    REGISTRY.close();
    if (service != null) {
      service.close();
    }
  }

  private static JsonObject everything() {
    return NpmServers.stdio("@modelcontextprotocol/server-everything/dist/index.js");
  }

  private static JsonObject questions() {
    JsonObject entry = NpmServers.own("questions-server.mjs");
    entry.getJsonArray("args").add("http://127.0.0.1:" + PORT + "/health/live");
    return entry.put("shared", true);
  }

  private static JsonObject hostile() {
    JsonObject entry = NpmServers.own("hostile-server.mjs");
    entry.getJsonArray("args").add("http://127.0.0.1:" + LEAK_PORT + "/leak");
    return entry.put("pin", true);
  }

  private static JsonObject pages(String name) {
    JsonObject entry = NpmServers.own("pages-server.mjs");
    entry.getJsonArray("args").add(name);
    return entry.put("shared", true);
  }

  private static JsonObject key(String name, ApiKeys.Fresh key) {
    return new JsonObject().put("name", name).put("hash", key.hash());
  }

  private static JsonObject policy(String principal, String... actions) {
    JsonObject policy =
        new JsonObject().put("effect", "allow").put("principals", new JsonArray().add(principal));
    return actions.length == 0 ? policy : policy.put("actions", new JsonArray(List.of(actions)));
  }

  /** The file that the start names. */
  private static Path adminToken(ServiceProcess node) {
    Matcher place = Pattern.compile("send the key in (\\S+)").matcher(node.outText());
    assertThat(place.find()).as(node.outText()).isTrue();
    return Path.of(place.group(1));
  }

  /** Runs one part of the walk; what is not as it should be fails the test. */
  private static void walk(String part, int port, JsonObject more)
      throws IOException, InterruptedException {
    JsonObject given =
        new JsonObject()
            .put("base", "http://127.0.0.1:" + port)
            .put("shots", SHOTS.toString())
            .put("leakPort", LEAK_PORT)
            .put(
                "keys",
                new JsonObject()
                    .put("admin", ADMIN.key())
                    .put("caller", CALLER.key())
                    .put("reader", READER.key()))
            .mergeIn(more);
    Chromium.walk("console-walk.mjs", part, given, folder, Map.of());
  }

  @Tag("long")
  @ParameterizedTest
  @ValueSource(
      strings = {
        "login",
        "call",
        "ask",
        "questions",
        "crash",
        "hostile",
        "apps",
        "texts",
        "drift",
        "examine",
        "registry",
        "traffic",
        "editor",
        "keyboard",
        "credentials",
        "pages"
      })
  void the_console_is_as_the_walk_wants_it(String part) throws Exception {
    walk(part, service.port(), new JsonObject());
  }

  @Test
  void the_parts_that_need_no_page_do_what_they_should() throws Exception {
    String script = NpmServers.own("console-parts.mjs").getJsonArray("args").getString(0);
    String console = Path.of("src/main/resources/console").toAbsolutePath().toString();

    assertThat(NpmServers.run(folder, script, console)).contains("walked");
  }

  @Test
  void a_server_is_added_from_pasted_text_and_removed() throws Exception {
    walk("add", service.port(), new JsonObject().put("pasted", everything()));
  }

  @Test
  void an_app_of_a_server_is_shown_in_its_frame() throws Exception {
    walk("app", service.port(), new JsonObject().put("tool", "get-time"));
  }

  /** Tokens live for six seconds, so that they are renewed while the walk looks. */
  @ParameterizedTest
  @ValueSource(strings = {"signIn", "signInFaults", "link"})
  void a_person_signs_in_at_the_console_and_at_a_server_with_the_provider(String part)
      throws Exception {
    try (IdentityProvider provider = new IdentityProvider();
        CallerServer notes = CallerServer.ofTokens("modern", provider);
        TestBus bus = signIn(provider, notes)) {
      JsonObject more = new JsonObject().put("provider", provider.issuer());
      String base = "http://127.0.0.1:" + bus.port();
      Map<String, String> begin = ConsoleSignIn.request(base, "s".repeat(43));
      URI foreign = ConsoleSignIn.answer(base, "bob", begin);
      more.put("begin", FormBrowser.encoded(begin))
          .put("code", FormBrowser.field(foreign, "code"))
          .put("state", FormBrowser.field(foreign, "state"));
      walk(part, bus.port(), more);
    }
  }

  private static TestBus signIn(IdentityProvider provider, CallerServer notes) {
    JsonObject entry =
        new JsonObject()
            .put("url", notes.url().toString())
            .put("identity", "caller")
            .put("oauth", new JsonObject().put("scopes", new JsonArray().add("notes")));
    JsonObject servers =
        new JsonObject().put("notes", entry).put("everything", everything().put("shared", true));
    return TestBus.startWithAuth(
        servers,
        BridgeOptions.DEFAULT.withPort(0),
        ConsoleSignIn.auth(provider, Duration.ofSeconds(6)));
  }

  @Tag("release")
  @Test
  void a_node_that_is_drained_and_one_that_is_lost_are_seen(@TempDir Path nodes) throws Exception {
    try (ClusterBed bed = new ClusterBed(nodes, 3)) {
      JsonObject servers = ClusterBed.servers(6);
      bed.start("n1", servers);
      ServiceProcess lost = bed.start("n2", servers);
      bed.start("n3", servers);
      bed.settled(bed.node("n1"), 6, Set.of("n1", "n2", "n3"));
      String token = Files.readString(adminToken(bed.node("n1"))).strip();
      walk(
          "cluster",
          bed.node("n1").port(),
          new JsonObject()
              .put("keys", new JsonObject().put("admin", token))
              .put("pid", lost.pid())
              .put("connections", 6));
    }
  }
}
