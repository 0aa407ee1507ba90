package dev.mcpbus.security.oauth;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.mcpbus.protocol.OAuthGrant;
import dev.mcpbus.testing.OAuthWorld;
import dev.mcpbus.testing.OAuthWorld.Seen;
import io.vertx.core.json.JsonObject;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** What a client does whose tokens somebody has removed from the store. */
class LogoutTest extends OAuthFixture {

  private OAuthClient loggedOut(OAuthSettings settings) throws Exception {
    world.metadata(new JsonObject().put("revocation_endpoint", world.base() + "/revoke"));
    OAuthClient client = client(settings);
    assertThat(challenged(client)).isTrue();
    assertThat(get(token(client))).isEqualTo("at-1");
    client.forgetRemoved();
    assertThat(get(token(client))).as("nothing was removed").isEqualTo("at-1");
    get(store.remove(settings.key()));
    client.forgetRemoved();
    await().until(() -> !revoked().isEmpty());
    assertThat(get(store.load(settings.key()))).isNull();
    return client;
  }

  private List<Map<String, String>> revoked() {
    return world.seen("/revoke").stream().map(Seen::fields).toList();
  }

  @Test
  void it_has_the_refresh_token_taken_back_once_and_sends_none_any_more() throws Exception {
    OAuthClient client = loggedOut(settings());
    assertThat(get(token(client))).isNull();
    client.forgetRemoved();
    assertThat(get(token(client()))).isNull();
    assertThat(revoked())
        .singleElement()
        .satisfies(
            form ->
                assertThat(form)
                    .containsEntry("token", "rt-1")
                    .containsEntry("token_type_hint", "refresh_token")
                    .containsKey("client_id"));
  }

  @Test
  void an_access_token_alone_is_taken_back_with_the_client_s_secret() throws Exception {
    world.tokenAnswer =
        form -> {
          OAuthWorld.Answer full = world.issue(form);
          full.body().remove("refresh_token");
          return full;
        };
    loggedOut(settings(OAuthGrant.CLIENT_CREDENTIALS));
    assertThat(revoked())
        .singleElement()
        .satisfies(form -> assertThat(form).containsEntry("token", "at-1"));
    assertThat(world.seen("/revoke").get(0).headers().get("authorization")).startsWith("Basic ");
  }
}
