package dev.mcpbus.security.signin;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.mcpbus.bus.Addresses;
import dev.mcpbus.internals.RecordCopy;
import dev.mcpbus.protocol.Sensitive;
import dev.mcpbus.security.ClaimMapping;
import dev.mcpbus.security.ClaimMapping.ClaimRule;
import dev.mcpbus.security.oauth.CallerTokens;
import dev.mcpbus.security.oauth.TokenStore;
import dev.mcpbus.testing.LoginBrowser;
import dev.mcpbus.testing.TestBus;
import io.vertx.core.Future;
import io.vertx.core.MultiMap;
import io.vertx.core.Vertx;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import io.vertx.junit5.VertxExtension;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Base64;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** The way of a login that nobody disturbs. */
@ExtendWith(VertxExtension.class)
class SignInTest {

  private SignInBed bed;

  @BeforeEach
  void start(Vertx vertx) {
    bed = new SignInBed(vertx);
  }

  @AfterEach
  void close() {
    bed.close();
  }

  private static JsonObject claims(String token) {
    return new JsonObject(
        new String(
            Base64.getUrlDecoder().decode(token.split("\\.", -1)[1]), StandardCharsets.UTF_8));
  }

  @Test
  void the_metadata_has_what_clients_of_mcp_look_for() {
    for (String place :
        new String[] {
          "/.well-known/oauth-authorization-server",
          "/.well-known/oauth-authorization-server/mcp",
          "/.well-known/openid-configuration"
        }) {
      JsonObject metadata = new JsonObject(bed.browser.get(bed.base() + place).body());
      assertThat(metadata.getString("issuer")).isEqualTo(bed.base());
      assertThat(metadata.getJsonArray("code_challenge_methods_supported")).containsExactly("S256");
      assertThat(metadata.getBoolean("authorization_response_iss_parameter_supported")).isTrue();
      assertThat(metadata.getBoolean("client_id_metadata_document_supported")).isTrue();
      assertThat(metadata.getString("registration_endpoint"))
          .isEqualTo(bed.base() + "/oauth/register");
    }
  }

  @Test
  void a_person_consents_logs_in_at_the_provider_and_the_program_gets_tokens() {
    String client = bed.client();
    HttpResponse<String> consent = bed.browser.open(bed.authorize(client));
    assertThat(consent.statusCode()).isEqualTo(200);
    assertThat(consent.body())
        .contains("A program", "127.0.0.1", SignInBed.REDIRECT, bed.base() + "/mcp")
        .contains("a program on this computer");
    assertThat(bed.provider.visits()).isZero();

    HttpResponse<String> leaving = bed.browser.answer(bed.base(), consent, "allow");
    String callback = LoginBrowser.location(bed.browser.open(LoginBrowser.leadsTo(leaving)));
    String back = LoginBrowser.location(bed.browser.open(callback));
    assertThat(back).startsWith(SignInBed.REDIRECT + "?code=");
    assertThat(LoginBrowser.fields(back))
        .containsEntry("state", "state of the program")
        .containsEntry("iss", bed.base());

    HttpResponse<String> answer =
        bed.token(bed.redemption(client, LoginBrowser.field(back, "code")));
    JsonObject tokens = new JsonObject(answer.body());
    assertThat(tokens.getString("token_type")).isEqualTo("Bearer");
    assertThat(tokens.getLong("expires_in")).isEqualTo(600);
    JsonObject claims = claims(tokens.getString("access_token"));
    assertThat(claims.getString("sub")).isEqualTo("user:ada");
    assertThat(claims.getString("aud")).isEqualTo(bed.base() + "/mcp");
    assertThat(claims.getString("iss")).isEqualTo(bed.base());

    JsonObject renewed =
        new JsonObject(bed.renew(client, tokens.getString("refresh_token")).body());
    assertThat(claims(renewed.getString("access_token")).getString("sub")).isEqualTo("user:ada");
    assertThat(renewed.getString("refresh_token")).isNotEqualTo(tokens.getString("refresh_token"));
  }

