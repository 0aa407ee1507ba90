package dev.mcpbus;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import dev.mcpbus.bridge.options.BridgeOptions;
import dev.mcpbus.internals.RecordCopy;
import dev.mcpbus.security.ApiKeys;
import dev.mcpbus.security.AuthOptions;
import dev.mcpbus.security.AuthOptions.ApiKey;
import dev.mcpbus.testing.CallerServer;
import dev.mcpbus.testing.ConsoleSignIn;
import dev.mcpbus.testing.FormBrowser;
import dev.mcpbus.testing.FormBrowser.Page;
import dev.mcpbus.testing.Http;
import dev.mcpbus.testing.IdentityProvider;
import dev.mcpbus.testing.LoginBrowser;
import dev.mcpbus.testing.TestBus;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.net.URI;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.slf4j.LoggerFactory;

/**
 * People who have signed in at mcpbus log in at a server of callers by a link: the provider of the
 * sign-in proves who is at the browser. Cases D284 to D289.
 */
@SuppressWarnings("NullAway.Init")
class CallerSignInIT {

  private static final ApiKeys.Fresh KEY = ApiKeys.generate(new SecureRandom());
  private static final Map<String, String> SIGN_IN = Map.of("signIn", "yes");

  private static IdentityProvider provider;
  private static CallerServer server;
  private static TestBus bus;
  private String alice;

  @BeforeAll
  static void start() {
    provider = new IdentityProvider();
    server = CallerServer.ofTokens("modern", provider);
    JsonObject entry =
        new JsonObject()
            .put("url", server.url().toString())
            .put("identity", "caller")
            .put("oauth", new JsonObject().put("scopes", new JsonArray().add("notes")));
    AuthOptions auth = ConsoleSignIn.auth(provider, Duration.ofMinutes(10));
    bus =
        TestBus.startWithAuth(
            TestBus.server("notes", entry),
            BridgeOptions.DEFAULT.withPort(0),
            RecordCopy.with(
                RecordCopy.with(auth, "audit", true),
                "apiKeys",
                List.of(new ApiKey("robot", KEY.hash(), Set.of(), false, null, null))));
  }

  @AfterAll
  static void close() {
    bus.close();
    server.close();
    provider.close();
  }

  @BeforeEach
  void signIn() {
    alice = ConsoleSignIn.token(bus.port(), "alice");
    Http.delete(bus.port(), "/api/credentials/notes", "Authorization", "Bearer " + alice);
  }

  private static Http.Answer whoami(String credential) {
    return Http.post(
        bus.port(),
        "/api/servers/notes/tools/whoami",
        "{}",
        "Authorization",
        "Bearer " + credential);
  }

  private static URI link(String credential) {
    Http.Answer refused = whoami(credential);
    assertThat(refused.json().getString("code")).as(refused.body()).isEqualTo("AUTH_REQUIRED");
    return URI.create(refused.json().getString("login"));
  }

  private static boolean isLoggedIn(String credential) {
    return whoami(credential).status() == 200;
  }

  /** The page of the provider, for a person who presses the button. */
  private static Page atProvider(FormBrowser browser, URI link) {
    Page page = browser.open(link);
    assertThat(page.html()).contains("Sign in with 127.0.0.1", "user:alice");
    Page login = browser.submit(page, SIGN_IN);
    assertThat(login.fields()).as(login.html()).containsKey("login");
    return login;
  }

  private static Page logIn(FormBrowser browser, Page login, String person) {
    return browser.submit(login, Map.of("login", person, "do", "login"));
  }

  /** What the authorization server of the notes asks a person. */
  private static Page agree(FormBrowser browser, Page consent) {
    return browser.submit(consent, Map.of("do", "consent"));
  }

  private static Page logsIn(FormBrowser browser, URI link) {
    return agree(browser, logIn(browser, atProvider(browser, link), "alice"));
  }

  @Test
  void a_person_proves_with_the_provider_who_he_is_and_goes_on_to_the_server() {
    FormBrowser browser = new FormBrowser();
    URI link = link(alice);
    assertThat(logsIn(browser, link).html()).contains("You are logged in", "user:alice");
    assertThat(whoami(alice).json().encode()).contains("alice");
    // The ticket is in no other address than its own.
    String ticket = link.getPath().substring("/login/".length());
    assertThat(browser.visited())
        .filteredOn(visited -> visited.toString().contains(ticket))
        .containsOnly(link);
    // The proof gave nobody a token of mcpbus.
    assertThat(browser.visited()).noneMatch(visited -> visited.getPath().equals("/"));
    assertThat(browser.cookieNames()).noneMatch(name -> name.contains("mcpbus-consent"));
    assertThat(browser.open(link).status()).isEqualTo(404);
  }

  @Test
  void another_person_is_refused_and_the_link_stays_good_for_its_principal() {
    URI link = link(alice);
    FormBrowser bobs = new FormBrowser();
    Page refused = logIn(bobs, atProvider(bobs, link), "bob");
    assertThat(refused.status()).isEqualTo(403);
    assertThat(refused.html())
        .contains("You are user:bob, and this link is for another principal")
        .doesNotContain("http-equiv");
    assertThat(bobs.cookieNames()).noneMatch(name -> name.startsWith("mcpbus-login-"));
    // Nor by the form of that page, which the provider answers at once.
    assertThat(bobs.submit(refused, SIGN_IN).status()).isEqualTo(403);
    assertThat(isLoggedIn(alice)).isFalse();
    assertThat(logsIn(new FormBrowser(), link).html()).contains("You are logged in");
  }

