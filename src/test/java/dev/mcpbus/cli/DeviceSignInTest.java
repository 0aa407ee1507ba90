package dev.mcpbus.cli;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.sun.net.httpserver.HttpServer;
import dev.mcpbus.internals.RecordCopy;
import dev.mcpbus.security.ClaimMapping;
import dev.mcpbus.security.signin.SignInBed;
import dev.mcpbus.testing.FormBrowser;
import dev.mcpbus.testing.IdentityProvider;
import dev.mcpbus.testing.TestBus;
import io.vertx.core.Vertx;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import io.vertx.junit5.VertxExtension;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** A person signs in for the commands, at a real authorization server whose clock a test moves. */
@ExtendWith(VertxExtension.class)
class DeviceSignInTest {

  private final List<DeviceSignIn.DevicePage> shown = new ArrayList<>();
  private final List<Duration> waits = new ArrayList<>();

  /** What happens while the command waits, one after the other. */
  private final Deque<Runnable> meanwhile = new ArrayDeque<>();

  private Duration later = Duration.ZERO;

  private KeptTokens signIn(String url) {
    DeviceSignIn steps =
        new DeviceSignIn(
            new ServiceClient(URI.create(url), null, null),
            shown::add,
            wait -> {
              waits.add(wait);
              later = later.plus(wait);
              Runnable next = meanwhile.poll();
              if (next != null) {
                next.run();
              }
            },
            () -> Instant.now().plus(later));
    return steps.run();
  }

  private URI page() {
    return URI.create(shown.get(0).url());
  }

  private static FormBrowser.Page consent(FormBrowser browser, URI page) {
    return browser.submit(browser.open(page), Map.of());
  }

  @Test
  void a_person_allows_it_in_a_browser_and_the_token_is_good_for_all_of_mcpbus(Vertx vertx) {
    try (SignInBed bed = new SignInBed(vertx)) {
      meanwhile.add(
          () -> {
            FormBrowser browser = new FormBrowser();
            assertThat(consent(browser, page()).html())
                .contains("mcpbus command line", shown.get(0).code());
            assertThat(browser.signIn(page(), "ada").html()).contains("You are logged in");
          });
      KeptTokens tokens = signIn(bed.base());
      JsonObject claims = IdentityProvider.claims(tokens.access());
      assertThat(claims.getString("aud")).isEqualTo(bed.base());
      assertThat(claims.getString("sub")).isEqualTo("user:ada");
      URI url = URI.create(bed.base());
      assertThat(new ServiceClient(url, tokens.access(), null).get("/api/caller").getString("name"))
          .isEqualTo("user:ada");
      assertThat(waits).containsExactly(Duration.ofSeconds(5));
    }
  }

  @Test
  void it_polls_more_slowly_when_it_is_told_to(Vertx vertx) {
    try (SignInBed bed = new SignInBed(vertx)) {
      Runnable nothing = () -> {};
      // The bed takes one poll; each further one is too early until it forgets the one before.
      meanwhile.add(nothing);
      meanwhile.add(nothing);
      meanwhile.add(() -> bed.forget("signin poll"));
      meanwhile.add(
          () -> {
            bed.forget("signin poll");
            new FormBrowser().signIn(page(), "ada");
          });
      assertThat(signIn(bed.base()).refresh()).isNotEmpty();
      assertThat(waits)
          .containsExactly(
              Duration.ofSeconds(5),
              Duration.ofSeconds(5),
              Duration.ofSeconds(10),
              Duration.ofSeconds(10));
    }
  }

  @Test
  void it_ends_when_the_person_says_no(Vertx vertx) {
    try (SignInBed bed = new SignInBed(vertx)) {
      meanwhile.add(
          () -> {
            FormBrowser browser = new FormBrowser();
            browser.submit(consent(browser, page()), Map.of("answer", "deny"));
          });
      assertThatThrownBy(() -> signIn(bed.base()))
          .hasMessageContaining("refused")
          .satisfies(e -> assertThat(((CommandFailure) e).exit()).isEqualTo(ExitCode.NOT_ALLOWED));
    }
  }

