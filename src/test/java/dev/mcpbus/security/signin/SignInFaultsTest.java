package dev.mcpbus.security.signin;

import static org.assertj.core.api.Assertions.assertThat;

import dev.mcpbus.bus.FairLimit;
import dev.mcpbus.internals.HttpConnections;
import dev.mcpbus.internals.RecordCopy;
import dev.mcpbus.security.oauth.OAuthDigests;
import dev.mcpbus.testing.IdentityProvider;
import dev.mcpbus.testing.LoginBrowser;
import dev.mcpbus.testing.TestBus;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import io.vertx.junit5.VertxExtension;
import java.net.InetAddress;
import java.net.URI;
import java.net.UnknownHostException;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** Attacks on the authorization server: of programs, of web pages, of providers, of thieves. */
@ExtendWith(VertxExtension.class)
class SignInFaultsTest {

  private SignInBed bed;

  @BeforeEach
  void start(Vertx vertx) {
    bed = new SignInBed(vertx);
  }

  @AfterEach
  void close() {
    bed.close();
  }

  /** On a page, from which nobody is sent anywhere. */
  static void assertThatItEndsHere(HttpResponse<String> answer, int status) {
    assertThat(answer.statusCode()).as(answer.body()).isEqualTo(status);
    assertThat(answer.headers().firstValue("Location")).isEmpty();
    assertThat(answer.body()).doesNotContain("http-equiv");
  }

  private HttpResponse<String> asked(String client, String member, String value) {
    Map<String, String> request = bed.request(client);
    request.put(member, value);
    return bed.browser.open(bed.authorize(request));
  }

  private HttpResponse<String> registering(JsonArray redirectUris) {
    return bed.browser.json(
        bed.base() + "/oauth/register", new JsonObject().put("redirect_uris", redirectUris));
  }

  @Test
  void nobody_is_sent_to_a_place_that_is_not_registered() {
    String client =
        bed.client(
            new JsonObject()
                .put(
                    "redirect_uris",
                    new JsonArray()
                        .add("https://app.example/cb")
                        .add("http://127.0.0.1:4711/callback")));
    for (String other :
        List.of(
            "https://app.example/cb/",
            "https://app.example/cb?x=1",
            "https://app.example/CB",
            "https://app.example/cb/../evil",
            "https://app.example.evil.example/cb",
            "https://app.example:444/cb",
            "https://app.example@evil.example/cb",
            "https://evil.example/https://app.example/cb",
            "http://app.example/cb",
            "//app.example/cb",
            "https://app.example/cb#x",
            "https:\\\\app.example/cb",
            "http://127.0.0.1:4711/callback2",
            "http://127.0.0.1.evil.example:4711/callback",
            "http://localhost:4711/callback",
            "https://127.0.0.1:4711/callback",
            "http://127.0.0.1:4711/callback?x",
            "javascript:alert(1)",
            "")) {
      assertThatItEndsHere(asked(client, "redirect_uri", other), 400);
    }
    assertThat(asked(client, "redirect_uri", "https://app.example/cb").statusCode()).isEqualTo(200);
  }

  @Test
  void a_request_with_a_mistake_is_answered_on_a_page_and_sends_nobody_anywhere() {
    String client = bed.client();
    Map<String, String> mistakes = new HashMap<>();
    mistakes.put("response_type", "token");
    mistakes.put("response_mode", "fragment");
    mistakes.put("code_challenge", "");
    mistakes.put("code_challenge_method", "plain");
    mistakes.put("resource", "https://other.example/mcp");
    mistakes.put("state", "x".repeat(2_049));
    mistakes.put("request", "a.b.c");
    mistakes.put("request_uri", "https://app.example/request");
    mistakes.forEach((member, value) -> assertThatItEndsHere(asked(client, member, value), 400));
    assertThatItEndsHere(
        bed.browser.open(bed.authorize(client) + "&redirect_uri=https%3A%2F%2Fevil.example"), 400);
    assertThatItEndsHere(asked(bed.client() + "A", "state", "x"), 401);
    assertThat(bed.provider.visits()).isZero();
  }

