package dev.mcpbus.security.oauth;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.mcpbus.security.oauth.OAuthException.OAuthFailure;
import dev.mcpbus.testing.OAuthWorld.Seen;
import io.vertx.core.Future;
import io.vertx.core.VerticleBase;
import io.vertx.core.http.HttpMethod;
import io.vertx.core.http.RequestOptions;
import java.net.URI;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.Test;

/** The login of a person, with a browser that is redirected to loopback. */
class BrowserLoginTest extends OAuthFixture {

  @Test
  void a_login_sends_pkce_state_and_resource_and_gets_a_token() throws Exception {
    OAuthClient client = client();
    assertThat(get(token(client))).isNull();
    assertThat(challenged(client)).isTrue();
    assertThat(get(token(client))).isEqualTo("at-1");

    Map<String, String> asked = query(prompts.get(0));
    assertThat(asked)
        .containsEntry("response_type", "code")
        .containsEntry("client_id", "dcr-1")
        .containsEntry("code_challenge_method", "S256")
        .containsEntry("resource", world.url().toString())
        .doesNotContainKey("scope");
    assertThat(asked.get("redirect_uri")).matches("http://127\\.0\\.0\\.1:\\d+/callback");
    assertThat(asked.get("state")).hasSize(43);

    Map<String, String> form = world.grants("authorization_code").get(0).fields();
    assertThat(form)
        .containsEntry("code", "code-1")
        .containsEntry("client_id", "dcr-1")
        .containsEntry("resource", world.url().toString())
        .containsEntry("redirect_uri", asked.get("redirect_uri"));
    assertThat(OAuthDigests.s256(String.valueOf(form.get("code_verifier"))))
        .isEqualTo(asked.get("code_challenge"));
  }

  @Test
  void what_the_query_of_the_login_page_has_in_common_with_ours_stands_there_once_as_ours()
      throws Exception {
    String evil = "https%3A%2F%2Fevil.example%2F";
    world.metadata(
        json(
            "authorization_endpoint",
            world.base()
                + "/authorize?tenant=a%20b&client_id=evil&redirect_uri="
                + evil
                + "&redirect_uri="
                + evil
                + "&redirect%5Furi="
                + evil
                + "&Redirect_URI="
                + evil
                + "&redirect.uri="
                + evil
                + "&redirect_uri%5B%5D="
                + evil
                + "&redirect_uri[0]="
                + evil
                + "&%20state=x&code_challenge_method=plain&x=1;redirect_uri="
                + evil
                + "&request_uri="
                + evil
                + "&request=x&response_mode=form_post&response_type=token&empty&p=b2c"));
    assertThat(challenged(client())).isTrue();
    Map<String, String> asked = query(prompts.get(0));
    assertThat(asked.keySet())
        .containsExactlyInAnyOrder(
            "tenant",
            "x",
            "empty",
            "p",
            "response_type",
            "client_id",
            "redirect_uri",
            "state",
            "code_challenge",
            "code_challenge_method",
            "resource");
    assertThat(asked)
        .containsEntry("tenant", "a b")
        .containsEntry("p", "b2c")
        .containsEntry("client_id", "dcr-1")
        .containsEntry("response_type", "code")
        .containsEntry("code_challenge_method", "S256");
    String raw = prompts.get(0).getRawQuery();
    assertThat(raw.split("&", -1)).as("none stands twice").hasSize(asked.size());
    assertThat(raw).doesNotContain(";").doesNotContain("&&");
    assertThat(asked.get("redirect_uri")).startsWith("http://127.0.0.1:");
  }

  @Test
  void a_login_page_with_a_fragment_is_refused() throws Exception {
    world.metadata(json("authorization_endpoint", world.base() + "/authorize#client_id=evil"));
    assertThat(refused(client()).reason()).isEqualTo(OAuthFailure.REFUSED_URL);
    assertThat(prompts).isEmpty();
  }

  @Test
  void a_login_that_has_ended_is_told_to_who_showed_its_page() throws Exception {
    assertThat(challenged(client())).isTrue();
    assertThat(ended).isEqualTo(prompts);
    store = TokenStore.inMemory();
    personIsPresent = false;
    refused(client(settings(), Duration.ofMillis(200)));
    assertThat(ended).hasSize(2).isEqualTo(prompts);
  }

  @Test
  void an_equal_issuer_in_the_answer_is_right_whether_advertised_or_not() throws Exception {
    world.callback.put("iss", world.issuer());
    assertThat(challenged(client())).isTrue();
    store = TokenStore.inMemory();
    world.metadata(json("authorization_response_iss_parameter_supported", true));
    assertThat(challenged(client())).isTrue();
  }

  @Test
  void another_issuer_in_the_answer_is_refused_by_plain_comparison() throws Exception {
    for (String other : new String[] {world.issuer() + "/", "HTTP" + world.issuer().substring(4)}) {
      world.callback.put("iss", other);
      assertThat(refused(client())).hasMessageContaining("another issuer");
    }
    world.resource(json("authorization_servers", list(world.base())));
    world.documents.put(
        "/.well-known/oauth-authorization-server", world.metadata().put("issuer", world.base()));
    world.callback.put("iss", world.base() + "/");
    assertThat(refused(client())).hasMessageContaining("another issuer");
    assertThat(world.seen("/token")).isEmpty();
  }