  @Test
  void a_person_who_cancels_sends_the_program_an_error_and_never_visits_the_provider() {
    HttpResponse<String> consent = bed.browser.open(bed.authorize(bed.client()));
    String back = LoginBrowser.leadsTo(bed.browser.answer(bed.base(), consent, "deny"));
    assertThat(LoginBrowser.fields(back))
        .containsEntry("error", "access_denied")
        .containsEntry("iss", bed.base())
        .containsEntry("state", "state of the program");
    assertThat(bed.provider.visits()).isZero();
  }

  /** Every step at another node, none of which knows what another was told. */
  @Test
  void each_step_of_a_login_goes_on_at_another_node() {
    String client = bed.client();
    HttpResponse<String> consent = bed.browser.open(bed.authorize(client));
    SignIn second = bed.node();
    assertThat(second.texts().open(SealedTexts.Purpose.CLIENT, client)).isNotNull();
    assertThat(second.texts().open(SealedTexts.Purpose.CONSENT, LoginBrowser.request(consent)))
        .isNotNull();
    String code = bed.code(client);
    assertThat(second.texts().open(SealedTexts.Purpose.CODE, code)).isNotNull();
  }

  @Test
  void a_program_on_this_computer_comes_back_at_any_port() {
    Map<String, String> request = bed.request(bed.client());
    request.put("redirect_uri", "http://127.0.0.1:50123/callback");
    assertThat(bed.browser.login(bed.base(), bed.authorize(request)))
        .startsWith("http://127.0.0.1:50123/callback?code=");
  }

  @Test
  void a_registration_says_what_counts_and_ends() {
    JsonObject metadata =
        SignInBed.metadata()
            .put("token_endpoint_auth_method", "client_secret_basic")
            .put("grant_types", new JsonArray().add("authorization_code"));
    HttpResponse<String> answer = bed.browser.json(bed.base() + "/oauth/register", metadata);
    JsonObject registered = new JsonObject(answer.body());
    assertThat(answer.statusCode()).isEqualTo(201);
    assertThat(registered.getString("token_endpoint_auth_method")).isEqualTo("none");
    assertThat(registered.containsKey("client_secret")).isFalse();
    String client = registered.getString("client_id");
    assertThat(bed.tokens(client).containsKey("refresh_token")).isFalse();
    bed.wait(Duration.ofDays(366));
    assertThat(bed.browser.open(bed.authorize(client)).statusCode()).isEqualTo(401);
  }

  @Test
  void a_login_ends_after_its_time_however_often_it_is_renewed() {
    String client = bed.client();
    String refresh = bed.tokens(client).getString("refresh_token");
    for (int i = 0; i < 2; i++) {
      bed.wait(Duration.ofDays(14));
      refresh = new JsonObject(bed.renew(client, refresh).body()).getString("refresh_token");
      assertThat(refresh).isNotNull();
    }
    bed.wait(Duration.ofDays(3));
    assertThat(bed.renew(client, refresh).body()).contains("invalid_grant");
  }

  private boolean lastsAtAnotherNode(JsonObject tokens) {
    String login = claims(tokens.getString("access_token")).getString("sid");
    return TestBus.await(bed.node().families().isAlive(login));
  }

  @Test
  void who_has_left_the_company_is_renewed_no_more_and_has_no_token_left() {
    String client = bed.client();
    JsonObject tokens = bed.tokens(client);
    bed.provider.everybodyLeaves();
    JsonObject next = new JsonObject(bed.renew(client, tokens.getString("refresh_token")).body());
    assertThat(next.getString("refresh_token"))
        .as("the provider's token is good still")
        .isNotNull();
    bed.wait(Duration.ofMinutes(6));
    assertThat(bed.renew(client, next.getString("refresh_token")).body()).contains("invalid_grant");
    assertThat(bed.call("/mcp", next.getString("access_token")).statusCode()).isEqualTo(401);
    assertThat(TestBus.await(bed.signIn().providerToken("user:ada"))).isNull();
  }

