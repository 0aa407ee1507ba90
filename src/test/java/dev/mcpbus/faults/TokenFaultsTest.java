package dev.mcpbus.faults;

import static org.assertj.core.api.Assertions.assertThat;

import dev.mcpbus.TestOptions;
import dev.mcpbus.internals.RecordCopy;
import dev.mcpbus.security.AuthOptions;
import dev.mcpbus.testing.McpHttp;
import dev.mcpbus.testing.TestBus;
import dev.mcpbus.testing.TokenIssuer;
import io.vertx.core.Vertx;
import io.vertx.core.http.HttpServer;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import io.vertx.junit5.VertxExtension;
import java.net.http.HttpResponse;
import java.security.KeyPair;
import java.time.Duration;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** Tokens of a real authorization server on this machine. */
@ExtendWith(VertxExtension.class)
class TokenFaultsTest {

  private TokenIssuer issuer;
  private DoorBed bed;

  @BeforeEach
  void start(Vertx vertx) {
    issuer = new TokenIssuer(vertx);
    issuer.add("one");
    bed =
        new DoorBed(
            RecordCopy.with(
                DoorBed.keys(),
                "issuers",
                TestOptions.issuer(
                    issuer.url(), Set.of("mcp"), Set.of("mcp:admin"), Duration.ofSeconds(5))));
  }

  @AfterEach
  void close() {
    bed.close();
    issuer.close();
  }

  private HttpResponse<String> with(String token) {
    return bed.send("GET", "/api/servers", "", "Authorization", "Bearer " + token);
  }

  private String token(String subject, String scope) {
    return issuer.token("one", issuer.claims(subject, scope));
  }

  @Test
  void a_call_whose_time_is_over_when_its_caller_is_known_is_not_sent() {
    issuer.delay(600);
    String caller = "Bearer " + token("eve", "mcp");

    HttpResponse<String> late =
        bed.send(
            "POST", "/api/servers/a/tools/read_one?timeout=500", "{}", "Authorization", caller);
    HttpResponse<String> known =
        bed.send(
            "POST", "/api/servers/a/tools/read_one?timeout=30000", "{}", "Authorization", caller);

    assertThat(late.statusCode()).isEqualTo(504);
    assertThat(late.body()).contains("CALL_TIMEOUT").contains("\"sent\":\"no\"");
    assertThat(known.statusCode()).isEqualTo(200);
  }

  /** RFC 9449, section 7.1: a stolen token must not work without the key to which it is bound. */
  @Test
  void a_token_that_is_bound_to_a_key_is_no_bearer_token_and_its_owner_learns_why() {
    JsonObject claims =
        issuer.claims("eve", "mcp").put("cnf", new JsonObject().put("jkt", "thumbprint"));
    String bound = issuer.token("one", claims);
    HttpResponse<String> answer = with(bound);
    assertThat(answer.statusCode()).isEqualTo(401);
    assertThat(answer.headers().firstValue("WWW-Authenticate").orElse(""))
        .startsWith("Bearer ")
        .contains("invalid_token");
    assertThat(answer.body()).contains("bound to a key").doesNotContain(bound);
    assertThat(bed.send("GET", "/api/servers", "", "Authorization", "DPoP " + bound).statusCode())
        .isEqualTo(401);
    assertThat(with(issuer.token("one", without(claims, "cnf"))).statusCode()).isEqualTo(200);
  }

