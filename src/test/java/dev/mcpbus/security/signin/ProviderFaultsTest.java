package dev.mcpbus.security.signin;

import static dev.mcpbus.security.signin.SignInFaultsTest.assertThatItEndsHere;
import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import dev.mcpbus.internals.RecordCopy;
import dev.mcpbus.protocol.Sensitive;
import dev.mcpbus.security.ClaimMapping;
import dev.mcpbus.testing.IdentityProvider;
import dev.mcpbus.testing.LoginBrowser;
import dev.mcpbus.testing.LoginProvider;
import dev.mcpbus.testing.TokenIssuer;
import io.vertx.core.Vertx;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import io.vertx.junit5.VertxExtension;
import java.net.URLEncoder;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.security.KeyPair;
import java.time.LocalDate;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.slf4j.LoggerFactory;

/** Attacks of a second identity provider, and of who comes back from it. */
@ExtendWith(VertxExtension.class)
class ProviderFaultsTest {

  private SignInBed bed;

  @BeforeEach
  void start(Vertx vertx) {
    bed = new SignInBed(vertx);
  }

  @AfterEach
  void close() {
    bed.close();
  }

  @Test
  void a_callback_is_taken_once_and_from_the_provider_that_was_asked_alone() {
    String client = bed.client();
    String callback = callback(client);
    assertThatItEndsHere(
        bed.browser.open(callback.replaceFirst("iss=[^&]*", "iss=https%3A%2F%2Fevil.example")),
        403);
    assertThatItEndsHere(bed.browser.open(callback.replaceFirst("&iss=[^&]*", "")), 403);
    assertThat(bed.browser.open(callback).statusCode()).isEqualTo(303);
    assertThatItEndsHere(bed.browser.open(callback), 403);
  }

  @Test
  void an_id_token_that_is_not_for_this_login_is_none() {
    String client = bed.client();
    List<UnaryOperator<JsonObject>> changes =
        List.of(
            claims -> claims.put("nonce", "another"),
            claims -> without(claims, "nonce"),
            claims -> claims.put("aud", "another client"),
            claims -> claims.put("aud", new JsonArray().add(LoginProvider.CLIENT).add("x")),
            claims -> claims.put("azp", "another client"),
            claims -> claims.put("iss", "https://evil.example"),
            claims -> claims.put("exp", System.currentTimeMillis() / 1_000 - 120),
            claims -> claims.put("iat", System.currentTimeMillis() / 1_000 + 120),
            claims -> claims.put("sub", ""),
            claims -> claims.put("sub", 7));
    for (UnaryOperator<JsonObject> change : changes) {
      bed.provider.claims(change);
      assertThatItEndsHere(bed.browser.open(callback(client)), 502);
    }
    bed.provider.claims(claims -> claims.put("sub", "a\nb"));
    assertThatItEndsHere(bed.browser.open(callback(client)), 403);
  }

  /** Where the provider sends the browser back to, of a login that a person has allowed. */
  private String callback(String client) {
    HttpResponse<String> leaving =
        bed.browser.answer(bed.base(), bed.browser.open(bed.authorize(client)), "allow");
    return LoginBrowser.location(bed.browser.open(LoginBrowser.leadsTo(leaving)));
  }

  /** Mix-up: the browser comes back from another provider, with a code of that one. */
  @Test
  void a_code_of_another_provider_reaches_neither_of_the_two(Vertx vertx) {
    String client = bed.client();
    try (LoginProvider evil = new LoginProvider(vertx)) {
      String callback = callback(client);
      String stolen = LoginBrowser.field(callback, "code");
      for (String iss :
          List.of(evil.url(), evil.url() + "/", bed.base(), bed.provider.url() + "/x")) {
        String other =
            callback.replaceFirst(
                "iss=[^&]*", "iss=" + URLEncoder.encode(iss, StandardCharsets.UTF_8));
        assertThatItEndsHere(bed.browser.open(other), 403);
      }
      assertThat(bed.provider.redeemed()).isEmpty();
      assertThat(evil.redeemed()).isEmpty();
      assertThatItEndsHere(
          bed.browser.open(callback.replace("code=" + stolen, "code=a-code-of-evil")), 502);
      assertThat(evil.redeemed()).isEmpty();
      assertThat(bed.provider.redeemed()).containsExactly("a-code-of-evil");
    }
  }

