package dev.mcpbus.security.oauth;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.mcpbus.protocol.ClientAuthentication;
import dev.mcpbus.protocol.IdentityProvider;
import dev.mcpbus.protocol.OAuthGrant;
import dev.mcpbus.protocol.Sensitive;
import dev.mcpbus.security.oauth.OAuthException.OAuthFailure;
import dev.mcpbus.testing.OAuthWorld.Answer;
import dev.mcpbus.testing.OAuthWorld.Seen;
import io.vertx.core.Future;
import io.vertx.core.MultiMap;
import io.vertx.core.json.JsonObject;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.KeyPair;
import java.security.KeyPairGenerator;
import java.security.Signature;
import java.security.spec.ECGenParameterSpec;
import java.time.Duration;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The token endpoint: grants, client authentication, scopes, refresh. */
class TokenTest extends OAuthFixture {

  @TempDir Path folder;

  private Set<String> scopes(int prompt) {
    return TokenChallenge.scopes(String.valueOf(query(prompts.get(prompt)).get("scope")));
  }

  private Seen granted(String type) {
    return world.grants(type).get(0);
  }

  @Test
  void client_credentials_need_no_person_and_use_basic_authentication() throws Exception {
    OAuthClient client = client(settings(OAuthGrant.CLIENT_CREDENTIALS));
    assertThat(challenged(client)).isTrue();
    assertThat(get(token(client))).isEqualTo("at-1");
    Seen seen = granted("client_credentials");
    assertThat(decoded(String.valueOf(seen.headers().get("authorization")).substring(6)))
        .isEqualTo("machine:s3cret%2F%2B");
    assertThat(seen.fields())
        .containsEntry("resource", world.url().toString())
        .doesNotContainKeys("client_id", "client_secret");
    assertThat(prompts).isEmpty();
  }

  @Test
  void the_secret_goes_into_the_body_where_only_that_is_offered() throws Exception {
    world.metadata(json("token_endpoint_auth_methods_supported", list("client_secret_post")));
    assertThat(challenged(client(settings(OAuthGrant.CLIENT_CREDENTIALS)))).isTrue();
    assertThat(granted("client_credentials").fields())
        .containsEntry("client_id", "machine")
        .containsEntry("client_secret", "s3cret/+");
    assertThat(granted("client_credentials").headers().get("authorization")).isNull();
  }

  /** Canny and many Express servers read the body alone, and their metadata names no method. */
  @Test
  void a_secret_that_is_refused_in_the_header_goes_into_the_body_where_nobody_named_a_method()
      throws Exception {
    for (Answer refusal :
        List.of(
            new Answer(401, json("error", "invalid_client")),
            new Answer(400, json("error", "invalid_request")),
            new Answer(400, new JsonObject()))) {
      world.tokenAnswer = form -> form.containsKey("client_secret") ? world.issue(form) : refusal;
      store = TokenStore.inMemory();
      world.metadata(new JsonObject());
      assertThat(challenged(client(settings(OAuthGrant.CLIENT_CREDENTIALS)))).isTrue();
      store = TokenStore.inMemory();
      world.metadata(json("token_endpoint_auth_methods_supported", list("client_secret_basic")));
      int before = world.seen("/token").size();
      refused(client(settings(OAuthGrant.CLIENT_CREDENTIALS)));
      assertThat(world.seen("/token")).as("the metadata counts").hasSize(before + 1);
    }
  }

  @Test
  void a_failure_that_says_nothing_of_the_client_brings_no_secret_into_the_body() throws Exception {
    for (int status : List.of(302, 403, 404, 405, 415)) {
      world.tokenAnswer = form -> new Answer(status, new JsonObject());
      int before = world.seen("/token").size();
      refused(client(settings(OAuthGrant.CLIENT_CREDENTIALS)));
      assertThat(world.seen("/token")).as(String.valueOf(status)).hasSize(before + 1);
    }
    assertThat(granted("client_credentials").fields()).doesNotContainKey("client_secret");
  }

