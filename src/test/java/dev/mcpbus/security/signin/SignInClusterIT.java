package dev.mcpbus.security.signin;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.mcpbus.bridge.options.BridgeOptions;
import dev.mcpbus.bridge.options.BridgeTlsOptions;
import dev.mcpbus.bus.WireForm;
import dev.mcpbus.internals.RecordCopy;
import dev.mcpbus.protocol.Sensitive;
import dev.mcpbus.security.AuthOptions;
import dev.mcpbus.security.OnceOnly;
import dev.mcpbus.security.SignInOptions;
import dev.mcpbus.security.SignInOptions.OpenIdProvider;
import dev.mcpbus.security.oauth.HostResolver;
import dev.mcpbus.security.oauth.KeptKey;
import dev.mcpbus.security.oauth.OwnTokenStore;
import dev.mcpbus.testing.Certificates;
import dev.mcpbus.testing.InnerCluster;
import dev.mcpbus.testing.InnerCluster.Node;
import dev.mcpbus.testing.LoginBrowser;
import dev.mcpbus.testing.LoginProvider;
import dev.mcpbus.testing.TcpDoor;
import dev.mcpbus.testing.TestBus;
import io.vertx.core.Vertx;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.net.URI;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import javax.net.ssl.SSLContext;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * The sign-in at three nodes behind a balancer that knows nothing of sessions. TLS ends at the
 * nodes, and each request comes over a connection of its own.
 */
@Timeout(value = 3, unit = TimeUnit.MINUTES)
@SuppressWarnings("NullAway.Init")
class SignInClusterIT {

  @TempDir private static Path folder;

  private static final InnerCluster CLUSTER = new InnerCluster(6);
  private static final List<Node> NODES = new ArrayList<>();
  private static Vertx vertx;
  private static LoginProvider provider;
  private static TcpDoor door;
  private static SSLContext trust;
  private static SignInOptions options;
  private static BridgeOptions bridge;

  private final SignInProgram program =
      new SignInProgram(new LoginBrowser(trust)).leadsTo("https://localhost:" + door.port());

  @BeforeAll
  static void start() {
    Certificates certificates = new Certificates(folder).selfSigned("front", "dns:localhost");
    trust = certificates.trusting();
    vertx = Vertx.vertx();
    provider = new LoginProvider(vertx);
    door = new TcpDoor();
    options =
        SignInOptions.of(
            URI.create("https://localhost:" + door.port()),
            new OpenIdProvider(
                provider.url(),
                LoginProvider.CLIENT,
                Sensitive.of(LoginProvider.SECRET),
                List.of()));
    bridge =
        RecordCopy.with(
            BridgeOptions.DEFAULT.withPort(0),
            Map.of(
                "allowedHosts",
                Set.of("localhost"),
                "tls",
                new BridgeTlsOptions(
                    certificates.certificate("front", "front.crt"),
                    certificates.key("front", "front.key"))));
    for (int i = 0; i < 3; i++) {
      join();
    }
  }

  private static Node join() {
    Node node =
        CLUSTER.start(
            CLUSTER.join("node-" + NODES.size() + "-" + System.nanoTime(), WireForm.NEWEST),
            "cluster.json",
            new JsonObject(),
            Map.of(),
            bridge,
            RecordCopy.with(AuthOptions.NONE, "signIn", options));
    NODES.add(node);
    door.leadsTo(NODES.stream().map(Node::port).toList());
    return node;
  }

  @AfterAll
  static void end() {
    CLUSTER.close();
    door.close();
    provider.close();
    vertx.close().await();
  }

  /** All requests go to this node from now on. */
  private static void at(Node node) {
    door.leadsTo(List.of(node.port()));
  }

  /** Loses the node; the balancer does not know it yet. */
  private static void lose(Node node) {
    CLUSTER.awaitBackups();
    CLUSTER.kill(node);
    NODES.remove(node);
  }

  private HttpResponse<String> consent(HttpResponse<String> page) {
    return program.browser.answer(program.base(), page, "allow");
  }

  private String callback(HttpResponse<String> leaving) {
    return LoginBrowser.location(program.browser.open(LoginBrowser.leadsTo(leaving)));
  }

  private String code(String callback) {
    return LoginBrowser.field(LoginBrowser.location(program.browser.open(callback)), "code");
  }

  private JsonObject redeemed(String client, String code) {
    HttpResponse<String> answer = program.token(program.redemption(client, code));
    assertThat(answer.statusCode()).as(answer.body()).isEqualTo(200);
    return new JsonObject(answer.body());
  }

  /** Whether the door of the node lets this token in. */
  private boolean admits(Node node, JsonObject tokens) {
    at(node);
    return program
            .browser
            .get(
                program.base() + "/mcp",
                "Authorization",
                "Bearer " + tokens.getString("access_token"))
            .statusCode()
        != 401;
  }

