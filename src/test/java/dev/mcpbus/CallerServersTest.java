package dev.mcpbus;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.mcpbus.bus.Addresses;
import dev.mcpbus.bus.FailureCode;
import dev.mcpbus.bus.McpFailure;
import dev.mcpbus.bus.Requester;
import dev.mcpbus.client.CallOptions;
import dev.mcpbus.client.McpClient;
import dev.mcpbus.testing.TestBus;
import dev.mcpbus.testing.TokenEchoServer;
import io.vertx.core.Future;
import io.vertx.core.eventbus.DeliveryOptions;
import io.vertx.core.eventbus.Message;
import io.vertx.core.json.JsonObject;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Servers that act for their callers: each principal over a connection of its own. */
class CallerServersTest {

  private final TestBus bus = TestBus.start(new JsonObject());
  private final TokenEchoServer echo = new TokenEchoServer(bus.vertx());

  private void start(String... servers) {
    for (String id : servers) {
      add(id, entry());
    }
  }

  private JsonObject entry() {
    return new JsonObject()
        .put("url", echo.url())
        .put("identity", "caller")
        .put("headers", new JsonObject().put("X-Token", "${caller.secret}"));
  }

  private void add(String id, JsonObject entry) {
    TestBus.await(
        bus.vertx()
            .eventBus()
            .request(Addresses.SERVERS_ADD, new JsonObject().put("name", id).put("config", entry)));
  }

  @AfterEach
  void stop() {
    bus.close();
  }

  private Future<JsonObject> ask(String address, JsonObject body, @Nullable String principal) {
    DeliveryOptions options = new DeliveryOptions().setSendTimeout(60_000);
    return bus.vertx()
        .eventBus()
        .<JsonObject>request(
            address,
            body,
            principal == null ? options : new Requester(principal, false).addTo(options))
        .map(Message::body);
  }

  private void store(String principal, String server, String secret) {
    TestBus.await(
        ask(
            Addresses.CREDENTIALS_SET,
            new JsonObject().put("id", server).put("secret", secret),
            principal));
  }

  private Future<String> whoami(@Nullable String principal, String server) {
    return ask("mcp." + server + ".tools.call", new JsonObject().put("name", "whoami"), principal)
        .map(result -> result.getJsonArray("content").getJsonObject(0).getString("text"));
  }

  private List<String> tools(String address, @Nullable String principal) {
    return TestBus.await(ask(address, new JsonObject(), principal)).getJsonArray("tools").stream()
        .map(tool -> ((JsonObject) tool).getString("name"))
        .toList();
  }

  private static FailureCode code(Throwable failure) {
    return McpFailure.of(failure).code();
  }

  @Test
  void each_principal_has_its_own_secret_and_sees_its_own_lists() {
    start("crm");
    store("alice", "crm", "alices");
    store("bob", "crm", "bobs");
    assertThat(TestBus.await(whoami("alice", "crm"))).isEqualTo("alices");
    assertThat(TestBus.await(whoami("bob", "crm"))).isEqualTo("bobs");
    assertThat(tools("mcp.crm.tools.list", "alice")).containsExactly("whoami", "of_alices");
    assertThat(tools("mcp.tools.list", "bob")).containsExactly("crm.whoami", "crm.of_bobs");
    assertThat(tools("mcp.tools.list", "alice")).containsExactly("crm.whoami", "crm.of_alices");
    assertThat(tools("mcp.tools.list", null)).isEmpty();
    assertThat(echo.sessions()).isEqualTo(2);
    assertThat(echo.tokens).containsExactlyInAnyOrder("alices", "bobs");
  }

  @Test
  void a_call_by_the_aggregate_name_reaches_the_callers_own_tool_alone() {
    start("crm");
    store("alice", "crm", "alices");
    store("bob", "crm", "bobs");
    JsonObject call = new JsonObject().put("name", "crm.of_alices");
    assertThat(TestBus.await(ask(Addresses.ALL_TOOLS_CALL, call.copy(), "alice")).encode())
        .contains("alices");
    assertThatThrownBy(() -> TestBus.await(ask(Addresses.ALL_TOOLS_CALL, call.copy(), "bob")))
        .satisfies(failure -> assertThat(code(failure)).isEqualTo(FailureCode.UNKNOWN_TOOL));
  }

  @Test
  void search_finds_the_callers_own_tools() {
    start("crm");
    store("alice", "crm", "alices");
    store("bob", "crm", "bobs");
    JsonObject query = new JsonObject().put("query", "alices");
    assertThat(TestBus.await(ask(Addresses.ALL_TOOLS_SEARCH, query.copy(), "alice")).encode())
        .contains("crm.of_alices");
    assertThat(TestBus.await(ask(Addresses.ALL_TOOLS_SEARCH, query.copy(), "bob")).encode())
        .doesNotContain("of_alices");
  }

  @Test
  void without_a_secret_or_a_principal_nothing_is_sent() {
    start("crm");
    assertThatThrownBy(() -> TestBus.await(whoami("alice", "crm")))
        .hasMessageContaining("mcpbus credentials set crm")
        .satisfies(failure -> assertThat(code(failure)).isEqualTo(FailureCode.AUTH_REQUIRED));
    assertThatThrownBy(() -> TestBus.await(whoami(null, "crm")))
        .satisfies(failure -> assertThat(code(failure)).isEqualTo(FailureCode.AUTH_REQUIRED));
    assertThat(echo.tokens).isEmpty();
  }

