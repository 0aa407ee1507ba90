package dev.mcpbus;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.mcpbus.bridge.options.BridgeOptions;
import dev.mcpbus.bus.Telemetry;
import dev.mcpbus.bus.TelemetryOptions;
import dev.mcpbus.gateway.Peers;
import dev.mcpbus.observability.tracing.TracingTelemetry;
import dev.mcpbus.security.AuthOptions;
import dev.mcpbus.testing.InnerCluster;
import dev.mcpbus.testing.McpHttp;
import dev.mcpbus.testing.MetaServer;
import dev.mcpbus.testing.OtlpReceiver;
import dev.mcpbus.testing.OtlpReceiver.SpanData;
import dev.mcpbus.testing.TestBus;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** The trace of a call that enters at one node and is answered by a server of another. */
class ClusterTracingIT {

  private static final String TRACE = "0af7651916cd43dd8448eb211c80319c";
  private static final String PARENT = "00-" + TRACE + "-00f067aa0ba902b7-01";

  private static InnerCluster.Node node(InnerCluster cluster, String name, OtlpReceiver collector) {
    InnerCluster.Node node = cluster.join(name);
    TelemetryOptions options =
        new TelemetryOptions(false, true, collector.url(), null, "node-" + name);
    Telemetry.use(node.vertx(), TracingTelemetry.of(node.vertx(), options));
    List<String> command = MetaServer.command("discover");
    JsonObject entry =
        new JsonObject()
            .put("command", command.get(0))
            .put("args", new JsonArray(command.subList(1, command.size())));
    return cluster.start(
        node,
        "both",
        new JsonObject().put("s", entry),
        Map.of(),
        BridgeOptions.DEFAULT.withPort(0),
        AuthOptions.NONE);
  }

  private static JsonObject status(InnerCluster.Node node) {
    return node.statuses().getOrDefault("s", new JsonObject());
  }

  private static void flush(InnerCluster.Node node) {
    Telemetry telemetry = Telemetry.of(node.vertx());
    assertThat(telemetry).isNotNull();
    if (telemetry != null) {
      TestBus.await(telemetry.close());
    }
  }

  @Test
  void the_connections_span_on_its_owner_is_below_the_doors_span_on_another_node() {
    try (OtlpReceiver collector = OtlpReceiver.start();
        InnerCluster cluster = new InnerCluster(2)) {
      List<InnerCluster.Node> nodes =
          List.of(node(cluster, "a", collector), node(cluster, "b", collector));
      await()
          .atMost(Duration.ofSeconds(60))
          .until(
              () -> nodes.stream().allMatch(one -> "READY".equals(status(one).getString("state"))));
      String owner = status(nodes.get(0)).getString("node");
      InnerCluster.Node other = nodes.get(owner.equals("a") ? 1 : 0);

      McpHttp client = new McpHttp(other.port(), "/mcp");
      JsonObject meta =
          new JsonObject()
              .put("traceparent", PARENT)
              .put("tracestate", "a=1")
              .put("baggage", "b=2");
      JsonObject request = client.described("tools/call", Peers.call("s__meta").put("_meta", meta));
      McpHttp.Answer answer = client.post(request, McpHttp.headers(request));
      JsonObject arrived = new JsonObject(McpHttp.text(answer.result()));
      nodes.forEach(ClusterTracingIT::flush);

      SpanData door = one(collector, 2);
      SpanData connection = one(collector, 3);
      assertThat(door.service()).isEqualTo("node-" + (owner.equals("a") ? "b" : "a"));
      assertThat(connection.service()).isEqualTo("node-" + owner);
      assertThat(connection.parentId()).isEqualTo(door.spanId());
      assertThat(connection.traceId()).isEqualTo(TRACE);
      assertThat(arrived.getString("traceparent"))
          .isEqualTo("00-" + TRACE + "-" + connection.spanId() + "-01");
      assertThat(arrived.getString("tracestate")).isEqualTo("a=1");
      assertThat(arrived.getString("baggage")).isEqualTo("b=2");
    }
  }

  private static SpanData one(OtlpReceiver collector, int kind) {
    List<SpanData> found =
        collector.spans().stream()
            .filter(span -> span.kind() == kind && span.traceId().equals(TRACE))
            .toList();
    assertThat(found).hasSize(1);
    return found.get(0);
  }
}
