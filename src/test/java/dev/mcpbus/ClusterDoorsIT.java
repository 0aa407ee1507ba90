package dev.mcpbus;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.hazelcast.core.HazelcastInstance;
import com.hazelcast.nio.serialization.HazelcastSerializationException;
import dev.mcpbus.bus.Addresses;
import dev.mcpbus.bus.ClusterMap;
import dev.mcpbus.bus.FailureCode;
import dev.mcpbus.bus.Headers;
import dev.mcpbus.bus.WireForm;
import dev.mcpbus.cluster.membership.ClockOffsets;
import dev.mcpbus.cluster.signing.SignedMessages;
import dev.mcpbus.testing.BusFrame;
import dev.mcpbus.testing.EchoServer;
import dev.mcpbus.testing.InnerCluster;
import dev.mcpbus.testing.InnerCluster.Node;
import dev.mcpbus.testing.TestBus;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.eventbus.Message;
import io.vertx.core.eventbus.ReplyException;
import io.vertx.core.internal.VertxInternal;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import io.vertx.core.shareddata.AsyncMap;
import io.vertx.spi.cluster.hazelcast.HazelcastClusterManager;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.ObjectInputStream;
import java.io.ObjectOutputStream;
import java.io.Serializable;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * What a process can do that reaches a node's ports, or is a member of its cluster, and does not
 * know the cluster's secret: call tools, and add, change or remove nothing.
 */
@Timeout(value = 2, unit = TimeUnit.MINUTES)
class ClusterDoorsIT {

  private static final String SERVER = "s";

  @TempDir Path folder;

  private InnerCluster cluster;
  private Node node;

  @BeforeEach
  void start() {
    cluster = new InnerCluster(3);
    node = cluster.start("one", WireForm.NEWEST, Map.of());
    node.requestHere(
        Addresses.SERVERS_ADD,
        new JsonObject().put("name", SERVER).put("config", EchoServer.shell(ran().toString())));
    until(() -> assertThat(state(SERVER)).isEqualTo("READY"));
  }

  @AfterEach
  void end() {
    cluster.close();
  }

  private Path ran() {
    return folder.resolve("ran");
  }

  private String state(String id) {
    return node.statuses().getOrDefault(id, new JsonObject()).getString("state");
  }

  private static void until(Runnable assertion) {
    Awaitility.await().atMost(Duration.ofSeconds(60)).untilAsserted(assertion::run);
  }

  private static HazelcastClusterManager manager(Node of) {
    return (HazelcastClusterManager) ((VertxInternal) of.vertx()).clusterManager();
  }

  private static HazelcastInstance hazelcast(Node of) {
    return manager(of).getHazelcastInstance();
  }

  private int busPort() {
    return manager(node).getNodeInfo().port();
  }

  /** A server whose start leaves a file behind. */
  private JsonObject evil(String name) {
    return new JsonObject()
        .put("name", name)
        .put(
            "config",
            new JsonObject()
                .put("command", "touch")
                .put("args", new JsonArray().add(folder.resolve("pwned-" + name).toString())));
  }

  private static JsonObject call(String name) {
    return new JsonObject()
        .put("name", "echo")
        .put("arguments", new JsonObject().put("call", name).put("deadline", 1));
  }

  /** What was written before this call was read before it. */
  private void afterAll(Buffer... frames) {
    String mark = "mark" + System.nanoTime();
    Buffer[] all = java.util.Arrays.copyOf(frames, frames.length + 1);
    all[frames.length] = BusFrame.to("mcp.s.tools.call").with(call(mark));
    BusFrame.write(busPort(), all);
    until(() -> assertThat(ran()).content().contains(mark + " "));
  }

  private void nothingHasChanged() throws IOException {
    assertThat(node.statuses()).containsOnlyKeys(SERVER);
    assertThat(state(SERVER)).isEqualTo("READY");
    try (var files = Files.list(folder)) {
      assertThat(files).noneMatch(file -> file.getFileName().toString().startsWith("pwned"));
    }
  }

