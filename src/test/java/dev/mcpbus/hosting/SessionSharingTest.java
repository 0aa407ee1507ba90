package dev.mcpbus.hosting;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.mcpbus.TestOptions;
import dev.mcpbus.bus.Addresses;
import dev.mcpbus.bus.ConnectionId;
import dev.mcpbus.bus.FailureCode;
import dev.mcpbus.bus.Headers;
import dev.mcpbus.bus.McpFailure;
import dev.mcpbus.bus.SharingMessage;
import dev.mcpbus.connection.options.ConnectionOptions;
import dev.mcpbus.connection.options.PrivateConnection.StartOutcome;
import dev.mcpbus.gateway.Peers;
import dev.mcpbus.internals.RecordCopy;
import dev.mcpbus.testing.ScriptedPeer;
import dev.mcpbus.testing.TestBus;
import dev.mcpbus.transport.Channel;
import dev.mcpbus.transport.StdioOptions;
import dev.mcpbus.transport.Transport;
import io.vertx.core.Context;
import io.vertx.core.Future;
import io.vertx.core.eventbus.DeliveryOptions;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.IntPredicate;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Servers that take one session, and programs that need not run twice for one client. */
class SessionSharingTest {

  private static final ConnectionId S = new ConnectionId("s");
  private static final String REFUSAL = "Server already initialized";

  private TestBus bus;
  private ScriptedPeer peer;
  private IntPredicate refuses = connection -> false;

  @BeforeEach
  void start() {
    bus = TestBus.start(new JsonObject());
    peer =
        new ScriptedPeer(
            bus.vertx(),
            (method, params, connection) ->
                switch (method) {
                  case "initialize" ->
                      refuses.test(connection)
                          ? ScriptedPeer.error(-32600, REFUSAL)
                          : ScriptedPeer.INITIALIZED;
                  case "tools/list" -> Peers.tools("one");
                  case "tools/call" -> "\"result\":{\"content\":[]}";
                  default -> ScriptedPeer.error(-32601, "no");
                });
  }

  @AfterEach
  void close() {
    bus.close();
  }

  private void serve(Transport transport, ConnectionOptions options) {
    TestBus.await(TestOptions.add(bus.bus(), S, transport, options));
    bus.awaitState("s", "READY");
    await().until(() -> bus.status("s").getBoolean("toolsListed", false));
  }

  /** A server that takes one session only, the first. */
  private void serveOne(ConnectionOptions options) {
    refuses = connection -> connection > 1;
    serve(peer.transport(), options);
  }

  /** Looks like a program, of which each session is a process. */
  private void serveProgram() {
    Transport inner = peer.transport();
    serve(
        new Transport() {
          @Override
          public String type() {
            return StdioOptions.TYPE;
          }

          @Override
          public String target() {
            return inner.target();
          }

          @Override
          public Future<Channel> open(Context owner, Channel.Receiver receiver) {
            return inner.open(owner, receiver);
          }
        },
        ConnectionOptions.DEFAULT);
  }

  private static JsonObject wish(String owner) {
    return new JsonObject()
        .put("id", "s")
        .put("owner", owner)
        .put("era", "INITIALIZE")
        .put("input", "test.input")
        .put("events", "test.events")
        .put("ttl", 60_000);
  }

  private JsonObject lease(String owner) {
    return bus.request(Addresses.SERVERS_LEASE, wish(owner));
  }

  private void release(JsonObject lease) {
    bus.request(Addresses.SERVERS_RELEASE, new JsonObject().put("lease", lease.getString("lease")));
  }

  private static DeliveryOptions as(@Nullable String principal) {
    DeliveryOptions options = new DeliveryOptions();
    return principal == null ? options : options.addHeader(Headers.PRINCIPAL, principal);
  }

  private void call(@Nullable String principal) {
    bus.request("mcp.s.tools.call", TestBus.toolCall("one", new JsonObject()), as(principal));
  }

  private McpFailure refused(String principal) {
    return bus.failure(
        "mcp.s.tools.call", TestBus.toolCall("one", new JsonObject()), as(principal));
  }

  private List<String> quirks() {
    return bus.status("s").getJsonArray("quirks", new JsonArray()).stream()
        .map(one -> ((JsonObject) one).getString("quirk"))
        .toList();
  }

  private int sessions() {
    return peer.received("initialize").size();
  }

  // ---- one session

  @Test
  void clients_share_the_session_of_a_server_that_takes_one() {
    serveOne(ConnectionOptions.DEFAULT);
    assertThat(lease("a").getBoolean("shared")).isTrue();
    assertThat(quirks()).contains("ONE_SESSION");
    int tried = sessions();
    assertThat(tried).isGreaterThanOrEqualTo(3);

    call("-a");
    call("+a"); // the same principal, with a right more
    assertThat(lease("a").getBoolean("shared")).isTrue();
    assertThat(sessions()).as("it is remembered").isEqualTo(tried);
    assertThat(
            bus.<JsonObject>request(Addresses.SERVERS_LEASES, new JsonObject())
                .getJsonArray("leases"))
        .isEmpty();
  }