  @Test
  void the_configured_method_overrules_the_metadata() throws Exception {
    OAuthSettings post =
        Settings.withMethod(
            settings(OAuthGrant.CLIENT_CREDENTIALS), ClientAuthentication.CLIENT_SECRET_POST);
    assertThat(challenged(client(post))).isTrue();
    assertThat(granted("client_credentials").fields()).containsKey("client_secret");
  }

  @Test
  void private_key_jwt_is_signed_for_the_issuer_alone() throws Exception {
    for (String algorithm : List.of("RSA", "EC")) {
      KeyPair pair = pair(algorithm);
      store = TokenStore.inMemory();
      int before = world.grants("client_credentials").size();
      assertThat(
              challenged(
                  client(Settings.withKey(settings(OAuthGrant.CLIENT_CREDENTIALS), pem(pair)))))
          .isTrue();
      Map<String, String> form = world.grants("client_credentials").get(before).fields();
      assertThat(form)
          .containsEntry(
              "client_assertion_type", "urn:ietf:params:oauth:client-assertion-type:jwt-bearer");
      JsonObject claims = verified(String.valueOf(form.get("client_assertion")), pair);
      assertThat(claims.getString("aud")).isEqualTo(world.issuer());
      assertThat(claims.getString("iss")).isEqualTo("machine");
      assertThat(claims.getString("sub")).isEqualTo("machine");
      assertThat(claims.getLong("exp")).isEqualTo(now.getEpochSecond() + 60);
    }
  }

  @Test
  void a_jwt_can_itself_be_the_grant() throws Exception {
    KeyPair pair = pair("EC");
    assertThat(challenged(client(Settings.withKey(settings(OAuthGrant.JWT_BEARER), pem(pair)))))
        .isTrue();
    Map<String, String> form = granted("urn:ietf:params:oauth:grant-type:jwt-bearer").fields();
    assertThat(verified(String.valueOf(form.get("assertion")), pair).getString("aud"))
        .isEqualTo(world.issuer());
  }

  private static KeyPair pair(String algorithm) throws Exception {
    KeyPairGenerator generator = KeyPairGenerator.getInstance(algorithm);
    if (algorithm.equals("EC")) {
      generator.initialize(new ECGenParameterSpec("secp256r1"));
    } else {
      generator.initialize(2048);
    }
    return generator.generateKeyPair();
  }

  private Path pem(KeyPair pair) throws Exception {
    String body = Base64.getMimeEncoder().encodeToString(pair.getPrivate().getEncoded());
    return Files.writeString(
        folder.resolve(pair.getPrivate().getAlgorithm() + ".pem"),
        "-----BEGIN PRIVATE KEY-----\n" + body + "\n-----END PRIVATE KEY-----\n");
  }

  private static JsonObject verified(String jwt, KeyPair pair) throws Exception {
    int dot = jwt.lastIndexOf('.');
    boolean rsa = pair.getPrivate().getAlgorithm().equals("RSA");
    Signature signature =
        Signature.getInstance(rsa ? "SHA256withRSA" : "SHA256withECDSAinP1363Format");
    signature.initVerify(pair.getPublic());
    signature.update(jwt.substring(0, dot).getBytes(StandardCharsets.US_ASCII));
    assertThat(signature.verify(Base64.getUrlDecoder().decode(jwt.substring(dot + 1)))).isTrue();
    JsonObject header = new JsonObject(decoded(jwt.substring(0, jwt.indexOf('.'))));
    assertThat(header.getString("alg")).isEqualTo(rsa ? "RS256" : "ES256");
    assertThat(header.getString("kid")).isEqualTo("k1");
    return new JsonObject(decoded(jwt.substring(jwt.indexOf('.') + 1, dot)));
  }

  private static String decoded(String base64) {
    return new String(
        Base64.getUrlDecoder().decode(base64.replace('+', '-').replace('/', '_')),
        StandardCharsets.UTF_8);
  }