  @Test
  void one_hand_made_frame_starts_no_process_and_one_that_calls_a_tool_is_served()
      throws IOException {
    String self = manager(node).getNodeId();
    node.vertx().eventBus().consumer("echo.back", message -> message.reply(message.body()));
    int epoch = Objects.requireNonNull(node.statuses().get(SERVER)).getInteger("restarts", 0);
    afterAll(
        BusFrame.to(Addresses.SERVERS_ADD).with(evil("a")),
        // It claims to be the node itself.
        BusFrame.to(Addresses.SERVERS_ADD).sender(self).reply("__vertx.reply.1").with(evil("b")),
        BusFrame.to(Addresses.SERVERS_ADD)
            .headers(Map.of(Headers.PROOF, "1 a 0 0 0 AAAA"))
            .with(evil("c")),
        BusFrame.to(Addresses.SERVERS_ADD).headers(Map.of(Headers.PROOF, "1")).with(evil("d")),
        // The node would send the reply to itself, in its own name.
        BusFrame.to("echo.back").sender(self).reply(Addresses.SERVERS_ADD).with(evil("e")),
        BusFrame.to("mcp.s.tools.call")
            .headers(Map.of(Headers.INPUT, "mcp.s.restart", Headers.PROGRESS, "mcp.s.disconnect"))
            .with(call("deputy")),
        BusFrame.to(Addresses.SERVERS_REMOVE).with(new JsonObject().put("id", SERVER)),
        BusFrame.to("mcp.s.disconnect").with(new JsonObject()),
        BusFrame.to("mcp.s.request").with(new JsonObject().put("method", "tools/list")));
    assertThat(ran()).content().doesNotContain("deputy");
    nothingHasChanged();
    assertThat(Objects.requireNonNull(node.statuses().get(SERVER)).getInteger("restarts", 0))
        .isEqualTo(epoch);
  }

  @Test
  void a_member_that_does_not_know_the_secret_calls_tools_and_is_refused_the_rest()
      throws IOException {
    Node intruder = cluster.intruder(new JsonObject());
    assertThat(intruder.request("mcp.s.tools.call", call("mine")).encode()).contains("mine ");
    assertThat(intruder.request(Addresses.SERVERS_LIST, new JsonObject()).encode())
        .contains("\"id\":\"s\"");
    for (String address :
        List.of(
            Addresses.SERVERS_ADD,
            Addresses.SERVERS_REMOVE,
            Addresses.SERVERS_LEASE,
            Addresses.SERVERS_NODES_DRAIN,
            Addresses.SERVERS_RPCLOG,
            Addresses.INPUT_OFFER,
            "mcp.s.rpclog",
            "mcp.s.restart",
            "mcp.s.disconnect",
            "mcp.s.connect",
            "mcp.s.loglevel",
            "mcp.s.request",
            "mcp.s.tools.approve")) {
      assertThatThrownBy(() -> intruder.request(address, evil("f").put("id", SERVER)))
          .as(address)
          .isInstanceOfSatisfying(
              ReplyException.class,
              refused -> {
                assertThat(refused.failureCode()).isEqualTo(FailureCode.FORBIDDEN.busCode());
                assertThat(refused)
                    .hasMessageContaining(address)
                    .hasMessageContaining("SignedMessages.install");
              });
    }
    nothingHasChanged();
  }

  @Test
  void a_process_that_knows_the_secret_may_add_and_remove_without_being_a_node() {
    Node operator = cluster.intruder(new JsonObject());
    SignedMessages.install(operator.vertx(), InnerCluster.SECRET);
    operator.request(
        Addresses.SERVERS_ADD, new JsonObject().put("name", "t").put("config", EchoServer.shell()));
    until(() -> assertThat(state("t")).isEqualTo("READY"));
    operator.request(Addresses.SERVERS_REMOVE, new JsonObject().put("id", "t"));
    until(() -> assertThat(node.statuses()).containsOnlyKeys(SERVER));
  }

