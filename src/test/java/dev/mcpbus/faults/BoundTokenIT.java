package dev.mcpbus.faults;

import static org.assertj.core.api.Assertions.assertThat;

import dev.mcpbus.TestOptions;
import dev.mcpbus.bridge.options.BridgeOptions;
import dev.mcpbus.bus.WireForm;
import dev.mcpbus.internals.RecordCopy;
import dev.mcpbus.security.AuthOptions;
import dev.mcpbus.security.AuthOptions.Dpop;
import dev.mcpbus.testing.Http;
import dev.mcpbus.testing.InnerCluster;
import dev.mcpbus.testing.InnerCluster.Node;
import dev.mcpbus.testing.ProofKey;
import dev.mcpbus.testing.TokenIssuer;
import io.vertx.core.json.JsonObject;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Two nodes behind one name: what one of them was shown, the other does not take again. */
@Timeout(value = 3, unit = TimeUnit.MINUTES)
class BoundTokenIT {

  private static final String PATH = "/api/caller";
  private static final String URL = "https://mcp.example.com";

  private final InnerCluster cluster = new InnerCluster(2);
  private final ProofKey key = ProofKey.ec();
  private final List<Node> nodes = new ArrayList<>();
  private TokenIssuer issuer;
  private String token;

  @BeforeEach
  void start() {
    Node first = cluster.join("one", WireForm.NEWEST);
    issuer = new TokenIssuer(first.vertx());
    issuer.add("one");
    token =
        issuer.token(
            "one",
            issuer.claims("eve", "mcp").put("cnf", new JsonObject().put("jkt", key.thumbprint())));
    AuthOptions auth =
        RecordCopy.with(
            DoorBed.keys(),
            Map.of(
                "issuers",
                TestOptions.issuer(issuer.url(), Set.of(), Set.of(), Duration.ofSeconds(5)),
                "resource",
                URL + "/mcp",
                "dpop",
                new Dpop(true, true, true)));
    BridgeOptions bridge = BridgeOptions.DEFAULT.withPort(0);
    for (Node node : List.of(first, cluster.join("two", WireForm.NEWEST))) {
      nodes.add(cluster.start(node, "c.json", new JsonObject(), Map.of(), bridge, auth));
    }
  }

  @AfterEach
  void end() {
    issuer.close();
    cluster.close();
  }

  private Http.Answer send(int node, String proof) {
    return Http.get(nodes.get(node).port(), PATH, "Authorization", "DPoP " + token, "DPoP", proof);
  }

  private String proof(String nonce) {
    return key.proof(key.header(), key.claims("GET", URL + PATH, token).put("nonce", nonce));
  }

  private String nonce(int node) {
    Http.Answer answer = send(node, key.proof("GET", URL + PATH, token));
    assertThat(answer.status()).isEqualTo(401);
    return answer.headers().firstValue("DPoP-Nonce").orElseThrow();
  }

  @Test
  void a_proof_is_good_once_in_the_whole_cluster_with_a_nonce_of_any_node() throws Exception {
    String nonce = nonce(0);
    for (int node = 0; node < 2; node++) {
      String proof = proof(nonce);
      assertThat(send(node, proof).status()).as("on node %s", node).isEqualTo(200);
      assertThat(send(node, proof).status()).isEqualTo(401);
      assertThat(send(1 - node, proof).status()).as("on the other").isEqualTo(401);
    }
    for (int i = 0; i < 100; i++) {
      String proof = proof(nonce);
      CompletableFuture<Http.Answer> here = CompletableFuture.supplyAsync(() -> send(0, proof));
      CompletableFuture<Http.Answer> there = CompletableFuture.supplyAsync(() -> send(1, proof));
      assertThat(
              List.of(
                  here.get(60, TimeUnit.SECONDS).status(),
                  there.get(60, TimeUnit.SECONDS).status()))
          .as("both at once")
          .containsExactlyInAnyOrder(200, 401);
    }
  }

  @Test
  void a_proof_stays_used_when_its_node_is_lost() {
    cluster.awaitBackups();
    String nonce = nonce(1);
    List<String> used = new ArrayList<>();
    for (int i = 0; i < 20; i++) {
      used.add(proof(nonce));
      assertThat(send(1, used.get(i)).status()).isEqualTo(200);
    }
    cluster.kill(nodes.get(1));
    used.forEach(proof -> assertThat(send(0, proof).status()).isEqualTo(401));
    assertThat(send(0, proof(nonce)).status()).as("with the nonce of the lost one").isEqualTo(200);
  }
}