  @Test
  void an_enterprise_exchanges_the_identity_for_a_grant_and_the_grant_for_a_token()
      throws Exception {
    Path subject = Files.writeString(folder.resolve("id"), "id-token\n");
    String idp = world.base() + "/token";
    world.tokenAnswer =
        form ->
            form.containsKey("subject_token")
                ? new Answer(
                    200,
                    json("access_token", "the.id.jag")
                        .put("token_type", "N_A")
                        .put("issued_token_type", "urn:ietf:params:oauth:token-type:id-jag"))
                : world.issue(form);
    OAuthSettings settings =
        Settings.withIdJag(
            settings(OAuthGrant.ID_JAG),
            new IdentityProvider(
                URI.create(idp),
                "at-idp",
                Sensitive.of("idp-secret"),
                null,
                subject,
                "urn:ietf:params:oauth:token-type:id_token"));
    world.challenge = "Bearer scope=\"files\"";
    assertThat(challenged(client(settings))).isTrue();
    assertThat(granted("urn:ietf:params:oauth:grant-type:token-exchange").fields())
        .containsEntry("requested_token_type", "urn:ietf:params:oauth:token-type:id-jag")
        .containsEntry("subject_token", "id-token")
        .containsEntry("subject_token_type", "urn:ietf:params:oauth:token-type:id_token")
        .containsEntry("audience", world.issuer())
        .containsEntry("resource", world.url().toString())
        .containsEntry("scope", "files")
        .containsEntry("client_id", "at-idp");
    assertThat(granted("urn:ietf:params:oauth:grant-type:jwt-bearer").fields())
        .containsEntry("assertion", "the.id.jag")
        .containsEntry("client_id", "machine")
        .doesNotContainKey("client_secret");
    assertThat(prompts).isEmpty();
  }

  @Test
  void scopes_are_those_of_the_challenge_else_of_the_server_else_none() throws Exception {
    world.resource(json("scopes_supported", list("basic", "more")));
    world.challenge = "Bearer scope=\"a b\"";
    assertThat(challenged(client())).isTrue();
    assertThat(scopes(0)).containsExactlyInAnyOrder("a", "b");
    store = TokenStore.inMemory();
    world.challenge = "Bearer";
    assertThat(challenged(client())).isTrue();
    assertThat(scopes(1)).containsExactlyInAnyOrder("basic", "more");
  }

  @Test
  void offline_access_is_requested_only_if_the_authorization_server_lists_it() throws Exception {
    world.challenge = "Bearer scope=\"a offline_access\"";
    assertThat(challenged(client())).isTrue();
    assertThat(query(prompts.get(0))).containsEntry("scope", "a");
    store = TokenStore.inMemory();
    world.challenge = "Bearer scope=\"a\"";
    world.metadata(json("scopes_supported", list("a", "offline_access")));
    assertThat(challenged(client())).isTrue();
    assertThat(scopes(1)).containsExactlyInAnyOrder("a", "offline_access");
  }

  @Test
  void step_up_asks_for_the_union_and_never_twice_for_the_same() throws Exception {
    world.challenge = "Bearer scope=\"a\"";
    OAuthClient client = client();
    assertThat(challenged(client)).isTrue();
    String more = "Bearer error=\"insufficient_scope\", scope=\"b\"";
    assertThat(get(client.challenged(403, more, Sensitive.of("Bearer at-1")))).isTrue();
    assertThat(scopes(1)).containsExactlyInAnyOrder("a", "b");
    assertThat(get(client.challenged(403, more, Sensitive.of("Bearer at-2")))).isFalse();
    assertThat(
            get(
                client.challenged(
                    403, "Bearer error=\"insufficient_scope\"", Sensitive.of("Bearer at-2"))))
        .isFalse();
    assertThat(prompts).hasSize(2);
  }