  @Test
  void a_message_that_a_member_has_got_hold_of_does_what_it_says_once_and_nothing_else()
      throws Exception {
    Node intruder = cluster.intruder(new JsonObject());
    BlockingQueue<Message<JsonObject>> caught = new LinkedBlockingQueue<>();
    TestBus.await(
        intruder
            .vertx()
            .eventBus()
            .<JsonObject>consumer(Addresses.SERVERS_REMOVE, caught::add)
            .completion());
    // In turn to the node and to whoever else says that he serves this.
    JsonObject unknown = new JsonObject().put("id", "nobody");
    Message<JsonObject> message = null;
    for (int i = 0; message == null && i < 100; i++) {
      node.vertx().eventBus().request(Addresses.SERVERS_REMOVE, unknown);
      message = caught.poll(50, TimeUnit.MILLISECONDS);
    }
    Map<String, String> proof =
        Map.of(
            Headers.PROOF,
            Objects.requireNonNull(message, "none arrived").headers().get(Headers.PROOF));
    AtomicInteger delivered = new AtomicInteger();
    node.vertx()
        .eventBus()
        .<JsonObject>addInboundInterceptor(
            delivery -> {
              if (delivery.message().address().equals(Addresses.SERVERS_REMOVE)) {
                delivered.incrementAndGet();
              }
              delivery.next();
            });
    BusFrame frame =
        BusFrame.to(Addresses.SERVERS_REMOVE).headers(proof).reply(message.replyAddress());
    afterAll(
        frame.with(new JsonObject().put("id", SERVER)),
        BusFrame.to(Addresses.SERVERS_ADD)
            .headers(proof)
            .reply(message.replyAddress())
            .with(unknown),
        frame.reply("__vertx.reply.other").with(unknown));
    assertThat(delivered).hasValue(0);
    afterAll(frame.with(unknown), frame.with(unknown), frame.with(unknown));
    assertThat(delivered).hasValue(1);
    nothingHasChanged();
  }

  @Test
  void what_a_member_writes_into_the_map_of_definitions_is_not_believed() throws Exception {
    Node intruder = cluster.intruder(new JsonObject());
    AsyncMap<String, String> map =
        TestBus.await(
            intruder
                .vertx()
                .sharedData()
                .<String, String>getClusterWideMap(ClusterMap.SERVERS.key));
    String good = TestBus.await(map.get(SERVER));
    String form =
        new JsonObject()
            .put(
                "origin",
                new JsonObject()
                    .put("name", "g")
                    .put("entry", evil("g").getJsonObject("config"))
                    .put("seeds", false))
            .put("source", "an intruder")
            .encode();
    TestBus.await(map.put("g", form));
    TestBus.await(map.put("h", "AAAA 1 " + form));
    TestBus.await(map.put("copy", good)); // of another id
    Node second = cluster.start("two", WireForm.NEWEST, Map.of()); // reads all
    assertThat(second.statuses()).containsOnlyKeys(SERVER);
    TestBus.await(map.put(SERVER, "AAAA " + Long.MAX_VALUE + " removed"));
    readBy(second);
    until(() -> assertThat(TestBus.await(map.get(SERVER))).isEqualTo(good));
    TestBus.await(map.remove(SERVER));
    readBy(second);
    until(() -> assertThat(TestBus.await(map.get(SERVER))).isEqualTo(good));
    nothingHasChanged();

    // Its own name is free for who knows the secret, whatever stands there.
    node.requestHere(
        Addresses.SERVERS_ADD, new JsonObject().put("name", "h").put("config", EchoServer.shell()));
    until(() -> assertThat(state("h")).isEqualTo("READY"));
    String old = TestBus.await(map.get("h"));
    node.requestHere(Addresses.SERVERS_REMOVE, new JsonObject().put("id", "h"));
    // What stood there before it was removed.
    TestBus.await(map.put("h", old));
    readBy(second);
    until(() -> assertThat(TestBus.await(map.get("h"))).endsWith(" removed"));
    until(() -> assertThat(second.statuses()).containsOnlyKeys(SERVER));
    nothingHasChanged();
  }

