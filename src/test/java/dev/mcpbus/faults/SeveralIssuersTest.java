package dev.mcpbus.faults;

import static org.assertj.core.api.Assertions.assertThat;

import dev.mcpbus.internals.RecordCopy;
import dev.mcpbus.security.AuthOptions;
import dev.mcpbus.security.AuthOptions.Issuer;
import dev.mcpbus.testing.McpHttp;
import dev.mcpbus.testing.TokenIssuer;
import io.vertx.core.Vertx;
import io.vertx.core.json.JsonObject;
import io.vertx.junit5.VertxExtension;
import java.net.http.HttpResponse;
import java.security.KeyPair;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** Two authorization servers: what one of them says never counts for the other. */
@ExtendWith(VertxExtension.class)
class SeveralIssuersTest {

  private TokenIssuer work;
  private TokenIssuer school;
  private DoorBed bed;

  @BeforeEach
  void start(Vertx vertx) {
    work = new TokenIssuer(vertx);
    school = new TokenIssuer(vertx);
    work.add("one");
    school.add("one"); // another key of the same id
    AuthOptions auth =
        RecordCopy.with(
            DoorBed.keys(),
            "issuers",
            List.of(
                RecordCopy.with(
                    Issuer.of("work", work.url(), Set.of("mcpbus", "work")),
                    Map.of("adminScopes", Set.of("adm"), "requiredScopes", Set.of("mcp", "w"))),
                RecordCopy.with(
                    Issuer.of("school", school.url(), Set.of("mcpbus")),
                    Map.of("adminScopes", Set.of("head"), "requiredScopes", Set.of("mcp")))));
    bed = new DoorBed(auth);
  }

  @AfterEach
  void close() {
    bed.close();
    work.close();
    school.close();
  }

  private HttpResponse<String> with(String token, String path) {
    return bed.send("GET", path, "", "Authorization", "Bearer " + token);
  }

  private int status(String token) {
    return with(token, "/api/servers").statusCode();
  }

  private String name(String token) {
    return new JsonObject(with(token, "/api/caller").body()).getString("name");
  }

  @Test
  void each_issuer_names_its_own_principals() {
    assertThat(name(work.token("one", work.claims("ann", "mcp w")))).isEqualTo("work:ann");
    assertThat(name(school.token("one", school.claims("ann", "mcp")))).isEqualTo("school:ann");
    assertThat(name(school.token("one", school.claims("work:ann", "mcp"))))
        .isEqualTo("school:work:ann");
  }

  @Test
  void keys_of_one_issuer_sign_no_token_of_another() {
    JsonObject ofWork = work.claims("ann", "mcp w head adm");
    JsonObject ofSchool = school.claims("ann", "mcp w head adm");
    assertThat(status(work.token("one", ofWork))).isEqualTo(200);
    assertThat(status(school.token("one", ofWork))).isEqualTo(401);
    assertThat(status(work.token("one", ofSchool))).isEqualTo(401);
    JsonObject header = new JsonObject().put("alg", "RS256").put("kid", "one");
    KeyPair stranger = TokenIssuer.pair();
    assertThat(status(TokenIssuer.signed(header, ofWork, stranger))).isEqualTo(401);
    for (Object iss :
        new Object[] {
          work.url() + "//",
          work.url() + "/x",
          work.url().toUpperCase(java.util.Locale.ROOT),
          work.url() + "?",
          "work",
          new io.vertx.core.json.JsonArray().add(work.url()).add(school.url())
        }) {
      assertThat(status(work.token("one", ofWork.copy().put("iss", iss))))
          .as("%s", iss)
          .isEqualTo(401);
    }
  }

