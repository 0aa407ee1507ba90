package dev.mcpbus.security.oauth;

import static org.assertj.core.api.Assertions.assertThat;

import dev.mcpbus.protocol.OAuthGrant;
import dev.mcpbus.protocol.Sensitive;
import dev.mcpbus.protocol.WorkloadIdentity;
import dev.mcpbus.security.oauth.OAuthException.OAuthFailure;
import dev.mcpbus.testing.OAuthWorld.Seen;
import io.vertx.core.json.JsonObject;
import java.util.List;
import java.util.Objects;
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
    assertThat(IssuerKeys.isSame("https://as/t", "https://as/t/")).isTrue();
    assertThat(IssuerKeys.isSame("https://as/t", "https://as/u")).isFalse();
    assertThat(IssuerKeys.isSame("https://as", "https://as//")).isFalse();
    assertThat(IssuerKeys.isSame("https://as", "http://as/")).isFalse();
    assertThat(IssuerKeys.isSame("https://as", "https://as/?")).isFalse();
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
    for (String other :
        List.of(world.issuer() + "//", world.base() + "/AS", "https://honest.example", "")) {
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
    for (Object methods : new Object[] {null, list("plain"), "plain"}) {
      world.metadata(json("code_challenge_methods_supported", methods));
      assertThat(refused(client())).hasMessageContaining("PKCE");
    }
    world.metadata(json("code_challenge_methods_supported", list("plain")));
    assertThat(refused(client(Settings.withClient(settings(), "mine", null))))
        .hasMessageContaining("PKCE");
    assertThat(prompts).isEmpty();
    assertThat(world.seen("/register")).isEmpty();
  }

  /** Entra ID and Cognito support PKCE, do not say so, and register clients by hand alone. */
  @Test
  void a_client_that_the_operator_registered_proves_codes_unasked() throws Exception {
    world.metadata(json("code_challenge_methods_supported", null));
    assertThat(challenged(client(Settings.withClient(settings(), "mine", null)))).isTrue();
    assertThat(query(prompts.get(0))).containsEntry("code_challenge_method", "S256");
    assertThat(world.grants("authorization_code").get(0).fields()).containsKey("code_verifier");
  }

  @Test
  void one_text_in_place_of_a_list_is_a_list_of_one() throws Exception {
    world.resource(
        json("authorization_servers", world.issuer()).put("scopes_supported", "read write"));
    world.metadata(json("code_challenge_methods_supported", "S256"));
    assertThat(challenged(client())).isTrue();
    assertThat(query(prompts.get(0))).containsEntry("scope", "read write");
  }

  @Test
  void metadata_that_names_no_authorization_server_means_the_servers_own_origin() throws Exception {
    world.documents.put(
        "/.well-known/oauth-authorization-server", world.metadata().put("issuer", world.base()));
    for (Object none : new Object[] {null, list()}) {
      store = TokenStore.inMemory();
      world.resource(json("authorization_servers", none));
      assertThat(challenged(client())).as(String.valueOf(none)).isTrue();
    }
    assertThat(query(prompts.get(0))).containsEntry("resource", world.url().toString());
  }

  @Test
  void a_server_without_any_metadata_has_the_endpoints_of_2025_03_26() throws Exception {
    world.documents.clear();
    OAuthClient client = client();
    assertThat(challenged(client)).isTrue();
    assertThat(prompts.get(0).toString()).startsWith(world.base() + "/authorize?");
    assertThat(query(prompts.get(0))).containsEntry("code_challenge_method", "S256");
    assertThat(world.seen("/register")).hasSize(1);
    now = now.plusSeconds(7200);
    assertThat(get(token(client))).as("renewed").isEqualTo("at-2");
    assertThat(prompts).hasSize(1);
  }

  @Test
  void metadata_of_an_issuer_with_a_path_is_found_below_it_and_at_the_root() throws Exception {
    JsonObject document = world.metadata();
    world.documents.remove("/.well-known/oauth-authorization-server/as");
    world.documents.put("/as/.well-known/oauth-authorization-server", document);
    assertThat(challenged(client())).isTrue();
    world.documents.remove("/as/.well-known/oauth-authorization-server");
    for (String own : List.of(world.issuer(), world.base(), world.base() + "/")) {
      store = TokenStore.inMemory();
      world.documents.put("/.well-known/openid-configuration", document.copy().put("issuer", own));
      OAuthClient client = client();
      assertThat(challenged(client)).as(own).isTrue();
      now = now.plusSeconds(7200);
      assertThat(get(token(client))).as("renewed").startsWith("at-");
    }
    world.documents.put(
        "/.well-known/openid-configuration", document.copy().put("issuer", world.base()));
    for (OAuthSettings bound :
        List.of(
            Settings.withClient(settings(), "mine", "s3cret"),
            Settings.withIssuer(settings(), world.issuer()))) {
      store = TokenStore.inMemory();
      assertThat(refused(client(bound))).hasMessageContaining("another issuer");
    }
  }

  /** What is below a path may be of strangers: it speaks for that path alone. */
  @Test
  void only_the_places_of_the_root_speak_for_a_whole_origin() throws Exception {
    JsonObject document =
        Objects.requireNonNull(
            world.documents.remove("/.well-known/oauth-authorization-server/as"));
    document.put("issuer", world.base());
    for (String place :
        List.of(
            "/as/.well-known/openid-configuration",
            "/as/.well-known/oauth-authorization-server",
            "/.well-known/oauth-authorization-server/as",
            "/.well-known/openid-configuration/as")) {
      world.documents.put(place, document);
      assertThat(refused(client())).as(place).hasMessageContaining("another issuer");
      world.documents.remove(place);
    }
    assertThat(prompts).isEmpty();
    assertThat(world.seen("/register")).isEmpty();
    world.documents.put("/as/moved", document);
    world.redirects.put("/.well-known/oauth-authorization-server", "/as/moved");
    assertThat(challenged(client())).as("where the root leads").isTrue();
  }

  /** It may belong to Entra ID, say: it is for no endpoint that nobody named. */
  @Test
  void a_secret_goes_to_no_endpoint_that_is_only_assumed() throws Exception {
    world.documents.clear();
    OAuthSettings machine = settings(OAuthGrant.CLIENT_CREDENTIALS);
    for (OAuthSettings secret :
        List.of(
            machine,
            Settings.withClient(settings(), "mine", "s3cret"),
            Settings.withWorkload(
                settings(OAuthGrant.WORKLOAD_IDENTITY),
                new WorkloadIdentity(Sensitive.of("jwt"), null)))) {
      OAuthException why = refused(client(secret));
      assertThat(why.reason()).isEqualTo(OAuthFailure.INVALID);
      assertThat(why).hasMessageContaining("set \"issuer\"");
    }
    assertThat(world.seen("/token")).isEmpty();
    assertThat(prompts).isEmpty();
    assertThat(challenged(client(Settings.withClient(settings(), "mine", null)))).isTrue();
    store = TokenStore.inMemory();
    assertThat(challenged(client(Settings.withIssuer(machine, world.base() + "/")))).isTrue();
  }

  @Test
  void a_place_that_has_the_metadata_of_another_issuer_does_not_hide_the_next_one()
      throws Exception {
    JsonObject document = world.metadata();
    world.documents.remove("/.well-known/oauth-authorization-server/as");
    world.documents.put(
        "/.well-known/oauth-authorization-server/as",
        document.copy().put("issuer", "https://honest.example"));
    world.documents.put("/.well-known/openid-configuration/as", json("error", "not found"));
    world.documents.put("/as/.well-known/openid-configuration", document);
    assertThat(challenged(client())).isTrue();
  }

  @Test
  void an_issuer_and_its_name_with_a_slash_at_the_end_of_the_path_are_the_same() throws Exception {
    for (String named : List.of(world.issuer(), world.issuer() + "/")) {
      for (String own : List.of(world.issuer(), world.issuer() + "/")) {
        store = TokenStore.inMemory();
        world.resource(json("authorization_servers", list(named)));
        world.metadata(json("issuer", own));
        world.callback.put("iss", own);
        OAuthSettings mine = Settings.withClient(settings(), "mine", null);
        assertThat(challenged(client(mine))).as(named + " " + own).isTrue();
        now = now.plusSeconds(7200);
        OAuthClient again = client(mine);
        assertThat(get(token(again))).startsWith("at-");
        assertThat(get(again.challenged(401, "Bearer", null))).isTrue();
      }
    }
  }

  @Test
  void the_issuer_of_all_tenants_of_microsoft_is_that_of_any_one() throws Exception {
    String common = world.base() + "/organizations/v2.0";
    world.resource(json("authorization_servers", list(common)));
    world.documents.put(
        "/organizations/v2.0/.well-known/openid-configuration",
        world.metadata().put("issuer", world.base() + "/{tenantid}/v2.0"));
    OAuthSettings mine = Settings.withClient(settings(), "mine", null);
    for (String answers : List.of("", world.base() + "/1f2e-3d/v2.0")) {
      store = TokenStore.inMemory();
      world.callback.put("iss", answers);
      assertThat(challenged(client(mine))).as(answers).isTrue();
      now = now.plusSeconds(7200);
      assertThat(get(token(client(mine)))).startsWith("at-");
    }
    store = TokenStore.inMemory();
    for (String other :
        List.of(
            world.base() + "/a/b/v2.0",
            world.base() + "/a/v2.0/",
            world.base() + "//v2.0",
            world.base() + "/a?x=/v2.0",
            "https://evil.example/a/v2.0",
            world.base() + "/{tenantid}/v1.0")) {
      world.callback.put("iss", other);
      assertThat(refused(client(mine))).as(other).hasMessageContaining("another issuer");
    }
  }

  @Test
  void hosts_with_an_underscore_differ() {
    assertThat(OAuthDiscovery.covers("https://my_mcp/mcp", "https://my_mcp/mcp")).isTrue();
    assertThat(OAuthDiscovery.covers("https://MY_mcp:443/", "https://my_mcp/mcp")).isTrue();
    for (String other :
        List.of(
            "https://my_other/mcp",
            "https://my_mcp:444/mcp",
            "https://u@my_mcp/mcp",
            "https://null/mcp")) {
      assertThat(OAuthDiscovery.covers(other, "https://my_mcp/mcp")).as(other).isFalse();
    }
    assertThat(GuardedHttp.origin("https://MY_as:443/t")).isEqualTo("https://my_as");
    assertThat(GuardedHttp.origin("https://my_as:8443/t")).isEqualTo("https://my_as:8443");
  }

  @Test
  void no_template_stands_for_another_host() {
    for (String template :
        List.of(
            "https://{tenantid}", "https://{tenantid}/", "{tenantid}", "https://a{tenantid}/v")) {
      for (String issuer :
          List.of("https://evil.example", "https://evil.example/", "https://a.evil.example/v")) {
        assertThat(IssuerKeys.isCalled(template, issuer)).as(template + " " + issuer).isFalse();
      }
    }
    assertThat(IssuerKeys.isCalled("https://h/{tenantid}", "https://h/x")).isTrue();
    assertThat(IssuerKeys.isCalled("https://h/{tenantid}", "https://h.evil/x")).isFalse();
  }

  @Test
  void the_resource_may_have_the_query_of_the_url_and_no_other() throws Exception {
    OAuthSettings mine = Settings.withServer(settings(), world.url() + "?tenant=a");
    world.resource(json("resource", world.url() + "?tenant=a"));
    assertThat(challenged(client(mine))).isTrue();
    assertThat(query(prompts.get(0))).containsEntry("resource", world.url().toString());
    store = TokenStore.inMemory();
    world.resource(json("resource", world.url() + "?tenant=b"));
    assertThat(refused(client(mine))).hasMessageContaining("another resource");
    assertThat(refused(client())).hasMessageContaining("another resource");
  }
}