  @Test
  void other_rules_of_who_is_who_end_the_logins() {
    JsonObject tokens = bed.tokens(bed.client());
    String login = claims(tokens.getString("access_token")).getString("sid");
    ClaimMapping other = new ClaimMapping("sub", List.of("groups"), List.of());
    SignIn changed = bed.node(options -> RecordCopy.with(options, "claims", other));
    assertThat(TestBus.await(changed.families().isAlive(login))).isFalse();
    assertThat(lastsAtAnotherNode(tokens)).isTrue();
  }

  @Test
  void who_removes_all_of_a_principal_ends_its_logins_for_good(Vertx vertx) {
    String client = bed.client();
    JsonObject tokens = bed.tokens(client);
    assertThat(bed.call("/mcp", tokens.getString("access_token")).statusCode()).isNotEqualTo(401);
    TestBus.await(bed.store.removeAll(TokenStore.keyOf("user:ada", "")));
    vertx
        .eventBus()
        .publish(Addresses.CREDENTIALS_CHANGED, new JsonObject().put("principal", "user:ada"));
    await()
        .until(
            () -> bed.call("/mcp", tokens.getString("access_token")).statusCode(),
            status -> status == 401);
    JsonObject again = bed.tokens(client);
    assertThat(bed.call("/mcp", again.getString("access_token")).statusCode()).isNotEqualTo(401);
    assertThat(bed.renew(client, tokens.getString("refresh_token")).body())
        .contains("invalid_grant");
  }

  @Test
  void with_the_last_login_of_a_person_everything_of_it_goes() {
    String client = bed.client();
    JsonObject one = bed.tokens(client);
    JsonObject two = bed.tokens(client);
    bed.revoke(client, one.getString("refresh_token"));
    assertThat(lastsAtAnotherNode(one)).isFalse();
    assertThat(lastsAtAnotherNode(two)).isTrue();
    assertThat(TestBus.await(bed.signIn().providerToken("user:ada"))).isNotNull();
    bed.revoke(client, two.getString("refresh_token"));
    assertThat(TestBus.await(bed.store.list("")).values()).allMatch(JsonObject::isEmpty);
  }

  @Test
  void what_a_login_that_is_over_has_left_goes_with_the_next_login_of_anybody() {
    bed.tokens(bed.client());
    bed.wait(Duration.ofDays(31));
    bed.provider.person("bob");
    bed.provider.claims(id -> id.put("exp", id.getLong("exp") + Duration.ofDays(31).toSeconds()));
    bed.tokens(bed.client());
    assertThat(TestBus.await(bed.store.list("")))
        .noneSatisfy((key, state) -> assertThat(key + state.encode()).contains("ada"));
  }

  @Test
  void a_renewal_beside_a_logout_does_not_bring_the_login_back() {
    String client = bed.client();
    for (int i = 0; i < 20; i++) {
      JsonObject tokens = bed.tokens(client);
      String refresh = tokens.getString("refresh_token");
      CompletableFuture<?> renewal = CompletableFuture.runAsync(() -> bed.renew(client, refresh));
      bed.revoke(client, refresh);
      renewal.join();
      assertThat(lastsAtAnotherNode(tokens)).isFalse();
    }
  }

  @Test
  void a_token_that_opens_mcpbus_is_exchanged_at_nobody(Vertx vertx) {
    CallerTokens tokens = CallerTokens.of(vertx);
    tokens.signedIn("user:", person -> Future.succeededFuture());
    MultiMap request = MultiMap.caseInsensitiveMultiMap().add("Authorization", "Bearer ours");
    tokens.note("user:ada", request);
    tokens.note("work:ada", request);
    assertThatThrownBy(() -> TestBus.await(tokens.token("user:ada")))
        .hasMessageContaining("sign in at mcpbus again");
    assertThat(TestBus.await(tokens.token("work:ada"))).isEqualTo(Sensitive.of("ours"));
  }

  @Test
  void the_tokens_of_the_provider_are_kept_and_never_given_away() {
    String client = bed.client();
    String answer = bed.tokens(client).encode();
    assertThat(answer).doesNotContain("of the provider");
  }

