package dev.mcpbus.faults;

import static org.assertj.core.api.Assertions.assertThat;

import dev.mcpbus.TestOptions;
import dev.mcpbus.internals.RecordCopy;
import dev.mcpbus.security.AuthOptions.Dpop;
import dev.mcpbus.testing.ProofKey;
import dev.mcpbus.testing.TokenIssuer;
import io.vertx.core.Vertx;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import io.vertx.junit5.VertxExtension;
import java.io.IOException;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** Tokens that are bound to a key of the client (RFC 9449), and those who have no such key. */
@ExtendWith(VertxExtension.class)
class BoundTokenTest {

  private static final String PATH = "/api/servers";

  private final ProofKey key = ProofKey.ec();
  private TokenIssuer issuer;
  private DoorBed bed;

  @BeforeEach
  void start(Vertx vertx) {
    issuer = new TokenIssuer(vertx);
    issuer.add("one");
    bed = bed(Dpop.DEFAULT, null);
  }

  @AfterEach
  void close() {
    bed.close();
    issuer.close();
  }

  private DoorBed bed(Dpop dpop, @Nullable String resource) {
    Map<String, Object> changes = new LinkedHashMap<>();
    changes.put(
        "issuers",
        TestOptions.issuer(issuer.url(), Set.of(), Set.of("adm"), Duration.ofSeconds(5)));
    changes.put("dpop", dpop);
    changes.put("resource", resource);
    return new DoorBed(RecordCopy.with(DoorBed.keys(), changes));
  }

  private String token(JsonObject cnf) {
    return issuer.token("one", issuer.claims("eve", "mcp").put("cnf", cnf));
  }

  private String bound() {
    return token(new JsonObject().put("jkt", key.thumbprint()));
  }

  private String url() {
    return "http://127.0.0.1:" + bed.bus.port() + PATH;
  }

  private HttpResponse<String> with(String token, String... proofs) {
    String[] headers = new String[2 + 2 * proofs.length];
    headers[0] = "Authorization";
    headers[1] = "DPoP " + token;
    for (int i = 0; i < proofs.length; i++) {
      headers[2 + 2 * i] = "DPoP";
      headers[3 + 2 * i] = proofs[i];
    }
    return bed.send("GET", PATH, "", headers);
  }

  private static String challenge(HttpResponse<String> answer) {
    return String.join(" | ", answer.headers().allValues("WWW-Authenticate"));
  }

  @Test
  void a_bound_token_with_its_proof_is_the_principals_own() {
    String token = bound();
    assertThat(with(token, key.proof("GET", url(), token)).statusCode()).isEqualTo(200);
    assertThat(bed.audit().stream().map(line -> line.getString("principal"))).contains("jwt:eve");
    ProofKey rsa = ProofKey.rsa(2_048, "PS256");
    String other = token(new JsonObject().put("jkt", rsa.thumbprint()));
    assertThat(with(other, rsa.proof("GET", url(), other)).statusCode()).isEqualTo(200);
    for (String same :
        List.of(
            url() + "?q=1",
            url() + "#f",
            url().replace("http", "HTTP"),
            url().replace("/api", "/api"))) {
      assertThat(with(token, key.proof("GET", same, token)).statusCode()).as(same).isEqualTo(200);
    }
  }

  @Test
  void a_proof_is_good_once() {
    String token = bound();
    String proof = key.proof("GET", url(), token);
    assertThat(with(token, proof).statusCode()).isEqualTo(200);
    HttpResponse<String> again = with(token, proof);
    assertThat(again.statusCode()).isEqualTo(401);
    assertThat(challenge(again)).startsWith("DPoP ").contains("invalid_dpop_proof", "ES256");
    JsonObject claims = key.claims("GET", url(), token);
    assertThat(with(token, key.proof(key.header(), claims)).statusCode()).isEqualTo(200);
    assertThat(with(token, key.proof(key.header(), claims.copy().put("more", 1))).statusCode())
        .as("another proof of the same id")
        .isEqualTo(401);
  }

