package dev.mcpbus;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.mcpbus.bridge.options.BridgeOptions;
import dev.mcpbus.client.CallOptions;
import dev.mcpbus.client.ToolCallResult;
import dev.mcpbus.security.ApiKeys;
import dev.mcpbus.security.AuthOptions;
import dev.mcpbus.security.AuthOptions.ApiKey;
import dev.mcpbus.security.AuthOptions.Limits;
import dev.mcpbus.security.oauth.OwnTokenStore;
import dev.mcpbus.security.oauth.TokenStore;
import dev.mcpbus.testing.CallerServer;
import dev.mcpbus.testing.FormBrowser.Page;
import dev.mcpbus.testing.Http;
import dev.mcpbus.testing.IdentityProvider;
import dev.mcpbus.testing.LoginPerson;
import dev.mcpbus.testing.McpHttp;
import dev.mcpbus.testing.TestBus;
import io.vertx.core.Future;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Two persons, and a server with an authorization server of its own: each logs in by a page of
 * mcpbus, and sees what is his.
 */
@SuppressWarnings("NullAway.Init")
class CallerLoginIT {

  private static final ApiKeys.Fresh ALICE = ApiKeys.generate(new SecureRandom());
  private static final ApiKeys.Fresh BOB = ApiKeys.generate(new SecureRandom());

  private IdentityProvider provider;
  private CallerServer server;
  private TestBus bus;

  @BeforeEach
  void start() {
    provider = new IdentityProvider(new JsonObject().put("accessTokenSeconds", 60));
  }

  @AfterEach
  void close() {
    if (bus != null) {
      bus.close();
    }
    if (server != null) {
      server.close();
    }
    provider.close();
  }

  private void serve(String era) {
    serve(era, new JsonObject());
  }

  private void serve(String era, JsonObject more) {
    server = CallerServer.ofTokens(era, provider);
    begin(more, TokenStore.inMemory());
  }

  private void begin(JsonObject more, TokenStore stored) {
    JsonObject entry =
        new JsonObject()
            .put("url", server.url().toString())
            .put("identity", "caller")
            .put(
                "oauth",
                new JsonObject().put("scopes", new JsonArray().add("notes").add("offline_access")))
            .mergeIn(more);
    bus =
        TestBus.startWithAuth(
            TestBus.server("notes", entry),
            BridgeOptions.DEFAULT.withPort(0),
            new AuthOptions(
                List.of(key("alice", ALICE), key("bob", BOB)),
                List.of(),
                null,
                AuthOptions.Dpop.DEFAULT,
                List.of(),
                Limits.UNBOUNDED,
                false,
                null),
            stored);
  }

  private static ApiKey key(String name, ApiKeys.Fresh key) {
    return new ApiKey(name, key.hash(), Set.of(), false, null, null);
  }

  private static String[] as(ApiKeys.Fresh who, String... more) {
    String[] headers = new String[2 + more.length];
    headers[0] = "Authorization";
    headers[1] = "Bearer " + who.key();
    System.arraycopy(more, 0, headers, 2, more.length);
    return headers;
  }

  private static String keyOf(ApiKeys.Fresh who) {
    return who.key();
  }

  private Http.Answer call(ApiKeys.Fresh who, String tool, String... more) {
    return Http.post(bus.port(), "/api/servers/notes/tools/" + tool, "{}", as(who, more));
  }

  private String link(ApiKeys.Fresh who) {
    Http.Answer refused = call(who, "whoami");
    assertThat(refused.json().getString("code")).as(refused.body()).isEqualTo("AUTH_REQUIRED");
    return refused.json().getString("login");
  }

  private void logIn(ApiKeys.Fresh who, String person) {
    Page end = new LoginPerson().logsIn(link(who), keyOf(who), person);
    assertThat(end.html()).contains("You are logged in");
  }

  private static String text(Http.Answer answer) {
    assertThat(answer.status()).as(answer.body()).isEqualTo(200);
    return answer.json().getJsonArray("content").getJsonObject(0).getString("text");
  }

  @ParameterizedTest
  @ValueSource(strings = {"legacy", "modern"})
  void each_person_logs_in_and_is_himself(String era) {
    serve(era);
    logIn(ALICE, "alice");
    assertThat(text(call(ALICE, "whoami"))).isEqualTo("alice");
    assertThat(call(BOB, "whoami").status()).isEqualTo(502);
    logIn(BOB, "bob");
    assertThat(text(call(BOB, "whoami"))).isEqualTo("bob");
    assertThat(text(call(ALICE, "whoami"))).isEqualTo("alice");
    assertThat(server.crossed()).isEmpty();
  }