  @Test
  void it_ends_when_the_provider_does_not_say_who_the_person_is(Vertx vertx) {
    ClaimMapping byEmail = new ClaimMapping("email", List.of(), List.of());
    try (SignInBed bed = new SignInBed(vertx, same -> RecordCopy.with(same, "claims", byEmail))) {
      meanwhile.add(() -> new FormBrowser().signIn(page(), "ada"));
      assertThatThrownBy(() -> signIn(bed.base()))
          .hasMessageContainingAll("refused", "claim \"email\"", "auth.signIn.claims.name");
      assertThat(waits).hasSize(1);
    }
  }

  @Test
  void it_ends_when_the_code_is_over(Vertx vertx) {
    try (SignInBed bed = new SignInBed(vertx)) {
      meanwhile.add(() -> bed.wait(Duration.ofMinutes(11)));
      assertThatThrownBy(() -> signIn(bed.base())).hasMessageContaining("in time");
      assertThat(waits).as("mcpbus says so").hasSize(1);

      meanwhile.add(() -> later = Duration.ofMinutes(11));
      assertThatThrownBy(() -> signIn(bed.base())).hasMessageContaining("in time");
      assertThat(waits).as("the time is over here").hasSize(2);
    }
  }

  @Test
  void a_mcpbus_without_a_sign_in_leads_to_a_key() {
    try (TestBus bus = TestBus.startWithBridge(new JsonObject())) {
      assertThatThrownBy(() -> signIn("http://127.0.0.1:" + bus.port()))
          .hasMessageContainingAll("no sign-in", "--key-file", "MCPBUS_KEY");
    }
  }

  @Test
  void a_mcpbus_that_calls_itself_otherwise_leads_there(Vertx vertx) {
    URI name = URI.create("https://mcp.example.com");
    try (SignInBed bed = new SignInBed(vertx, same -> RecordCopy.with(same, "url", name))) {
      assertThatThrownBy(() -> signIn(bed.base()))
          .hasMessageContaining("\"mcpbus login --url https://mcp.example.com\"");
    }
  }

  @Test
  void a_mcpbus_at_which_no_program_may_register_leads_to_a_key(Vertx vertx) {
    try (SignInBed bed =
        new SignInBed(vertx, same -> RecordCopy.with(same, "registration", false))) {
      assertThatThrownBy(() -> signIn(bed.base()))
          .hasMessageContainingAll("registration_endpoint", "--key-file");
    }
  }

  @Test
  void nobody_logs_in_over_plain_http_on_the_network() {
    assertThatThrownBy(() -> signIn("http://mcp.example.com")).hasMessageContaining("https URL");
  }

  /** What says that it is a mcpbus may lead the command, and its tokens, to no other origin. */
  @Test
  void no_endpoint_is_that_of_another_origin() throws IOException {
    HttpServer liar =
        HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 1);
    String origin = "http://127.0.0.1:" + liar.getAddress().getPort();
    List<String> issuers = new ArrayList<>(List.of(origin, "https://evil.example"));
    JsonObject resource =
        new JsonObject()
            .put("resource", origin)
            .put("authorization_servers", new JsonArray().add(origin));
    answers(liar, "/.well-known/oauth-protected-resource", resource);
    liar.start();
    try {
      for (String issuer : issuers) {
        JsonObject metadata =
            new JsonObject()
                .put("issuer", issuer)
                .put("registration_endpoint", origin + ".evil.example/oauth/register");
        answers(liar, "/.well-known/oauth-authorization-server", metadata);
        assertThatThrownBy(() -> signIn(origin)).hasMessageContaining("no mcpbus");
        liar.removeContext("/.well-known/oauth-authorization-server");
      }
    } finally {
      liar.stop(0);
    }
  }

  private static void answers(HttpServer server, String path, JsonObject document) {
    server.createContext(
        path,
        exchange -> {
          byte[] answer = document.encode().getBytes(UTF_8);
          exchange.sendResponseHeaders(200, answer.length);
          exchange.getResponseBody().write(answer);
          exchange.close();
        });
  }
}
