package dev.mcpbus.security.signin;

import static org.assertj.core.api.Assertions.assertThat;

import dev.mcpbus.internals.RecordCopy;
import dev.mcpbus.testing.LoginBrowser;
import io.vertx.core.Vertx;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import io.vertx.junit5.VertxExtension;
import java.net.URI;
import java.net.http.HttpResponse;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** Attacks on the login of the console, which asks no consent: cases D260 to D263, D267. */
@ExtendWith(VertxExtension.class)
class ConsoleClientFaultsTest {

  private static final String CONSOLE = "mcpbus-console";

  private SignInBed bed;

  @BeforeEach
  void start(Vertx vertx) {
    bed = new SignInBed(vertx, options -> RecordCopy.with(options, "registration", false));
  }

  @AfterEach
  void close() {
    bed.close();
  }

  private Map<String, String> request() {
    Map<String, String> fields = bed.request(CONSOLE);
    fields.put("redirect_uri", bed.base() + "/");
    fields.remove("resource");
    return fields;
  }

  /** As a link in a page of ours. */
  private HttpResponse<String> begin(Map<String, String> fields) {
    return bed.browser.get(
        bed.authorize(fields),
        "Sec-Fetch-Site",
        "same-origin",
        "Sec-Fetch-Mode",
        "navigate",
        "Sec-Fetch-Dest",
        "document");
  }

  /** The address at which the provider sends the browser back. */
  private String callback() {
    return LoginBrowser.location(bed.browser.open(LoginBrowser.leadsTo(begin(request()))));
  }

  private Map<String, String> redemption(String code) {
    Map<String, String> form = bed.redemption(CONSOLE, code);
    form.put("redirect_uri", bed.base() + "/");
    form.remove("resource");
    return form;
  }

  /** A redirect from the provider would come to the console from another site. */
  @Test
  void the_console_signs_in_where_nobody_registers_and_its_code_comes_by_a_page_of_ours() {
    HttpResponse<String> end = bed.browser.open(callback());
    assertThat(end.statusCode()).isEqualTo(200);
    assertThat(end.headers().firstValue("Location")).isEmpty();
    assertThat(end.headers().firstValue("Referrer-Policy")).contains("same-origin");
    String back = LoginBrowser.leadsTo(end);
    assertThat(back).startsWith(bed.base() + "/?code=");
    assertThat(LoginBrowser.fields(back))
        .containsEntry("iss", bed.base())
        .containsEntry("state", "state of the program");

    JsonObject tokens =
        new JsonObject(bed.token(redemption(LoginBrowser.field(back, "code"))).body());
    assertThat(bed.call("/api/caller", tokens.getString("access_token")).body())
        .contains("user:ada");
    String refresh = tokens.getString("refresh_token");
    bed.browser.post(bed.base() + "/oauth/revoke", Map.of("client_id", CONSOLE, "token", refresh));
    assertThat(bed.call("/api/caller", tokens.getString("access_token")).statusCode())
        .isEqualTo(401);
    assertThat(bed.renew(CONSOLE, refresh).statusCode()).isEqualTo(400);
  }

  @Test
  void no_other_page_begins_the_login_of_the_console() {
    HttpResponse<String> linked = bed.browser.open(bed.authorize(request()));
    assertThat(linked.statusCode()).isEqualTo(403);
    assertThat(linked.body()).contains("sign in there").doesNotContain("http-equiv");
    assertThat(linked.headers().firstValue("Set-Cookie")).isEmpty();
    for (String[] from :
        new String[][] {
          {"same-site", "navigate", "document"},
          {"none", "navigate", "document"},
          {"cross-site", "navigate", "iframe"},
          {"cross-site", "no-cors", "image"}
        }) {
      HttpResponse<String> answer =
          bed.browser.get(
              bed.authorize(request()),
              "Sec-Fetch-Site",
              from[0],
              "Sec-Fetch-Mode",
              from[1],
              "Sec-Fetch-Dest",
              from[2]);
      assertThat(answer.statusCode()).as(String.join(" ", from)).isEqualTo(403);
      assertThat(answer.headers().firstValue("Set-Cookie")).isEmpty();
    }
    assertThat(bed.provider.visits()).isZero();
  }

