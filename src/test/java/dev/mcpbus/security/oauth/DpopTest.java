package dev.mcpbus.security.oauth;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.mcpbus.protocol.DpopMode;
import dev.mcpbus.protocol.OAuthGrant;
import dev.mcpbus.protocol.Sensitive;
import dev.mcpbus.security.oauth.OAuthException.OAuthFailure;
import dev.mcpbus.testing.DpopProof;
import dev.mcpbus.testing.OAuthWorld.Answer;
import dev.mcpbus.testing.OAuthWorld.Seen;
import io.vertx.core.json.JsonObject;
import java.io.File;
import java.lang.reflect.Method;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Tokens that are bound to a key of this client (RFC 9449, SEP-1932). */
class DpopTest extends OAuthFixture {

  private static final OAuthGrant MACHINE = OAuthGrant.CLIENT_CREDENTIALS;

  private void bindsTokens() {
    world.metadata(json("dpop_signing_alg_values_supported", list("RS256", "ES256")));
    world.challenge = "DPoP algs=\"ES256\"";
    world.tokenAnswer = world::bind;
  }

  private OAuthClient machine(DpopMode mode) {
    return client(Settings.withDpop(settings(MACHINE), mode));
  }

  private static DpopProof proof(Seen request) {
    return DpopProof.of(String.valueOf(request.headers().get("dpop")));
  }

  private Map<String, Sensitive> headers(OAuthClient client, String method) throws Exception {
    return get(client.headers(method, () -> "https://h/mcp"));
  }

  private static String text(Map<String, Sensitive> headers, String name) {
    return Objects.requireNonNull(headers.get(name)).reveal();
  }

  private static @Nullable String header(Seen request, String name) {
    return request.headers().get(name);
  }

  @Test
  void a_server_that_asks_for_it_gets_a_bound_token_with_a_fresh_proof_for_each_request()
      throws Exception {
    bindsTokens();
    OAuthClient client = client();
    assertThat(challenged(client)).isTrue();
    Seen request = world.grants("authorization_code").get(0);
    DpopProof asked = proof(request);
    assertThat(asked.claims().getString("htm")).isEqualTo("POST");
    assertThat(asked.claims().getString("htu")).isEqualTo(world.base() + "/token");
    assertThat(asked.claims().getLong("iat")).isEqualTo(now.getEpochSecond());
    assertThat(asked.claims().fieldNames()).doesNotContain("ath", "nonce");
    assertThat(query(prompts.get(0))).containsEntry("dpop_jkt", asked.jkt());
    Map<String, Sensitive> first = headers(client, "POST");
    assertThat(text(first, "Authorization")).isEqualTo("DPoP at-1");
    DpopProof one = DpopProof.of(text(first, "DPoP"));
    DpopProof two = DpopProof.of(text(headers(client, "GET"), "DPoP"));
    assertThat(one.jkt()).isEqualTo(asked.jkt()).isEqualTo(two.jkt());
    assertThat(one.claims().getString("ath")).isEqualTo(DpopProof.hash("at-1"));
    assertThat(one.claims().getString("htu")).isEqualTo("https://h/mcp");
    assertThat(two.claims().getString("htm")).isEqualTo("GET");
    assertThat(List.of(asked, one, two))
        .extracting(proof -> proof.claims().getString("jti"))
        .doesNotHaveDuplicates();
  }

  @Test
  void a_server_that_knows_bearer_tokens_only_gets_one_whatever_the_authorization_server_offers()
      throws Exception {
    bindsTokens();
    world.challenge = "Bearer";
    world.tokenAnswer = world::issue;
    OAuthClient client = machine(DpopMode.AUTO);
    assertThat(challenged(client)).isTrue();
    assertThat(header(world.seen("/token").get(0), "dpop")).isNull();
    assertThat(headers(client, "POST")).containsOnlyKeys("Authorization");
    assertThat(text(headers(client, "POST"), "Authorization")).isEqualTo("Bearer at-1");
  }

