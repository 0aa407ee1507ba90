package dev.mcpbus.cluster.engine;

import static org.assertj.core.api.Assertions.assertThat;

import dev.mcpbus.bus.ClusterSecret;
import dev.mcpbus.bus.WireForm;
import dev.mcpbus.cluster.signing.NodeProof;
import io.vertx.core.json.JsonObject;
import io.vertx.core.spi.cluster.NodeInfo;
import org.junit.jupiter.api.Test;

class NodeInfosTest {

  private static final ClusterSecret SECRET =
      ClusterSecret.of("what only the nodes of this test know");

  private final NodeInfos infos = new NodeInfos(SECRET);

  private static NodeInfo signed(String node, JsonObject own) {
    JsonObject metadata = new JsonObject().put(WireForm.METADATA, own);
    return new NodeInfo("10.0.0.2", 5801, NodeProof.sign(SECRET, node, "10.0.0.2", 5801, metadata));
  }

  @Test
  void the_info_of_an_open_node_with_a_proof_is_kept() {
    NodeInfo info = signed("b", new JsonObject().put("name", "n2"));
    assertThat(infos.read("b", info)).isSameAs(info);
    assertThat(infos.known("b")).isSameAs(info);
  }

  @Test
  void the_info_of_a_node_that_will_change_it_is_read_again() {
    infos.read("b", signed("b", new JsonObject().put(VertxClusterMembers.OPENING, true)));
    assertThat(infos.known("b")).isNull();
  }

  @Test
  void an_info_without_a_valid_proof_makes_no_node_and_is_not_kept() {
    NodeInfo others = signed("b", new JsonObject().put("name", "n2"));
    NodeInfo read = infos.read("c", others);
    assertThat(read.metadata()).isNotNull();
    assertThat(read.metadata().containsKey(WireForm.METADATA)).isFalse();
    assertThat(infos.known("c")).isNull();

    NodeInfo plain = new NodeInfo("10.0.0.9", 1, null);
    assertThat(infos.read("b", plain)).isSameAs(plain);
    assertThat(infos.known("b")).isNull();
  }
}