  @Test
  void no_program_registers_a_redirect_uri_that_runs_or_leads_a_stranger() {
    for (String bad :
        List.of(
            "javascript:alert(1)//x.y",
            "data:text/html,x",
            "JAVASCRIPT:alert(1)",
            "vbscript:x",
            "file:///etc/passwd",
            "blob:https://x.example/1",
            "about:blank",
            "ftp://x.example/a",
            "ws://x.example/a",
            "intent://x#Intent;end",
            "ms-msdt:/id",
            "http://x.example/cb",
            "http://127.0.0.1.x.example/cb",
            "http://10.0.0.1/cb",
            "https://user@x.example/cb",
            "https://x.example/cb#part",
            "https://x.example\\@evil.example/cb",
            "https://x.example/c b",
            "https://x.example/\r\nSet-Cookie:a=b",
            "https://x\u202e.example/cb",
            "https:///cb",
            "cb",
            "https://x.example/" + "a".repeat(500))) {
      assertThat(registering(new JsonArray().add(bad)).statusCode()).as(bad).isEqualTo(400);
    }
    assertThat(registering(new JsonArray()).statusCode()).isEqualTo(400);
    assertThat(
            registering(
                    new JsonArray(
                        List.of(
                            "https://a.b/1",
                            "https://a.b/2",
                            "https://a.b/3",
                            "https://a.b/4",
                            "https://a.b/5",
                            "https://a.b/6")))
                .statusCode())
        .isEqualTo(400);
    for (String good :
        List.of(
            "https://x.example/cb?a=b",
            "http://localhost:1/x",
            "http://[::1]/cb",
            "com.example.app:/cb",
            "cursor://anysphere.cursor-mcp/oauth/callback")) {
      assertThat(registering(new JsonArray().add(good)).statusCode()).as(good).isEqualTo(201);
    }
  }

  @Test
  void a_code_is_of_use_to_its_own_program_once() {
    String client = bed.client();
    String other = bed.client(SignInBed.metadata().put("client_name", "Another"));
    String code = bed.code(client);
    for (Map.Entry<String, String> wrong :
        Map.of(
                "client_id",
                other,
                "redirect_uri",
                "http://127.0.0.1:4712/callback",
                "code_verifier",
                "A".repeat(43),
                "code",
                code.substring(0, code.length() - 3) + "AAA",
                "resource",
                bed.base() + "/mcp/other")
            .entrySet()) {
      Map<String, String> form = bed.redemption(client, code);
      form.put(wrong.getKey(), wrong.getValue());
      assertThat(bed.token(form).statusCode()).as(wrong.getKey()).isEqualTo(400);
    }
    Map<String, String> secret = bed.redemption(client, code);
    secret.put("client_secret", "x");
    assertThat(bed.token(secret).statusCode()).isEqualTo(401);

    JsonObject tokens = new JsonObject(bed.token(bed.redemption(client, code)).body());
    assertThat(tokens.getString("access_token")).isNotNull();
    assertThat(bed.token(bed.redemption(client, code)).body()).contains("invalid_grant");
    // Its second use ended the login: one of the two was a thief.
    assertThat(bed.renew(client, tokens.getString("refresh_token")).body())
        .contains("invalid_grant");
  }

  @Test
  void a_code_ends_after_a_minute_and_no_text_of_one_purpose_is_one_of_another() {
    String client = bed.client();
    String code = bed.code(client);
    String refresh = bed.tokens(client).getString("refresh_token");
    assertThat(bed.renew(client, code).body()).contains("invalid_grant");
    assertThat(bed.token(bed.redemption(client, refresh)).body()).contains("invalid_grant");
    assertThat(bed.token(bed.redemption(client, client)).body()).contains("invalid_grant");
    bed.wait(Duration.ofSeconds(61));
    assertThat(bed.token(bed.redemption(client, code)).body()).contains("invalid_grant");
  }