  @Test
  void one_refusal_alone_may_pass() {
    refuses = connection -> connection == 2;
    serve(peer.transport(), ConnectionOptions.DEFAULT);
    assertThat(lease("a").getString("lease")).isNotNull();
    assertThat(quirks()).doesNotContain("ONE_SESSION");
    assertThat(sessions()).isEqualTo(3);
  }

  @Test
  void the_session_of_one_principal_serves_no_other() {
    serveOne(ConnectionOptions.DEFAULT);
    lease("a");
    call("-a");
    for (McpFailure refusal :
        List.of(bus.failure(Addresses.SERVERS_LEASE, wish("b")), refused("-b"), refused("+b"))) {
      assertThat(refusal.code()).isEqualTo(FailureCode.FORBIDDEN);
      assertThat(refusal).hasMessageContaining("'s'").hasMessageContaining("\"shared\": true");
    }
    call(null); // a program on the bus may see everything
    bus.request("mcp.s.tools.list", new JsonObject(), as("-b")); // leaves nothing behind
    call("-a");
  }

  @Test
  void a_session_that_others_have_used_is_given_to_no_client() {
    serveOne(ConnectionOptions.DEFAULT);
    call("-b");
    call("-a");
    McpFailure refusal = bus.failure(Addresses.SERVERS_LEASE, wish("a"));
    assertThat(refusal.code()).isEqualTo(FailureCode.FORBIDDEN);
    call("-b"); // as before
  }

  @Test
  void a_new_session_of_the_server_is_asked_anew() {
    serveOne(ConnectionOptions.DEFAULT);
    lease("a");
    call("-a");
    refuses = connection -> false;
    int before = sessions();
    bus.request("mcp.s.restart", new JsonObject());
    await()
        .until(
            () -> sessions() == before + 1 && bus.status("s").getString("state").equals("READY"));
    assertThat(lease("b").getString("lease")).isNotNull();
    call("-c");
  }

  @Test
  void a_strict_entry_shares_nothing_and_says_what_helps() {
    serveOne(RecordCopy.with(ConnectionOptions.DEFAULT, "strict", true));
    String lease = lease("a").getString("lease");
    assertThat(lease).isNotNull();
    assertThat(quirks()).isEmpty();
    await().until(() -> bus.status(lease).getValue("lastError") != null);
    assertThat(bus.status(lease).getJsonObject("lastError").getString("message"))
        .contains(REFUSAL)
        .contains("\"shared\": true");
  }

  @Test
  void a_server_that_is_not_there_gives_the_lease_at_once() {
    serveOne(ConnectionOptions.DEFAULT);
    bus.request("mcp.s.disconnect", new JsonObject());
    bus.awaitState("s", "IDLE");
    assertThat(lease("a").getString("lease")).isNotNull();
  }

  @Test
  void a_client_that_states_nonsense_takes_the_server_from_nobody() {
    serveOne(ConnectionOptions.DEFAULT);
    for (JsonObject own :
        List.of(
            new JsonObject().put("clientInfo", new JsonObject()),
            new JsonObject().put("clientInfo", new JsonObject().put("name", "x")),
            new JsonObject().put("capabilities", new JsonObject().put("roots", 5)))) {
      JsonObject wish = wish("a").put("initialize", own.encode());
      assertThat(bus.<JsonObject>request(Addresses.SERVERS_LEASE, wish).getString("lease"))
          .as(own.encode())
          .isNotNull();
    }
    assertThat(quirks()).isEmpty();
    call("-b");
    call("-c");
  }

  @Test
  void a_server_that_has_given_a_client_its_own_takes_several() {
    refuses = connection -> connection > 2;
    serve(peer.transport(), ConnectionOptions.DEFAULT);
    JsonObject first = lease("a");
    assertThat(first.getString("lease")).isNotNull();
    assertThat(lease("b").getString("lease")).as("while the other is there").isNotNull();
    release(first);
    assertThat(lease("c").getString("lease")).as("after it").isNotNull();
    assertThat(quirks()).isEmpty();
    call("-b");
    call("-c");
  }

