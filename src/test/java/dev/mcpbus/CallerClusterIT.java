package dev.mcpbus;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.mcpbus.bridge.options.BridgeOptions;
import dev.mcpbus.bus.WireForm;
import dev.mcpbus.client.McpClient;
import dev.mcpbus.client.PrincipalCredentials;
import dev.mcpbus.security.AuthOptions;
import dev.mcpbus.security.AuthOptions.Issuer;
import dev.mcpbus.security.AuthOptions.Limits;
import dev.mcpbus.testing.CallerServer;
import dev.mcpbus.testing.Http;
import dev.mcpbus.testing.IdentityProvider;
import dev.mcpbus.testing.InnerCluster;
import dev.mcpbus.testing.InnerCluster.Node;
import dev.mcpbus.testing.McpHttp;
import dev.mcpbus.testing.TestBus;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Servers of callers on three nodes: {@code vault} takes what each principal has stored, {@code
 * notes} an exchanged token. Whichever node is asked and whichever has the server, everybody is
 * himself.
 */
@Timeout(value = 5, unit = TimeUnit.MINUTES)
@SuppressWarnings("NullAway.Init")
class CallerClusterIT {

  private static final String RESOURCE = "http://mcpbus.example/mcp";
  private static final List<String> SERVERS = List.of("vault", "notes");

  private final InnerCluster cluster = new InnerCluster(3);
  private final Map<String, Node> nodes = new LinkedHashMap<>();
  private IdentityProvider provider;
  private CallerServer vault;
  private CallerServer notes;
  private Map<String, String> tokens;

  @BeforeEach
  void start() {
    provider =
        new IdentityProvider(
            new JsonObject()
                .put("accessTokenSeconds", 2)
                .put("secondsOf", new JsonObject().put(RESOURCE, 300))
                .put(
                    "exchangeable", new JsonObject().put("mcpbus", new JsonArray().add(RESOURCE))));
    vault = CallerServer.ofSecrets("both");
    notes = CallerServer.ofTokens("both", provider);
    JsonObject oauth =
        new JsonObject()
            .put("grant", "token_exchange")
            .put("issuer", provider.issuer())
            .put("clientId", "mcpbus")
            .put("clientSecret", IdentityProvider.SECRET);
    JsonObject servers =
        new JsonObject()
            .put(
                "vault",
                entry(vault).put("headers", new JsonObject().put("X-Token", "${caller.secret}")))
            .put("notes", entry(notes).put("oauth", oauth));
    AuthOptions auth =
        new AuthOptions(
            List.of(),
            List.of(Issuer.of("corp", provider.issuer(), Set.of(RESOURCE))),
            null,
            List.of(),
            Limits.UNBOUNDED,
            false,
            null);
    for (String name : List.of("one", "two", "three")) {
      nodes.put(
          name,
          cluster.start(
              cluster.join(name, WireForm.NEWEST),
              "cluster.json",
              servers.copy(),
              Map.of(),
              BridgeOptions.DEFAULT.withPort(0),
              auth));
    }
    await()
        .until(
            () ->
                nodes.values().stream().allMatch(n -> n.statuses().keySet().containsAll(SERVERS)));
    tokens =
        Map.of(
            "alice", provider.accessToken("alice", RESOURCE, "mcp notes"),
            "bob", provider.accessToken("bob", RESOURCE, "mcp notes"));
  }

  private static JsonObject entry(CallerServer server) {
    return new JsonObject().put("url", server.url().toString()).put("identity", "caller");
  }

  @AfterEach
  void end() {
    cluster.close();
    vault.close();
    notes.close();
    provider.close();
  }

  private String[] as(String person) {
    return new String[] {"Authorization", "Bearer " + Objects.requireNonNull(tokens.get(person))};
  }

  private static void store(Node at, String person, String secret) {
    TestBus.await(
        PrincipalCredentials.of(McpClient.create(at.vertx()), "corp:" + person)
            .set("vault", secret));
  }

  private Http.Answer whoami(Node at, String server, String person) {
    return Http.post(at.port(), "/api/servers/" + server + "/tools/whoami", "{}", as(person));
  }