  /** {@code school} is the attacker: it has keys and metadata of its own, and wants in as work. */
  @Test
  void a_provider_that_signs_as_another_lets_nobody_in() {
    KeyPair own = school.add("of school");
    work.add("of work");
    JsonObject ofWork = work.claims("ann", "mcp w adm");
    for (JsonObject header :
        List.of(
            rs256("of school"),
            rs256("of work"),
            rs256("one"),
            rs256("of work").put("jwk", TokenIssuer.jwk("of work", own)),
            rs256("of school").put("jku", school.url() + "/jwks"),
            rs256("of school").put("iss", school.url()),
            new JsonObject().put("alg", "RS256"))) {
      assertThat(status(TokenIssuer.signed(header, ofWork, own))).as("%s", header).isEqualTo(401);
    }
    assertThat(status(work.token("of work", ofWork))).as("its keys are still found").isEqualTo(200);
    // Under the key id of the other in its own name: one of its own tokens, and of its own people.
    JsonObject ofSchool = school.claims("ann", "mcp");
    assertThat(status(TokenIssuer.signed(rs256("of work"), ofSchool, own))).isEqualTo(401);
    assertThat(status(work.token("of work", ofSchool))).isEqualTo(401);
    assertThat(name(school.token("of school", ofSchool))).isEqualTo("school:ann");
  }

  private static JsonObject rs256(String kid) {
    return new JsonObject().put("alg", "RS256").put("kid", kid);
  }

  @Test
  void one_subject_at_two_providers_is_two_callers() {
    String[] ofWork = {"Authorization", "Bearer " + work.token("one", work.claims("ann", "mcp w"))};
    String ofSchool = "Bearer " + school.token("one", school.claims("ann", "mcp"));
    McpHttp mcp = bed.mcp("/mcp");
    McpHttp.Session session = mcp.initialize("2025-11-25", new JsonObject(), ofWork);
    JsonObject ping = mcp.request("ping", new JsonObject());
    assertThat(session.send(ping)).isEqualTo(200);
    String[] headers = session.headers();
    assertThat(headers[4]).isEqualTo("Authorization");
    headers[5] = ofSchool;
    assertThat(mcp.post(ping, headers).status()).as("it has no such session").isEqualTo(404);
  }

  @Test
  void audience_scopes_and_the_admin_right_are_those_of_the_issuer() {
    assertThat(status(work.token("one", work.claims("a", "mcp w").put("aud", "work"))))
        .isEqualTo(200);
    assertThat(status(school.token("one", school.claims("a", "mcp w").put("aud", "work"))))
        .isEqualTo(401);
    HttpResponse<String> less = with(work.token("one", work.claims("a", "mcp")), "/api/servers");
    assertThat(less.statusCode()).isEqualTo(403);
    assertThat(less.headers().firstValue("WWW-Authenticate").orElse(""))
        .contains("scope=\"mcp w\"");
    String[] admins = {
      work.token("one", work.claims("a", "mcp w head")),
      school.token("one", school.claims("a", "mcp adm"))
    };
    String[] needed = {"scope=\"adm\"", "scope=\"head\""};
    for (int i = 0; i < admins.length; i++) {
      HttpResponse<String> refused =
          bed.send(
              "POST", "/api/servers/a/drift/approve", "{}", "Authorization", "Bearer " + admins[i]);
      assertThat(refused.statusCode()).isEqualTo(403);
      assertThat(refused.headers().firstValue("WWW-Authenticate").orElse("")).contains(needed[i]);
    }
  }

  @Test
  void clients_learn_of_all_issuers_and_of_the_scopes_that_each_of_them_wants() {
    JsonObject document =
        new JsonObject(bed.send("GET", "/.well-known/oauth-protected-resource", "").body());
    assertThat(document.getJsonArray("authorization_servers"))
        .containsExactly(work.url(), school.url());
    assertThat(document.getJsonArray("scopes_supported"))
        .containsExactly("adm", "head", "mcp", "w");
    HttpResponse<String> missing = bed.send("GET", "/api/servers", "");
    assertThat(missing.headers().firstValue("WWW-Authenticate").orElse(""))
        .contains("scope=\"mcp\"");
  }
}