  @Test
  void a_proof_is_for_one_request_one_token_and_now() {
    String token = bound();
    String other = bound() + "";
    String port = ":" + bed.bus.port();
    long now = System.currentTimeMillis() / 1_000;
    JsonObject good = key.claims("GET", url(), token);
    Map<String, JsonObject> bad = new LinkedHashMap<>();
    bad.put("method", good.copy().put("htm", "POST"));
    bad.put("method in other letters", good.copy().put("htm", "get"));
    for (String place :
        List.of(
            "http://127.0.0.1" + port + "/api/servers/",
            "http://127.0.0.1" + port + "/api/%73ervers",
            "http://127.0.0.1" + port + "/api/x/../servers",
            "http://127.0.0.1" + port + "//api/servers",
            "http://127.0.0.1" + port + "/api/servers;x",
            "http://127.0.0.1" + port + "/API/servers",
            "http://127.0.0.1" + port + "/",
            "https://127.0.0.1" + port + PATH,
            "http://127.0.0.1" + PATH,
            "http://localhost" + port + PATH,
            "http://evil.example" + port + PATH,
            "http://127.0.0.1" + port + "@evil.example" + PATH,
            "http://evil.example@127.0.0.1" + port + PATH,
            "http://127.0.0.1" + port + ".evil.example" + PATH,
            "//127.0.0.1" + port + PATH,
            PATH,
            "",
            " " + url())) {
      bad.put("htu " + place, good.copy().put("htu", place));
    }
    bad.put("htu list", good.copy().put("htu", new JsonArray().add(url())));
    bad.put("old", good.copy().put("iat", now - 600));
    bad.put("future", good.copy().put("iat", now + 600));
    bad.put("iat text", good.copy().put("iat", "" + now));
    bad.put("ath of another", good.copy().put("ath", "x"));
    bad.put("jti", good.copy().put("jti", ""));
    bad.put("jti number", good.copy().put("jti", 5));
    bad.put("jti long", good.copy().put("jti", "x".repeat(600)));
    for (String member : List.of("htm", "htu", "iat", "ath", "jti")) {
      JsonObject less = good.copy();
      less.remove(member);
      bad.put("without " + member, less);
    }
    bad.forEach(
        (name, claims) -> {
          HttpResponse<String> answer = with(token, key.proof(key.header(), claims));
          assertThat(answer.statusCode()).as(name).isEqualTo(401);
          assertThat(answer.body()).doesNotContain(token);
        });
    for (String path : List.of("/api/a|b", "/api/a%7Cb")) {
      String odd = "http://127.0.0.1" + port + path;
      String answer =
          raw(path, token, key.proof("GET", odd.replace("127.0.0.1", "evil.example"), token))
              + raw(path, token, key.proof("GET", "", token))
              + raw(path, token, key.proof("GET", "|", token));
      assertThat(answer).as(path).doesNotContain(" 404 ", " 200 ");
    }
    assertThat(with(other, key.proof("GET", url(), token + "x")).statusCode()).isEqualTo(401);
    assertThat(with(token, key.proof(key.header(), good)).statusCode())
        .as("none of these has used its id up")
        .isEqualTo(200);
  }

  /** Also a path that no client of the JDK sends. */
  private String raw(String path, String token, String proof) {
    try {
      return bed.raw(
          "GET "
              + path
              + " HTTP/1.1\r\nHost: 127.0.0.1:PORT\r\nConnection: close\r\nAuthorization: DPoP "
              + token
              + "\r\nDPoP: "
              + proof
              + "\r\n\r\n");
    } catch (IOException e) {
      throw new AssertionError(e);
    }
  }