  @Test
  void an_absent_issuer_is_refused_where_it_was_advertised() throws Exception {
    world.metadata(json("authorization_response_iss_parameter_supported", true));
    assertThat(refused(client())).hasMessageContaining("names no issuer");
    assertThat(world.seen("/token")).isEmpty();
  }

  @Test
  void an_error_of_another_issuer_is_not_repeated() throws Exception {
    world.callback.putAll(Map.of("iss", "https://evil.example", "error", "access_denied"));
    assertThat(refused(client())).hasMessageNotContaining("access_denied");
  }

  @Test
  void an_error_in_the_answer_ends_the_login() throws Exception {
    world.callback.putAll(Map.of("error", "access_denied", "error_description", "<b>secret</b>"));
    OAuthException why = refused(client());
    assertThat(why.reason()).isEqualTo(OAuthFailure.DENIED);
    assertThat(why).hasMessageContaining("access_denied").hasMessageNotContaining("secret");
  }

  @Test
  void an_error_that_a_setting_may_mend_names_it() throws Exception {
    world.callback.put("error", "invalid_scope");
    assertThat(refused(client())).hasMessageContaining("\"scopes\" of \"oauth\"");
    world.callback.put("error", "invalid_target");
    assertThat(refused(client())).hasMessageContaining("\"resource\" of \"oauth\"");
  }

  @Test
  void a_foreign_state_is_dropped_and_the_login_goes_on() throws Exception {
    personIsPresent = false;
    OAuthClient client = client();
    Future<Boolean> outcome = client.challenged(401, "Bearer", null);
    await().until(() -> !prompts.isEmpty());
    URI page = prompts.get(0);
    assertThat(visit(query(page).get("redirect_uri") + "?code=evil&state=guess")).isEqualTo(400);
    assertThat(visit(query(page).get("redirect_uri") + "?code=evil")).isEqualTo(400);
    assertThat(outcome.isComplete()).isFalse();
    world.browse(page);
    assertThat(get(outcome)).isTrue();
    assertThat(world.grants("authorization_code"))
        .extracting(seen -> seen.fields().get("code"))
        .containsExactly("code-1");
  }

  private int visit(String url) throws Exception {
    return get(
        vertx
            .createHttpClient()
            .request(new RequestOptions().setAbsoluteURI(url).setMethod(HttpMethod.GET))
            .compose(request -> request.send())
            .map(response -> response.statusCode()));
  }

  @Test
  void a_login_that_is_not_completed_ends_in_a_clear_error_and_a_closed_port() throws Exception {
    personIsPresent = false;
    OAuthException why = refused(client(settings(), Duration.ofMillis(200)));
    assertThat(why.reason()).isEqualTo(OAuthFailure.LOGIN_REQUIRED);
    assertThat(why).hasMessageContaining("the login was not completed");
    String back = String.valueOf(query(prompts.get(0)).get("redirect_uri"));
    await()
        .untilAsserted(
            () ->
                assertThat(
                        vertx
                            .createHttpClient()
                            .request(new RequestOptions().setAbsoluteURI(back))
                            .otherwiseEmpty()
                            .await())
                    .isNull());
  }

  @Test
  void a_login_outlives_the_session_that_wanted_it() throws Exception {
    personIsPresent = false;
    List<OAuthClient> made = new CopyOnWriteArrayList<>();
    String session =
        get(
            vertx.deployVerticle(
                new VerticleBase() {
                  @Override
                  public Future<?> start() {
                    made.add(client());
                    made.get(0).challenged(401, "Bearer", null);
                    return Future.succeededFuture();
                  }
                }));
    await().until(() -> !prompts.isEmpty());
    get(vertx.undeploy(session));
    world.browse(prompts.get(0));
    await().until(() -> "at-1".equals(get(token(made.get(0)))));
  }

  @Test
  void many_refused_requests_cost_one_login() throws Exception {
    OAuthClient client = client();
    Future<Boolean> first = client.challenged(401, "Bearer", null);
    Future<Boolean> second = client.challenged(401, "Bearer", null);
    assertThat(get(first)).isTrue();
    assertThat(get(second)).isTrue();
    assertThat(prompts).hasSize(1);
  }

  @Test
  void a_login_page_that_is_no_web_page_is_never_shown() throws Exception {
    for (String page :
        new String[] {"javascript:alert(1)", "file:///etc/passwd", "http://evil.example/login"}) {
      world.metadata(json("authorization_endpoint", page));
      assertThat(refused(client()).reason()).isEqualTo(OAuthFailure.REFUSED_URL);
    }
    assertThat(prompts).isEmpty();
  }

  @Test
  void a_failure_that_time_does_not_mend_is_not_repeated_at_once() throws Exception {
    world.metadata(json("code_challenge_methods_supported", null));
    OAuthClient client = client();
    refused(client);
    int before = world.seen().size();
    assertThat(refused(client)).hasMessageContaining("PKCE");
    assertThat(world.seen()).extracting(Seen::path).hasSize(before);
    now = now.plusSeconds(11);
    refused(client);
    assertThat(world.seen().size()).isGreaterThan(before);
  }
}