  @Test
  void an_id_token_that_another_provider_has_signed_is_none() {
    String client = bed.client();
    KeyPair evil = TokenIssuer.pair();
    List<UnaryOperator<String>> forged = new ArrayList<>();
    for (JsonObject header :
        List.of(
            new JsonObject().put("alg", "RS256").put("kid", "one"),
            new JsonObject().put("alg", "RS256").put("kid", "of evil"),
            new JsonObject().put("alg", "RS256"),
            new JsonObject()
                .put("alg", "RS256")
                .put("kid", "one")
                .put("jwk", TokenIssuer.jwk("one", evil)),
            new JsonObject()
                .put("alg", "RS256")
                .put("kid", "one")
                .put("jku", "http://127.0.0.1:1/jwks"))) {
      forged.add(token -> TokenIssuer.signed(header, IdentityProvider.claims(token), evil));
    }
    JsonObject none = new JsonObject().put("alg", "none").put("kid", "one");
    forged.add(token -> TokenIssuer.unsigned(none, IdentityProvider.claims(token)) + ".");
    forged.add(token -> token.substring(0, token.lastIndexOf('.') + 1));
    for (UnaryOperator<String> change : forged) {
      bed.provider.idTokens(change);
      assertThatItEndsHere(bed.browser.open(callback(client)), 502);
    }
    bed.provider.idTokens(same -> same);
    assertThat(bed.browser.open(callback(client)).statusCode()).isEqualTo(303);
  }

  /** Whoever makes tokens for another issuer of the list makes none of ours. */
  @Test
  void a_token_that_names_us_as_its_issuer_is_signed_by_us() {
    JsonObject ours =
        IdentityProvider.claims(bed.tokens(bed.client(), bed.base()).getString("access_token"));
    String today = LocalDate.now(ZoneOffset.UTC).toString();
    for (String algorithm : List.of("RS256", "EdDSA", "HS256")) {
      JsonObject header =
          new JsonObject().put("alg", algorithm).put("typ", "at+jwt").put("kid", today);
      String forged = TokenIssuer.signed(header, ours, TokenIssuer.pair());
      assertThat(bed.call("/api/caller", forged).statusCode()).as(algorithm).isEqualTo(401);
    }
  }

  @Test
  void a_device_whose_login_fails_is_told_so_and_the_log_names_the_setting(Vertx vertx) {
    Logger logger = (Logger) LoggerFactory.getLogger(LoginRoutes.class);
    ListAppender<ILoggingEvent> lines = new ListAppender<>();
    lines.start();
    logger.addAppender(lines);
    try (SignInBed nameless =
            new SignInBed(
                vertx,
                options ->
                    RecordCopy.with(
                        options, "claims", new ClaimMapping("email", List.of(), List.of())));
        SignInBed unknown =
            new SignInBed(
                vertx,
                options ->
                    RecordCopy.with(
                        options,
                        "provider",
                        RecordCopy.with(
                            options.provider(), "clientSecret", Sensitive.of("of yesterday"))))) {
      fails(nameless, 403, "claim &quot;email&quot;", "auth.signIn.claims.name");
      fails(unknown, 502, "HTTP 401, invalid_client", "auth.signIn.provider.clientSecret");
    } finally {
      logger.detachAppender(lines);
    }
    assertThat(lines.list)
        .filteredOn(line -> line.getLevel() == Level.WARN)
        .extracting(ILoggingEvent::getFormattedMessage)
        .as("ten of each mcpbus")
        .hasSize(20)
        .anyMatch(line -> line.contains("claim \"email\"") && line.contains("claims.name"))
        .anyMatch(line -> line.contains("HTTP 401, invalid_client") && line.contains("Secret"))
        .noneMatch(line -> line.contains("canary") || line.contains("yesterday"));
  }

  /** Again and again, each time with what the person and the device are told. */
  private static void fails(SignInBed at, int status, String why, String key) {
    at.stopTime();
    String client = at.client(SignInProgram.device());
    for (int i = 0; i < 12; i++) {
      JsonObject device = at.waiting(client);
      HttpResponse<String> page =
          at.browser.post(
              device.getString("verification_uri"),
              Map.of("user_code", device.getString("user_code")),
              "Origin",
              at.base());
      HttpResponse<String> leaving = at.browser.answer(at.base(), page, "allow");
      HttpResponse<String> over =
          at.browser.open(LoginBrowser.location(at.browser.open(LoginBrowser.leadsTo(leaving))));
      assertThatItEndsHere(over, status);
      assertThat(over.body()).contains(why, key).doesNotContain("id token", "canary");
      JsonObject told = new JsonObject(at.token(SignInProgram.poll(client, device)).body());
      assertThat(told.getString("error")).isEqualTo("access_denied");
      assertThat(told.getString("error_description")).contains(why.replace("&quot;", "\""), key);
    }
  }

  private static JsonObject without(JsonObject claims, String member) {
    claims.remove(member);
    return claims;
  }
}