  @Test
  void two_refusals_within_a_second_count_as_one() {
    AtomicLong nanos = new AtomicLong();
    List<SharingMessage> heard = new CopyOnWriteArrayList<>();
    ConnectionId other = new ConnectionId("other");
    SharingMessage.SharingAnswer one = new SharingMessage.SharingAnswer(true, true, null);
    bus.vertx()
        .eventBus()
        .<SharingMessage>localConsumer(
            Addresses.of(other, Addresses.CONTROL),
            asked -> {
              heard.add(asked.body());
              asked.reply(one);
            });
    McpFailure failure = McpFailure.notSent(FailureCode.HANDSHAKE_FAILED, REFUSAL);
    SessionSharing sharing = new SessionSharing(bus.vertx(), server -> true, 1, nanos::get);
    ConnectionId own = new ConnectionId("own");
    Future<SharingMessage.SharingAnswer> answer = sharing.start(own, "a", true);
    StartOutcome outcome = sharing.outcome(other, own);
    // The outcomes are handled in their order, so each is timed before the next one comes.
    for (long at : new long[] {0, 1, SessionSharing.APART_NANOS - 1}) {
      nanos.set(at);
      outcome.of(failure, true);
      settled(sharing);
    }
    assertThat(heard).isEmpty();
    nanos.set(SessionSharing.APART_NANOS);
    outcome.of(failure, true);
    assertThat(TestBus.await(answer)).isEqualTo(one);
    assertThat(heard).containsExactly(new SharingMessage.RefusedTwice("a"));
  }

  @Test
  void a_failure_that_is_no_refusal_gives_the_lease_at_once() {
    McpFailure failure = McpFailure.notSent(FailureCode.HANDSHAKE_FAILED, "HTTP 503");
    SessionSharing sharing = new SessionSharing(bus.vertx(), server -> true, 1);
    ConnectionId own = new ConnectionId("own");
    Future<SharingMessage.SharingAnswer> answer = sharing.start(own, "a", true);
    sharing.outcome(S, own).of(failure, false);
    assertThat(TestBus.await(answer)).isEqualTo(SharingMessage.SharingAnswer.NONE);
  }

  /** Completes when the outcomes before it are handled. */
  private void settled(SessionSharing sharing) {
    ConnectionId last = new ConnectionId("last");
    Future<SharingMessage.SharingAnswer> answer = sharing.start(last, "a", true);
    sharing.outcome(S, last).of(null, false);
    TestBus.await(answer);
    sharing.ended(S, last);
  }

  // ---- one process

  @Test
  void a_program_rests_while_its_client_has_a_process() {
    serveProgram();
    JsonObject lease = lease("a");
    JsonObject resting = bus.awaitState("s", "IDLE");
    assertThat(resting.getBoolean("resting")).isTrue();
    assertThat(
            bus.<JsonObject>request(Addresses.SERVERS_GET, new JsonObject().put("id", "s"))
                .getBoolean("lazy"))
        .as("as it should be")
        .isTrue();
    assertThat(bus.events("disconnected")).noneMatch(event -> "s".equals(event.getString("id")));

    // A list starts it again, and the next ones find it so.
    bus.request("mcp.s.tools.list", new JsonObject());
    assertThat(sessions()).isEqualTo(3);
    assertThat(bus.status("s").getString("state")).isEqualTo("READY");

    release(lease);
    unserved();
    bus.awaitState("s", "READY");
  }

  private void unserved() {
    TestBus.await(
        bus.vertx()
            .eventBus()
            .request(Addresses.of(S, Addresses.CONTROL), new SharingMessage.Unserved()));
  }

  @Test
  void a_program_that_others_call_stays() {
    serveProgram();
    call("-a");
    JsonObject lease = lease("a");
    bus.awaitState(lease.getString("lease"), "READY");
    unserved(); // is handled behind the news of the client's session
    assertThat(bus.status("s").getString("state")).isEqualTo("READY");
    assertThat(bus.status("s").containsKey("resting")).isFalse();
  }

  @Test
  void a_call_ends_the_rest() {
    serveProgram();
    lease("a");
    bus.awaitState("s", "IDLE");
    call("-b");
    assertThat(bus.status("s").getString("state")).isEqualTo("READY");
    assertThat(bus.status("s").containsKey("resting")).isFalse();
  }

  @Test
  void who_has_disconnected_a_program_finds_it_so() {
    serveProgram();
    lease("a");
    bus.awaitState("s", "IDLE");
    bus.request("mcp.s.disconnect", new JsonObject());
    unserved();
    assertThat(bus.status("s").getString("state")).isEqualTo("IDLE");
  }

  @Test
  void the_last_client_that_goes_wakes_the_program_a_while_later() {
    Set<ConnectionId> served = ConcurrentHashMap.newKeySet();
    List<SharingMessage> heard = new CopyOnWriteArrayList<>();
    ConnectionId other = new ConnectionId("other");
    bus.vertx()
        .eventBus()
        .<SharingMessage>localConsumer(
            Addresses.of(other, Addresses.CONTROL), asked -> heard.add(asked.body()));
    SessionSharing sharing = new SessionSharing(bus.vertx(), served::contains, 1);
    served.add(other);
    sharing.ended(other, new ConnectionId("x"));
    served.clear();
    sharing.ended(other, new ConnectionId("y"));
    await().until(() -> !heard.isEmpty());
    assertThat(heard).containsExactly(new SharingMessage.Unserved());
  }
}