  /** Programs may have any port on loopback: the console has its own alone. */
  @Test
  void the_console_is_sent_back_to_its_own_page_alone() {
    String base = bed.base();
    for (String other :
        List.of(
            "http://127.0.0.1:1/",
            "http://localhost" + base.substring(base.lastIndexOf(':')) + "/",
            base,
            base + "/console/",
            base + "/?x=y",
            base + "/#x",
            base + "//evil.example/",
            base + "@evil.example/",
            "https://evil.example/",
            "javascript:alert(1)")) {
      Map<String, String> fields = request();
      fields.put("redirect_uri", other);
      HttpResponse<String> answer = begin(fields);
      assertThat(answer.statusCode()).as(other).isEqualTo(400);
      assertThat(answer.body()).doesNotContain("http-equiv", "evil.example");
      assertThat(answer.headers().firstValue("Set-Cookie")).isEmpty();
    }
    Map<String, String> foreign = request();
    foreign.put("resource", "https://evil.example/mcp");
    assertThat(begin(foreign).statusCode()).isEqualTo(400);
    assertThat(bed.provider.visits()).isZero();
  }

  @Test
  void a_login_of_the_console_ends_in_its_browser_and_its_code_is_good_for_its_verifier() {
    String callback = callback();
    assertThat(new LoginBrowser().open(callback).statusCode()).isEqualTo(403);
    String code = LoginBrowser.field(LoginBrowser.leadsTo(bed.browser.open(callback)), "code");
    assertThat(bed.browser.open(callback).statusCode()).isEqualTo(403);

    Map<String, String> other = redemption(code);
    other.put("code_verifier", "x".repeat(43));
    assertThat(bed.token(other).statusCode()).isEqualTo(400);
    Map<String, String> elsewhere = redemption(code);
    elsewhere.put("redirect_uri", SignInBed.REDIRECT);
    assertThat(bed.token(elsewhere).statusCode()).isEqualTo(400);
    Map<String, String> document = redemption(code);
    document.put("client_id", "https://evil.example/client.json");
    assertThat(bed.token(document).statusCode()).isEqualTo(400);
    assertThat(bed.token(redemption(code)).statusCode()).isEqualTo(200);
    assertThat(bed.token(redemption(code)).statusCode()).isEqualTo(400);
  }

  /**
   * Where TLS ends at a balancer, pages of ours say {@code https}, and the door itself does not.
   */
  @Test
  void pages_of_the_configured_url_are_ours_and_those_of_others_are_not(Vertx vertx) {
    URI url = URI.create("https://Bus.example:443");
    try (SignInBed behind = new SignInBed(vertx, options -> RecordCopy.with(options, "url", url))) {
      Map<String, String> form = Map.of("client_id", CONSOLE, "token", "none");
      String revoke = behind.base() + "/oauth/revoke";
      assertThat(behind.browser.post(revoke, form, "Origin", "https://bus.example").statusCode())
          .isEqualTo(200);
      for (String other :
          List.of(
              "http://bus.example", "https://bus.example.evil", "https://evil.example", "null")) {
        assertThat(behind.browser.post(revoke, form, "Origin", other).statusCode())
            .as(other)
            .isEqualTo(403);
      }
    }
  }

  /** A device that calls itself the console would be trusted by the person who is asked. */
  @Test
  void no_device_and_no_program_takes_the_name_of_the_console(Vertx vertx) {
    assertThat(
            bed.browser
                .post(bed.base() + "/oauth/device_authorization", Map.of("client_id", CONSOLE))
                .body())
        .contains("invalid_client");
    Map<String, String> poll =
        Map.of(
            "grant_type", SignInClient.DEVICE_GRANT, "client_id", CONSOLE, "device_code", "none");
    assertThat(bed.token(poll).body()).contains("expired_token");
    try (SignInBed open = new SignInBed(vertx)) {
      JsonObject named =
          new JsonObject()
              .put("client_id", CONSOLE)
              .put("client_name", CONSOLE)
              .put("redirect_uris", new JsonArray().add(SignInBed.REDIRECT));
      assertThat(open.client(named)).isNotEqualTo(CONSOLE);
      assertThat(open.browser.open(open.authorize(open.client(named))).body())
          .contains("any program may choose any");
    }
  }
}