  private static String text(Http.Answer answer) {
    assertThat(answer.status()).as(answer.body()).isEqualTo(200);
    return answer.json().getJsonArray("content").getJsonObject(0).getString("text");
  }

  private void everybodyIsHimselfEverywhere() {
    for (Node node : nodes.values()) {
      for (String server : SERVERS) {
        for (String person : List.of("alice", "bob")) {
          assertThat(text(whoami(node, server, person))).isEqualTo(person);
        }
      }
    }
    assertThat(Stream.concat(vault.crossed().stream(), notes.crossed().stream())).isEmpty();
  }

  private Node node(String name) {
    return Objects.requireNonNull(nodes.get(name));
  }

  private static JsonObject status(Node node, String server) {
    return Objects.requireNonNull(node.statuses().get(server));
  }

  private Node home(String server) {
    String name = status(nodes.values().iterator().next(), server).getString("node");
    return node(name);
  }

  /** Ends the node, in good order or not, that has the server. */
  private void lose(String server, boolean suddenly) {
    Node home = home(server);
    nodes.values().remove(home);
    if (suddenly) {
      cluster.kill(home);
    } else {
      cluster.end(home);
    }
    await()
        .until(
            () ->
                nodes.values().stream()
                    .allMatch(
                        node ->
                            SERVERS.stream()
                                .allMatch(
                                    one ->
                                        nodes.containsKey(
                                            String.valueOf(status(node, one).getString("node"))))));
  }

  @Test
  void everybody_is_himself_on_each_node_also_when_the_node_of_the_server_ends() {
    store(node("one"), "alice", CallerServer.secret("alice"));
    store(node("two"), "bob", CallerServer.secret("bob"));
    everybodyIsHimselfEverywhere();
    lose("notes", false);
    everybodyIsHimselfEverywhere();
    lose("vault", true);
    everybodyIsHimselfEverywhere();
    for (String person : List.of("alice", "bob")) {
      assertThat(notes.hasSeen(Objects.requireNonNull(tokens.get(person)))).isFalse();
      assertThat(vault.hasSeen(Objects.requireNonNull(tokens.get(person)))).isFalse();
    }
  }

  @Test
  void the_lists_of_each_node_are_those_of_the_principal() {
    store(node("one"), "alice", CallerServer.secret("alice"));
    store(node("one"), "bob", CallerServer.secret("bob"));
    for (Node node : nodes.values()) {
      McpHttp client = new McpHttp(node.port(), "/mcp");
      for (String person : List.of("alice", "bob")) {
        String other = person.equals("alice") ? "bob" : "alice";
        McpHttp.Session session = client.initialize("2025-11-25", new JsonObject(), as(person));
        assertThat(McpHttp.names(session.call("tools/list", new JsonObject()).result(), "tools"))
            .contains("vault__of_" + person, "notes__of_" + person)
            .doesNotContain("vault__of_" + other, "notes__of_" + other);
        JsonObject call =
            new JsonObject().put("name", "notes__whoami").put("arguments", new JsonObject());
        assertThat(McpHttp.text(session.call("tools/call", call).result())).isEqualTo(person);
      }
    }
  }

  @Test
  void a_secret_that_is_changed_on_one_node_counts_on_all() {
    store(node("one"), "alice", CallerServer.secret("alice"));
    store(node("one"), "bob", CallerServer.secret("bob"));
    everybodyIsHimselfEverywhere();
    store(node("three"), "alice", CallerServer.secret("dora"));
    for (Node node : nodes.values()) {
      await()
          .untilAsserted(() -> assertThat(text(whoami(node, "vault", "alice"))).isEqualTo("dora"));
      assertThat(text(whoami(node, "vault", "bob"))).isEqualTo("bob");
    }
    Http.Answer removed = Http.delete(node("two").port(), "/api/credentials/vault", as("alice"));
    assertThat(removed.status()).isEqualTo(200);
    for (Node node : nodes.values()) {
      await()
          .untilAsserted(
              () ->
                  assertThat(whoami(node, "vault", "alice").json().getString("code"))
                      .isEqualTo("AUTH_REQUIRED"));
      assertThat(text(whoami(node, "vault", "bob"))).isEqualTo("bob");
    }
  }
}