  @Test
  void a_proof_is_signed_by_the_key_of_the_token_with_an_algorithm_of_pairs() {
    String token = bound();
    JsonObject claims = key.claims("GET", url(), token);
    ProofKey other = ProofKey.ec();
    Map<String, String> bad = new LinkedHashMap<>();
    bad.put("another key", other.proof(other.header(), claims));
    bad.put("the key of the token, signed by another", other.proof(key.header(), claims));
    bad.put("private key", key.proof(key.header().put("jwk", key.jwk(true)), claims));
    bad.put("typ", key.proof(key.header().put("typ", "JWT"), claims));
    bad.put("typ of access tokens", key.proof(key.header().put("typ", "at+jwt"), claims));
    for (String algorithm : List.of("none", "HS256", "ES384", "RS256", "PS256", "es256", "")) {
      bad.put("alg " + algorithm, key.proof(key.header().put("alg", algorithm), claims));
    }
    JsonObject bare = key.header();
    bare.remove("jwk");
    bad.put("no key", key.proof(bare, claims));
    bad.put("kid", key.proof(bare.copy().put("kid", "one"), claims));
    bad.put("crit", key.proof(key.header().put("crit", new JsonArray().add("x")), claims));
    bad.put("b64", key.proof(key.header().put("b64", false), claims));
    bad.put(
        "secret key",
        key.proof(
            key.header().put("jwk", new JsonObject().put("kty", "oct").put("k", "eHh4")), claims));
    bad.put("unsigned", key.proof(key.header(), claims).replaceFirst("\\.[^.]*$", "."));
    bad.put("the token itself", token);
    bad.put("text", "x.y.z");
    bad.forEach(
        (name, proof) -> assertThat(with(token, proof).statusCode()).as(name).isEqualTo(401));
    ProofKey weak = ProofKey.rsa(1_024, "RS256");
    String ofWeak = token(new JsonObject().put("jkt", weak.thumbprint()));
    assertThat(with(ofWeak, weak.proof("GET", url(), ofWeak)).statusCode()).isEqualTo(401);
  }

  @Test
  void a_bound_token_alone_is_worth_nothing_and_no_other_becomes_bound() {
    String token = bound();
    String proof = key.proof("GET", url(), token);
    HttpResponse<String> bearer =
        bed.send("GET", PATH, "", "Authorization", "Bearer " + token, "DPoP", proof);
    assertThat(bearer.statusCode()).isEqualTo(401);
    assertThat(bearer.body()).contains("bound to a key", "Authorization: DPoP");
    assertThat(with(token).statusCode()).isEqualTo(401);
    assertThat(with(token, proof, key.proof("GET", url(), token)).statusCode())
        .as("two headers")
        .isEqualTo(401);
    assertThat(with(token, proof + ", " + key.proof("GET", url(), token)).statusCode())
        .isEqualTo(401);
    assertThat(
            bed.send(
                    "GET",
                    PATH,
                    "",
                    "Authorization",
                    "DPoP " + token,
                    "Authorization",
                    "Bearer " + token,
                    "DPoP",
                    proof)
                .statusCode())
        .isEqualTo(401);
    String plain = issuer.token("one", issuer.claims("eve", "mcp"));
    assertThat(with(plain, key.proof("GET", url(), plain)).statusCode())
        .as("a token that is not bound, shown as one that is")
        .isEqualTo(401);
    assertThat(
            bed.send("GET", PATH, "", "Authorization", "DPoP " + DoorBed.ALICE.key()).statusCode())
        .as("a key is no token")
        .isEqualTo(401);
    for (JsonObject cnf :
        List.of(
            new JsonObject(),
            new JsonObject().put("jkt", 5),
            new JsonObject().put("jkt", key.thumbprint()).put("kid", "x"),
            new JsonObject().put("jwk", key.jwk(false)),
            new JsonObject().put("x5t#S256", "x"),
            new JsonObject().put("jkt", key.thumbprint()).put("x5t#S256", "x"),
            new JsonObject().put("jkt", key.thumbprint().toLowerCase(Locale.ROOT)))) {
      String odd = token(cnf);
      assertThat(with(odd, key.proof("GET", url(), odd)).statusCode()).as("%s", cnf).isEqualTo(401);
      assertThat(bed.send("GET", PATH, "", "Authorization", "Bearer " + odd).statusCode())
          .as("%s", cnf)
          .isEqualTo(401);
    }
    String text = issuer.token("one", issuer.claims("eve", "mcp").put("cnf", "jkt"));
    assertThat(with(text, key.proof("GET", url(), text)).statusCode()).isEqualTo(401);
  }