  @Test
  void case_102_every_bad_token_gets_the_same_401() {
    JsonObject good = issuer.claims("eve", "mcp");
    long now = System.currentTimeMillis() / 1_000;
    JsonObject header = new JsonObject().put("alg", "RS256").put("kid", "one");
    String whole = issuer.token("one", good);
    KeyPair other = TokenIssuer.pair();
    JsonObject secret = TokenIssuer.jwk("one", TokenIssuer.pair());
    Map<String, String> bad = new LinkedHashMap<>();
    bad.put("forged", TokenIssuer.signed(header, good, other));
    bad.put("expired", issuer.token("one", good.copy().put("exp", now - 60)));
    bad.put("no exp", issuer.token("one", without(good, "exp")));
    bad.put("not yet", issuer.token("one", good.copy().put("nbf", now + 600)));
    bad.put("wrong aud", issuer.token("one", good.copy().put("aud", "other")));
    bad.put("no aud", issuer.token("one", without(good, "aud")));
    bad.put("wrong iss", issuer.token("one", good.copy().put("iss", "https://evil.example")));
    bad.put("no sub", issuer.token("one", without(good, "sub")));
    bad.put(
        "alg none",
        TokenIssuer.unsigned(new JsonObject().put("alg", "none").put("kid", "one"), good) + ".");
    bad.put(
        "alg none, signed",
        TokenIssuer.unsigned(new JsonObject().put("alg", "none").put("kid", "one"), good) + ".eA");
    bad.put(
        "alg HS256",
        TokenIssuer.unsigned(new JsonObject().put("alg", "HS256").put("kid", "one"), good) + ".eA");
    bad.put("no kid", TokenIssuer.signed(without(header, "kid"), good, other));
    bad.put("unknown kid", TokenIssuer.signed(header.copy().put("kid", "two"), good, other));
    bad.put(
        "own key in the header",
        TokenIssuer.signed(header.copy().put("kid", "three").put("jwk", secret), good, other));
    bad.put("cut", whole.substring(0, whole.length() - 10));
    bad.put(
        "changed",
        whole.substring(0, whole.lastIndexOf('.') - 1)
            + "A"
            + whole.substring(whole.lastIndexOf('.')));
    bad.put("no token", "x");
    bad.put("dots", "...");
    bad.put("a wrong key", "mcpbus_" + "A".repeat(43));
    assertThat(with(whole).statusCode()).isEqualTo(200);
    Set<String> answers = new HashSet<>();
    bad.forEach(
        (name, token) -> {
          HttpResponse<String> answer = with(token);
          assertThat(answer.statusCode()).as(name).isEqualTo(401);
          answers.add(answer.body() + answer.headers().map());
        });
    assertThat(answers).as("who is refused does not learn why").hasSize(1);
    HttpResponse<String> missing = bed.send("GET", "/api/servers", "");
    assertThat(missing.statusCode()).isEqualTo(401);
    assertThat(missing.body()).isEqualTo(with("x").body());
    assertThat(issuer.fetches()).as("unknown keys make few look-ups").isLessThanOrEqualTo(2);
  }

  /** A token of the issuer whose claims are the usual ones but for one member, as it is written. */
  private String written(String header, String claim) {
    String claims = issuer.claims("eve", "mcp").encode();
    String name = claim.substring(0, claim.indexOf(':'));
    JsonObject rest = new JsonObject(claims);
    rest.remove(name.substring(1, name.length() - 1));
    String body = rest.encode();
    return issuer.text("one", header, body.substring(0, body.length() - 1) + "," + claim + "}");
  }

  private static final String PLAIN = "{\"alg\":\"RS256\",\"kid\":\"one\"}";

  private static String typed(String typ) {
    return "{\"alg\":\"RS256\",\"kid\":\"one\",\"typ\":" + typ + "}";
  }

  @Test
  void a_date_is_a_number_of_seconds_and_all_else_is_refused() {
    long now = System.currentTimeMillis() / 1_000;
    String huge = "9".repeat(40);
    // Its 64 low bits are 0: read as a long it is the year 1970.
    String wraps = "18446744073709551616";
    for (String claim :
        List.of(
            "\"nbf\":" + wraps,
            "\"iat\":" + wraps,
            "\"nbf\":" + huge,
            "\"nbf\":1e30",
            "\"nbf\":1e400",
            "\"nbf\":-1",
            "\"nbf\":\"" + (now - 10) + "\"",
            "\"nbf\":true",
            "\"nbf\":[" + (now - 10) + "]",
            "\"nbf\":" + (now + 600) + ".5",
            "\"iat\":\"now\"",
            "\"exp\":" + wraps,
            "\"exp\":" + huge,
            "\"exp\":1e400",
            "\"exp\":-1",
            "\"exp\":\"" + (now + 600) + "\"",
            "\"exp\":null",
            "\"exp\":" + (now + 600) + "000")) {
      assertThat(with(written(PLAIN, claim)).statusCode()).as(claim).isEqualTo(401);
    }
    for (String claim :
        List.of(
            "\"nbf\":0",
            "\"nbf\":" + (now - 10) + ".25",
            "\"exp\":" + (now + 600) + ".75",
            "\"exp\":" + (now + 600) + "e0")) {
      assertThat(with(written(PLAIN, claim)).statusCode()).as(claim).isEqualTo(200);
    }
  }