  @Test
  void consent_is_given_by_the_same_browser_from_our_page_alone() {
    HttpResponse<String> page = bed.browser.open(bed.authorize(bed.client()));
    Map<String, String> form = Map.of("request", LoginBrowser.request(page), "answer", "allow");
    String consent = bed.base() + "/oauth/consent";
    LoginBrowser attacker = new LoginBrowser();
    attacker.open(bed.authorize(bed.client()));
    assertThatItEndsHere(attacker.post(consent, form), 403);
    assertThatItEndsHere(new LoginBrowser().post(consent, form), 403);
    assertThat(bed.browser.post(consent, form, "Origin", "https://evil.example").statusCode())
        .isEqualTo(403);
    assertThat(bed.browser.post(consent, form, "Sec-Fetch-Site", "cross-site").statusCode())
        .isEqualTo(403);
    assertThatItEndsHere(bed.browser.post(consent, form, "Sec-Fetch-Site", "same-site"), 403);
    assertThat(bed.browser.open(consent + "?" + LoginBrowser.query(form)).statusCode())
        .isEqualTo(403);
    assertThat(bed.browser.get(consent + "?" + LoginBrowser.query(form)).statusCode())
        .isEqualTo(405);
    assertThat(bed.provider.visits()).isZero();
    bed.wait(Duration.ofSeconds(601));
    assertThatItEndsHere(bed.browser.post(consent, form), 403);
  }

  /** A victim with a session at the provider opens a link of an attacker: nothing happens. */
  @Test
  void without_a_consent_no_provider_is_visited_and_no_callback_is_taken() {
    String client = bed.client(SignInBed.metadata().put("client_name", "Evil"));
    HttpResponse<String> page = bed.browser.open(bed.authorize(client));
    assertThat(bed.provider.visits()).isZero();
    assertThat(page.headers().allValues("Set-Cookie"))
        .hasSize(1)
        .noneMatch(cookie -> cookie.contains("mcpbus-login"));
    for (String state : List.of(LoginBrowser.request(page), client, "x", "")) {
      assertThatItEndsHere(
          bed.browser.open(
              bed.base()
                  + "/oauth/callback?"
                  + LoginBrowser.query(Map.of("state", state, "code", "x"))),
          403);
    }
  }

  @Test
  void a_login_that_somebody_else_began_is_not_completed_by_the_victim() {
    String client = bed.client();
    LoginBrowser attacker = new LoginBrowser();
    HttpResponse<String> leaving =
        attacker.answer(bed.base(), attacker.open(bed.authorize(client)), "allow");
    String atProvider = LoginBrowser.leadsTo(leaving);
    // The victim has cookies of a login of its own.
    bed.code(client);
    String callback = LoginBrowser.location(bed.browser.open(atProvider));
    assertThatItEndsHere(bed.browser.open(callback), 403);
    assertThat(bed.browser.open(callback).body()).contains("This browser has begun no such login");
  }

  @Test
  void a_refresh_token_that_is_used_twice_ends_the_login() {
    String client = bed.client();
    JsonObject first = bed.tokens(client);
    String old = first.getString("refresh_token");
    JsonObject second = new JsonObject(bed.renew(client, old).body());
    // A client that lost the answer asks again at once, and gets the same generation.
    JsonObject again = new JsonObject(bed.renew(client, old).body());
    assertThat(again.getString("access_token")).isNotNull();
    JsonObject third = new JsonObject(bed.renew(client, again.getString("refresh_token")).body());
    assertThat(third.getString("access_token")).isNotNull();
    bed.wait(Duration.ofSeconds(11));
    assertThat(bed.renew(client, second.getString("refresh_token")).body())
        .contains("invalid_grant");
    assertThat(bed.renew(client, third.getString("refresh_token")).body())
        .contains("invalid_grant");
  }

  @Test
  void a_refresh_token_is_of_use_to_its_own_program() {
    String client = bed.client();
    String other = bed.client(SignInBed.metadata().put("client_name", "Another"));
    String refresh = bed.tokens(client).getString("refresh_token");
    assertThat(bed.renew(other, refresh).body()).contains("invalid_grant");
    assertThat(bed.renew(client, refresh).statusCode()).isEqualTo(200);
  }