  @Test
  void the_metadata_of_the_mcp_server_asks_for_bound_tokens_too() throws Exception {
    bindsTokens();
    world.challenge = "Bearer";
    world.resource(json("dpop_bound_access_tokens_required", true));
    assertThat(challenged(machine(DpopMode.AUTO))).isTrue();
    assertThat(header(world.seen("/token").get(0), "dpop")).isNotNull();
    world.resource(
        json("dpop_bound_access_tokens_required", false)
            .put("dpop_signing_alg_values_supported", list("ES256")));
    store = TokenStore.inMemory();
    assertThat(challenged(machine(DpopMode.AUTO))).isTrue();
    assertThat(header(world.seen("/token").get(1), "dpop")).isNotNull();
  }

  @Test
  void never_sends_no_proof_and_required_sends_one_to_a_server_that_does_not_ask()
      throws Exception {
    bindsTokens();
    world.tokenAnswer = world::issue;
    OAuthClient never = machine(DpopMode.NEVER);
    assertThat(challenged(never)).isTrue();
    assertThat(text(headers(never, "POST"), "Authorization")).isEqualTo("Bearer at-1");
    world.challenge = "Bearer";
    world.tokenAnswer = world::bind;
    OAuthClient required = machine(DpopMode.REQUIRED);
    assertThat(get(required.headers("POST", () -> "https://h/mcp")))
        .as("the Bearer token of other settings is not taken from the store")
        .isEmpty();
    assertThat(challenged(required)).isTrue();
    assertThat(text(headers(required, "POST"), "Authorization")).isEqualTo("DPoP at-2");
  }

  @Test
  void a_token_that_is_not_bound_is_never_used_where_a_bound_one_is_demanded() throws Exception {
    bindsTokens();
    world.tokenAnswer = world::issue;
    OAuthClient required = machine(DpopMode.REQUIRED);
    assertThat(refused(required)).hasMessageContaining("DPoP");
    assertThat(headers(required, "POST")).isEmpty();
    assertThat(refused(machine(DpopMode.AUTO)).reason()).isEqualTo(OAuthFailure.INVALID);
    world.metadata(json("dpop_signing_alg_values_supported", list("RS256")));
    assertThat(refused(machine(DpopMode.REQUIRED))).hasMessageContaining("ES256");
  }

  @Test
  void a_server_that_offers_both_gets_what_the_authorization_server_gives() throws Exception {
    bindsTokens();
    world.challenge = "Bearer, DPoP algs=\"ES256\"";
    world.tokenAnswer = world::issue;
    OAuthClient client = machine(DpopMode.AUTO);
    assertThat(challenged(client)).isTrue();
    assertThat(text(headers(client, "POST"), "Authorization")).isEqualTo("Bearer at-1");
  }

  @Test
  void the_authorization_server_gets_its_nonce_in_one_more_request_and_then_at_once()
      throws Exception {
    bindsTokens();
    world.tokenNonce = "n-1";
    OAuthClient client = machine(DpopMode.AUTO);
    assertThat(challenged(client)).isTrue();
    assertThat(world.seen("/token")).hasSize(2);
    assertThat(proof(world.seen("/token").get(0)).claims().containsKey("nonce")).isFalse();
    assertThat(proof(world.seen("/token").get(1)).claims().getString("nonce")).isEqualTo("n-1");
    now = now.plusSeconds(3600);
    assertThat(get(token(client))).isEqualTo("at-2");
    assertThat(world.seen("/token")).hasSize(3);
    assertThat(proof(world.seen("/token").get(2)).claims().getString("nonce")).isEqualTo("n-1");
  }

  @Test
  void a_nonce_that_is_never_right_ends_after_one_more_request() throws Exception {
    bindsTokens();
    world.tokenAnswer = form -> new Answer(400, json("error", "use_dpop_nonce"));
    world.tokenNonce = "n-1";
    assertThat(refused(machine(DpopMode.AUTO))).hasMessageContaining("use_dpop_nonce");
    assertThat(world.seen("/token")).hasSize(2);
  }

  @Test
  void the_nonce_of_the_mcp_server_is_in_the_next_proofs() throws Exception {
    bindsTokens();
    OAuthClient client = machine(DpopMode.AUTO);
    assertThat(challenged(client)).isTrue();
    Sensitive sent = Sensitive.of("DPoP at-1");
    String wants = "DPoP error=\"use_dpop_nonce\"";
    assertThat(get(client.challenged(401, wants, sent))).as("without a nonce").isFalse();
    client.nonce("r-1");
    assertThat(get(client.challenged(401, wants, sent))).isTrue();
    DpopProof proof = DpopProof.of(text(headers(client, "POST"), "DPoP"));
    assertThat(proof.claims().getString("nonce")).isEqualTo("r-1");
    assertThat(world.seen("/token")).hasSize(1);
  }

