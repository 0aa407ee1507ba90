package dev.mcpbus.cluster.engine;

import static org.assertj.core.api.Assertions.assertThat;

import dev.mcpbus.bus.McpBusVersion;
import io.vertx.core.Completable;
import io.vertx.core.Vertx;
import io.vertx.core.internal.VertxInternal;
import io.vertx.core.json.JsonObject;
import io.vertx.core.spi.cluster.ClusterManager;
import io.vertx.core.spi.cluster.NodeInfo;
import io.vertx.junit5.VertxExtension;
import java.lang.reflect.Proxy;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** Two nodes read what the other says of itself, each on its own side. */
@ExtendWith(VertxExtension.class)
class WireCompatibilityTest {

  private static final JsonObject NOW = node("now", 1, 1).put("version", McpBusVersion.current());
  private static final JsonObject FAR = node("far", 2, 3).put("version", "3.0.0");

  private final Map<String, NodeInfo> table = new ConcurrentHashMap<>();

  private static JsonObject node(String name, int from, int to) {
    return new JsonObject().put("name", name).put("wireFrom", from).put("wire", to);
  }

  private void says(String id, JsonObject own) {
    table.put(id, new NodeInfo("127.0.0.1", 5, new JsonObject().put("mcpbus", own)));
  }

  private List<String> seenBy(String self, Vertx vertx) throws TimeoutException {
    return on(self, vertx).incompatibleNodes().await(60, TimeUnit.SECONDS);
  }

  private WireCompatibility on(String self, Vertx vertx) {
    ClusterManager manager =
        (ClusterManager)
            Proxy.newProxyInstance(
                ClusterManager.class.getClassLoader(),
                new Class<?>[] {ClusterManager.class},
                (proxy, method, arguments) ->
                    switch (method.getName()) {
                      case "getNodes" -> List.of("a", "b");
                      case "getNodeInfo" -> arguments == null ? table.get(self) : read(arguments);
                      default -> throw new UnsupportedOperationException(method.getName());
                    });
    return new WireCompatibility((VertxInternal) vertx, manager);
  }

  @SuppressWarnings("unchecked") // as the interface has it
  private @Nullable Object read(Object[] arguments) {
    ((Completable<NodeInfo>) arguments[1]).complete(table.get(String.valueOf(arguments[0])), null);
    return null;
  }

  @Test
  void both_nodes_name_both_versions_and_the_remedy(Vertx vertx) throws TimeoutException {
    says("a", NOW);
    says("b", FAR);
    String version = McpBusVersion.current();
    String remedy =
        ": they cannot work together; end one of them, and upgrade by a version of mcpbus between"
            + " the two";

    assertThat(seenBy("a", vertx))
        .containsExactly(
            "node 'far' (mcpbus 3.0.0) talks in form 2 to 3, this one (mcpbus "
                + version
                + ") in form 1"
                + remedy);
    assertThat(seenBy("b", vertx))
        .containsExactly(
            "node 'now' (mcpbus "
                + version
                + ") talks in form 1, this one (mcpbus "
                + version
                + ") in form 2 to 3"
                + remedy);
  }

  @Test
  void nodes_with_a_form_in_common_say_nothing(Vertx vertx) throws TimeoutException {
    says("a", node("now", 1, 2));
    says("b", FAR);
    assertThat(seenBy("a", vertx)).isEmpty();
    assertThat(seenBy("b", vertx)).isEmpty();
  }

  @Test
  void a_node_that_does_not_say_its_version_is_another_one(Vertx vertx) throws TimeoutException {
    says("a", FAR);
    says("b", node("now", 1, 1));
    assertThat(seenBy("a", vertx))
        .singleElement()
        .asString()
        .startsWith("node 'now' (another version of mcpbus) talks in form 1, ");
  }

  @Test
  void a_process_that_starts_counts_once_it_has_said_what_it_reads(Vertx vertx)
      throws TimeoutException {
    says("a", FAR);
    WireCompatibility compatibility = on("a", vertx);
    assertThat(compatibility.incompatibleNodes().await(60, TimeUnit.SECONDS)).isEmpty();
    says("b", node("now", 1, 1));
    assertThat(compatibility.incompatibleNodes().await(60, TimeUnit.SECONDS)).hasSize(1);
  }
}
