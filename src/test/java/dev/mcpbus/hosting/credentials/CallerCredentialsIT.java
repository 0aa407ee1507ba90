package dev.mcpbus.hosting.credentials;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.mcpbus.bus.ConnectionId;
import dev.mcpbus.bus.WireForm;
import dev.mcpbus.client.McpClient;
import dev.mcpbus.client.PrincipalCredentials;
import dev.mcpbus.protocol.Sensitive;
import dev.mcpbus.testing.InnerCluster;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.json.JsonObject;
import io.vertx.core.shareddata.AsyncMap;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** What a principal stores on one node of a cluster. */
class CallerCredentialsIT {

  @Test
  void all_nodes_have_it_and_hear_of_it_and_it_outlives_the_node() {
    try (InnerCluster cluster = new InnerCluster(2)) {
      InnerCluster.Node one = cluster.start("one", WireForm.NEWEST, Map.of());
      InnerCluster.Node two = cluster.start("two", WireForm.NEWEST, Map.of());
      one.request(
          "mcp.servers.add",
          new JsonObject()
              .put("name", "git")
              .put(
                  "config",
                  new JsonObject().put("type", "bus").put("address", "no.one").put("lazy", true)));
      CallerCredentials there = CallerCredentials.of(two.vertx(), Map.of());
      List<String> heard = CredentialChanges.heard(two.vertx());
      PrincipalCredentials alice = PrincipalCredentials.of(McpClient.create(one.vertx()), "alice");
      alice.set("git", "canary-secret").await();
      await().until(() -> heard.equals(List.of("alice git")));
      assertThat(there.secret("alice", new ConnectionId("git")).await())
          .isEqualTo(Sensitive.of("canary-secret"));
      AsyncMap<String, Buffer> map =
          two.vertx().sharedData().<String, Buffer>getAsyncMap("mcpbus.tokens").await();
      for (Buffer sealed : map.values().await()) {
        assertThat(sealed.toString(StandardCharsets.ISO_8859_1)).doesNotContain("canary");
      }
      cluster.end(one);
      PrincipalCredentials left = PrincipalCredentials.of(McpClient.create(two.vertx()), "alice");
      assertThat(left.list().await())
          .singleElement()
          .extracting(entry -> entry.getString("server"))
          .isEqualTo("git");
      assertThat(left.removeAll().await()).isEqualTo(1);
      assertThat(left.list().await()).isEmpty();
    }
  }
}