  @Test
  void where_nonces_are_wanted_a_client_gets_one_and_comes_again() {
    bed.close();
    bed = bed(new Dpop(false, false, true), null);
    String token = bound();
    HttpResponse<String> first = with(token, key.proof("GET", url(), token));
    assertThat(first.statusCode()).isEqualTo(401);
    assertThat(challenge(first)).startsWith("DPoP ").contains("error=\"use_dpop_nonce\"");
    String nonce = first.headers().firstValue("DPoP-Nonce").orElseThrow();
    JsonObject claims = key.claims("GET", url(), token).put("nonce", nonce);
    HttpResponse<String> second = with(token, key.proof(key.header(), claims));
    assertThat(second.statusCode()).isEqualTo(200);
    assertThat(second.headers().firstValue("DPoP-Nonce")).as("it is still young").isEmpty();
    assertThat(
            with(token, key.proof(key.header(), claims.copy().put("jti", "another"))).statusCode())
        .as("a nonce is good for several proofs")
        .isEqualTo(200);
    String changed = (nonce.charAt(0) == 'A' ? "B" : "A") + nonce.substring(1);
    for (Object bad : new Object[] {changed, "", "x", nonce + "AAAA", 5}) {
      JsonObject other = claims.copy().put("jti", "x" + bad).put("nonce", bad);
      assertThat(with(token, key.proof(key.header(), other)).statusCode())
          .as("%s", bad)
          .isEqualTo(401);
    }
  }

  @Test
  void where_bound_tokens_are_required_others_are_refused_and_clients_are_told() {
    bed.close();
    bed = bed(new Dpop(false, true, false), null);
    String plain = issuer.token("one", issuer.claims("eve", "mcp"));
    HttpResponse<String> refused = bed.send("GET", PATH, "", "Authorization", "Bearer " + plain);
    assertThat(refused.statusCode()).isEqualTo(401);
    assertThat(challenge(refused)).startsWith("DPoP ").contains("algs=\"ES256");
    assertThat(refused.body()).contains("bound to a key");
    assertThat(challenge(bed.send("GET", PATH, "")))
        .startsWith("DPoP ")
        .contains("resource_metadata");
    JsonObject document =
        new JsonObject(bed.send("GET", "/.well-known/oauth-protected-resource", "").body());
    assertThat(document.getBoolean("dpop_bound_access_tokens_required")).isTrue();
    assertThat(document.getJsonArray("dpop_signing_alg_values_supported"))
        .contains("ES256", "EdDSA")
        .doesNotContain("HS256", "none");
    String token = bound();
    assertThat(with(token, key.proof("GET", url(), token)).statusCode()).isEqualTo(200);
    assertThat(bed.send("GET", PATH, "", DoorBed.as(DoorBed.ALICE)).statusCode())
        .as("keys are no tokens")
        .isEqualTo(200);
  }

  @Test
  void behind_a_balancer_the_url_is_that_which_clients_know() {
    bed.close();
    bed = bed(Dpop.DEFAULT, "https://mcp.example.com/mcp");
    String token = bound();
    for (String good :
        List.of(
            "https://mcp.example.com" + PATH,
            "https://MCP.example.com:443" + PATH,
            "HTTPS://mcp.example.com" + PATH + "?x")) {
      assertThat(with(token, key.proof("GET", good, token)).statusCode()).as(good).isEqualTo(200);
    }
    for (String bad :
        List.of(url(), "https://mcp.example.com:8443" + PATH, "http://mcp.example.com" + PATH)) {
      assertThat(with(token, key.proof("GET", bad, token)).statusCode()).as(bad).isEqualTo(401);
    }
  }

  @Test
  void without_the_configuration_nothing_is_said_of_proofs() {
    HttpResponse<String> missing = bed.send("GET", PATH, "");
    assertThat(missing.headers().allValues("WWW-Authenticate")).hasSize(1);
    assertThat(challenge(missing)).startsWith("Bearer ").doesNotContain("DPoP");
    assertThat(bed.send("GET", "/.well-known/oauth-protected-resource", "").body())
        .doesNotContain("dpop");
  }
}