  @Test
  void only_an_access_token_is_one_whatever_else_the_issuer_signs() {
    for (String typ :
        List.of(
            "dpop+jwt",
            "logout+jwt",
            "secevent+jwt",
            "application/logout+jwt",
            "id_token+jwt",
            "token-introspection+jwt",
            "oauth-authz-req+jwt",
            "oauth-id-jag+jwt",
            "client-authentication+jwt",
            "kb+jwt",
            "JOSE",
            "at+jwt ",
            "jwt;x",
            "")) {
      assertThat(with(written(typed("\"" + typ + "\""), "\"x\":1")).statusCode())
          .as(typ)
          .isEqualTo(401);
    }
    for (String typ : List.of("null", "5", "[\"JWT\"]")) {
      assertThat(with(written(typed(typ), "\"x\":1")).statusCode()).as(typ).isEqualTo(401);
    }
    for (String typ : List.of("JWT", "jwt", "at+jwt", "AT+JWT", "application/at+jwt")) {
      assertThat(with(written(typed("\"" + typ + "\""), "\"nonce\":\"n\"")).statusCode())
          .as(typ)
          .isEqualTo(200);
    }
    String logout = "\"events\":{\"http://schemas.openid.net/event/backchannel-logout\":{}}";
    for (String claim :
        List.of(
            logout,
            "\"at_hash\":\"x\"",
            "\"c_hash\":\"x\"",
            "\"token_use\":\"id\"",
            "\"typ\":\"ID\"",
            "\"typ\":\"Refresh\"",
            "\"typ\":\"Logout\"",
            "\"tty\":\"id\"",
            "\"token_type\":\"refresh\"",
            "\"htu\":\"https://x/\"")) {
      assertThat(with(written(PLAIN, claim)).statusCode()).as(claim).isEqualTo(401);
    }
    for (String claim : List.of("\"typ\":\"Bearer\"", "\"token_use\":\"access\"")) {
      assertThat(with(written(PLAIN, claim)).statusCode()).as(claim).isEqualTo(200);
    }
    JsonObject idToken = without(issuer.claims("eve", ""), "scope").put("nonce", "n");
    assertThat(with(issuer.token("one", idToken)).statusCode()).as("an id token").isEqualTo(401);
  }

  @Test
  void a_token_that_two_readers_read_differently_is_refused() {
    for (String header :
        List.of(
            "{\"alg\":\"none\",\"alg\":\"RS256\",\"kid\":\"one\"}",
            "{\"alg\":\"RS256\",\"kid\":\"two\",\"\\u006bid\":\"one\"}",
            "{\"alg\":\"RS256\",\"kid\":\"one\",\"crit\":[\"b64\"],\"b64\":false}",
            "{\"alg\":\"RS256\",\"kid\":\"one\",\"b64\":false}",
            "{\"alg\":\"RS256\",\"kid\":\"one\",\"crit\":[]}",
            "{\"alg\":\"RS256\",\"kid\":[\"one\"]}",
            "{\"alg\":\"RS256\",\"kid\":1}",
            "{\"alg\":\"rs256\",\"kid\":\"one\"}",
            "{\"alg\":\"PS256\",\"kid\":\"one\"}",
            PLAIN + "{}",
            "[" + PLAIN + "]")) {
      assertThat(with(written(header, "\"x\":1")).statusCode()).as(header).isEqualTo(401);
    }
    for (String claim :
        List.of(
            "\"aud\":\"other\",\"aud\":\"mcpbus\"",
            "\"sub\":\"alice\",\"sub\":\"eve\"",
            "\"x\":{\"a\":1,\"a\":2}",
            "\"aud\":[\"mcpbus\",5]",
            "\"aud\":[[\"mcpbus\"]]",
            "\"aud\":{\"mcpbus\":true}",
            "\"aud\":[]",
            "\"aud\":\"mcpbus other\"",
            "\"iss\":[\"" + issuer.url() + "\"]",
            "\"sub\":[\"eve\"]",
            "\"sub\":\"eve\\u0000\"",
            "\"sub\":\"eve\\nadmin\"")) {
      assertThat(with(written(PLAIN, claim)).statusCode()).as(claim).isEqualTo(401);
    }
    assertThat(with(written(PLAIN, "\"aud\":[\"other\",\"mcpbus\"]")).statusCode()).isEqualTo(200);
    String nested = issuer.text("one", PLAIN, token("eve", "mcp"));
    assertThat(with(nested).statusCode()).as("a JWT in a JWT").isEqualTo(401);
  }