  @Test
  void a_call_that_wishes_it_waits_for_the_login() {
    serve("modern");
    String link = link(ALICE);
    CompletableFuture<Http.Answer> waits =
        CompletableFuture.supplyAsync(
            () -> call(ALICE, "whoami", "Wait-Login", "true", "Timeout", "60000"));
    new LoginPerson().logsIn(link, keyOf(ALICE), "alice");
    assertThat(text(waits.orTimeout(60, TimeUnit.SECONDS).join())).isEqualTo("alice");
  }

  @Test
  void a_call_of_a_program_waits_if_the_program_wishes_it() {
    serve("modern");
    CallOptions patient =
        CallOptions.timeout(Duration.ofSeconds(60)).withPrincipal("alice").withLoginWait(true);
    Future<ToolCallResult> waits =
        bus.bus().server("notes").callTool("whoami", new JsonObject(), patient);
    new LoginPerson().logsIn(link(ALICE), keyOf(ALICE), "alice");
    assertThat(TestBus.await(waits).text()).isEqualTo("alice");
  }

  @Test
  void before_the_login_the_list_is_one_tool_and_afterwards_the_servers_own() {
    serve("legacy");
    McpHttp client = new McpHttp(bus.port(), "/mcp");
    McpHttp.Session session = client.initialize("2025-11-25", new JsonObject(), as(ALICE));
    assertThat(tools(session)).containsExactly("notes__login");
    JsonObject call =
        new JsonObject().put("name", "notes__login").put("arguments", new JsonObject());
    String told = McpHttp.text(session.call("tools/call", call).result());
    String link = told.replaceFirst("(?s).* open (http\\S+) .*", "$1");
    McpHttp.Stream stream = client.get(session.headers());
    new LoginPerson().logsIn(link, keyOf(ALICE), "alice");
    await()
        .untilAsserted(
            () -> assertThat(stream.methods()).contains("notifications/tools/list_changed"));
    assertThat(tools(session))
        .contains("notes__whoami", "notes__of_alice")
        .doesNotContain("notes__login");
    stream.close();
  }

  private static List<String> tools(McpHttp.Session session) {
    return McpHttp.names(session.call("tools/list", new JsonObject()).result(), "tools");
  }

  @Test
  void where_nothing_is_wished_the_list_is_empty_before_the_login() {
    serve("legacy", new JsonObject().put("beforeLogin", "nothing"));
    McpHttp client = new McpHttp(bus.port(), "/mcp");
    McpHttp.Session session = client.initialize("2025-11-25", new JsonObject(), as(ALICE));
    assertThat(tools(session)).isEmpty();
  }

  @Test
  void a_token_is_renewed_while_a_session_goes_on() {
    provider.close();
    provider = new IdentityProvider(new JsonObject().put("accessTokenSeconds", 2));
    serve("legacy");
    logIn(ALICE, "alice");
    await()
        .untilAsserted(
            () -> {
              assertThat(text(call(ALICE, "whoami"))).isEqualTo("alice");
              assertThat(provider.requests("refresh_token")).isNotEmpty();
            });
    assertThat(provider.requests("authorization_code")).hasSize(1);
  }

  private static JsonObject whoami() {
    return new JsonObject().put("name", "notes__whoami").put("arguments", new JsonObject());
  }

  private static JsonObject opensUrls() {
    JsonObject modes = new JsonObject().put("form", new JsonObject()).put("url", new JsonObject());
    return new JsonObject().put("elicitation", modes);
  }

  @ParameterizedTest
  @ValueSource(strings = {"legacy", "modern"})
  void a_session_that_opens_urls_gets_the_link_as_an_error_and_hears_of_the_end(String era) {
    serve(era);
    McpHttp client = new McpHttp(bus.port(), "/mcp");
    McpHttp.Session session = client.initialize("2025-11-25", opensUrls(), as(ALICE));
    McpHttp.Stream stream = client.get(session.headers());
    JsonObject error = session.call("tools/call", whoami()).error();
    assertThat(error.getInteger("code")).isEqualTo(-32042);
    JsonObject asked = error.getJsonObject("data").getJsonArray("elicitations").getJsonObject(0);
    assertThat(asked.getString("mode")).isEqualTo("url");
    assertThat(asked.getString("message")).contains("notes");
    new LoginPerson().logsIn(asked.getString("url"), keyOf(ALICE), "alice");
    await()
        .untilAsserted(
            () ->
                assertThat(stream.messages())
                    .filteredOn(
                        one -> "notifications/elicitation/complete".equals(one.getString("method")))
                    .extracting(one -> one.getJsonObject("params").getString("elicitationId"))
                    .containsExactly(asked.getString("elicitationId")));
    assertThat(McpHttp.text(session.call("tools/call", whoami()).result())).isEqualTo("alice");
    stream.close();
  }

