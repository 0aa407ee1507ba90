package dev.mcpbus.security.oauth;

import static org.assertj.core.api.Assertions.assertThat;

import dev.mcpbus.protocol.OAuthGrant;
import dev.mcpbus.protocol.Sensitive;
import dev.mcpbus.protocol.WorkloadIdentity;
import dev.mcpbus.testing.OAuthWorld.Answer;
import dev.mcpbus.transport.OAuthOptions;
import io.vertx.core.json.JsonObject;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Base64;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The platform's JWT as a grant (RFC 7523, SEP-1933). */
class WorkloadIdentityTest extends OAuthFixture {

  private static final String GRANT = "urn:ietf:params:oauth:grant-type:jwt-bearer";

  @TempDir Path folder;

  private OAuthClient workload(WorkloadIdentity identity) {
    return client(Settings.withWorkload(settings(OAuthGrant.WORKLOAD_IDENTITY), identity));
  }

  private Path file() {
    return folder.resolve("token");
  }

  private OAuthClient mounted() {
    return workload(new WorkloadIdentity(null, file()));
  }

  private String jwt(String subject, long seconds) {
    JsonObject claims = json("sub", subject).put("exp", now.plusSeconds(seconds).getEpochSecond());
    return part(json("alg", "ES256")) + "." + part(claims) + ".c2lnbmF0dXJl";
  }

  private static String part(JsonObject json) {
    return Base64.getUrlEncoder()
        .withoutPadding()
        .encodeToString(json.encode().getBytes(StandardCharsets.UTF_8));
  }

  private Map<String, String> form(int request) {
    return world.grants(GRANT).get(request).fields();
  }

  @Test
  void the_file_is_read_again_for_each_token_and_no_client_is_named() throws Exception {
    world.tokenAnswer =
        form -> {
          Answer answer = world.issue(form);
          answer.body().remove("refresh_token");
          return answer;
        };
    String first = jwt("a", 600);
    Files.writeString(file(), first + "\n");
    OAuthClient client = mounted();
    assertThat(challenged(client)).isTrue();
    assertThat(form(0))
        .containsEntry("assertion", first)
        .containsEntry("resource", world.url().toString())
        .doesNotContainKeys("client_id", "client_secret", "client_assertion");
    String second = jwt("a", 7200);
    Files.writeString(file(), second);
    now = now.plusSeconds(3600);
    assertThat(get(token(client))).isEqualTo("at-2");
    assertThat(form(1)).containsEntry("assertion", second);
    assertThat(prompts).isEmpty();
  }

  @Test
  void a_registered_client_is_named_and_the_token_may_stand_in_a_variable() throws Exception {
    String jwt = jwt("b", 600);
    WorkloadIdentity given = new WorkloadIdentity(Sensitive.of(jwt), null);
    OAuthSettings settings = Settings.withWorkload(settings(OAuthGrant.CLIENT_CREDENTIALS), given);
    OAuthSettings registered =
        new OAuthSettings(
            settings.server(),
            new OAuthOptions(
                OAuthGrant.WORKLOAD_IDENTITY,
                "machine",
                null,
                null,
                settings.options().scopes(),
                null,
                null,
                settings.options().redirectUri(),
                null,
                null,
                null,
                given,
                settings.options().dpop(),
                null,
                null));
    assertThat(challenged(client(registered))).isTrue();
    assertThat(form(0)).containsEntry("assertion", jwt).containsEntry("client_id", "machine");
  }

  @Test
  void a_file_that_is_missing_old_or_no_jwt_is_named_and_nothing_is_sent() throws Exception {
    assertThat(refused(mounted()))
        .hasMessageContaining(file().toString())
        .hasMessageContaining("mounts");
    Files.writeString(file(), jwt("canary", -1));
    assertThat(refused(mounted()))
        .hasMessageContaining(file().toString())
        .hasMessageContaining("expired")
        .hasMessageNotContaining(jwt("canary", -1));
    Files.writeString(file(), "canary");
    assertThat(refused(mounted()))
        .hasMessageContaining("no signed JWT")
        .hasMessageNotContaining("canary");
    assertThat(world.seen("/token")).isEmpty();
  }

  @Test
  void a_refused_jwt_is_sent_once_and_the_message_says_what_to_check() throws Exception {
    String jwt = jwt("c", 600);
    Files.writeString(file(), jwt);
    world.tokenAnswer =
        form ->
            new Answer(
                400,
                json("error", "invalid_grant").put("error_description", form.get("assertion")));
    OAuthClient client = mounted();
    assertThat(refused(client))
        .hasMessageContaining("invalid_grant")
        .hasMessageContaining("audience is " + world.issuer())
        .hasMessageNotContaining(jwt);
    assertThat(refused(client)).hasMessageContaining("invalid_grant");
    assertThat(world.seen("/token")).hasSize(1);
    assertThat(Settings.withWorkload(settings(), new WorkloadIdentity(Sensitive.of(jwt), null)))
        .asString()
        .doesNotContain(jwt);
  }
}