  @Test
  void a_space_alone_separates_scopes() {
    String route = "/api/servers/a/drift/approve";
    for (String other :
        List.of(
            "\t", "\n", "\r", "\u000b", "\f", "\u001c", "\u0085", "\u00a0", "\u2003", "\u2028",
            ",")) {
      for (String name : List.of("scope", "scp")) {
        JsonObject claims =
            without(issuer.claims("eve", ""), "scope").put(name, "mcp x" + other + "mcp:admin");
        String[] caller = {"Authorization", "Bearer " + issuer.token("one", claims)};
        assertThat(bed.send("GET", "/api/servers", "", caller).statusCode()).isEqualTo(200);
        assertThat(bed.send("POST", route, "{}", caller).statusCode())
            .as(name + " " + (int) other.charAt(0))
            .isEqualTo(403);
      }
    }
    for (JsonObject claims :
        List.of(
            issuer.claims("eve", "mcp").put("roles", new JsonArray().add("mcp:admin")),
            issuer.claims("eve", "mcp").put("scp", new JsonArray().add("x mcp:admin")),
            issuer
                .claims("eve", "mcp")
                .put("scp", new JsonArray().add(new JsonArray().add("mcp:admin"))))) {
      String[] caller = {"Authorization", "Bearer " + issuer.token("one", claims)};
      assertThat(bed.send("POST", route, "{}", caller).statusCode()).isEqualTo(403);
    }
    for (JsonObject claims :
        List.of(
            issuer.claims("eve", " mcp  mcp:admin "),
            issuer.claims("eve", "mcp").put("scp", new JsonArray().add("mcp:admin")))) {
      String[] caller = {"Authorization", "Bearer " + issuer.token("one", claims)};
      assertThat(bed.send("POST", route, "{}", caller).statusCode()).isNotEqualTo(403);
    }
  }

  @Test
  void case_110_no_token_and_no_metadata_leads_mcpbus_elsewhere(Vertx vertx) {
    AtomicInteger packets = new AtomicInteger();
    HttpServer sink =
        TestBus.await(
            vertx
                .createHttpServer()
                .connectionHandler(connection -> packets.incrementAndGet())
                .requestHandler(request -> request.response().end("{\"keys\":[]}"))
                .listen(0, "127.0.0.2"));
    String inside = "http://127.0.0.2:" + sink.actualPort();
    KeyPair theirs = TokenIssuer.pair();
    for (String member : List.of("jku", "x5u", "jwks_uri")) {
      JsonObject header =
          new JsonObject().put("alg", "RS256").put("kid", "new").put(member, inside + "/jwks");
      JsonObject claims = issuer.claims("eve", "mcp");
      assertThat(with(TokenIssuer.signed(header, claims, theirs)).statusCode()).isEqualTo(401);
      claims.put("iss", inside);
      assertThat(with(TokenIssuer.signed(header, claims, theirs)).statusCode()).isEqualTo(401);
    }
    for (String path : List.of("/jwks", "/redirect")) {
      HttpServer evil =
          TestBus.await(
              vertx
                  .createHttpServer()
                  .requestHandler(
                      request -> {
                        String own = "http://" + request.getHeader("Host");
                        if (request.path().equals("/redirect")) {
                          request
                              .response()
                              .setStatusCode(302)
                              .putHeader("Location", inside + "/jwks")
                              .end();
                          return;
                        }
                        String keys = path.equals("/jwks") ? inside + path : own + path;
                        request
                            .response()
                            .end(
                                new JsonObject()
                                    .put("issuer", own)
                                    .put("jwks_uri", keys)
                                    .toBuffer());
                      })
                  .listen(0, "127.0.0.1"));
      String url = "http://127.0.0.1:" + evil.actualPort();
      AuthOptions auth =
          RecordCopy.with(
              DoorBed.keys(),
              "issuers",
              TestOptions.issuer(url, Set.of(), Set.of(), Duration.ZERO));
      try (DoorBed other = new DoorBed(auth)) {
        JsonObject claims = issuer.claims("eve", "mcp").put("iss", url);
        String token = issuer.token("one", claims);
        assertThat(
                other
                    .send("GET", "/api/servers", "", "Authorization", "Bearer " + token)
                    .statusCode())
            .isEqualTo(401);
      }
      TestBus.await(evil.close());
    }
    assertThat(packets.get()).as("connections to where nobody may be led").isZero();
    TestBus.await(sink.close());
  }

