package dev.mcpbus.faults;

import static org.assertj.core.api.Assertions.assertThat;

import dev.mcpbus.TestOptions;
import dev.mcpbus.bridge.options.BridgeOptions;
import dev.mcpbus.security.ApiKeys;
import dev.mcpbus.testing.FormBrowser;
import dev.mcpbus.testing.FormBrowser.Page;
import dev.mcpbus.testing.Http;
import dev.mcpbus.testing.LoginPerson;
import dev.mcpbus.testing.OAuthWorld;
import dev.mcpbus.testing.TestBus;
import io.vertx.core.Vertx;
import io.vertx.core.json.JsonObject;
import java.net.URI;
import java.security.SecureRandom;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Attacks on the links by which principals log in at a server of callers: cases D240 to D247. */
class LoginLinkFaultsTest {

  private static final String MARKED = "al<b>ice\"'&";
  private static final ApiKeys.Fresh ALICE = ApiKeys.generate(new SecureRandom());
  private static final ApiKeys.Fresh MALLORY = ApiKeys.generate(new SecureRandom());
  private static final ApiKeys.Fresh ROOT = ApiKeys.generate(new SecureRandom());

  private Vertx vertx;
  private OAuthWorld world;
  private TestBus bus;

  @BeforeEach
  void start() {
    vertx = Vertx.vertx();
    world = OAuthWorld.connectable(vertx);
    bus =
        TestBus.startWithAuth(
            servers(),
            BridgeOptions.DEFAULT.withPort(0),
            TestOptions.ofKeys(
                List.of(
                    DoorBed.key(MARKED, ALICE, false),
                    DoorBed.key("mallory", MALLORY, false),
                    DoorBed.key("root", ROOT, true))));
  }

  private JsonObject servers() {
    return TestBus.server("crm", world.callersEntry());
  }

  @AfterEach
  void stop() {
    bus.close();
    world.close();
    vertx.close().await();
  }

  private Http.Answer ping(ApiKeys.Fresh who, String... more) {
    String[] headers = new String[2 + more.length];
    headers[0] = "Authorization";
    headers[1] = "Bearer " + who.key();
    System.arraycopy(more, 0, headers, 2, more.length);
    return Http.post(bus.port(), "/api/servers/crm/ping", "{}", headers);
  }

  private String link(ApiKeys.Fresh who) {
    Http.Answer refused = ping(who);
    assertThat(refused.json().getString("code")).as(refused.body()).isEqualTo("AUTH_REQUIRED");
    return refused.json().getString("login");
  }

  private int codes() {
    return world.grants("authorization_code").size();
  }

  @Test
  void a_link_of_another_principal_leads_nobody_to_a_login() {
    String link = link(MALLORY);
    Page refused = new LoginPerson().proves(link, ALICE.key());
    assertThat(refused.status()).isEqualTo(403);
    assertThat(refused.html())
        .contains("this link is for another principal")
        .doesNotContain("http-equiv");
    assertThat(new LoginPerson().proves(link, "mcpbus_nobody").status()).isEqualTo(401);
    assertThat(new LoginPerson().proves(link, "").status()).isEqualTo(401);
    assertThat(world.seen("/authorize")).isEmpty();
    // It was not used up: its own principal logs in by it.
    assertThat(new LoginPerson().logsIn(link, MALLORY.key(), "").html())
        .contains("You are logged in");
    assertThat(ping(MALLORY).status()).isEqualTo(200);
    assertThat(ping(ALICE).status()).isEqualTo(502);
  }

  @Test
  void who_finishes_the_login_of_another_browser_gives_nothing_away() {
    LoginPerson mallory = new LoginPerson();
    URI page = LoginPerson.leadsTo(mallory.proves(link(MALLORY), MALLORY.key()));
    LoginPerson victim = new LoginPerson();
    URI back = victim.comesBack(page, "");
    Page refused = victim.browser().open(back);
    assertThat(refused.status()).isEqualTo(403);
    assertThat(refused.html()).contains("This browser did not begin the login");
    assertThat(codes()).isZero();
    assertThat(ping(MALLORY).status()).isEqualTo(502);
    // A cookie of a login of his own is none of that one.
    victim.proves(link(ALICE), ALICE.key());
    assertThat(victim.browser().open(back).status()).isEqualTo(403);
    assertThat(codes()).isZero();
  }

  @Test
  void a_ticket_is_good_for_one_login_and_a_code_for_one_way_back() {
    String link = link(ALICE);
    LoginPerson alice = new LoginPerson();
    URI page = LoginPerson.leadsTo(alice.proves(link, ALICE.key()));
    assertThat(new FormBrowser().open(URI.create(link)).status()).isEqualTo(400);
    assertThat(new FormBrowser().open(URI.create(link)).html()).doesNotContain("form method");
    URI back = alice.comesBack(page, "");
    assertThat(alice.browser().open(back).status()).isEqualTo(200);
    assertThat(alice.browser().open(back).status()).isEqualTo(404);
    assertThat(codes()).isEqualTo(1);
    assertThat(new FormBrowser().open(URI.create(link)).status()).isEqualTo(404);
  }