  @Test
  void a_token_is_renewed_before_it_expires_once_for_all_callers() throws Exception {
    OAuthClient client = client();
    assertThat(challenged(client)).isTrue();
    now = now.plusSeconds(3571);
    world.holdTokens = true;
    List<Future<String>> asking = List.of(token(client), token(client), token(client));
    await().until(() -> !world.grants("refresh_token").isEmpty());
    world.release();
    for (Future<String> one : asking) {
      assertThat(get(one)).isEqualTo("at-2");
    }
    assertThat(world.grants("refresh_token")).hasSize(1);
    assertThat(world.grants("refresh_token").get(0).fields())
        .containsEntry("refresh_token", "rt-1")
        .containsEntry("resource", world.url().toString());
    now = now.plusSeconds(3600);
    assertThat(get(token(client))).isEqualTo("at-3");
    assertThat(world.grants("refresh_token").get(1).fields())
        .containsEntry("refresh_token", "rt-2");
    assertThat(prompts).hasSize(1);
  }

  @Test
  void a_refused_refresh_token_leads_to_a_new_login() throws Exception {
    OAuthClient client = client();
    assertThat(challenged(client)).isTrue();
    world.tokenAnswer =
        form ->
            "refresh_token".equals(form.get("grant_type"))
                ? new Answer(400, json("error", "invalid_grant"))
                : world.issue(form);
    now = now.plusSeconds(7200);
    assertThat(get(token(client))).isNull();
    assertThat(challenged(client)).isTrue();
    assertThat(prompts).hasSize(2);
  }

  /** The words of real servers: GitHub and Slack answer with status 200. */
  @Test
  void a_refused_refresh_in_other_words_leads_to_one_new_login() throws Exception {
    for (Answer refusal :
        List.of(
            new Answer(200, json("error", "bad_refresh_token")),
            new Answer(200, json("ok", false).put("error", "invalid_refresh_token")),
            new Answer(200, json("ok", false)),
            new Answer(200, json("error", json("code", 5))),
            new Answer(400, json("error", "invalid_request")),
            new Answer(400, new JsonObject()),
            new Answer(403, json("error", "access_denied")),
            new Answer(401, json("error", "token revoked")),
            new Answer(404, new JsonObject()))) {
      store = TokenStore.inMemory();
      world.tokenAnswer = world::issue;
      OAuthClient client = client();
      assertThat(challenged(client)).isTrue();
      int logins = prompts.size();
      int refreshes = world.grants("refresh_token").size();
      world.tokenAnswer =
          form -> "refresh_token".equals(form.get("grant_type")) ? refusal : world.issue(form);
      now = now.plusSeconds(7200);
      assertThat(get(token(client))).as(refusal.body().encode()).isNull();
      assertThat(challenged(client)).as(refusal.body().encode()).isTrue();
      assertThat(world.grants("refresh_token")).hasSize(refreshes + 1);
      assertThat(prompts).hasSize(logins + 1);
    }
  }

  /** Salesforce and Railway take no scopes in a renewal, Entra ID requires them. */
  @Test
  void a_renewal_whose_scopes_are_refused_goes_again_without() throws Exception {
    for (String refusal : List.of("invalid_scope", "invalid_request")) {
      store = TokenStore.inMemory();
      world.challenge = "Bearer scope=\"a b\"";
      OAuthClient client = client();
      assertThat(challenged(client)).isTrue();
      int before = world.grants("refresh_token").size();
      int logins = prompts.size();
      world.tokenAnswer =
          form ->
              form.containsKey("refresh_token") && form.containsKey("scope")
                  ? new Answer(400, json("error", refusal))
                  : world.issue(form);
      now = now.plusSeconds(7200);
      assertThat(get(token(client))).startsWith("at-");
      List<Seen> renewals = world.grants("refresh_token");
      assertThat(renewals).hasSize(before + 2);
      assertThat(String.valueOf(renewals.get(before).fields().get("scope")).split(" "))
          .containsExactlyInAnyOrder("a", "b");
      assertThat(renewals.get(before + 1).fields()).doesNotContainKey("scope");
      assertThat(prompts).hasSize(logins);
      String more = "Bearer error=\"insufficient_scope\", scope=\"a\"";
      Sensitive sent = Sensitive.of("Bearer " + get(token(client)));
      assertThat(get(client.challenged(403, more, sent))).as("it has them still").isFalse();
      world.tokenAnswer = world::issue;
    }
  }

