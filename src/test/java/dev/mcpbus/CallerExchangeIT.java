package dev.mcpbus;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.mcpbus.bridge.options.BridgeOptions;
import dev.mcpbus.bus.FailureCode;
import dev.mcpbus.bus.McpFailure;
import dev.mcpbus.client.CallOptions;
import dev.mcpbus.protocol.Sha256;
import dev.mcpbus.security.ApiKeys;
import dev.mcpbus.security.AuthOptions;
import dev.mcpbus.security.AuthOptions.ApiKey;
import dev.mcpbus.security.AuthOptions.Issuer;
import dev.mcpbus.security.AuthOptions.Limits;
import dev.mcpbus.testing.CallerServer;
import dev.mcpbus.testing.Http;
import dev.mcpbus.testing.IdentityProvider;
import dev.mcpbus.testing.McpHttp;
import dev.mcpbus.testing.ProofKey;
import dev.mcpbus.testing.TestBus;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.security.SecureRandom;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Two persons come in with tokens of the company's provider, and mcpbus exchanges each for a token
 * of the server (RFC 8693): both sides are programs of others.
 */
@SuppressWarnings("NullAway.Init")
class CallerExchangeIT {

  /** mcpbus, as its tokens call it. */
  private static final String RESOURCE = "http://mcpbus.example/mcp";

  /** The same, with tokens that are soon over. */
  private static final String BRIEF = "http://mcpbus.example/brief";

  /** The same, with tokens that the provider does not let mcpbus exchange. */
  private static final String ELSEWHERE = "http://mcpbus.example/elsewhere";

  private static final String SCOPES = "mcp notes";
  private static final ApiKeys.Fresh ROBOT = ApiKeys.generate(new SecureRandom());

  private IdentityProvider provider;
  private CallerServer server;
  private TestBus bus;

  @BeforeEach
  void start() {
    begin(300);
  }

  private void begin(int seconds) {
    provider =
        new IdentityProvider(
            new JsonObject()
                .put("accessTokenSeconds", seconds)
                .put("secondsOf", new JsonObject().put(RESOURCE, 300).put(BRIEF, 1))
                .put(
                    "exchangeable",
                    new JsonObject().put("mcpbus", new JsonArray().add(RESOURCE).add(BRIEF))));
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
    serve(
        era,
        new AuthOptions(
            List.of(new ApiKey("robot", ROBOT.hash(), Set.of(), false, null, null)),
            List.of(Issuer.of("corp", provider.issuer(), Set.of(RESOURCE, BRIEF, ELSEWHERE))),
            null,
            List.of(),
            Limits.UNBOUNDED,
            false,
            null));
  }

  private void serve(String era, AuthOptions auth) {
    server = CallerServer.ofTokens(era, provider);
    JsonObject oauth =
        new JsonObject()
            .put("grant", "token_exchange")
            .put("issuer", provider.issuer())
            .put("clientId", "mcpbus")
            .put("clientSecret", IdentityProvider.SECRET);
    JsonObject entry =
        new JsonObject()
            .put("url", server.url().toString())
            .put("identity", "caller")
            .put("credential", "token-exchange")
            .put("oauth", oauth);
    bus =
        TestBus.startWithAuth(
            TestBus.server("notes", entry), BridgeOptions.DEFAULT.withPort(0), auth);
  }

  private String token(String person) {
    return provider.accessToken(person, RESOURCE, SCOPES);
  }

  private static String[] bearer(String token) {
    return new String[] {"Authorization", "Bearer " + token};
  }

  private Http.Answer call(String token, String tool) {
    return call(token, tool, new JsonObject());
  }

  private Http.Answer call(String token, String tool, JsonObject arguments) {
    return Http.post(
        bus.port(), "/api/servers/notes/tools/" + tool, arguments.encode(), bearer(token));
  }

  private static String text(Http.Answer answer) {
    assertThat(answer.status()).as(answer.body()).isEqualTo(200);
    return answer.json().getJsonArray("content").getJsonObject(0).getString("text");
  }

  private static String refusal(Http.Answer answer) {
    assertThat(answer.json().getString("code")).as(answer.body()).isEqualTo("AUTH_REQUIRED");
    return answer.body();
  }

