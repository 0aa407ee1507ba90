package dev.mcpbus;

import static org.assertj.core.api.Assertions.assertThat;

import dev.mcpbus.testing.CallerServer;
import dev.mcpbus.testing.FreePorts;
import dev.mcpbus.testing.Http;
import dev.mcpbus.testing.IdentityProvider;
import dev.mcpbus.testing.McpHttp;
import dev.mcpbus.testing.ProofKey;
import dev.mcpbus.testing.SdkSignIn;
import dev.mcpbus.testing.TestBus;
import io.vertx.core.Vertx;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.time.Duration;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Tokens of an identity provider that other people wrote, at the doors of mcpbus. */
class IdentityProviderIT {

  private static final String RESOURCE = "http://mcpbus.example/mcp";
  private static final String OPAQUE = "http://opaque.example/mcp";
  private static final String NOTES = "http://notes.example/mcp";

  private static IdentityProvider provider;
  private static IdentityProvider other;
  private static CallerServer server;
  private static Vertx vertx;
  private static McpBus bus;
  private static String own;

  @BeforeAll
  static void start() {
    JsonObject exchangeable = new JsonObject().put("mcpbus", new JsonArray().add(RESOURCE));
    provider =
        new IdentityProvider(
            new JsonObject()
                .put("opaque", new JsonArray().add(OPAQUE))
                .put("exchangeable", exchangeable));
    other = new IdentityProvider();
    server = CallerServer.ofTokens("both", provider);
    vertx = Vertx.vertx();
    int port = FreePorts.one();
    // Real clients ask for tokens for the URL that they know.
    own = "http://127.0.0.1:" + port + "/mcp";
    JsonObject jwt = provider.jwt(RESOURCE);
    jwt.getJsonArray("audience").add(own).add(OPAQUE);
    jwt.put(
        "introspection",
        new JsonObject()
            .put("url", provider.issuer() + "/token/introspection")
            .put("clientId", "mcpbus")
            .put("clientSecret", IdentityProvider.SECRET));
    JsonObject auth =
        new JsonObject().put("jwt", jwt).put("dpop", new JsonObject().put("nonce", true));
    bus =
        TestBus.await(
            McpBus.start(
                vertx,
                McpBus.Options.of(new JsonObject().put("auth", auth))
                    .withServer("caller", CallerServer.stdio("both", CallerServer.secret("carol")))
                    .withPort(port)));
    TestBus.await(bus.awaitReady(Duration.ofSeconds(60), "caller"));
  }

  @AfterAll
  static void close() {
    TestBus.await(bus.close());
    TestBus.await(vertx.close());
    server.close();
    other.close();
    provider.close();
  }

  private static Http.Answer caller(String... headers) {
    return Http.get(bus.port(), "/api/caller", headers);
  }

  private static String[] bearer(String token) {
    return new String[] {"Authorization", "Bearer " + token};
  }

  @Test
  void each_person_is_a_principal_of_his_own() {
    for (String person : new String[] {"alice", "bob"}) {
      Http.Answer answer = caller(bearer(provider.accessToken(person, RESOURCE, "openid mcp")));
      assertThat(answer.status()).isEqualTo(200);
      assertThat(answer.json().getString("name")).isEqualTo("jwt:" + person);
      assertThat(answer.json().getBoolean("admin")).isFalse();
    }
    String admin = provider.accessToken("alice", RESOURCE, "mcp mcp:admin");
    assertThat(caller(bearer(admin)).json().getBoolean("admin")).isTrue();
  }

  @Test
  void a_client_of_mcp_comes_in_with_it() {
    McpHttp client = new McpHttp(bus.port(), "/mcp");
    String[] alice = bearer(provider.accessToken("alice", RESOURCE, "mcp"));
    assertThat(client.initialize("2025-11-25", new JsonObject(), alice).initialized()).isNotNull();
    assertThat(client.post(client.request("ping", new JsonObject())).status()).isEqualTo(401);
  }

