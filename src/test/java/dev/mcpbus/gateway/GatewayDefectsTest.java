package dev.mcpbus.gateway;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.AppenderBase;
import dev.mcpbus.TestOptions;
import dev.mcpbus.bridge.options.BridgeOptions;
import dev.mcpbus.bus.ConnectionId;
import dev.mcpbus.bus.SealedTaskIds;
import dev.mcpbus.connection.options.ConnectionOptions;
import dev.mcpbus.security.ApiKeys;
import dev.mcpbus.security.Audit;
import dev.mcpbus.security.AuthOptions;
import dev.mcpbus.testing.McpHttp;
import dev.mcpbus.testing.ScriptedPeer;
import dev.mcpbus.testing.TestBus;
import io.vertx.core.json.JsonObject;
import java.lang.reflect.Field;
import java.security.SecureRandom;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.slf4j.LoggerFactory;

/** A defect of mcpbus between a server's answer and the client's: the client gets an answer. */
class GatewayDefectsTest {

  private static final String EXTENSION = "io.modelcontextprotocol/tasks";
  private static final ApiKeys.Fresh ADA = ApiKeys.generate(new SecureRandom());
  private static final String SERVER = "defective";

  /** The audit log as it is, or one that throws. */
  private static final class Lines extends AppenderBase<ILoggingEvent> {
    private final List<JsonObject> seen = new CopyOnWriteArrayList<>();
    private volatile boolean broken;

    @Override
    public synchronized void doAppend(ILoggingEvent event) {
      JsonObject line = new JsonObject(event.getFormattedMessage());
      if (SERVER.equals(line.getString("server"))) {
        if (broken) {
          throw new IllegalStateException("the audit log has a defect");
        }
        seen.add(line);
      }
    }

    @Override
    protected void append(ILoggingEvent event) {}
  }

  private final Lines lines = new Lines();
  private final TestBus bus =
      TestBus.startWithAuth(
          new JsonObject(),
          BridgeOptions.DEFAULT.withPort(0),
          TestOptions.ofKeys(
              List.of(new AuthOptions.ApiKey("ada", ADA.hash(), Set.of(), false, null, null))));

  /** A server whose tool answers with a task. */
  @BeforeEach
  void start() {
    lines.start();
    ((Logger) LoggerFactory.getLogger(Audit.LOGGER)).addAppender(lines);
    String discovered =
        ScriptedPeer.DISCOVERED.replace(
            "\"capabilities\":{", "\"capabilities\":{\"extensions\":{\"" + EXTENSION + "\":{}},");
    ScriptedPeer peer =
        new ScriptedPeer(
            bus.vertx(),
            (method, params, connection) ->
                switch (method) {
                  case "server/discover" -> discovered;
                  case "tools/list" -> Peers.tools("work");
                  case "tools/call" ->
                      "\"result\":{\"resultType\":\"task\",\"taskId\":\"1\",\"status\":\"working\","
                          + "\"ttlMs\":60000,\"createdAt\":\"2026-11-21T10:00:00Z\","
                          + "\"lastUpdatedAt\":\"2026-11-21T10:00:00Z\"}";
                  default -> null;
                });
    TestBus.await(
        TestOptions.add(
            bus.bus(), new ConnectionId(SERVER), peer.transport(), ConnectionOptions.DEFAULT));
    bus.awaitState(SERVER, "READY");
  }

  @AfterEach
  void close() {
    ((Logger) LoggerFactory.getLogger(Audit.LOGGER)).detachAppender(lines);
    bus.close();
  }

  private static String[] asAda(String... more) {
    String[] all = new String[more.length + 2];
    System.arraycopy(more, 0, all, 2, more.length);
    all[0] = "Authorization";
    all[1] = "Bearer " + ADA.key();
    return all;
  }

  private McpHttp client() {
    return new McpHttp(bus.port(), "/mcp");
  }

  private McpHttp.Answer callByDiscoverClient() {
    McpHttp client = client();
    JsonObject capabilities =
        new JsonObject().put("extensions", new JsonObject().put(EXTENSION, new JsonObject()));
    JsonObject request =
        client.described(
            "tools/call",
            Peers.call(SERVER + "__work")
                .put(
                    "_meta",
                    new JsonObject()
                        .put("io.modelcontextprotocol/clientCapabilities", capabilities)));
    return client.post(request, asAda(McpHttp.headers(request)));
  }

  private McpHttp.Answer callByInitializeClient() {
    return client()
        .initialize("2025-11-25", new JsonObject(), asAda())
        .call(
            "tools/call",
            Peers.call(SERVER + "__work").put("task", new JsonObject().put("ttl", 60_000)));
  }

  @Test
  void a_task_that_cannot_be_named_is_the_error_internal_and_is_audited() throws Exception {
    assertThat(callByDiscoverClient().result().getString("resultType")).isEqualTo("task");
    assertThat(callByInitializeClient().result().containsKey("task")).isTrue();
    lines.seen.clear();
    Field key = SealedTaskIds.class.getDeclaredField("key");
    key.setAccessible(true);
    key.set(SealedTaskIds.of(bus.vertx()), new byte[0]);

    for (McpHttp.Answer answer : List.of(callByDiscoverClient(), callByInitializeClient())) {
      assertThat(answer.error().getInteger("code")).isEqualTo(-32603);
      assertThat(answer.error().encode()).contains("INTERNAL").doesNotContain("SealedTaskIds");
    }
    assertThat(lines.seen)
        .extracting(line -> line.getString("code"))
        .containsExactly("INTERNAL", "INTERNAL");
  }

  @Test
  void a_defect_of_the_audit_log_keeps_no_answer_back() {
    lines.broken = true;

    assertThat(callByDiscoverClient().result().getString("resultType")).isEqualTo("task");
    assertThat(callByInitializeClient().result().containsKey("task")).isTrue();
  }
}