  @Test
  void a_code_of_another_issuer_or_for_another_state_is_not_used() {
    LoginPerson alice = new LoginPerson();
    URI page = LoginPerson.leadsTo(alice.proves(link(ALICE), ALICE.key()));
    String back = alice.comesBack(page, "").toString();
    String state = back.replaceFirst(".*[?&]state=([^&]+).*", "$1");
    String other = state.substring(0, 23) + "A".repeat(43);
    assertThat(alice.browser().open(URI.create(back.replace(state, other))).status())
        .isEqualTo(400);
    assertThat(alice.browser().open(URI.create(back + "&code=code-2")).status()).isEqualTo(400);
    assertThat(codes()).isZero();

    LoginPerson again = new LoginPerson();
    URI second = LoginPerson.leadsTo(again.proves(link(ALICE), ALICE.key()));
    world.callback.put("iss", "http://127.0.0.1:1/other");
    Page refused = again.browser().open(again.comesBack(second, ""));
    assertThat(refused.status()).isEqualTo(400);
    assertThat(codes()).isZero();
  }

  @Test
  void no_answer_leads_to_a_place_that_a_request_names() {
    String base = "http://127.0.0.1:" + bus.port() + "/login/callback";
    for (String query :
        List.of(
            "?redirect_uri=http://evil.example/&next=http://evil.example/",
            "?error=x&error_uri=http://evil.example/&error_description=%3Cscript%3E",
            "?state=http://evil.example/")) {
      Page page = new FormBrowser().open(URI.create(base + query));
      assertThat(page.status()).isEqualTo(400);
      assertThat(page.headers().firstValue("Location")).isEmpty();
      assertThat(page.html()).doesNotContain("evil.example").doesNotContain("<script");
    }
  }

  @Test
  void a_link_has_the_url_of_mcpbus_whatever_host_a_request_names() {
    String own = "http://127.0.0.1:" + bus.port() + "/login/";
    assertThat(link(ALICE)).startsWith(own);
    Http.Answer forwarded =
        ping(ALICE, "X-Forwarded-Host", "evil.example", "Forwarded", "host=evil.example");
    assertThat(forwarded.json().getString("login")).startsWith(own);
    LoginPerson alice = new LoginPerson();
    URI page = LoginPerson.leadsTo(alice.proves(link(ALICE), ALICE.key()));
    assertThat(OAuthWorld.fields(page.getRawQuery()).get("redirect_uri"))
        .isEqualTo(own + "callback");
  }

  @Test
  void names_are_text_in_pages_that_nobody_frames_and_that_run_nothing() {
    Page page = new FormBrowser().open(URI.create(link(ALICE)));
    assertThat(page.html())
        .contains("al&lt;b&gt;ice&quot;&#39;&amp;")
        .contains(world.base())
        .doesNotContain("<b>ice")
        .doesNotContain("<script");
    assertThat(page.headers().firstValue("Content-Security-Policy").orElse(""))
        .contains("default-src 'none'")
        .contains("frame-ancestors 'none'")
        .contains("form-action 'self'")
        .doesNotContain("unsafe");
    assertThat(page.headers().firstValue("X-Content-Type-Options")).contains("nosniff");
    assertThat(page.headers().firstValue("Referrer-Policy")).contains("same-origin");
    assertThat(page.headers().firstValue("Cache-Control")).contains("no-store");
    Http.Answer leads =
        Http.post(bus.port(), page.uri().getPath(), "key=" + ALICE.key(), "Accept", "text/html");
    assertThat(leads.headers().firstValue("Set-Cookie").orElse(""))
        .containsIgnoringCase("HttpOnly")
        .contains("SameSite=Lax")
        .contains("Path=/login/callback");
  }

  @Test
  void pages_of_other_sites_open_a_link_and_do_nothing_else() {
    String path = URI.create(link(ALICE)).getPath();
    assertThat(from("cross-site", "navigate", "document", path).status()).isEqualTo(200);
    assertThat(from("cross-site", "navigate", "iframe", path).status()).isEqualTo(403);
    assertThat(from("cross-site", "no-cors", "image", path).status()).isEqualTo(403);
    assertThat(from("cross-site", "navigate", "document", "/api/servers").status()).isEqualTo(403);
    assertThat(
            Http.post(bus.port(), path, "key=" + ALICE.key(), "Origin", "http://evil.example")
                .status())
        .isEqualTo(403);
    assertThat(world.seen("/authorize")).isEmpty();
  }

  private Http.Answer from(String site, String mode, String dest, String path) {
    return Http.get(
        bus.port(),
        path,
        "Sec-Fetch-Site",
        site,
        "Sec-Fetch-Mode",
        mode,
        "Sec-Fetch-Dest",
        dest,
        "Authorization",
        "Bearer " + ROOT.key());
  }

  @Test
  void logins_are_listed_to_their_principal_and_an_admin_sees_no_link_of_others() {
    String link = link(ALICE);
    assertThat(logins(MALLORY)).isEmpty();
    assertThat(logins(ALICE)).hasSize(1);
    assertThat(logins(ALICE).get(0).getString("page")).isEqualTo(link);
    assertThat(logins(ROOT)).hasSize(1);
    assertThat(logins(ROOT).get(0).getString("principal")).isEqualTo(MARKED);
    assertThat(logins(ROOT).get(0).containsKey("page")).isFalse();
  }

  private List<JsonObject> logins(ApiKeys.Fresh who) {
    return Http.get(bus.port(), "/api/logins", "Authorization", "Bearer " + who.key())
        .json()
        .getJsonArray("logins")
        .stream()
        .map(JsonObject.class::cast)
        .toList();
  }

  @Test
  void without_a_login_at_mcpbus_a_button_is_enough() {
    try (TestBus open = TestBus.startWithBridge(servers())) {
      Http.Answer refused = Http.post(open.port(), "/api/servers/crm/ping", "{}");
      String link = refused.json().getString("login");
      assertThat(new LoginPerson().logsIn(link, "", "").html()).contains("now knows local");
      assertThat(Http.post(open.port(), "/api/servers/crm/ping", "{}").status()).isEqualTo(200);
    }
  }
}