  /** What two nodes answer to one request that both get at the same time. */
  private static List<HttpResponse<String>> atOnce(
      List<String> bases, String path, Map<String, String> form) throws Exception {
    List<CompletableFuture<HttpResponse<String>>> all =
        bases.stream()
            .map(
                base ->
                    CompletableFuture.supplyAsync(
                        () -> new LoginBrowser(trust).post(base + path, form)))
            .toList();
    List<HttpResponse<String>> answers = new ArrayList<>();
    for (CompletableFuture<HttpResponse<String>> one : all) {
      answers.add(one.get(60, TimeUnit.SECONDS));
    }
    return answers;
  }

  private static String own(Node node) {
    return "https://localhost:" + node.port();
  }

  @Test
  void each_step_is_taken_at_another_node_and_all_have_the_same_keys() {
    List<Node> nodes = List.copyOf(NODES);
    at(nodes.get(0));
    String metadata =
        program.browser.get(program.base() + "/.well-known/oauth-authorization-server").body();
    assertThat(new JsonObject(metadata).getString("issuer")).isEqualTo(program.base());
    String client = program.client();
    at(nodes.get(1));
    HttpResponse<String> page = program.browser.open(program.authorize(client));
    assertThat(page.headers().allValues("Set-Cookie"))
        .singleElement()
        .asString()
        .startsWith("__Host-mcpbus-consent=")
        .contains("; Path=/;", "; HttpOnly", "; Secure")
        .doesNotContain("Domain");
    at(nodes.get(2));
    String callback = callback(consent(page));
    assertThat(callback).startsWith(program.base() + "/oauth/callback?");
    at(nodes.get(0));
    String code = code(callback);
    at(nodes.get(1));
    JsonObject tokens = redeemed(client, code);
    at(nodes.get(2));
    assertThat(program.renew(client, tokens.getString("refresh_token")).statusCode())
        .isEqualTo(200);
    assertThat(nodes).allMatch(node -> admits(node, tokens));
    assertThat(nodes.stream().map(node -> keys(node)).distinct()).hasSize(1);
  }

  private String keys(Node node) {
    JsonArray keys =
        new JsonObject(program.browser.get(own(node) + "/oauth/jwks").body()).getJsonArray("keys");
    assertThat(keys).hasSize(3);
    return keys.encode();
  }

  @Test
  void behind_a_balancer_that_hands_out_nodes_in_turn_a_login_goes_on() {
    door.leadsTo(NODES.stream().map(Node::port).toList());
    int before = door.served().size();
    String client = program.client();
    for (int i = 0; i < 3; i++) {
      JsonObject tokens = program.tokens(client);
      for (int renewal = 0; renewal < 4; renewal++) {
        HttpResponse<String> renewed = program.renew(client, tokens.getString("refresh_token"));
        assertThat(renewed.statusCode()).as(renewed.body()).isEqualTo(200);
        tokens = new JsonObject(renewed.body());
      }
      assertThat(program.revoke(client, tokens.getString("refresh_token")).statusCode())
          .isEqualTo(200);
    }
    List<Integer> served = door.served();
    assertThat(served.subList(before, served.size()))
        .containsAll(NODES.stream().map(Node::port).toList());
  }

  @Test
  void a_login_goes_on_when_the_node_where_it_began_is_lost() {
    Node first = NODES.get(0);
    at(first);
    String client = program.client();
    HttpResponse<String> page = program.browser.open(program.authorize(client));
    lose(first);
    at(NODES.get(0));
    String callback = callback(consent(page));
    assertThat(redeemed(client, code(callback)).getString("access_token")).isNotNull();

    join();
    Node second = NODES.get(0);
    at(second);
    String next = callback(consent(program.browser.open(program.authorize(client))));
    lose(second);
    at(NODES.get(0));
    assertThat(redeemed(client, code(next)).getString("access_token")).isNotNull();

    join();
    Node third = NODES.get(0);
    at(third);
    String code = code(callback(consent(program.browser.open(program.authorize(client)))));
    JsonObject waiting = program.waiting(program.client(SignInProgram.device()));
    lose(third);
    at(NODES.get(0));
    JsonObject tokens = redeemed(client, code);
    assertThat(NODES).allMatch(node -> admits(node, tokens));
    assertThat(asked(waiting).body()).contains("A device");
    join();
  }

