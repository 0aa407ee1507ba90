package dev.mcpbus.security;

import static org.assertj.core.api.Assertions.assertThat;

import dev.mcpbus.internals.RecordCopy;
import dev.mcpbus.security.AuthOptions.Issuer;
import dev.mcpbus.security.ClaimMapping.ClaimRule;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class TokenRulesTest {

  private static JsonObject claims() {
    return new JsonObject()
        .put("iss", "https://as.example")
        .put("aud", "mcpbus")
        .put("sub", "u1")
        .put("exp", 4_000_000_000L);
  }

  private static TokenRules rules(Map<String, Object> changes) {
    return new TokenRules(
        RecordCopy.with(Issuer.of("work", "https://as.example", Set.of("mcpbus")), changes));
  }

  private static TokenRules named(String claim, String... roles) {
    return rules(Map.of("claims", new ClaimMapping(claim, List.of(roles), List.of())));
  }

  private static ClaimMapping giving(ClaimRule... rules) {
    return new ClaimMapping("sub", List.of(), List.of(rules));
  }

  private static Principal principal(TokenRules rules, JsonObject claims) {
    return Objects.requireNonNull(rules.holder(claims)).principal();
  }

  @Test
  void an_email_names_a_person_where_the_issuer_has_verified_it() {
    TokenRules rules = named("email");
    JsonObject claims = claims().put("email", "ann@example.com");
    assertThat(rules.holder(claims)).isNull();
    assertThat(rules.unnamed(claims)).contains("\"email\"", "email_verified");
    for (Object not : new Object[] {false, "true", 1, new JsonArray().add(true)}) {
      assertThat(rules.holder(claims.copy().put("email_verified", not))).as("%s", not).isNull();
    }
    claims.put("email_verified", true);
    assertThat(principal(rules, claims).name()).isEqualTo("work:ann@example.com");
    assertThat(rules.unnamed(claims)).isNull();
    JsonObject inner = claims().put("who", claims).put("email_verified", true);
    assertThat(principal(named("who.email"), inner).name()).isEqualTo("work:ann@example.com");
    claims.remove("email_verified");
    assertThat(named("who.email").holder(inner)).isNull();
    TokenRules by = rules(Map.of("claims", giving(new ClaimRule("email", "a@b", null, true))));
    assertThat(principal(by, claims().put("email", "a@b")).admin()).isFalse();
    assertThat(principal(by, claims().put("email", "a@b").put("email_verified", true)).admin())
        .isTrue();
  }

  @Test
  void a_token_for_others_or_that_is_over_is_refused_before_its_signature_is_checked() {
    TokenRules rules = named("sub");
    Instant now = Instant.ofEpochSecond(3_999_999_999L);
    assertThat(rules.mayCount(claims(), now)).isTrue();
    assertThat(rules.mayCount(claims(), now.plus(rules.issuer().leeway()))).isTrue();
    assertThat(rules.mayCount(claims(), now.plus(rules.issuer().leeway()).plusSeconds(1)))
        .isFalse();
    assertThat(rules.mayCount(claims().put("exp", "x"), now)).isFalse();
    assertThat(rules.mayCount(claims().put("aud", "other"), now)).isFalse();
  }

  @Test
  void a_name_is_one_text() {
    for (Object not :
        new Object[] {"", 5, true, new JsonArray().add("ann"), new JsonObject(), "a\nb"}) {
      assertThat(named("name").holder(claims().put("name", not))).as("%s", not).isNull();
    }
    assertThat(named("name").holder(claims().put("name", "x".repeat(257)))).isNull();
    assertThat(named("sub").unnamed(new JsonObject())).isNull();
    assertThat(named("name").unnamed(claims().put("aud", "other")))
        .as("who is not meant learns nothing")
        .isNull();
  }

  @Test
  void roles_come_from_texts_and_lists_also_within_other_claims() {
    TokenRules rules =
        named(
            "sub",
            "groups",
            "realm_access.roles",
            "resource_access.my.app.roles",
            "https://example.com/roles",
            "absent.roles",
            "sub.roles");
    JsonObject claims =
        claims()
            .put("scope", "mcp")
            .put("groups", "one two")
            .put("realm_access", new JsonObject().put("roles", new JsonArray().add("r").add(5)))
            .put(
                "resource_access",
                new JsonObject()
                    .put("my.app", new JsonObject().put("roles", new JsonArray().add("inner"))))
            .put("https://example.com/roles", new JsonArray().add("named"));
    assertThat(principal(rules, claims).roles())
        .containsExactly("inner", "mcp", "named", "one two", "r");
  }

  @Test
  void rules_give_roles_and_the_admin_right_and_say_so() {
    TokenRules rules =
        rules(
            Map.of(
                "adminScopes",
                Set.of("adm"),
                "claims",
                giving(
                    new ClaimRule("groups", "mcp-admins", "ops", true),
                    new ClaimRule("groups", "staff", "user", false))));
    JsonObject staff = claims().put("groups", new JsonArray().add("staff").add("x"));
    assertThat(principal(rules, staff).roles()).containsExactly("user");
    assertThat(principal(rules, staff).admin()).isFalse();
    JsonObject admins = claims().put("groups", new JsonArray().add("mcp-admins"));
    assertThat(principal(rules, admins).admin()).isTrue();
    assertThat(rules.grounds(admins))
        .containsExactly(
            new JsonObject()
                .put("role", "ops")
                .put("admin", true)
                .put("by", "roles: groups has mcp-admins"));
    for (Object not : new Object[] {"mcp-admins2", "MCP-ADMINS", " mcp-admins", "x mcp-admins"}) {
      assertThat(principal(rules, claims().put("groups", not)).admin()).as("%s", not).isFalse();
    }
    JsonObject scope = claims().put("scope", "adm");
    assertThat(principal(rules, scope).admin()).isTrue();
    assertThat(rules.grounds(scope).encode()).contains("adminScopes: adm");
    assertThat(principal(rules, claims().put("groups", new JsonArray().add("adm"))).admin())
        .as("a group is no scope")
        .isFalse();
  }

  @Test
  void a_token_with_too_many_roles_is_refused_because_one_of_them_may_be_denied() {
    JsonArray groups = new JsonArray();
    IntStream.range(0, 1_000).forEach(i -> groups.add("g" + i));
    TokenRules rules = named("sub", "groups");
    assertThat(rules.holder(claims().put("groups", groups))).isNotNull();
    assertThat(rules.holder(claims().put("groups", groups.add("one more")))).isNull();
  }
}