  @Test
  void answers_of_the_token_endpoint_may_be_forms() throws Exception {
    world.answersForms = true;
    OAuthClient client = client();
    assertThat(challenged(client)).isTrue();
    assertThat(get(token(client))).isEqualTo("at-1");
    now = now.plusSeconds(7200);
    assertThat(get(token(client))).isEqualTo("at-2");
    world.tokenAnswer = form -> new Answer(200, json("error", "bad_verification_code"));
    store = TokenStore.inMemory();
    assertThat(refused(client())).hasMessageContaining("bad_verification_code");
  }

  @Test
  void a_lifetime_of_nothing_is_none_that_is_stated() throws Exception {
    for (Object seconds : new Object[] {0, -1, "0", null, "soon"}) {
      store = TokenStore.inMemory();
      world.tokenAnswer =
          form -> new Answer(200, world.issue(form).body().put("expires_in", seconds));
      OAuthClient client = client();
      assertThat(challenged(client)).isTrue();
      get(token(client));
      now = now.plusSeconds(7200);
      get(token(client));
      assertThat(world.grants("refresh_token")).as(String.valueOf(seconds)).isEmpty();
    }
  }

  /** Servers that throw where they do not know a refresh token (reports: litellm 29588). */
  @Test
  void a_renewal_that_fails_with_500_for_ever_leads_to_a_login_and_loses_nothing()
      throws Exception {
    patience = Duration.ofMillis(500); // longer than the third pause
    OAuthClient client = client(settings(), Duration.ofMillis(300));
    assertThat(challenged(client)).isTrue();
    world.tokenAnswer =
        form ->
            form.containsKey("refresh_token")
                ? new Answer(500, new JsonObject())
                : world.issue(form);
    now = now.plusSeconds(7200);
    assertThat(get(token(client))).isEqualTo("at-1");
    Sensitive old = Sensitive.of("Bearer at-1");
    personIsPresent = false;
    Future<Boolean> nobody = client.challenged(401, "Bearer", old);
    nobody.otherwiseEmpty().await();
    assertThat(OAuthException.reason(nobody.cause())).isEqualTo(OAuthFailure.LOGIN_REQUIRED);
    now = now.plusSeconds(60);
    personIsPresent = true;
    assertThat(get(client.challenged(401, "Bearer", old))).isTrue();
    assertThat(get(token(client))).isEqualTo("at-2");
    now = now.plusSeconds(7200);
    world.tokenAnswer = world::issue;
    assertThat(get(token(client))).as("its own refresh token").isEqualTo("at-3");
  }

  @Test
  void the_parameter_resource_can_be_another_one_or_none() throws Exception {
    for (String other : List.of("", "api://mine")) {
      store = TokenStore.inMemory();
      OAuthClient client = client(Settings.withResource(settings(), other));
      assertThat(challenged(client)).isTrue();
      now = now.plusSeconds(7200);
      assertThat(get(token(client))).startsWith("at-");
      String sent = other.isEmpty() ? null : other;
      assertThat(query(prompts.get(prompts.size() - 1)).get("resource")).isEqualTo(sent);
      for (String grant : List.of("authorization_code", "refresh_token")) {
        List<Seen> seen = world.grants(grant);
        assertThat(seen.get(seen.size() - 1).fields().get("resource")).isEqualTo(sent);
      }
    }
  }

  @Test
  void parameters_in_the_query_of_the_token_endpoint_stand_once_in_the_body() throws Exception {
    world.metadata(
        json(
            "token_endpoint",
            world.base()
                + "/token?tenant=a&client_id=evil&CLIENT_SECRET=x&grant_type=password&code=x"
                + "&resource=https%3A%2F%2Fevil&a=b;client_id=evil"));
    assertThat(challenged(client())).isTrue();
    assertThat(granted("authorization_code").query()).isEqualTo("tenant=a&a=b%3Bclient_id%3Devil");
    assertThat(granted("authorization_code").fields()).containsEntry("client_id", "dcr-1");
  }