  private List<String> subjects() {
    return provider.requests(IdentityProvider.EXCHANGE).stream()
        .map(one -> one.getString("subject"))
        .toList();
  }

  private static JsonObject addNote(String note) {
    return new JsonObject()
        .put("name", "notes__add_note")
        .put("arguments", new JsonObject().put("note", note));
  }

  private static JsonObject tool(String name) {
    return new JsonObject().put("name", "notes__" + name).put("arguments", new JsonObject());
  }

  @ParameterizedTest
  @ValueSource(strings = {"legacy", "modern"})
  void each_person_sees_his_own_notes_by_every_door(String era) {
    serve(era);
    McpHttp client = new McpHttp(bus.port(), "/mcp");
    List<String> tokens = new ArrayList<>();
    for (String person : List.of("alice", "bob")) {
      String token = token(person);
      tokens.add(token);
      assertThat(text(call(token, "add_note", new JsonObject().put("note", "rest of " + person))))
          .isEqualTo("[\"rest of " + person + "\"]");
      McpHttp.Session session = client.initialize("2025-11-25", new JsonObject(), bearer(token));
      session.call("tools/call", addNote("session of " + person)).result();
      assertThat(McpHttp.names(session.call("tools/list", new JsonObject()).result(), "tools"))
          .contains("notes__of_" + person)
          .doesNotContain("notes__of_" + (person.equals("alice") ? "bob" : "alice"));
      discover(client, addNote("discover of " + person), token).result();
    }
    for (int i = 0; i < 2; i++) {
      String person = i == 0 ? "alice" : "bob";
      String own =
          new JsonArray()
              .add("rest of " + person)
              .add("session of " + person)
              .add("discover of " + person)
              .encode();
      assertThat(text(call(tokens.get(i), "my_notes"))).isEqualTo(own);
      assertThat(McpHttp.text(discover(client, tool("my_notes"), tokens.get(i)).result()))
          .isEqualTo(own);
      assertThat(byBus("corp:" + person, "my_notes")).isEqualTo(own);
      JsonObject about = new JsonObject(text(call(tokens.get(i), "about")));
      assertThat(about.getString("client")).isEqualTo("mcpbus");
      assertThat(about.getValue("audience")).isEqualTo(server.url().toString());
      assertThat(server.hasSeen(tokens.get(i))).isFalse();
    }
    assertThat(subjects()).containsExactly(Sha256.hex(tokens.get(0)), Sha256.hex(tokens.get(1)));
    assertThat(server.hasSeen("application/json")).as("the fixture tells what arrives").isTrue();
    assertThat(server.crossed()).isEmpty();
  }

  private static McpHttp.Answer discover(McpHttp client, JsonObject params, String token) {
    JsonObject request = client.described("tools/call", params);
    List<String> headers = new ArrayList<>(List.of(McpHttp.headers(request)));
    headers.addAll(List.of(bearer(token)));
    return client.post(request, headers.toArray(String[]::new));
  }

  private String byBus(String principal, String tool) {
    return TestBus.await(
            bus.bus()
                .server("notes")
                .callTool(tool, new JsonObject(), CallOptions.DEFAULT.withPrincipal(principal)))
        .text();
  }

  @Test
  void who_comes_in_with_a_key_has_nothing_to_exchange() {
    serve("both");
    assertThat(refusal(call(ROBOT.key(), "whoami")))
        .contains("no token that can be exchanged", "not with an API key");
    assertThatThrownBy(() -> byBus("corp:alice", "whoami"))
        .as("a person who never came in")
        .satisfies(
            failure ->
                assertThat(McpFailure.of(failure).code()).isEqualTo(FailureCode.AUTH_REQUIRED));
    assertThat(subjects()).isEmpty();
    assertThat(text(call(token("alice"), "whoami"))).isEqualTo("alice");
    assertThat(byBus("corp:alice", "whoami")).isEqualTo("alice");
  }

  @Test
  void a_token_that_nobody_has_verified_is_not_exchanged() {
    serve("both", AuthOptions.NONE);
    String token = token("alice");
    assertThat(refusal(call(token, "whoami"))).contains("no token that can be exchanged");
    assertThat(subjects()).isEmpty();
    assertThat(server.hasSeen(token)).isFalse();
  }