  @ParameterizedTest
  @ValueSource(strings = {"v1", "v2-modern"})
  void a_typescript_sdk_finds_the_provider_and_signs_in_there(String kind) {
    try (SdkSignIn client = new SdkSignIn(kind, own)) {
      client.signIn("alice");
      assertThat(client.asked().toString()).startsWith(provider.issuer());
      assertThat(client.tools()).contains("caller__whoami");
      assertThat(client.call("caller__whoami")).isEqualTo("carol");

      client.spoil();
      assertThat(client.call("caller__whoami")).isEqualTo("carol");
      assertThat(client.saved()).hasSize(2);

      JsonObject tokens = client.tokens();
      provider.revoke(tokens.getString("client_id"), tokens.getString("refresh_token"));
      client.spoil();
      assertThat(client.refusedCall("caller__whoami")).contains("Unauthorized");
    }
  }

  @Test
  void a_token_for_another_server_of_the_company_is_refused() {
    assertThat(caller(bearer(provider.accessToken("alice", NOTES, "mcp"))).status()).isEqualTo(401);
  }

  @Test
  void a_token_with_too_few_scopes_is_refused() {
    Http.Answer answer = caller(bearer(provider.accessToken("alice", RESOURCE, "notes")));
    assertThat(answer.status()).isEqualTo(403);
    assertThat(answer.headers().firstValue("WWW-Authenticate").orElse(""))
        .contains("insufficient_scope");
  }

  @Test
  void an_id_token_is_no_access_token() {
    JsonObject tokens = provider.logIn("alice", RESOURCE, "openid mcp");
    assertThat(caller(bearer(tokens.getString("id_token"))).status()).isEqualTo(401);
    assertThat(caller(bearer(tokens.getString("access_token"))).status()).isEqualTo(200);
  }

  @Test
  void a_token_of_an_issuer_that_is_not_configured_is_refused() {
    assertThat(caller(bearer(other.accessToken("alice", RESOURCE, "mcp"))).status()).isEqualTo(401);
  }

  @Test
  void about_a_token_that_is_no_jwt_the_provider_is_asked() {
    JsonObject tokens = provider.logIn("alice", OPAQUE, "mcp");
    String opaque = tokens.getString("access_token");
    assertThat(opaque).doesNotContain(".");
    assertThat(caller(bearer(opaque)).json().getString("name")).isEqualTo("jwt:alice");
    assertThat(provider.requests())
        .anySatisfy(request -> assertThat(request.getString("route")).isEqualTo("introspection"));

    String ended = provider.accessToken("alice", OPAQUE, "mcp");
    provider.revoke("direct", ended);
    assertThat(caller(bearer(ended)).status()).isEqualTo(401);
  }

  @Test
  void a_token_that_is_bound_to_a_key_is_refused_without_a_proof() {
    ProofKey key = ProofKey.ec();
    String endpoint = provider.issuer() + "/token";
    JsonObject claims = key.claims("POST", endpoint, "");
    claims.remove("ath");
    JsonObject tokens =
        provider.logIn("alice", RESOURCE, "mcp", "DPoP", key.proof(key.header(), claims));
    assertThat(tokens.getString("token_type")).isEqualTo("DPoP");
    assertThat(caller(bearer(tokens.getString("access_token"))).status()).isEqualTo(401);
  }

  @Test
  void a_typescript_sdk_proves_its_key_with_each_request() {
    try (SdkSignIn client = new SdkSignIn("v2-modern", own, "dpop")) {
      client.signIn("bob");
      assertThat(client.saved().get(0).getString("token_type")).isEqualTo("DPoP");
      assertThat(client.tools()).contains("caller__whoami");
      assertThat(client.call("caller__whoami")).isEqualTo("carol");
      assertThat(caller(bearer(client.tokens().getString("access_token"))).status()).isEqualTo(401);

      client.spoil();
      assertThat(client.call("caller__whoami")).isEqualTo("carol");
      assertThat(client.saved()).hasSize(2);
    }
  }

