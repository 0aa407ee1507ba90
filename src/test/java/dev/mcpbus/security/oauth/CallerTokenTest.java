package dev.mcpbus.security.oauth;

import static org.assertj.core.api.Assertions.assertThat;

import dev.mcpbus.bus.ConnectionId;
import dev.mcpbus.internals.RecordCopy;
import dev.mcpbus.protocol.IdentityProvider;
import dev.mcpbus.protocol.OAuthGrant;
import dev.mcpbus.protocol.Sensitive;
import dev.mcpbus.testing.OAuthWorld.Answer;
import io.vertx.core.Future;
import io.vertx.core.json.JsonObject;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Tokens that are made of the token with which a caller came in. */
class CallerTokenTest extends OAuthFixture {

  private static final String EXCHANGE = "urn:ietf:params:oauth:grant-type:token-exchange";
  private static final String JWT_BEARER = "urn:ietf:params:oauth:grant-type:jwt-bearer";
  private static final String TYPES = "urn:ietf:params:oauth:token-type:";

  private volatile @Nullable String token = "alices-token";

  private OAuthClient ofCaller(OAuthGrant grant, Map<String, ?> options) {
    OAuthSettings settings = settings(grant);
    return new OAuthClient(
        RecordCopy.with(settings, "options", RecordCopy.with(settings.options(), options)),
        environment(Duration.ofSeconds(10))
            .ofCaller(
                new PrincipalLogins(vertx, new ConnectionId("crm"), "alice"),
                () -> Future.succeededFuture(Sensitive.ofNullable(token))),
        null);
  }

  private static String jwt(JsonObject claims) {
    Base64.Encoder base64 = Base64.getUrlEncoder().withoutPadding();
    return base64.encodeToString("{\"alg\":\"ES256\"}".getBytes(StandardCharsets.UTF_8))
        + "."
        + base64.encodeToString(claims.encode().getBytes(StandardCharsets.UTF_8))
        + ".c2lnbmVk";
  }

  @Test
  void an_exchange_names_the_token_its_type_and_the_audience() throws Exception {
    OAuthClient client =
        ofCaller(
            OAuthGrant.TOKEN_EXCHANGE,
            Map.of("audience", "crm", "scopes", List.of("read", "write")));
    assertThat(challenged(client)).isTrue();
    assertThat(get(token(client))).isEqualTo("at-1");
    assertThat(world.grants(EXCHANGE).get(0).fields())
        .containsEntry("subject_token", "alices-token")
        .containsEntry("subject_token_type", TYPES + "access_token")
        .containsEntry("audience", "crm")
        .containsEntry("resource", world.url().toString())
        .containsEntry("scope", "read write")
        .containsEntry("client_id", "machine");
  }

  @Test
  void on_behalf_of_is_the_form_of_entra() throws Exception {
    OAuthClient client =
        ofCaller(
            OAuthGrant.ON_BEHALF_OF,
            Map.of("resource", "", "scopes", List.of("api://crm/.default")));
    assertThat(challenged(client)).isTrue();
    assertThat(world.grants(JWT_BEARER).get(0).fields())
        .containsEntry("assertion", "alices-token")
        .containsEntry("requested_token_use", "on_behalf_of")
        .containsEntry("scope", "api://crm/.default")
        .doesNotContainKeys("resource", "subject_token");
  }

  @Test
  void the_callers_token_is_exchanged_for_a_grant_of_the_enterprise() throws Exception {
    world.tokenAnswer =
        form ->
            form.containsKey("subject_token")
                ? new Answer(
                    200,
                    json("access_token", "the.id.jag")
                        .put("token_type", "N_A")
                        .put("issued_token_type", TYPES + "id-jag"))
                : world.issue(form);
    IdentityProvider provider =
        new IdentityProvider(
            URI.create(world.base() + "/token"),
            "at-idp",
            Sensitive.of("idp-secret"),
            Sensitive.of(""),
            null,
            "access_token");
    assertThat(challenged(ofCaller(OAuthGrant.ID_JAG, Map.of("idJag", provider)))).isTrue();
    assertThat(world.grants(EXCHANGE).get(0).fields())
        .containsEntry("requested_token_type", TYPES + "id-jag")
        .containsEntry("subject_token", "alices-token")
        .containsEntry("subject_token_type", TYPES + "access_token")
        .containsEntry("audience", world.issuer());
    assertThat(world.grants(JWT_BEARER).get(0).fields()).containsEntry("assertion", "the.id.jag");
  }

  @Test
  void a_token_that_is_bound_or_over_or_not_there_is_not_sent() throws Exception {
    OAuthClient client = ofCaller(OAuthGrant.TOKEN_EXCHANGE, Map.of());
    token = null;
    assertThat(refused(client)).hasMessageContaining("not with an API key");
    token = jwt(json("cnf", json("jkt", "thumbprint")));
    assertThat(refused(client)).hasMessageContaining("bound to a key");
    token = jwt(json("exp", now.getEpochSecond()));
    assertThat(refused(client)).hasMessageContaining("has expired");
    assertThat(world.seen("/token")).isEmpty();
    token = jwt(json("exp", now.getEpochSecond() + 1));
    assertThat(challenged(client)).isTrue();
  }

  @Test
  void a_refusal_is_repeated_for_the_same_token_alone() throws Exception {
    world.tokenAnswer =
        form ->
            "alices-token".equals(form.get("subject_token"))
                ? new Answer(400, json("error", "invalid_grant"))
                : world.issue(form);
    OAuthClient client = ofCaller(OAuthGrant.TOKEN_EXCHANGE, Map.of());
    for (int i = 0; i < 3; i++) {
      assertThat(refused(client))
          .hasMessageContaining("the caller's token was not exchanged")
          .hasMessageContaining("invalid_grant")
          .hasMessageNotContaining("alices-token");
    }
    assertThat(world.seen("/token")).hasSize(1);
    now = now.plusSeconds(11);
    refused(client);
    assertThat(world.seen("/token")).hasSize(2);
    token = "alices-newer-token";
    assertThat(challenged(client)).isTrue();
  }

  @Test
  void what_is_over_is_renewed_with_the_newest_token() throws Exception {
    OAuthClient client = ofCaller(OAuthGrant.TOKEN_EXCHANGE, Map.of());
    assertThat(challenged(client)).isTrue();
    token = "alices-newer-token";
    assertThat(get(token(client))).isEqualTo("at-1");
    now = now.plusSeconds(3_601);
    assertThat(get(token(client))).isEqualTo("at-2");
    assertThat(world.grants(EXCHANGE))
        .extracting(seen -> seen.fields().get("subject_token"))
        .containsExactly("alices-token", "alices-newer-token");
  }
}