  /** Has the node read whatever stands in the map. */
  private void readBy(Node of) {
    for (String id : List.of(SERVER, "h")) {
      TestBus.await(
          of.vertx()
              .eventBus()
              .request(Addresses.SERVERS_GET, new JsonObject().put("id", id + "-none"))
              .otherwiseEmpty());
    }
    node.vertx()
        .eventBus()
        .publish(
            Addresses.PLACEMENT,
            new JsonObject()
                .put("type", "definitions")
                .put("node", "somebody")
                .put("clock", ClockOffsets.clock()));
  }

  @Test
  void a_member_that_claims_to_be_a_node_gets_no_connections_and_sets_no_forms() {
    Node intruder =
        cluster.intruder(
            new JsonObject().put("weight", 1_000).put("wire", 1).put("name", "intruder"));
    for (int i = 0; i < 4; i++) {
      node.requestHere(
          Addresses.SERVERS_ADD,
          new JsonObject().put("name", "more" + i).put("config", EchoServer.shell()));
    }
    until(
        () ->
            assertThat(node.statuses().values())
                .hasSize(5)
                .allMatch(one -> "READY".equals(one.getString("state")))
                .allMatch(one -> "one".equals(one.getString("node"))));
    assertThat(manager(node).getNodes()).contains(manager(intruder).getNodeId());
    assertThat(node.requestHere(Addresses.SERVERS_NODES, new JsonObject()).encode())
        .contains("\"one\"")
        .doesNotContain("intruder");
    String raw =
        TestBus.await(
            node.vertx()
                .sharedData()
                .<String, String>getClusterWideMap(ClusterMap.SERVERS.key)
                .compose(map -> map.get("more0")));
    assertThat(raw).contains("\"form\":" + WireForm.NEWEST);
  }

  @Test
  void the_key_of_the_gateways_handles_is_in_no_map() {
    Node second = cluster.start("two", WireForm.NEWEST, Map.of());
    assertThat(hazelcast(second).getDistributedObjects())
        .noneMatch(one -> one.getName().equals("mcpbus.gateway"));
  }

  /** Counts how often it was made from bytes. */
  public static final class Canary implements Serializable {
    private static final long serialVersionUID = 1;
    static final AtomicInteger MADE = new AtomicInteger();

    private void readObject(ObjectInputStream in) throws IOException, ClassNotFoundException {
      in.defaultReadObject();
      MADE.incrementAndGet();
    }
  }

  @Test
  void no_object_is_made_by_javas_serialization_of_what_a_member_writes() throws IOException {
    Node intruder = cluster.intruder(new JsonObject());
    hazelcast(intruder).getMap("anything").put("canary", new Canary());
    int before = Canary.MADE.get();
    assertThat(hazelcast(intruder).getMap("anything").get("canary")).isInstanceOf(Canary.class);
    assertThat(Canary.MADE.get()).as("the intruder's own reading").isEqualTo(before + 1);
    assertThatThrownBy(() -> hazelcast(node).getMap("anything").get("canary"))
        .isInstanceOf(HazelcastSerializationException.class)
        .hasStackTraceContaining("Canary");
    assertThat(Canary.MADE.get()).isEqualTo(before + 1);
  }

  @Test
  void no_object_is_made_by_javas_serialization_of_a_messages_body() throws IOException {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    try (ObjectOutputStream out = new ObjectOutputStream(bytes)) {
      out.writeObject(new java.math.BigInteger("1"));
    }
    BlockingQueue<String> heard = new LinkedBlockingQueue<>();
    node.vertx()
        .eventBus()
        .consumer(
            "anything",
            message -> {
              try {
                heard.add(String.valueOf(message.body()));
              } catch (RuntimeException refused) {
                heard.add("refused " + refused);
              }
            });
    Buffer body = Buffer.buffer().appendInt(bytes.size()).appendBytes(bytes.toByteArray());
    afterAll(BusFrame.to("anything").with((byte) 17, body));
    until(() -> assertThat(heard).isNotEmpty());
    assertThat(heard.poll()).startsWith("refused").contains("java.math.BigInteger");
  }
}