  /** Mallory begins, and the victim is at the page of the provider that was passed on. */
  @Test
  void a_proof_that_another_browser_began_is_none() {
    URI link = link(alice);
    FormBrowser mallory = new FormBrowser();
    URI passedOn =
        mallory.submit(mallory.open(link), SIGN_IN, uri -> uri.getPort() == provider.port()).uri();
    FormBrowser victim = new FormBrowser();
    URI back = victim.signIn(passedOn, "alice", uri -> uri.getPath().equals("/oauth/callback"));
    Page refused = victim.open(back);
    assertThat(refused.status()).isEqualTo(403);
    assertThat(refused.html()).contains("This browser has begun no such login");
    // With a cookie of a login of his own, it is not that of Mallory either.
    FormBrowser other = new FormBrowser();
    atProvider(other, link);
    assertThat(other.open(back).status()).isEqualTo(403);
    assertThat(isLoggedIn(alice)).isFalse();
    assertThat(logsIn(new FormBrowser(), link).html()).contains("You are logged in");
  }

  @Test
  void a_ticket_and_a_proof_are_good_once() {
    URI link = link(alice);
    FormBrowser browser = new FormBrowser();
    Page login = atProvider(browser, link);
    FormBrowser second = new FormBrowser();
    Page late = atProvider(second, link);
    Page page = logIn(browser, login, "alice");
    URI proof =
        browser.visited().stream()
            .filter(visited -> visited.getPath().equals("/oauth/callback"))
            .findFirst()
            .orElseThrow();
    assertThat(browser.open(proof).status()).isEqualTo(403);
    // The ticket is used: who comes later has to ask for another one.
    Page over = logIn(second, late, "alice");
    assertThat(over.status()).isEqualTo(400);
    assertThat(over.html()).contains("The link was used").doesNotContain("http-equiv");
    assertThat(second.open(link).status()).isEqualTo(400);
    assertThat(agree(browser, page).html()).contains("You are logged in");
  }

  @Test
  void who_cancels_at_the_provider_may_try_again() {
    URI link = link(alice);
    FormBrowser browser = new FormBrowser();
    Page refused = browser.submit(atProvider(browser, link), Map.of("login", "", "do", "refuse"));
    assertThat(refused.status()).isEqualTo(403);
    assertThat(refused.html()).contains("The sign-in was refused");
    Page login = browser.submit(refused, SIGN_IN);
    assertThat(agree(browser, logIn(browser, login, "alice")).html()).contains("You are logged in");
  }

  @Test
  void a_principal_of_a_key_is_asked_for_the_key_and_no_person_of_the_provider_is_it() {
    URI link = link(KEY.key());
    FormBrowser browser = new FormBrowser();
    Page page = browser.open(link);
    assertThat(page.html()).doesNotContain("Sign in with").contains("Your key or token");
    Page refused = logIn(browser, browser.submit(page, SIGN_IN), "alice");
    assertThat(refused.status()).isEqualTo(403);
    assertThat(refused.html()).contains("You are user:alice");
    assertThat(isLoggedIn(KEY.key())).isFalse();
  }

  @Test
  void no_ticket_code_state_or_token_is_logged() {
    ListAppender<ILoggingEvent> lines = new ListAppender<>();
    lines.start();
    Logger root = (Logger) LoggerFactory.getLogger(org.slf4j.Logger.ROOT_LOGGER_NAME);
    root.addAppender(lines);
    List<URI> visited = new ArrayList<>();
    URI link = link(alice);
    try {
      FormBrowser bobs = new FormBrowser();
      logIn(bobs, atProvider(bobs, link), "bob");
      bobs.submit(bobs.open(link), Map.of("key", "no key"));
      FormBrowser browser = new FormBrowser();
      assertThat(logsIn(browser, link).html()).contains("You are logged in");
      visited.addAll(bobs.visited());
      visited.addAll(browser.visited());
      for (URI one : browser.visited()) {
        new FormBrowser().open(one); // refused, most of them
      }
    } finally {
      root.detachAppender(lines);
    }
    String log =
        List.copyOf(lines.list).stream()
            .map(ILoggingEvent::getFormattedMessage)
            .collect(Collectors.joining("\n"));
    assertThat(log)
        .contains("POST /login/")
        .doesNotContain(alice, link.getPath().substring(link.getPath().indexOf('.')));
    for (URI one : visited) {
      for (String name : List.of("code", "state", "code_challenge", "nonce")) {
        String value = LoginBrowser.fields(one.toString()).get(name);
        if (value != null && !value.isEmpty()) {
          assertThat(log).doesNotContain(value);
        }
      }
    }
  }

  @Test
  void a_ticket_that_nobody_made_leads_to_no_provider() {
    String path = "/login/" + "A".repeat(22) + "." + "A".repeat(43);
    Http.Answer none = Http.post(bus.port(), path, "signIn=yes");
    assertThat(none.status()).isEqualTo(404);
    assertThat(none.body()).doesNotContain("http-equiv");
    assertThat(none.headers().firstValue("Set-Cookie")).isEmpty();
    String known = link(alice).getPath();
    Http.Answer foreign =
        Http.post(bus.port(), known, "signIn=yes", "Origin", "http://evil.example");
    assertThat(foreign.status()).isEqualTo(403);
    Http.Answer crossed =
        Http.post(bus.port(), known, "signIn=yes", "Sec-Fetch-Site", "cross-site");
    assertThat(crossed.status()).isEqualTo(403);
  }
}