  private static JsonObject without(JsonObject from, String member) {
    JsonObject copy = from.copy();
    copy.remove(member);
    return copy;
  }

  @Test
  void a_client_finds_out_where_to_get_a_token() {
    McpHttp.Answer refused = bed.mcp("/mcp").post("{}");
    assertThat(refused.status()).isEqualTo(401);
    String base = "http://127.0.0.1:" + bed.bus.port();
    String place = base + "/.well-known/oauth-protected-resource/mcp";
    assertThat(refused.header("www-authenticate"))
        .startsWith("Bearer ")
        .contains("resource_metadata=\"" + place + "\"", "scope=\"mcp\"")
        .doesNotContain("error");
    JsonObject document =
        new JsonObject(bed.send("GET", "/.well-known/oauth-protected-resource/mcp", "").body());
    assertThat(document.getString("resource")).isEqualTo(base + "/mcp");
    assertThat(document.getJsonArray("authorization_servers")).containsExactly(issuer.url());
    assertThat(
            new JsonObject(bed.send("GET", "/.well-known/oauth-protected-resource", "").body())
                .getString("resource"))
        .isEqualTo(base);
  }

  @Test
  void a_token_for_less_gets_403_and_the_scopes_that_are_needed() {
    HttpResponse<String> answer = with(token("ann", "other"));
    assertThat(answer.statusCode()).isEqualTo(403);
    assertThat(answer.headers().firstValue("WWW-Authenticate").orElse(""))
        .contains("error=\"insufficient_scope\"", "scope=\"mcp\"", "resource_metadata=");
    String[] plain = {"Authorization", "Bearer " + token("ann", "mcp")};
    HttpResponse<String> change = bed.send("POST", "/api/servers/a/drift/approve", "{}", plain);
    assertThat(change.statusCode()).isEqualTo(403);
    assertThat(change.headers().firstValue("WWW-Authenticate").orElse(""))
        .contains("error=\"insufficient_scope\"", "scope=\"mcp:admin\"");
    String[] admin = {"Authorization", "Bearer " + token("ann", "mcp mcp:admin")};
    assertThat(bed.send("POST", "/api/servers/a/drift/approve", "{}", admin).statusCode())
        .isNotEqualTo(403);
  }

  @Test
  void keys_and_tokens_side_by_side_are_different_principals() {
    assertThat(with(token("alice", "mcp")).statusCode()).isEqualTo(200);
    assertThat(bed.send("GET", "/api/servers", "", DoorBed.as(DoorBed.ALICE)).statusCode())
        .isEqualTo(200);
    assertThat(bed.send("GET", "/api/servers", "", "X-Api-Key", DoorBed.ALICE.key()).statusCode())
        .isEqualTo(200);
    assertThat(bed.audit().stream().map(line -> line.getString("principal")).distinct())
        .containsExactly("jwt:alice", "alice");
  }

  @Test
  void without_keys_of_the_issuer_tokens_are_refused_and_keys_still_good(Vertx vertx) {
    AuthOptions auth =
        RecordCopy.with(
            DoorBed.keys(),
            "issuers",
            TestOptions.issuer("http://127.0.0.1:1", Set.of(), Set.of(), Duration.ZERO));
    try (DoorBed lonely = new DoorBed(auth)) {
      String token = token("ann", "mcp");
      assertThat(
              lonely
                  .send("GET", "/api/servers", "", "Authorization", "Bearer " + token)
                  .statusCode())
          .isEqualTo(401);
      assertThat(lonely.send("GET", "/api/servers", "", DoorBed.as(DoorBed.BOB)).statusCode())
          .isEqualTo(200);
    }
  }
}