  @Test
  void one_failure_of_any_endpoint_is_asked_again_and_nothing_is_remembered() throws Exception {
    List<String> places =
        List.of(
            OAuthDiscoveryTest.PATHED,
            "/.well-known/oauth-authorization-server/as",
            "/register",
            "/token");
    for (String place : places) {
      for (int status : new int[] {503, 0, 429, 500, 502, 408}) {
        store = TokenStore.inMemory();
        int logins = prompts.size();
        world.trouble(place, status);
        assertThat(challenged(client())).as(place + " " + status).isTrue();
        assertThat(prompts).as("one login").hasSize(logins + 1);
      }
    }
    world.documents.put("/meta", world.documents.remove(OAuthDiscoveryTest.PATHED));
    world.challenge = "Bearer resource_metadata=\"" + world.base() + "/meta\"";
    store = TokenStore.inMemory();
    world.trouble("/meta", 503, 503);
    assertThat(challenged(client())).as("the URL of the challenge").isTrue();
  }

  @Test
  void temporarily_unavailable_is_no_refusal_whatever_its_status() throws Exception {
    OAuthClient client = client();
    assertThat(challenged(client)).isTrue();
    world.tokenAnswer =
        form ->
            world.grants("refresh_token").size() == 1
                ? new Answer(400, json("error", "temporarily_unavailable"))
                : world.issue(form);
    now = now.plusSeconds(7200);
    assertThat(get(token(client))).isEqualTo("at-2");
    assertThat(prompts).hasSize(1);
  }

  @Test
  void a_server_that_asks_for_a_long_pause_is_not_asked_again_within_it() throws Exception {
    OAuthClient client = client();
    assertThat(challenged(client)).isTrue();
    world.retryAfter = "86400";
    world.trouble("/token", 503, 503, 503, 503);
    now = now.plusSeconds(7200);
    for (int call = 0; call < 5; call++) {
      Future<String> token = token(client);
      token.otherwiseEmpty().await();
      assertThat(((OAuthException) token.cause()).reason()).isEqualTo(OAuthFailure.UNREACHABLE);
      assertThat(token.cause()).hasMessageContaining("asks again after");
    }
    assertThat(world.grants("refresh_token")).hasSize(1);
  }

  @Test
  void pauses_grow_from_small_ones_and_what_a_server_asks_for_is_granted_within_a_bound() {
    assertThat(GuardedHttp.pauseMillis(1, -1, 0.5)).isEqualTo(100);
    assertThat(GuardedHttp.pauseMillis(2, -1, 0.5)).isEqualTo(200);
    assertThat(GuardedHttp.pauseMillis(4, -1, 0)).isEqualTo(640);
    assertThat(GuardedHttp.pauseMillis(4, -1, 1)).isEqualTo(960);
    assertThat(GuardedHttp.pauseMillis(1_000_000, -1, 0.5)).isEqualTo(5_000);
    assertThat(GuardedHttp.pauseMillis(1, 3_000, 0.5)).isEqualTo(3_000);
    assertThat(GuardedHttp.pauseMillis(1, 0, 0.5)).isEqualTo(100);
    assertThat(GuardedHttp.pauseMillis(1, Long.MAX_VALUE, 0.5)).isEqualTo(60_000);
  }

  @Test
  void an_authorization_server_that_is_down_causes_no_login_and_loses_no_token() throws Exception {
    OAuthClient client = client();
    assertThat(challenged(client)).isTrue();
    world.tokenAnswer = form -> new Answer(503, new JsonObject());
    now = now.plusSeconds(7200);
    Future<String> token = token(client);
    token.otherwiseEmpty().await();
    assertThat(((OAuthException) token.cause()).reason()).isEqualTo(OAuthFailure.UNREACHABLE);
    world.tokenAnswer = world::issue;
    assertThat(get(token(client))).isEqualTo("at-2");
    assertThat(prompts).hasSize(1);
  }