  @Test
  void an_address_that_the_provider_has_not_verified_names_nobody(Vertx vertx) {
    try (SignInBed mails =
        new SignInBed(
            vertx,
            options ->
                RecordCopy.with(
                    options, "claims", new ClaimMapping("email", List.of(), List.of())))) {
      JsonObject mail = new JsonObject().put("email", "ada@mail.example");
      for (Object verified : new Object[] {false, "true", new JsonObject()}) {
        mails.provider.claims(id -> id.mergeIn(mail).put("email_verified", verified));
        assertThatThrownBy(() -> mails.code(mails.client())).hasMessageStartingWith("403 ");
      }
      mails.provider.claims(id -> id.mergeIn(mail).put("email_verified", true));
      assertThat(claims(mails.tokens(mails.client()).getString("access_token")).encode())
          .contains("user:ada@mail.example");
    }
  }

  @Test
  void rules_make_roles_and_the_admin_right_of_the_id_token(Vertx vertx) {
    ClaimMapping rules =
        new ClaimMapping(
            "sub", List.of("realm.roles"), List.of(new ClaimRule("groups", "ops", "admins", true)));
    try (SignInBed mapped =
        new SignInBed(vertx, options -> RecordCopy.with(options, "claims", rules))) {
      JsonObject roles = new JsonObject().put("roles", new JsonArray().add("dev"));
      mapped.provider.claims(
          id -> id.put("realm", roles).put("groups", new JsonArray().add("ops").add("x")));
      JsonObject token = claims(mapped.tokens(mapped.client()).getString("access_token"));
      assertThat(token.getJsonArray("roles")).containsExactly("admins", "dev");
      assertThat(token.getBoolean("admin")).isTrue();
      roles.put("roles", new JsonArray().add("r".repeat(5_000)));
      assertThatThrownBy(() -> mapped.code(mapped.client()))
          .hasMessageStartingWith("403 ")
          .hasMessageContaining("auth.signIn.roles");
    }
  }

  @Test
  void the_token_of_the_provider_is_renewed_for_an_exchange_and_is_that_of_its_person() {
    bed.tokens(bed.client());
    assertThat(TestBus.await(bed.signIn().providerToken("user:ada")))
        .isEqualTo(Sensitive.of("of the provider for ada"));
    assertThat(TestBus.await(bed.signIn().providerToken("user:bob"))).isNull();
    bed.wait(Duration.ofMinutes(6));
    assertThat(TestBus.await(bed.signIn().providerToken("user:ada")))
        .isEqualTo(Sensitive.of("renewed 1"));
    assertThat(TestBus.await(bed.node().providerToken("user:ada")))
        .isEqualTo(Sensitive.of("renewed 1"));
  }

  @Test
  void a_device_waits_until_a_person_has_typed_its_code() {
    String client = bed.client(SignInProgram.device());
    JsonObject device = bed.waiting(client);
    Map<String, String> poll = SignInProgram.poll(client, device);
    assertThat(bed.token(poll).body()).contains("authorization_pending");

    assertThat(bed.browser.open(device.getString("verification_uri_complete")).body())
        .contains(device.getString("user_code"));
    HttpResponse<String> consent =
        bed.browser.post(
            device.getString("verification_uri"),
            Map.of(
                "user_code",
                device.getString("user_code").toLowerCase(Locale.ROOT).replace("-", " ")),
            "Origin",
            bed.base());
    assertThat(consent.body()).contains("A device", device.getString("user_code"));
    HttpResponse<String> leaving = bed.browser.answer(bed.base(), consent, "allow");
    String callback = LoginBrowser.location(bed.browser.open(LoginBrowser.leadsTo(leaving)));
    assertThat(bed.browser.open(callback).body()).contains("You are logged in");

    bed.forget("signin poll");
    JsonObject tokens = new JsonObject(bed.token(poll).body());
    assertThat(claims(tokens.getString("access_token")).getString("sub")).isEqualTo("user:ada");
    assertThat(tokens.getString("refresh_token")).isNotNull();
    bed.forget("signin poll");
    assertThat(bed.token(poll).body()).contains("expired_token");
  }
}