  @Test
  void a_renewed_token_comes_in_and_a_token_that_was_taken_back_is_not_renewed() {
    JsonObject first = provider.logIn("bob", RESOURCE, "mcp");
    Http.Answer renewed = provider.refresh(first.getString("refresh_token"));
    assertThat(caller(bearer(renewed.json().getString("access_token"))).status()).isEqualTo(200);

    provider.revoke("direct", renewed.json().getString("refresh_token"));
    assertThat(
            provider.refresh(renewed.json().getString("refresh_token")).json().getString("error"))
        .isEqualTo("invalid_grant");
  }

  @Test
  void mcpbus_may_exchange_what_was_issued_for_it_and_nothing_else() {
    String alice = provider.accessToken("alice", RESOURCE, "mcp notes");
    JsonObject exchanged = provider.exchange(alice, NOTES).json();
    JsonObject claims = IdentityProvider.claims(exchanged.getString("access_token"));
    assertThat(claims.getString("sub")).isEqualTo("alice");
    assertThat(claims.getString("aud")).isEqualTo(NOTES);
    assertThat(claims.getString("client_id")).isEqualTo("mcpbus");

    String elsewhere = provider.accessToken("alice", "http://elsewhere.example/mcp", "mcp");
    assertThat(provider.exchange(elsewhere, NOTES).status()).isEqualTo(400);
    String foreign = other.accessToken("alice", RESOURCE, "mcp");
    assertThat(provider.exchange(foreign, NOTES).status()).isEqualTo(400);
    String carol = provider.accessToken("carol", RESOURCE, "mcp");
    provider.leaves("carol");
    assertThat(provider.exchange(carol, NOTES).status()).isEqualTo(400);
  }

  @Test
  void the_protected_server_answers_by_the_person_of_the_token() {
    String url = server.url().toString();
    for (String person : new String[] {"alice", "bob"}) {
      McpHttp.Session session =
          server
              .direct()
              .initialize(
                  "2025-11-25",
                  new JsonObject(),
                  bearer(provider.accessToken(person, url, "notes")));
      assertThat(McpHttp.names(session.call("tools/list", new JsonObject()).result(), "tools"))
          .contains("whoami", "of_" + person);
      addsNote(session, "a note of " + person);
    }
    McpHttp refused = server.direct();
    assertThat(
            refused
                .post(
                    refused.request("ping", new JsonObject()),
                    bearer(provider.accessToken("alice", RESOURCE, "mcp")))
                .status())
        .isEqualTo(401);
  }

  /** It is the only one. */
  private static void addsNote(McpHttp.Session session, String note) {
    JsonObject call =
        new JsonObject()
            .put("name", "add_note")
            .put("arguments", new JsonObject().put("note", note));
    assertThat(McpHttp.text(session.call("tools/call", call).result()))
        .isEqualTo(new JsonArray().add(note).encode());
  }

  @ParameterizedTest
  @ValueSource(strings = {"header", "query", "variable"})
  void a_server_of_secrets_answers_by_the_person_of_the_secret(String where) {
    String secret = CallerServer.secret("bob");
    try (CallerServer http = CallerServer.ofSecrets("both")) {
      JsonObject entry =
          switch (where) {
            case "header" ->
                new JsonObject()
                    .put("url", http.url().toString())
                    .put("headers", new JsonObject().put("X-Token", secret));
            case "query" -> new JsonObject().put("url", http.url() + "?token=" + secret);
            default -> CallerServer.stdio("both", secret);
          };
      try (TestBus one = TestBus.start(TestBus.server("notes", entry))) {
        assertThat(
                TestBus.await(one.bus().server("notes").callTool("whoami", new JsonObject()))
                    .text())
            .isEqualTo("bob");
      }
    }
  }
}
