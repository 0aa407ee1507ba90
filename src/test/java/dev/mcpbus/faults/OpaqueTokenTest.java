package dev.mcpbus.faults;

import static org.assertj.core.api.Assertions.assertThat;

import dev.mcpbus.internals.RecordCopy;
import dev.mcpbus.protocol.Sensitive;
import dev.mcpbus.security.AuthOptions;
import dev.mcpbus.security.AuthOptions.Introspection;
import dev.mcpbus.security.AuthOptions.Issuer;
import dev.mcpbus.testing.ProofKey;
import dev.mcpbus.testing.TestBus;
import dev.mcpbus.testing.TokenIssuer;
import io.vertx.core.Vertx;
import io.vertx.core.http.HttpServer;
import io.vertx.core.json.JsonObject;
import io.vertx.junit5.VertxExtension;
import java.net.URI;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Base64;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** Tokens that are no JWTs, of two issuers that are asked about them. */
@ExtendWith(VertxExtension.class)
class OpaqueTokenTest {

  private static final String SECRET = "a secret: of \u00e4ll";

  private final Map<String, String> tokens = new ConcurrentHashMap<>();
  private final List<String> seen = Collections.synchronizedList(new ArrayList<>());
  private volatile int status = 200;
  private HttpServer one;
  private HttpServer two;
  private DoorBed bed;

  @BeforeEach
  void start(Vertx vertx) {
    one = provider(vertx, "one");
    two = provider(vertx, "two");
    AuthOptions auth =
        RecordCopy.with(DoorBed.keys(), "issuers", List.of(issuer("one", one), issuer("two", two)));
    bed = new DoorBed(auth);
  }

  private HttpServer provider(Vertx vertx, String name) {
    return TestBus.await(
        vertx
            .createHttpServer()
            .requestHandler(
                request -> {
                  request.setExpectMultipart(true);
                  request
                      .body()
                      .onSuccess(
                          body -> {
                            String token = request.getFormAttribute("token");
                            seen.add(name + " " + token + " " + request.getHeader("Authorization"));
                            request
                                .response()
                                .setStatusCode(status)
                                .end(tokens.getOrDefault(token, "{\"active\":false}"));
                          });
                })
            .listen(0, "127.0.0.1"));
  }

  private static Issuer issuer(String name, HttpServer server) {
    String url = "http://127.0.0.1:" + server.actualPort();
    return RecordCopy.with(
        Issuer.of(name, url, Set.of("mcpbus")),
        Map.of(
            "adminScopes",
            Set.of("adm"),
            "introspection",
            new Introspection(
                URI.create(url + "/introspect"),
                name + "_",
                "mcp:bus",
                Sensitive.of(SECRET),
                Duration.ofSeconds(60))));
  }

  @AfterEach
  void close() {
    bed.close();
    TestBus.await(one.close());
    TestBus.await(two.close());
  }

  private static JsonObject active(String subject) {
    return new JsonObject()
        .put("active", true)
        .put("sub", subject)
        .put("aud", "mcpbus")
        .put("scope", "mcp")
        .put("exp", System.currentTimeMillis() / 1_000 + 600);
  }

  private HttpResponse<String> with(String token) {
    return bed.send("GET", "/api/caller", "", "Authorization", "Bearer " + token);
  }

  @Test
  void the_issuer_says_whose_a_token_is_and_is_asked_once() {
    tokens.put("one_ann", active("ann").encode());
    for (int i = 0; i < 3; i++) {
      assertThat(new JsonObject(with("one_ann").body()).getString("name")).isEqualTo("one:ann");
    }
    String pair = "mcp%3Abus:a+secret%3A+of+%C3%A4ll";
    assertThat(seen)
        .hasSizeBetween(1, 8) // once for each event loop
        .first()
        .isEqualTo(
            "one one_ann Basic "
                + Base64.getEncoder().encodeToString(pair.getBytes(StandardCharsets.US_ASCII)));
    assertThat(bed.everythingLogged()).doesNotContain("one_ann", SECRET, pair);
  }

  @Test
  void a_token_is_shown_to_its_own_issuer_alone() {
    with("two_x");
    with("three_x");
    with(DoorBed.ALICE.key());
    with("mcpbus_" + "A".repeat(43));
    assertThat(seen).allSatisfy(each -> assertThat(each).startsWith("two two_x "));
  }

  @Test
  void audience_expiry_and_bindings_are_those_of_other_tokens() {
    ProofKey key = ProofKey.ec();
    tokens.put("one_aud", active("ann").put("aud", "other").encode());
    tokens.put("one_old", active("ann").put("exp", 1_000).encode());
    tokens.put("one_nbf", active("ann").put("nbf", 4_000_000_000L).encode());
    tokens.put("one_sub", active("").encode());
    tokens.put(
        "one_cnf",
        active("ann").put("cnf", new JsonObject().put("jkt", key.thumbprint())).encode());
    for (String token : List.copyOf(tokens.keySet())) {
      assertThat(with(token).statusCode()).as(token).isEqualTo(401);
    }
    String url = "http://127.0.0.1:" + bed.bus.port() + "/api/caller";
    assertThat(
            bed.send(
                    "GET",
                    "/api/caller",
                    "",
                    "Authorization",
                    "DPoP one_cnf",
                    "DPoP",
                    key.proof("GET", url, "one_cnf"))
                .statusCode())
        .isEqualTo(200);
  }

  @Test
  void a_provider_that_cannot_answer_is_a_503_and_nobody_comes_in() {
    status = 500;
    HttpResponse<String> answer = with("one_ann");
    assertThat(answer.statusCode()).isEqualTo(503);
    assertThat(answer.headers().firstValue("Retry-After")).isPresent();
    assertThat(bed.everythingLogged()).contains("tokens of one cannot be verified", "HTTP 500");
    status = 401;
    assertThat(with("one_bob").statusCode()).isEqualTo(503);
    status = 200;
    for (String text :
        List.of(
            "", "[]", "true", "{}", "{\"active\":\"true\"}", "{\"active\":1}", "{\"active\":")) {
      tokens.put("one_bad", text);
      assertThat(with("one_bad").statusCode()).as(text).isEqualTo(503);
    }
    tokens.put("one_ann", active("ann").encode());
    assertThat(with("one_ann").statusCode()).isEqualTo(200);
    assertThat(bed.everythingLogged()).doesNotContain("one_ann", "one_bob", SECRET);
  }

  @Test
  void a_jwt_is_never_introspected(Vertx vertx) {
    try (TokenIssuer stranger = new TokenIssuer(vertx)) {
      stranger.add("one");
      assertThat(with(stranger.token("one", stranger.claims("ann", "mcp"))).statusCode())
          .isEqualTo(401);
      JsonObject ours =
          stranger.claims("ann", "mcp").put("iss", "http://127.0.0.1:" + one.actualPort());
      assertThat(with(stranger.token("one", ours)).statusCode()).isEqualTo(401);
    }
    assertThat(seen).isEmpty();
  }
}