  @ParameterizedTest
  @ValueSource(strings = {"legacy", "modern"})
  void a_client_of_the_discover_era_is_asked_and_its_retry_goes_on_after_the_login(String era) {
    serve(era);
    McpHttp client = new McpHttp(bus.port(), "/mcp");
    JsonObject asked = discover(client, new JsonObject()).result();
    assertThat(asked.getString("resultType")).isEqualTo("input_required");
    JsonObject question =
        asked.getJsonObject("inputRequests").getJsonObject("login").getJsonObject("params");
    JsonObject declined =
        discover(
                client,
                new JsonObject()
                    .put("requestState", asked.getString("requestState"))
                    .put("inputResponses", answered("decline")))
            .error();
    assertThat(declined.getString("message")).contains("declined");
    CompletableFuture<McpHttp.Answer> retry =
        CompletableFuture.supplyAsync(
            () ->
                discover(
                    client,
                    new JsonObject()
                        .put("requestState", asked.getString("requestState"))
                        .put("inputResponses", answered("accept"))));
    new LoginPerson().logsIn(question.getString("url"), keyOf(ALICE), "alice");
    assertThat(McpHttp.text(retry.orTimeout(60, TimeUnit.SECONDS).join().result()))
        .isEqualTo("alice");
  }

  private static JsonObject answered(String action) {
    return new JsonObject().put("login", new JsonObject().put("action", action));
  }

  private static McpHttp.Answer discover(McpHttp client, JsonObject more) {
    JsonObject params =
        whoami()
            .mergeIn(more)
            .put(
                "_meta",
                new JsonObject().put("io.modelcontextprotocol/clientCapabilities", opensUrls()));
    JsonObject request = client.described("tools/call", params);
    List<String> headers = new ArrayList<>(List.of(McpHttp.headers(request)));
    headers.addAll(List.of(as(ALICE)));
    return client.post(request, headers.toArray(String[]::new));
  }

  @Test
  void a_client_that_opens_no_urls_gets_the_link_in_the_text_of_the_error() {
    serve("modern");
    McpHttp client = new McpHttp(bus.port(), "/mcp");
    McpHttp.Session session = client.initialize("2025-11-25", new JsonObject(), as(ALICE));
    assertThat(session.call("tools/call", whoami()).error().getString("message"))
        .contains("http://127.0.0.1:" + bus.port() + "/login/");
  }

  @Test
  void who_logs_out_is_known_no_more_and_his_tokens_are_taken_back() {
    serve("modern");
    logIn(ALICE, "alice");
    logIn(BOB, "bob");
    assertThat(Http.delete(bus.port(), "/api/credentials/notes", as(ALICE)).status())
        .isEqualTo(200);
    await().untilAsserted(() -> assertThat(call(ALICE, "whoami").status()).isEqualTo(502));
    await()
        .untilAsserted(
            () ->
                assertThat(provider.requests())
                    .anyMatch(one -> "revocation".equals(one.getString("route"))));
    assertThat(text(call(BOB, "whoami"))).isEqualTo("bob");
    logIn(ALICE, "alice");
    assertThat(text(call(ALICE, "whoami"))).isEqualTo("alice");
  }

  @Test
  void tokens_that_are_only_stored_are_taken_back_too() {
    serve("modern");
    logIn(ALICE, "alice");
    TokenStore kept = OwnTokenStore.of(bus.vertx(), System.getenv());
    bus.close();
    begin(new JsonObject(), kept);
    JsonObject removed = Http.delete(bus.port(), "/api/credentials", as(ALICE)).json();
    assertThat(removed).isEqualTo(new JsonObject().put("removed", 1));
    await()
        .untilAsserted(
            () ->
                assertThat(provider.requests())
                    .anyMatch(one -> "revocation".equals(one.getString("route"))));
    assertThat(call(ALICE, "whoami").status()).isEqualTo(502);
  }

  @Test
  void two_persons_at_one_server_see_their_own_notes_by_every_door() {
    serve("modern");
    logIn(ALICE, "alice");
    logIn(BOB, "bob");
    McpHttp client = new McpHttp(bus.port(), "/mcp");
    for (ApiKeys.Fresh who : List.of(ALICE, BOB)) {
      String person = who.equals(ALICE) ? "alice" : "bob";
      JsonObject note =
          new JsonObject()
              .put("name", "notes__add_note")
              .put("arguments", new JsonObject().put("note", "of " + person));
      McpHttp.Session session = client.initialize("2025-11-25", new JsonObject(), as(who));
      session.call("tools/call", note).result();
    }
    assertThat(text(call(ALICE, "my_notes"))).isEqualTo("[\"of alice\"]");
    assertThat(text(call(BOB, "my_notes"))).isEqualTo("[\"of bob\"]");
    assertThat(
            TestBus.await(
                    bus.bus()
                        .server("notes")
                        .callTool(
                            "my_notes", new JsonObject(), CallOptions.DEFAULT.withPrincipal("bob")))
                .text())
        .isEqualTo("[\"of bob\"]");
    assertThat(server.crossed()).isEmpty();
  }
}