  @Test
  void the_key_outlives_the_client_with_its_tokens_and_refreshes_them_anywhere() throws Exception {
    bindsTokens();
    OAuthClient first = client();
    assertThat(challenged(first)).isTrue();
    String jkt = DpopProof.of(text(headers(first, "POST"), "DPoP")).jkt();
    OAuthClient second = client();
    assertThat(text(headers(second, "POST"), "Authorization")).isEqualTo("DPoP at-1");
    assertThat(DpopProof.of(text(headers(second, "POST"), "DPoP")).jkt()).isEqualTo(jkt);
    now = now.plusSeconds(3580);
    assertThat(get(token(second))).isEqualTo("at-2");
    assertThat(proof(world.grants("refresh_token").get(0)).jkt()).isEqualTo(jkt);
    assertThat(get(token(first))).isEqualTo("at-2");
    assertThat(DpopProof.of(text(headers(first, "POST"), "DPoP")).jkt()).isEqualTo(jkt);
    assertThat(world.grants("refresh_token")).hasSize(1);
  }

  @Test
  void a_bound_token_is_not_refreshed_to_a_bearer_token() throws Exception {
    bindsTokens();
    OAuthClient client = client();
    assertThat(challenged(client)).isTrue();
    world.tokenAnswer = world::issue;
    now = now.plusSeconds(3600);
    assertThat(headers(client, "POST")).as("the tokens are dropped").isEmpty();
    world.tokenAnswer = world::bind;
    assertThat(challenged(client)).isTrue();
    assertThat(text(headers(client, "POST"), "Authorization")).isEqualTo("DPoP at-3");
    assertThat(world.grants("refresh_token")).hasSize(1);
    assertThat(prompts).hasSize(2);
  }

  @Test
  void bound_tokens_without_their_key_and_a_key_that_is_none_are_not_used() throws Exception {
    bindsTokens();
    assertThat(challenged(client())).isTrue();
    String place = settings().key();
    JsonObject stored = Objects.requireNonNull(get(store.load(place)));
    assertThat(stored.encode()).contains("\"d\":");
    stored.getJsonObject("tokens").getJsonObject("dpop").put("d", "*");
    get(store.save(place, stored));
    assertThat(get(token(client()))).isNull();
    assertThat(String.valueOf(DpopKey.generate())).matches("dpop\\[[\\w-]{43}]");
  }

  @Test
  void a_refused_proof_costs_no_new_token_and_the_message_names_the_clock() throws Exception {
    bindsTokens();
    OAuthClient client = machine(DpopMode.AUTO);
    assertThat(challenged(client)).isTrue();
    var outcome =
        client.challenged(401, "DPoP error=\"invalid_dpop_proof\"", Sensitive.of("DPoP at-1"));
    outcome.otherwiseEmpty().await();
    assertThat(outcome.cause()).hasMessageContaining("clock");
    assertThat(world.seen("/token")).hasSize(1);
  }

  @Test
  void a_stored_key_names_the_library_that_its_proofs_need() throws Exception {
    JsonObject stored =
        new OAuthTokens(
                "https://as",
                "https://h/mcp",
                Sensitive.of("at-1"),
                null,
                Set.of(),
                null,
                DpopKey.generate())
            .toJson();
    List<URL> path = new ArrayList<>();
    for (String entry : System.getProperty("java.class.path").split(File.pathSeparator, -1)) {
      if (!entry.contains("nimbus-jose-jwt")) {
        path.add(Path.of(entry).toUri().toURL());
      }
    }
    try (URLClassLoader program =
        new URLClassLoader(path.toArray(URL[]::new), ClassLoader.getPlatformClassLoader())) {
      Class<?> json = program.loadClass(JsonObject.class.getName());
      Method read = program.loadClass(OAuthTokens.class.getName()).getDeclaredMethod("of", json);
      read.setAccessible(true);
      Object document = json.getConstructor(String.class).newInstance(stored.encode());

      assertThatThrownBy(() -> read.invoke(null, document))
          .cause()
          .isInstanceOf(IllegalStateException.class)
          .hasMessageContaining("com.nimbusds:nimbus-jose-jwt");
    }
  }
}
