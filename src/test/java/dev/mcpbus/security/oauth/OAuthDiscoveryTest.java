package dev.mcpbus.security.oauth;

import static org.assertj.core.api.Assertions.assertThat;

import dev.mcpbus.security.oauth.OAuthException.OAuthFailure;
import dev.mcpbus.testing.OAuthWorld.Seen;
import io.vertx.core.json.JsonObject;
import java.util.List;
import org.junit.jupiter.api.Test;

/** From a 401 to the authorization server. */
class OAuthDiscoveryTest extends OAuthFixture {

  static final String PATHED = "/.well-known/oauth-protected-resource/mcp";
  private static final String ROOT = "/.well-known/oauth-protected-resource";

  private List<String> wellKnown() {
    return world.seen().stream()
        .map(Seen::path)
        .filter(path -> path.contains("well-known"))
        .toList();
  }

  @Test
  void the_url_of_the_challenge_comes_first_and_alone() throws Exception {
    world.documents.put("/meta", world.documents.remove(PATHED));
    world.challenge = "Bearer realm=\"x\", resource_metadata=\"" + world.base() + "/meta\"";
    assertThat(challenged(client())).isTrue();
    assertThat(wellKnown()).containsExactly("/.well-known/oauth-authorization-server/as");
  }

  @Test
  void a_url_of_the_challenge_that_leads_nowhere_does_not_stop_the_well_known_places()
      throws Exception {
    world.documents.put(
        "/other", json("resource", "https://x").put("authorization_servers", list(world.issuer())));
    world.documents.put("/odd", json("x", 1));
    for (String hint :
        List.of(
            "http://127.0.0.1:9/meta",
            "http://proxied.example/meta",
            "https://10.0.0.1/meta",
            "not a url",
            world.base() + "/missing",
            world.base() + "/odd",
            world.base() + "/other")) {
      store = TokenStore.inMemory();
      world.challenge = "Bearer resource_metadata=\"" + hint + "\"";
      assertThat(challenged(client())).as(hint).isTrue();
    }
    world.documents.remove(PATHED);
    store = TokenStore.inMemory();
    world.challenge = "Bearer resource_metadata=\"" + world.base() + "/missing\"";
    assertThat(refused(client())).hasMessageContaining("neither the resource_metadata URL");
    world.challenge = "Bearer resource_metadata=\"" + world.base() + "/other\"";
    assertThat(refused(client())).hasMessageContaining("another resource");
  }

  @Test
  void documents_behind_a_redirect_of_the_same_origin_are_found() throws Exception {
    world.documents.put("/hidden", world.documents.remove(PATHED));
    world.redirects.put(PATHED, "/hop");
    world.redirects.put("/hop", world.base() + "/hidden");
    String metadata = "/.well-known/oauth-authorization-server/as";
    world.documents.put("/real", world.documents.remove(metadata));
    world.redirects.put(metadata, "real/../../../real");
    world.redirects.put("/.well-known/oauth-authorization-server/real", "/real");
    assertThat(challenged(client())).isTrue();
    assertThat(prompts).hasSize(1);
  }

  @Test
  void an_issuer_without_a_path_is_the_same_with_its_slash() throws Exception {
    String place = "/.well-known/oauth-authorization-server";
    for (String named : List.of(world.base(), world.base() + "/")) {
      for (String own : List.of(world.base(), world.base() + "/")) {
        store = TokenStore.inMemory();
        world.resource(json("authorization_servers", list(named)));
        world.documents.put(place, world.metadata().put("issuer", own));
        world.callback.put("iss", own);
        OAuthClient client = client(Settings.withIssuer(settings(), named));
        assertThat(challenged(client)).as(named + " " + own).isTrue();
        now = now.plusSeconds(7200);
        assertThat(get(token(client(Settings.withIssuer(settings(), named))))).startsWith("at-");
      }
    }
    assertThat(IssuerKeys.isSame("https://as/t", "https://as/t/")).isFalse();
    assertThat(IssuerKeys.isSame("https://as", "https://as//")).isFalse();
    assertThat(IssuerKeys.isSame("https://as", "http://as/")).isFalse();
    assertThat(IssuerKeys.isSame("https://as", "https://as/?")).isFalse();
    assertThat(IssuerKeys.isSame("x", "x/")).isFalse();
  }

  @Test
  void without_it_the_well_known_place_with_the_path_comes_before_the_root() throws Exception {
    world.resource(json("resource", world.base()));
    world.documents.put(ROOT, world.documents.remove(PATHED));
    OAuthClient client = client();
    assertThat(challenged(client)).isTrue();
    assertThat(wellKnown()).startsWith(PATHED, ROOT);
    assertThat(query(prompts.get(0))).containsEntry("resource", world.base());
  }

  @Test
  void metadata_about_another_resource_is_refused() throws Exception {
    for (String other :
        List.of("https://127.0.0.1/mcp", world.base() + "/mc", world.base() + "/mcp/inner")) {
      world.resource(json("resource", other));
      assertThat(refused(client())).hasMessageContaining("another resource");
    }
    assertThat(prompts).isEmpty();
  }

  @Test
  void authorization_server_metadata_is_fetched_in_the_order_of_the_specification()
      throws Exception {
    JsonObject document = world.documents.remove("/.well-known/oauth-authorization-server/as");
    world.documents.put("/as/.well-known/openid-configuration", document);
    assertThat(challenged(client())).isTrue();
    assertThat(wellKnown())
        .containsExactly(
            PATHED,
            "/.well-known/oauth-authorization-server/as",
            "/.well-known/openid-configuration/as",
            "/as/.well-known/openid-configuration");
  }

  @Test
  void the_issuer_must_be_exactly_the_requested_one() throws Exception {
    for (String other : List.of(world.issuer() + "/", "https://honest.example", "")) {
      world.metadata(json("issuer", other));
      assertThat(refused(client())).hasMessageContaining("another issuer");
    }
    assertThat(world.seen("/register")).isEmpty();
  }

  @Test
  void a_server_of_2025_03_26_is_its_own_authorization_server() throws Exception {
    world.documents.clear();
    world.documents.put(
        "/.well-known/oauth-authorization-server", world.metadata().put("issuer", world.base()));
    assertThat(challenged(client())).isTrue();
    assertThat(query(prompts.get(0))).containsEntry("resource", world.url().toString());
  }

  @Test
  void a_pinned_issuer_that_the_server_does_not_name_is_a_clear_error() throws Exception {
    OAuthSettings pinned = Settings.withIssuer(settings(), "http://127.0.0.1:1/other");
    OAuthException why = refused(client(pinned));
    assertThat(why.reason()).isEqualTo(OAuthFailure.INVALID);
    assertThat(why).hasMessageContaining("another authorization server");
  }

  @Test
  void without_pkce_no_login_is_started() throws Exception {
    for (Object methods : new Object[] {null, list("plain"), "S256"}) {
      world.metadata(json("code_challenge_methods_supported", methods));
      assertThat(refused(client())).hasMessageContaining("PKCE");
    }
    assertThat(prompts).isEmpty();
    assertThat(world.seen("/register")).isEmpty();
  }
}
