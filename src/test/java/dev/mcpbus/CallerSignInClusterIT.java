package dev.mcpbus;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.mcpbus.bridge.options.BridgeOptions;
import dev.mcpbus.bus.WireForm;
import dev.mcpbus.internals.RecordCopy;
import dev.mcpbus.security.AuthOptions;
import dev.mcpbus.security.SignInOptions;
import dev.mcpbus.testing.Balancer;
import dev.mcpbus.testing.CallerServer;
import dev.mcpbus.testing.ConsoleSignIn;
import dev.mcpbus.testing.FormBrowser;
import dev.mcpbus.testing.FormBrowser.Page;
import dev.mcpbus.testing.FreePorts;
import dev.mcpbus.testing.Http;
import dev.mcpbus.testing.IdentityProvider;
import dev.mcpbus.testing.InnerCluster;
import dev.mcpbus.testing.InnerCluster.Node;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.net.URI;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * A person signs in and logs in at a server of callers, while each request goes to the next of
 * three nodes, and one of them is lost under way.
 */
@Timeout(value = 5, unit = TimeUnit.MINUTES)
class CallerSignInClusterIT {

  @Test
  void each_step_is_taken_at_another_node_and_one_of_them_is_lost() {
    List<Integer> ports = Stream.generate(FreePorts::one).limit(3).toList();
    InnerCluster cluster = new InnerCluster(3);
    try (Balancer balancer = new Balancer(ports);
        IdentityProvider provider = new IdentityProvider();
        CallerServer notes = CallerServer.ofTokens("modern", provider)) {
      String base = "http://127.0.0.1:" + balancer.port();
      List<Node> nodes = start(cluster, ports, base, provider, notes);
      String alice = ConsoleSignIn.token(balancer.port(), "alice");
      await().until(() -> whoami(balancer, alice).body().contains("AUTH_REQUIRED"));
      URI link = URI.create(whoami(balancer, alice).json().getString("login"));
      assertThat(link.toString()).startsWith(base + "/login/");

      FormBrowser browser = new FormBrowser();
      Page page = browser.open(link);
      assertThat(page.html()).contains("Sign in with 127.0.0.1");
      Page login = browser.submit(page, Map.of("signIn", "yes"));
      String home = Objects.requireNonNull(nodes.get(0).statuses().get("notes")).getString("node");
      cluster.awaitBackups();
      // The login at the server waits on the node of the server; what is lost is another one.
      cluster.lose(nodes.get(home.equals("one") ? 1 : 0));
      Page consent = browser.submit(login, Map.of("login", "alice", "do", "login"));
      assertThat(browser.submit(consent, Map.of("do", "consent")).html())
          .contains("You are logged in");
      await().untilAsserted(() -> assertThat(whoami(balancer, alice).status()).isEqualTo(200));
      assertThat(balancer.served().stream().map(Balancer.Served::port)).containsAll(ports);
    } finally {
      cluster.close();
    }
  }

  private static Http.Answer whoami(Balancer balancer, String token) {
    return Http.post(
        balancer.port(),
        "/api/servers/notes/tools/whoami",
        "{}",
        "Authorization",
        "Bearer " + token);
  }

  private static List<Node> start(
      InnerCluster cluster,
      List<Integer> ports,
      String base,
      IdentityProvider provider,
      CallerServer notes) {
    JsonObject entry =
        new JsonObject()
            .put("url", notes.url().toString())
            .put("identity", "caller")
            .put("oauth", new JsonObject().put("scopes", new JsonArray().add("notes")));
    AuthOptions auth = ConsoleSignIn.auth(provider, Duration.ofMinutes(10));
    SignInOptions signIn =
        RecordCopy.with(Objects.requireNonNull(auth.signIn()), "url", URI.create(base));
    List<Node> nodes = new ArrayList<>();
    List<String> names = List.of("one", "two", "three");
    for (int i = 0; i < names.size(); i++) {
      nodes.add(
          cluster.start(
              cluster.join(names.get(i), WireForm.NEWEST),
              "cluster.json",
              new JsonObject().put("notes", entry.copy()),
              Map.of(),
              RecordCopy.with(BridgeOptions.DEFAULT.withPort(ports.get(i)), "url", base),
              RecordCopy.with(auth, "signIn", signIn)));
    }
    await().until(() -> nodes.stream().allMatch(node -> node.statuses().containsKey("notes")));
    return nodes;
  }
}
