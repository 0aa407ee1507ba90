package dev.mcpbus.security.oauth;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.mcpbus.protocol.Sensitive;
import dev.mcpbus.security.oauth.OAuthException.OAuthFailure;
import dev.mcpbus.testing.OAuthWorld.Answer;
import io.vertx.core.Future;
import io.vertx.core.json.JsonObject;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** How this client gets its id, and which servers receive it. */
class RegistrationTest extends OAuthFixture {

  private static final String DOCUMENT = "https://client.example/mcpbus.json";

  @Test
  void a_registered_client_id_comes_before_everything() throws Exception {
    world.metadata(json("client_id_metadata_document_supported", true));
    assertThat(challenged(client(Settings.withClient(settings(), "mine", null)))).isTrue();
    assertThat(query(prompts.get(0))).containsEntry("client_id", "mine");
    assertThat(world.seen("/register")).isEmpty();
  }

  @Test
  void a_metadata_document_is_the_id_where_the_server_reads_it() throws Exception {
    world.metadata(json("client_id_metadata_document_supported", true));
    assertThat(challenged(client(Settings.withDocument(settings(), DOCUMENT)))).isTrue();
    assertThat(query(prompts.get(0))).containsEntry("client_id", DOCUMENT);
    assertThat(world.seen("/register")).isEmpty();
  }

  @Test
  void else_the_client_registers_itself_as_a_native_one() throws Exception {
    assertThat(challenged(client(Settings.withDocument(settings(), DOCUMENT)))).isTrue();
    JsonObject sent = new JsonObject(world.seen("/register").get(0).body());
    assertThat(sent.getString("application_type")).isEqualTo("native");
    assertThat(sent.getString("token_endpoint_auth_method")).isEqualTo("none");
    assertThat(sent.getJsonArray("grant_types")).contains("authorization_code", "refresh_token");
    assertThat(sent.getJsonArray("redirect_uris").getString(0))
        .isEqualTo(query(prompts.get(0)).get("redirect_uri"));
  }

  @Test
  void else_the_failure_asks_the_operator_to_register() throws Exception {
    world.metadata(json("registration_endpoint", null));
    OAuthException why = refused(client());
    assertThat(why.reason()).isEqualTo(OAuthFailure.LOGIN_REQUIRED);
    assertThat(why).hasMessageContaining("clientId");
  }

  @Test
  void a_registration_is_used_again_on_its_own_port() throws Exception {
    OAuthClient first = client();
    assertThat(challenged(first)).isTrue();
    now = now.plusSeconds(60);
    world.tokenAnswer =
        form ->
            "refresh_token".equals(form.get("grant_type"))
                ? new Answer(400, json("error", "invalid_grant"))
                : world.issue(form);
    assertThat(get(client().challenged(401, "Bearer", Sensitive.of("Bearer at-1")))).isTrue();
    assertThat(world.seen("/register")).hasSize(1);
    assertThat(query(prompts.get(1)).get("redirect_uri"))
        .isEqualTo(query(prompts.get(0)).get("redirect_uri"));
  }

  @Test
  void the_end_of_a_secret_counts_where_there_is_one_and_it_is_no_duration() throws Exception {
    for (JsonObject said :
        List.of(
            json("client_secret_expires_at", now.getEpochSecond() + 60),
            json("client_secret_expires_at", 2_592_000).put("client_secret", "s"),
            json("client_secret_expires_at", "0").put("client_secret", "s"),
            json("client_secret_expires_at", null).put("client_secret", null))) {
      store = TokenStore.inMemory();
      world.registration.clear().mergeIn(said);
      OAuthClient client = client();
      assertThat(challenged(client)).isTrue();
      int logins = prompts.size();
      now = now.plusSeconds(7200);
      assertThat(get(token(client))).as(said.encode()).startsWith("at-");
      assertThat(prompts).hasSize(logins);
    }
    store = TokenStore.inMemory();
    world.registration.clear().put("client_secret", "s");
    world.registration.put("client_secret_expires_at", now.getEpochSecond() + 60);
    OAuthClient client = client();
    assertThat(challenged(client)).isTrue();
    now = now.plusSeconds(7200);
    assertThat(get(token(client))).as("a secret that has ended").isNull();
  }