  @Test
  void tokens_outlive_the_client_that_got_them() throws Exception {
    assertThat(challenged(client())).isTrue();
    assertThat(get(token(client()))).isEqualTo("at-1");
    assertThat(get(token(client(Settings.withScopes(settings(), "other"))))).isNull();
  }

  @Test
  void urls_that_differ_in_their_query_share_no_token() throws Exception {
    OAuthClient one = client(Settings.withServer(settings(), world.url() + "?tenant=a"));
    assertThat(challenged(one)).isTrue();
    OAuthClient same = client(Settings.withServer(settings(), world.url() + "?tenant=a"));
    OAuthClient other = client(Settings.withServer(settings(), world.url() + "?tenant=b"));
    assertThat(get(token(same))).isEqualTo("at-1");
    assertThat(get(token(other))).isNull();
    assertThat(get(token(client()))).isNull();
    assertThat(challenged(other)).isTrue();
    assertThat(prompts).hasSize(2);
  }

  @Test
  void what_helps_no_retry_is_not_asked_again_for_each_call() throws Exception {
    world.metadata(json("token_endpoint_auth_methods_supported", list("client_secret_basic")));
    OAuthSettings machine = settings(OAuthGrant.CLIENT_CREDENTIALS);
    OAuthClient client = client(machine);
    assertThat(challenged(client)).isTrue();
    world.tokenAnswer = form -> new Answer(401, json("error", "invalid_client"));
    now = now.plusSeconds(7200);
    for (int call = 0; call < 10; call++) {
      Future<String> token = token(client);
      token.otherwiseEmpty().await();
      assertThat(token.cause()).hasMessageContaining("invalid_client");
    }
    assertThat(world.seen("/token")).hasSize(2);
    now = now.plusSeconds(11);
    world.tokenAnswer = world::issue;
    assertThat(get(token(client))).isEqualTo("at-2");
  }

  @Test
  void a_refresh_of_another_process_is_taken_over() throws Exception {
    OAuthClient mine = client();
    OAuthClient other = client();
    assertThat(challenged(mine)).isTrue();
    OAuthClient third = client();
    assertThat(get(token(third))).isEqualTo("at-1");
    now = now.plusSeconds(3580);
    assertThat(get(token(mine))).isEqualTo("at-2");
    assertThat(get(token(third))).isEqualTo("at-2");
    assertThat(world.grants("refresh_token")).hasSize(1);
    assertThat(other.toString()).doesNotContain("at-");
  }

  @Test
  void what_is_no_bearer_token_is_refused() throws Exception {
    for (JsonObject bad :
        List.of(
            new JsonObject(),
            json("access_token", "a").put("token_type", "mac"),
            json("access_token", "a\r\nX: y").put("token_type", "Bearer"),
            json("access_token", 5))) {
      world.tokenAnswer = form -> new Answer(200, bad);
      assertThat(refused(client(settings(OAuthGrant.CLIENT_CREDENTIALS))).reason())
          .isEqualTo(OAuthFailure.INVALID);
    }
  }

  @Test
  void nothing_secret_is_in_any_error_or_description() throws Exception {
    world.tokenAnswer =
        form -> new Answer(400, json("error", "bad s3cret/+").put("error_description", "s3cret/+"));
    OAuthSettings settings = settings(OAuthGrant.CLIENT_CREDENTIALS);
    assertThat(refused(client(settings))).hasMessageNotContaining("s3cret");
    assertThat(settings.toString()).doesNotContain("s3cret");
    assertThat(settings.key()).doesNotContain("s3cret");
    Sensitive secret = Sensitive.of("s3cret");
    OAuthTokens tokens = new OAuthTokens("i", "r", secret, secret, Set.of(), null, null);
    RegisteredClient client = new RegisteredClient("i", "id", secret, null, null, true, null);
    assertThat(tokens.toString() + client + new StoredAuthorization(tokens, client, "i", Set.of()))
        .doesNotContain("s3cret");
    assertThat(
            new GuardedHttp.Reply(
                    200, json("a", "s3cret"), MultiMap.caseInsensitiveMultiMap(), "https://as")
                .toString())
        .doesNotContain("s3cret");
  }
}