  @Test
  void a_token_is_good_at_its_resource_alone_until_it_ends_or_is_revoked() {
    String client = bed.client();
    JsonObject all = bed.tokens(client, bed.base());
    String token = all.getString("access_token");
    assertThat(bed.call("/api/caller", token).body()).contains("user:ada");
    String gateway = bed.tokens(client, bed.base() + "/mcp/git").getString("access_token");
    for (String path : List.of("/api/caller", "/mcp", "/mcp/docs", "/mcp/gitx", "/openapi.json")) {
      assertThat(bed.call(path, gateway).statusCode()).as(path).isEqualTo(401);
    }
    String[] parts = token.split("\\.", -1);
    for (String forged :
        List.of(
            parts[0] + "." + parts[1] + "." + parts[2].substring(2) + "AA",
            parts[0] + "." + parts[1] + ".",
            "eyJhbGciOiJub25lIn0." + parts[1] + ".",
            parts[0] + "." + gateway.split("\\.", -1)[1] + "." + parts[2])) {
      assertThat(bed.call("/api/caller", forged).statusCode()).isEqualTo(401);
    }
    String other = bed.client(SignInBed.metadata().put("client_name", "Another"));
    bed.revoke(other, all.getString("refresh_token"));
    assertThat(bed.call("/api/caller", token).statusCode()).isEqualTo(200);
    assertThat(bed.revoke(client, all.getString("refresh_token")).statusCode()).isEqualTo(200);
    assertThat(bed.call("/api/caller", token).statusCode()).isEqualTo(401);
    assertThat(bed.renew(client, all.getString("refresh_token")).body()).contains("invalid_grant");
    String late = bed.tokens(client, bed.base()).getString("access_token");
    bed.wait(Duration.ofSeconds(601));
    assertThat(bed.call("/api/caller", late).statusCode()).isEqualTo(401);
  }

  @Test
  void no_metadata_document_makes_mcpbus_ask_inside() throws UnknownHostException {
    List<String> resolved = new CopyOnWriteArrayList<>();
    InetAddress inside = InetAddress.getByAddress(new byte[] {10, 0, 0, 7});
    bed.resolver =
        host -> {
          resolved.add(host);
          InetAddress literal = HttpConnections.address(host);
          return Future.succeededFuture(List.of(literal == null ? inside : literal));
        };
    for (String id :
        List.of(
            "https://127.0.0.1/client.json",
            "https://localhost/client.json",
            "https://[::1]/client.json",
            "https://169.254.169.254/latest/meta-data",
            "https://0x7f.1/client.json",
            "https://2130706433/client.json",
            "https://10.0.0.1/client.json",
            "https://192.168.1.1:8443/client.json",
            "https://[::ffff:127.0.0.1]/client.json",
            "https://[::ffff:a00:1]/client.json",
            "https://[64:ff9b::a9fe:a9fe]/client.json",
            "https://[fd00::1]/client.json",
            "https://[fe80::1%25lo]/client.json",
            "https://127.0.0.1.nip.example/client.json",
            "https://inside.example/client.json",
            "https://user@app.example/client.json",
            "https://app.example/client.json#x",
            "https://app.example/",
            "https://app.example",
            "https://app.example/a/../client.json",
            "https://app.example/" + "a".repeat(600))) {
      assertThatItEndsHere(asked(id, "client_id", id), 401);
    }
    assertThatItEndsHere(asked("x", "client_id", "http://app.example/client.json"), 401);
    assertThat(resolved).doesNotContain("app.example").contains("inside.example");
  }

  @Test
  void a_flood_of_registrations_stores_nothing_and_is_slowed_down() {
    List<Integer> statuses = new ArrayList<>();
    for (int i = 0; i < 400; i++) {
      statuses.add(
          bed.browser.json(bed.base() + "/oauth/register", SignInBed.metadata()).statusCode());
    }
    assertThat(statuses).contains(201, 429);
    assertThat(bed.store.load("signin families").result()).isNull();
  }