  @Test
  void registered_credentials_are_never_sent_to_another_authorization_server() throws Exception {
    OAuthSettings mine = Settings.withClient(settings(), "mine", "s3cret");
    assertThat(challenged(client(mine))).isTrue();
    moveAuthorizationServer();
    OAuthClient again = client(mine);
    int before = world.seen("/token").size();
    assertThat(get(token(again))).isEqualTo("at-1");
    var outcome = again.challenged(401, "Bearer", Sensitive.of("Bearer at-1"));
    outcome.otherwiseEmpty().await();
    assertThat(outcome.cause()).hasMessageContaining("they are not sent");
    assertThat(world.seen("/token")).hasSize(before);
  }

  @Test
  void a_client_that_registered_itself_does_so_anew_with_another_server() throws Exception {
    OAuthClient client = client();
    assertThat(challenged(client)).isTrue();
    moveAuthorizationServer();
    now = now.plusSeconds(60);
    assertThat(get(client.challenged(401, "Bearer", Sensitive.of("Bearer at-1")))).isTrue();
    assertThat(world.seen("/register")).hasSize(2);
    assertThat(world.grants("refresh_token")).isEmpty();
    assertThat(query(prompts.get(1))).containsEntry("client_id", "dcr-2");
  }

  /** What a server says that has lost its registrations, until the client registers anew. */
  private void forgetRegistrations(int status, JsonObject error) {
    int before = world.seen("/register").size();
    world.tokenAnswer =
        form ->
            world.seen("/register").size() == before
                ? new Answer(status, error)
                : world.issue(form);
  }

  @Test
  void a_registration_that_the_server_has_forgotten_is_made_anew_once() throws Exception {
    for (JsonObject error :
        List.of(
            json("error", "invalid_client"),
            json("error", "unauthorized_client"),
            new JsonObject())) {
      store = TokenStore.inMemory();
      world.tokenAnswer = world::issue;
      OAuthClient client = client();
      assertThat(challenged(client)).isTrue();
      int registrations = world.seen("/register").size();
      int logins = prompts.size();
      forgetRegistrations(401, error);
      now = now.plusSeconds(7200);
      assertThat(get(token(client))).isNull();
      assertThat(challenged(client)).isTrue();
      assertThat(world.seen("/register")).hasSize(registrations + 1);
      assertThat(prompts).hasSize(logins + 1);
      assertThat(query(prompts.get(logins)).get("client_id"))
          .isNotEqualTo(query(prompts.get(logins - 1)).get("client_id"));
      world.tokenAnswer = world::issue;
      now = now.plusSeconds(7200);
      assertThat(get(token(client()))).as("the new registration is kept").startsWith("at-");
      assertThat(world.seen("/register")).hasSize(registrations + 1);
    }
  }

  @Test
  void many_calls_at_once_after_the_server_has_forgotten_us_cost_one_registration_and_one_login()
      throws Exception {
    OAuthClient client = client();
    assertThat(challenged(client)).isTrue();
    forgetRegistrations(400, json("error", "invalid_client"));
    now = now.plusSeconds(60);
    world.holdTokens = true;
    List<Future<Boolean>> calls = new ArrayList<>();
    for (int call = 0; call < 20; call++) {
      calls.add(client.challenged(401, "Bearer", Sensitive.of("Bearer at-1")));
    }
    await().until(() -> !world.grants("refresh_token").isEmpty());
    world.release();
    for (Future<Boolean> call : calls) {
      assertThat(get(call)).isTrue();
    }
    assertThat(world.grants("refresh_token")).hasSize(1);
    assertThat(world.seen("/register")).hasSize(2);
    assertThat(prompts).hasSize(2);
  }

  @Test
  void a_login_page_that_does_not_know_us_makes_the_client_register_anew() throws Exception {
    OAuthClient client = client();
    assertThat(challenged(client)).isTrue();
    world.tokenAnswer =
        form ->
            "refresh_token".equals(form.get("grant_type"))
                ? new Answer(400, json("error", "invalid_grant"))
                : world.issue(form);
    now = now.plusSeconds(7200);
    assertThat(get(token(client))).isNull();
    world.callback.put("error", "unauthorized_client");
    onPrompt =
        page -> {
          if (prompts.size() == 3) {
            world.callback.clear();
          }
        };
    assertThat(challenged(client)).isTrue();
    assertThat(world.seen("/register")).hasSize(2);
    assertThat(prompts).hasSize(3);
  }