  @Test
  void a_token_that_is_bound_to_a_key_comes_in_and_is_not_exchanged() {
    serve("both");
    ProofKey key = ProofKey.ec();
    JsonObject claims = key.claims("POST", provider.issuer() + "/token", "");
    claims.remove("ath");
    String token =
        provider
            .logIn("alice", RESOURCE, SCOPES, "DPoP", key.proof(key.header(), claims))
            .getString("access_token");
    String path = "/api/servers/notes/tools/whoami";
    Http.Answer answer =
        Http.post(
            bus.port(),
            path,
            "{}",
            "Authorization",
            "DPoP " + token,
            "DPoP",
            key.proof("POST", "http://127.0.0.1:" + bus.port() + path, token));
    assertThat(refusal(answer)).contains("bound to a key");
    assertThat(subjects()).isEmpty();
    assertThat(server.hasSeen(token)).isFalse();
  }

  @Test
  void a_token_is_renewed_within_a_session_by_the_callers_newest_one() {
    provider.close();
    begin(2);
    serve("legacy");
    String first = token("alice");
    McpHttp.Session session =
        new McpHttp(bus.port(), "/mcp").initialize("2025-11-25", new JsonObject(), bearer(first));
    assertThat(McpHttp.text(session.call("tools/call", tool("whoami")).result()))
        .isEqualTo("alice");
    assertThat(subjects()).containsOnly(Sha256.hex(first));
    String second = token("alice");
    assertThat(text(call(second, "whoami"))).isEqualTo("alice");
    String bobs = token("bob");
    await()
        .untilAsserted(
            () -> {
              assertThat(text(call(bobs, "whoami"))).isEqualTo("bob");
              assertThat(byBus("corp:alice", "whoami")).isEqualTo("alice");
              assertThat(subjects()).contains(Sha256.hex(second));
            });
    assertThat(sessions("alice")).as("sessions of alice at the server").isEqualTo(1);
    assertThat(server.crossed()).isEmpty();
    assertThat(server.hasSeen(first)).isFalse();
    assertThat(server.hasSeen(second)).isFalse();
  }

  private long sessions(String person) {
    return server.requests().stream()
        .filter(one -> one.getString("method").equals("initialize"))
        .filter(one -> one.getString("person").equals(person))
        .count();
  }

  @Test
  void whose_token_has_expired_gets_no_token_of_another_and_goes_on_with_a_new_one() {
    serve("both");
    String brief = provider.accessToken("alice", BRIEF, SCOPES);
    String bobs = token("bob");
    assertThat(text(call(bobs, "whoami"))).isEqualTo("bob");
    long exp = IdentityProvider.claims(brief).getLong("exp");
    await().until(() -> Instant.now().getEpochSecond() > exp);
    assertThat(refusal(call(brief, "whoami"))).contains("has expired: come in with a new one");
    assertThat(text(call(bobs, "whoami"))).isEqualTo("bob");
    assertThat(refusal(call(brief, "whoami"))).contains("has expired");
    String fresh = token("alice");
    assertThat(text(call(fresh, "whoami"))).as("at once").isEqualTo("alice");
    assertThat(subjects()).containsExactly(Sha256.hex(bobs), Sha256.hex(fresh));
    assertThat(server.crossed()).isEmpty();
  }

  @Test
  void a_token_that_the_provider_does_not_exchange_is_a_clear_failure_and_asked_once() {
    serve("both");
    String other = provider.accessToken("alice", ELSEWHERE, SCOPES);
    for (int i = 0; i < 3; i++) {
      assertThat(refusal(call(other, "whoami")))
          .contains(
              "the caller's token was not exchanged",
              "has to let the client mcpbus exchange tokens");
    }
    assertThat(subjects()).containsExactly(Sha256.hex(other));
    assertThat(text(call(token("alice"), "whoami"))).as("at once").isEqualTo("alice");
    assertThat(server.hasSeen(other)).isFalse();
  }

  @Test
  void who_has_left_the_company_gets_no_further_token() {
    provider.close();
    begin(2);
    serve("both");
    String carol = token("carol");
    assertThat(text(call(carol, "whoami"))).isEqualTo("carol");
    provider.leaves("carol");
    await()
        .untilAsserted(
            () -> assertThat(refusal(call(carol, "whoami"))).contains("was not exchanged"));
  }
}