  @Test
  void what_a_program_says_becomes_no_markup_and_no_header() {
    String nasty = "<script>alert(1)</script>\"'><img src=x onerror=y>\r\nSet-Cookie: a=b\u202e";
    String client = bed.client(SignInBed.metadata().put("client_name", nasty));
    Map<String, String> request = bed.request(client);
    request.put("state", "\r\nSet-Cookie: evil=1\r\n\r\n<script>'\"");
    HttpResponse<String> page = bed.browser.open(bed.authorize(request));
    assertThat(page.body()).doesNotContain("<script", "<img", "\u202e").contains("&lt;script&gt;");
    assertThat(page.headers().firstValue("Content-Security-Policy").orElse(""))
        .contains("default-src 'none'", "frame-ancestors 'none'", "form-action 'self'")
        .doesNotContain("unsafe");
    assertThat(page.headers().firstValue("X-Frame-Options")).contains("DENY");
    String back = bed.browser.login(bed.base(), bed.authorize(request));
    assertThat(back).doesNotContain("\r", "\n", "<", "'", "\"");
    assertThat(LoginBrowser.fields(back)).containsEntry("state", request.get("state"));
    HttpResponse<String> cancelled = bed.browser.answer(bed.base(), page, "deny");
    assertThat(cancelled.body()).doesNotContain("<script");
    assertThat(LoginBrowser.fields(LoginBrowser.leadsTo(cancelled)))
        .containsEntry("error", "access_denied");
  }

  @Test
  void a_program_cannot_put_a_code_of_its_own_into_its_redirect_uri() {
    String uri = "https://app.example/cb?code=mine&state=mine&iss=https%3A%2F%2Fevil.example&x=1";
    String client = bed.client(new JsonObject().put("redirect_uris", new JsonArray().add(uri)));
    Map<String, String> request = bed.request(client);
    request.put("redirect_uri", uri);
    Map<String, String> back =
        LoginBrowser.fields(bed.browser.login(bed.base(), bed.authorize(request)));
    assertThat(back)
        .containsEntry("x", "1")
        .containsEntry("iss", bed.base())
        .containsEntry("state", "state of the program");
    assertThat(back.get("code")).isNotEqualTo("mine");
  }

  @Test
  void behind_https_cookies_are_bound_to_this_host_and_to_tls(Vertx vertx) {
    try (SignInBed secure =
        new SignInBed(
            vertx, options -> RecordCopy.with(options, "url", URI.create("https://mcp.example")))) {
      String client = secure.client();
      Map<String, String> request = secure.request(client);
      request.put("resource", "https://mcp.example/mcp");
      HttpResponse<String> page = secure.browser.open(secure.authorize(request));
      assertThat(page.headers().allValues("Set-Cookie"))
          .singleElement()
          .asString()
          .startsWith("__Host-mcpbus-consent=")
          .contains("; Path=/;", "; Secure", "; HttpOnly", "; SameSite=Lax")
          .doesNotContain("Domain");
      // TLS ends before mcpbus: the page has an origin that mcpbus itself does not listen at.
      Map<String, String> form = Map.of("request", LoginBrowser.request(page), "answer", "deny");
      String consent = secure.base() + "/oauth/consent";
      String cookie = page.headers().firstValue("Set-Cookie").orElse("").replaceFirst(";.*", "");
      for (String origin : List.of("http://mcp.example", "https://evil.example")) {
        assertThat(
                secure.browser.post(consent, form, "Origin", origin, "Cookie", cookie).statusCode())
            .isEqualTo(403);
      }
      assertThat(
              secure
                  .browser
                  .post(consent, form, "Origin", "https://mcp.example", "Cookie", cookie)
                  .body())
          .contains("access_denied");
      request.put("resource", secure.base() + "/mcp");
      assertThatItEndsHere(secure.browser.open(secure.authorize(request)), 400);
    }
  }

  @Test
  void codes_of_devices_are_not_guessed() {
    String page = bed.base() + "/oauth/device";
    List<Integer> statuses = new ArrayList<>();
    for (int i = 0; i < 12; i++) {
      statuses.add(
          bed.browser
              .post(page, Map.of("user_code", "BCDF-GHJK"), "Origin", bed.base())
              .statusCode());
    }
    assertThat(statuses).startsWith(400).endsWith(429);
    assertThat(
            bed.browser
                .post(page, Map.of("user_code", "x"), "Origin", "https://evil.example")
                .statusCode())
        .isEqualTo(403);
  }

  /** Of a busy office, for example. */
  @Test
  void codes_that_are_right_are_no_guesses_and_wrong_ones_beside_them_are() {
    bed.stopTime();
    String client = bed.client(SignInProgram.device());
    List<Integer> right = new ArrayList<>();
    List<Integer> wrong = new ArrayList<>();
    for (int i = 0; i < 12; i++) {
      String code = bed.waiting(client).getString("user_code");
      right.add(typed(code));
      right.add(typed(code));
    }
    assertThat(right).containsOnly(200);
    for (int i = 0; i < 11; i++) {
      wrong.add(typed("BCDF-GHJK"));
    }
    assertThat(wrong).hasSize(11).endsWith(400, 429);
  }