  @Test
  void a_person_who_does_not_come_back_from_an_old_registrations_page_gets_a_new_one()
      throws Exception {
    OAuthClient client = client(settings(), Duration.ofMillis(300));
    assertThat(challenged(client)).isTrue();
    world.tokenAnswer =
        form ->
            "refresh_token".equals(form.get("grant_type"))
                ? new Answer(400, json("error", "invalid_grant"))
                : world.issue(form);
    now = now.plusSeconds(7200);
    assertThat(get(token(client))).isNull();
    personIsPresent = false;
    assertThat(refused(client).reason()).isEqualTo(OAuthFailure.LOGIN_REQUIRED);
    assertThat(query(prompts.get(1))).containsEntry("client_id", "dcr-1");
    now = now.plusSeconds(60);
    personIsPresent = true;
    assertThat(challenged(client)).isTrue();
    assertThat(query(prompts.get(2))).containsEntry("client_id", "dcr-2");
  }

  /** A token endpoint that renews nothing any more. */
  private void refuseRenewals(String error) {
    world.tokenAnswer =
        form ->
            "refresh_token".equals(form.get("grant_type"))
                ? new Answer(400, json("error", error))
                : world.issue(form);
  }

  @ParameterizedTest
  @ValueSource(strings = {"invalid_grant", "invalid_client"})
  void a_login_that_nobody_made_at_night_is_asked_for_again_in_the_morning(String error)
      throws Exception {
    for (Duration night : List.of(Duration.ofMinutes(2), Duration.ofHours(12))) {
      store = TokenStore.inMemory();
      world.tokenAnswer = world::issue;
      personIsPresent = true;
      OAuthClient client = client(settings(), Duration.ofMillis(300));
      assertThat(challenged(client)).isTrue();
      Sensitive old = Sensitive.of("Bearer " + get(token(client)));
      refuseRenewals(error);
      personIsPresent = false;
      now = now.plusSeconds(60);
      Future<Boolean> evening = client.challenged(401, "Bearer", old);
      evening.otherwiseEmpty().await();
      assertThat(OAuthException.reason(evening.cause())).isEqualTo(OAuthFailure.LOGIN_REQUIRED);
      now = now.plus(night);
      personIsPresent = true;
      for (OAuthClient morning : List.of(client, client())) {
        get(token(morning));
        assertThat(get(morning.challenged(401, "Bearer", old))).as(error + " " + night).isTrue();
        assertThat(get(token(morning))).isNotEqualTo(old.reveal());
      }
    }
  }

  @Test
  void a_login_for_more_scopes_that_nobody_made_takes_no_right_to_renew_away() throws Exception {
    OAuthClient client = client(settings(), Duration.ofMillis(300));
    assertThat(challenged(client)).isTrue();
    personIsPresent = false;
    Future<Boolean> more =
        client.challenged(
            403,
            "Bearer error=\"insufficient_scope\", scope=\"write\"",
            Sensitive.of("Bearer at-1"));
    more.otherwiseEmpty().await();
    assertThat(OAuthException.reason(more.cause())).isEqualTo(OAuthFailure.LOGIN_REQUIRED);
    now = now.plusSeconds(7200);
    assertThat(get(token(client))).isEqualTo("at-2");
    assertThat(prompts).hasSize(2);
  }

  @Test
  void a_configured_client_that_the_server_does_not_know_is_an_error_with_its_remedy()
      throws Exception {
    OAuthSettings mine = Settings.withClient(settings(), "mine", "s3cret");
    OAuthClient client = client(mine);
    assertThat(challenged(client)).isTrue();
    world.tokenAnswer = form -> new Answer(401, json("error", "invalid_client"));
    now = now.plusSeconds(60);
    var outcome = client.challenged(401, "Bearer", Sensitive.of("Bearer at-1"));
    outcome.otherwiseEmpty().await();
    assertThat(outcome.cause())
        .hasMessageContaining("invalid_client")
        .hasMessageContaining("clientId")
        .hasMessageContaining("tokenEndpointAuthMethod")
        .hasMessageNotContaining("s3cret");
    assertThat(((OAuthException) outcome.cause()).reason()).isEqualTo(OAuthFailure.LOGIN_REQUIRED);
    assertThat(prompts).as("no login helps").hasSize(1);
    assertThat(world.seen("/register")).isEmpty();
  }

  private void moveAuthorizationServer() {
    world.resource(json("authorization_servers", list(world.base() + "/other")));
    world.documents.put(
        "/.well-known/oauth-authorization-server/other",
        world.metadata().put("issuer", world.base() + "/other"));
  }
}