  @Test
  void another_secret_opens_another_connection_and_a_removed_one_ends_it() {
    start("crm");
    store("alice", "crm", "old");
    assertThat(TestBus.await(whoami("alice", "crm"))).isEqualTo("old");
    store("alice", "crm", "new");
    await().untilAsserted(() -> assertThat(TestBus.await(whoami("alice", "crm"))).isEqualTo("new"));
    assertThat(tools("mcp.tools.list", "alice")).containsExactly("crm.whoami", "crm.of_new");
    TestBus.await(ask(Addresses.CREDENTIALS_REMOVE, new JsonObject().put("id", "crm"), "alice"));
    await()
        .untilAsserted(
            () ->
                assertThatThrownBy(() -> TestBus.await(whoami("alice", "crm")))
                    .satisfies(
                        failure -> assertThat(code(failure)).isEqualTo(FailureCode.AUTH_REQUIRED)));
    await().until(() -> echo.sessions() == 0);
  }

  @Test
  void a_program_names_the_principal_for_whom_it_calls() {
    start("crm");
    store("alice", "crm", "alices");
    McpClient client = McpClient.create(bus.vertx());
    assertThat(
            TestBus.await(
                    client
                        .server("crm")
                        .callTool(
                            "whoami",
                            Map.of(),
                            CallOptions.timeout(Duration.ofSeconds(30)).withPrincipal("alice")))
                .text())
        .isEqualTo("alices");
  }

  @Test
  void a_restart_ends_the_connections_of_all_and_a_disconnect_keeps_them_away() {
    start("crm");
    store("alice", "crm", "alices");
    TestBus.await(whoami("alice", "crm"));
    TestBus.await(ask("mcp.crm.restart", new JsonObject(), null));
    await().until(() -> echo.sessions() == 0);
    assertThat(TestBus.await(whoami("alice", "crm"))).isEqualTo("alices");
    TestBus.await(ask("mcp.crm.disconnect", new JsonObject(), null));
    assertThatThrownBy(() -> TestBus.await(whoami("alice", "crm")))
        .satisfies(failure -> assertThat(code(failure)).isEqualTo(FailureCode.UNAVAILABLE));
    TestBus.await(ask("mcp.crm.connect", new JsonObject(), null));
    assertThat(TestBus.await(whoami("alice", "crm"))).isEqualTo("alices");
  }

  /** 200 principals on 20 servers: 4,000 would be too many connections. */
  @Test
  void nobody_gets_the_connection_of_another_whatever_comes_when() {
    List<String> servers = IntStream.range(0, 20).mapToObj(i -> "s" + i).toList();
    start(servers.toArray(String[]::new));
    List<Future<JsonObject>> stored = new ArrayList<>();
    for (int user = 0; user < 200; user++) {
      for (String server : servers) {
        stored.add(
            ask(
                Addresses.CREDENTIALS_SET,
                new JsonObject().put("id", server).put("secret", "u" + user + "-" + server),
                "u" + user));
      }
    }
    TestBus.await(Future.join(stored).mapEmpty());
    Random random = new Random(34);
    ConcurrentLinkedQueue<String> wrong = new ConcurrentLinkedQueue<>();
    AtomicInteger right = new AtomicInteger();
    for (int round = 0; round < 100; round++) {
      List<Future<?>> calls = new ArrayList<>();
      for (int i = 0; i < 100; i++) {
        String user = "u" + random.nextInt(200);
        String server = servers.get(random.nextInt(servers.size()));
        calls.add(
            whoami(user, server)
                .onSuccess(
                    text -> {
                      if (text.equals(user + "-" + server)) {
                        right.incrementAndGet();
                      } else {
                        wrong.add(user + " got " + text);
                      }
                    })
                .onFailure(failure -> wrong.add(user + " at " + server + ": " + failure))
                .otherwiseEmpty());
      }
      TestBus.await(Future.join(calls).mapEmpty());
    }
    assertThat(wrong).isEmpty();
    assertThat(right).hasValue(10_000);
    JsonObject leases = TestBus.await(ask(Addresses.SERVERS_LEASES, new JsonObject(), null));
    assertThat(leases.getJsonArray("leases").size()).isLessThanOrEqualTo(1_024);
    assertThat(leases.getJsonObject("servers"))
        .allSatisfy(
            one ->
                assertThat(((JsonObject) one.getValue()).getInteger("used"))
                    .isLessThanOrEqualTo(64));
  }

  /** The default: nothing of a caller reaches a server. */
  @Test
  void a_server_that_all_share_gets_no_credential_of_a_caller() {
    add(
        "shared",
        new JsonObject()
            .put("url", echo.url())
            .put("headers", new JsonObject().put("X-Token", "ours")));
    bus.awaitState("shared", "READY");
    assertThat(TestBus.await(whoami("alice", "shared"))).isEqualTo("ours");
    assertThat(TestBus.await(whoami("bob", "shared"))).isEqualTo("ours");
    assertThat(echo.tokens).containsExactly("ours");
    assertThat(echo.headers)
        .noneMatch(header -> header.contains("alice") || header.startsWith("authorization"));
  }
}