  private int typed(String code) {
    return bed.browser
        .post(bed.base() + "/oauth/device", Map.of("user_code", code), "Origin", bed.base())
        .statusCode();
  }

  @Test
  void one_address_leaves_places_to_the_devices_of_others(Vertx vertx) {
    SealedTexts texts = bed.signIn().texts();
    DeviceCodes devices =
        new DeviceCodes(
            vertx,
            texts,
            (what, within) -> Future.succeededFuture(true),
            new FairLimit<>(DeviceCodes.MOST));
    LoginRequest asked = LoginRequest.ofLink(bed.base(), "");
    List<DeviceCodes.WaitingDevice> flood = new ArrayList<>();
    Throwable refusal = null;
    while (refusal == null && flood.size() < DeviceCodes.MOST) {
      Future<DeviceCodes.WaitingDevice> begun = devices.begin(asked, "10.0.0.1");
      TestBus.await(begun.otherwiseEmpty());
      refusal = begun.cause();
      if (refusal == null) {
        flood.add(begun.result());
      }
    }
    assertThat(refusal).hasMessageContaining("too many devices");
    assertThat(flood).hasSize(DeviceCodes.MOST * 3 / 4);
    TestBus.await(devices.begin(asked, "10.0.0.2"));
    // What is over makes room.
    for (DeviceCodes.WaitingDevice over : flood.subList(0, 3)) {
      TestBus.await(devices.deny(over.userCode(), "no"));
      TestBus.await(devices.poll(over.deviceCode(), asked.binding()).otherwiseEmpty());
    }
    assertThat(TestBus.await(devices.begin(asked, "10.0.0.1")).userCode()).isNotEmpty();
  }

  @Test
  void a_flood_of_forged_tokens_is_checked_up_to_a_bound_and_good_ones_go_on() {
    bed.stopTime();
    String client = bed.client();
    String known = bed.tokens(client, bed.base()).getString("access_token");
    assertThat(bed.call("/api/caller", known).statusCode()).isEqualTo(200);
    String[] parts = known.split("\\.", -1);
    String over =
        OAuthDigests.base64Url(IdentityProvider.claims(known).put("exp", 1).toBuffer().getBytes());
    refused(parts[0] + "." + over + "." + parts[2]);
    String fresh = bed.tokens(client, bed.base()).getString("access_token");
    assertThat(bed.call("/api/caller", fresh).statusCode()).as("none was checked").isEqualTo(200);

    refused(parts[0] + "." + parts[1] + "." + parts[2].substring(2) + "AA");
    String late = bed.tokens(client, bed.base()).getString("access_token");
    assertThat(bed.call("/api/caller", late).statusCode()).isEqualTo(401);
    assertThat(bed.call("/api/caller", known).statusCode()).isEqualTo(200);
    bed.wait(Duration.ofSeconds(1));
    assertThat(bed.call("/api/caller", late).statusCode()).isEqualTo(200);
  }

  private void refused(String token) {
    for (int i = 0; i < 120; i++) {
      assertThat(bed.call("/api/caller", token).statusCode()).isEqualTo(401);
    }
  }

  @Test
  void a_device_that_polls_too_fast_is_slowed_down_and_another_programs_code_is_none() {
    JsonObject metadata =
        SignInBed.metadata().put("grant_types", new JsonArray().add(SignInClient.DEVICE_GRANT));
    String client = bed.client(metadata);
    String other = bed.client(metadata.copy().put("client_name", UUID.randomUUID().toString()));
    Map<String, String> form = new HashMap<>(SignInProgram.poll(client, bed.waiting(client)));
    form.put("client_id", other);
    assertThat(bed.token(form).body()).contains("expired_token");
    form.put("client_id", client);
    assertThat(bed.token(form).body()).contains("authorization_pending");
    assertThat(bed.token(form).body()).contains("slow_down");
    bed.wait(Duration.ofSeconds(601));
    assertThat(bed.token(form).body()).contains("expired_token");
  }
}