  @Test
  void a_code_that_two_nodes_get_at_once_is_good_once() throws Exception {
    String client = program.client();
    for (int i = 0; i < 5; i++) {
      at(NODES.get(i % 3));
      Map<String, String> form = program.redemption(client, program.code(client));
      List<HttpResponse<String>> both =
          atOnce(List.of(own(NODES.get(0)), own(NODES.get(1))), "/oauth/token", form);
      assertThat(both.stream().map(HttpResponse::statusCode)).containsExactlyInAnyOrder(200, 400);
      String refresh =
          both.stream()
              .filter(one -> one.statusCode() == 200)
              .map(one -> new JsonObject(one.body()).getString("refresh_token"))
              .findFirst()
              .orElseThrow();
      assertThat(program.renew(client, refresh).body())
          .as("one of the two was a thief")
          .contains("invalid_grant");
    }
  }

  @Test
  void a_refresh_token_that_two_nodes_get_at_once_is_one_generation_for_ten_seconds()
      throws Exception {
    Node first = NODES.get(0);
    Node second = NODES.get(1);
    at(NODES.get(2));
    String client = program.client();
    JsonObject tokens = program.tokens(client);
    String old = tokens.getString("refresh_token");
    List<HttpResponse<String>> both =
        atOnce(
            List.of(own(first), own(second)), "/oauth/token", SignInProgram.renewal(client, old));
    assertThat(both).allMatch(one -> one.statusCode() == 200);
    String fresh = new JsonObject(both.get(0).body()).getString("refresh_token");
    for (HttpResponse<String> one : both) {
      String next = new JsonObject(one.body()).getString("refresh_token");
      assertThat(program.renew(client, next).statusCode()).isEqualTo(200);
    }

    // What was used before is used again, at nodes where eleven seconds have passed.
    List<HttpResponse<String>> late =
        atOnce(
            List.of(later(first), later(second)),
            "/oauth/token",
            SignInProgram.renewal(client, fresh));
    assertThat(late).allMatch(one -> one.body().contains("invalid_grant"));
    assertThat(program.renew(client, fresh).body()).contains("invalid_grant");
    for (Node node : NODES) {
      await().until(() -> !admits(node, tokens));
    }
  }

  /** The sign-in of a node once more, with a clock that is eleven seconds ahead. */
  private static String later(Node node) {
    Duration ahead = Duration.ofSeconds(11);
    InstantSource clock = () -> Instant.now().plus(ahead);
    KeptKey key = TestBus.await(KeptKey.of(node.vertx(), System.getenv()));
    SignIn signIn =
        new SignIn(
            options,
            new SignIn.SignInWorld(
                node.vertx(),
                key::derived,
                OwnTokenStore.of(node.vertx(), System.getenv()),
                OnceOnly.of(node.vertx())::first,
                HostResolver.system(node.vertx()),
                clock,
                System::nanoTime));
    return "http://127.0.0.1:"
        + SignInBed.serve(node.vertx(), options, signIn, signIn::handler, clock);
  }

  @Test
  void what_is_revoked_at_one_node_is_refused_at_the_others() {
    at(NODES.get(0));
    String client = program.client();
    JsonObject tokens = program.tokens(client);
    assertThat(NODES).allMatch(node -> admits(node, tokens));
    at(NODES.get(1));
    program.revoke(client, tokens.getString("access_token"));
    for (Node node : NODES) {
      await().until(() -> !admits(node, tokens));
    }
    assertThat(program.renew(client, tokens.getString("refresh_token")).body())
        .contains("invalid_grant");
  }

  @Test
  void a_device_begins_at_one_node_its_person_allows_it_at_another_and_it_polls_a_third() {
    at(NODES.get(0));
    String client = program.client(SignInProgram.device());
    JsonObject waiting = program.waiting(client);
    at(NODES.get(1));
    HttpResponse<String> page = asked(waiting);
    assertThat(page.body()).contains(waiting.getString("user_code"));
    HttpResponse<String> end = program.browser.open(callback(consent(page)));
    assertThat(end.body()).contains("You are logged in");
    at(NODES.get(2));
    HttpResponse<String> polled = program.token(SignInProgram.poll(client, waiting));
    assertThat(polled.statusCode()).as(polled.body()).isEqualTo(200);
    JsonObject tokens = new JsonObject(polled.body());
    assertThat(NODES).allMatch(node -> admits(node, tokens));

    at(NODES.get(2));
    JsonObject unwanted = program.waiting(client);
    at(NODES.get(0));
    assertThat(program.browser.answer(program.base(), asked(unwanted), "deny").body())
        .contains("The device gets no access");
    at(NODES.get(1));
    assertThat(program.token(SignInProgram.poll(client, unwanted)).body())
        .contains("access_denied");
  }

  /** The person has typed the code. */
  private HttpResponse<String> asked(JsonObject waiting) {
    return program.browser.post(
        program.base() + "/oauth/device",
        Map.of("user_code", waiting.getString("user_code")),
        "Origin",
        program.base());
  }
}
