package dev.mcpbus.config.read;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.tuple;

import dev.mcpbus.bridge.options.BridgeOptions;
import dev.mcpbus.config.ConfigEnvironment;
import dev.mcpbus.config.ConfigResult;
import dev.mcpbus.internals.RecordCopy;
import dev.mcpbus.security.Action;
import dev.mcpbus.security.AuthOptions;
import dev.mcpbus.security.AuthOptions.Effect;
import dev.mcpbus.security.ClaimMapping;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class AuthReaderTest {

  private static final String HASH = "sha256:" + "0a".repeat(32);

  @TempDir Path folder;

  private ConfigResult read(String text) throws IOException {
    Path file = folder.resolve("mcpbus.json");
    Files.writeString(file, text);
    return ConfigReader.read(file, ConfigEnvironment.system());
  }

  private ConfigResult auth(String auth) throws IOException {
    return read("{\"mcpServers\": {}, \"auth\": " + auth.replace('\'', '"') + "}");
  }

  @Test
  void refusing_calls_needs_an_audit_file() throws IOException {
    assertThat(auth("{'audit': {'onFailure': 'refuse'}}").problems().get(0).message())
        .contains("auth.audit.onFailure", "needs an audit file");
    ConfigResult whole = auth("{'audit': {'file': 'audit.log', 'onFailure': 'refuse'}}");
    assertThat(whole.problems()).isEmpty();
    AuthOptions.AuditFile file =
        Objects.requireNonNull(whole.usable().orElseThrow().auth().auditFile());
    assertThat(file.onFailure()).isEqualTo(AuthOptions.OnAuditFailure.REFUSE);
  }

  @Test
  void everything_is_read() throws IOException {
    ConfigResult result =
        auth(
            "{'apiKeys': [{'name': 'ci', 'hash': '"
                + HASH
                + "', 'roles': ['r'], 'admin': true, 'expires': '2027-01-01T00:00:00Z',"
                + " 'limits': {'rate': 5, 'concurrency': 2}}],"
                + " 'jwt': {'issuer': 'https://as.example', 'audience': ['me'],"
                + " 'scopes': ['mcp'], 'adminScopes': ['adm'], 'leeway': '10s'},"
                + " 'policies': [{'principals': ['ci'], 'servers': ['git'], 'tools': ['x*'],"
                + " 'actions': ['call', 'list'], 'effect': 'deny'}],"
                + " 'limits': {'rate': 50, 'burst': 100},"
                + " 'audit': {'file': 'audit.log', 'maxMegabytes': 1, 'keep': 3}}");
    assertThat(result.problems()).isEmpty();
    AuthOptions auth = result.usable().orElseThrow().auth();
    assertThat(auth.isRequired()).isTrue();
    assertThat(auth.apiKeys().get(0).expires()).isEqualTo(Instant.parse("2027-01-01T00:00:00Z"));
    assertThat(auth.apiKeys().get(0).limits()).isEqualTo(new AuthOptions.Limits(5, 5, 2));
    assertThat(auth.issuers()).extracting(AuthOptions.Issuer::name).containsExactly("jwt");
    assertThat(auth.policies().get(0).effect()).isEqualTo(Effect.DENY);
    assertThat(auth.policies().get(0).actions()).isEqualTo(Set.of(Action.CALL, Action.LIST));
    assertThat(auth.auditFile()).isNotNull();
  }

  @Test
  void a_pattern_that_cannot_be_compared_with_ids_stops_the_start() throws IOException {
    ConfigResult wrong = auth("{'policies': [{'servers': ['\u9ad8*'], 'effect': 'deny'}]}");
    assertThat(wrong.usable()).isEmpty();
    assertThat(wrong.problems().get(0).message()).contains("is compared with ids");
    ConfigResult name =
        auth("{'policies': [{'servers': ['\u9ad8', 'io.github.*'], 'effect': 'deny'}]}");
    assertThat(name.problems()).isEmpty();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "{'apiKeys': [{'name': 'ci', 'hash': 'mcpbus_canary'}]}",
        "{'apiKeys': [{'name': 'local', 'hash': 'sha256:canary'}]}",
        "{'apiKeys': {'ci': 'canary'}}",
        "{'jwt': {'issuer': 'http://as.example', 'audience': ['me']}}",
        "{'jwt': {'issuer': 'http:///as', 'audience': ['me']}}",
        "{'jwt': {'issuer': 'https://as.example'}}",
        "{'jwt': {'issuer': 'https://as.example', 'audience': ['me'], 'jwksUri': 'file:///x'}}",
        "{'issuers': [{'issuer': 'https://as.example', 'audience': ['me']}]}",
        "{'issuers': [{'name': 'role', 'issuer': 'https://as.example', 'audience': ['me']}]}",
        "{'issuers': [{'name': 'a:b', 'issuer': 'https://as.example', 'audience': ['me']}]}",
        "{'issuers': {'canary': {}}}",
        "{'issuers': [{'name': 'a', 'issuer': 'https://as.example', 'audience': ['me'],"
            + " 'resource': 'https://me.example'}]}",
        "{'resource': 'http://me.example'}",
        "{'policies': [{'servers': ['git']}]}",
        "{'policies': [{'effect': 'maybe'}]}",
        "{'policies': [{'effect': 'allow', 'actions': ['cal']}]}",
        "{'policies': [{'effect': 'deny', 'tool': ['x']}]}",
        "{'policys': []}",
        "{'dpop': {'required': true}, 'signIn': {}}"
      })
  void whatever_is_wrong_keeps_the_service_from_starting(String text) throws IOException {
    ConfigResult result = auth(text);
    assertThat(result.usable()).isEmpty();
    assertThat(result.problems()).isNotEmpty();
    assertThat(result.problems().toString()).doesNotContain("canary");
  }

  @Test
  void a_name_by_email_without_the_scope_for_it_is_noted() throws IOException {
    String signIn =
        "{'signIn': {'provider': {'issuer': 'https://one.example', 'clientId': 'me', 'scopes':"
            + " ['%s']}, 'claims': {'name': 'email'}}}";
    ConfigResult result = auth(String.format(Locale.ROOT, signIn, "profile"));
    assertThat(result.usable()).isPresent();
    assertThat(result.problems()).isEmpty();
    assertThat(result.notes()).hasSize(1);
    assertThat(result.notes().get(0).message()).contains("auth.signIn.claims.name", "email");
    assertThat(auth(String.format(Locale.ROOT, signIn, "email")).notes()).isEmpty();
  }

  @Test
  void several_issuers_have_names_and_identifiers_of_their_own() throws IOException {
    ConfigResult result =
        auth(
            "{'jwt': {'issuer': 'https://one.example', 'audience': ['me'],"
                + " 'resource': 'https://me.example/mcp'},"
                + " 'issuers': [{'name': 'work', 'issuer': 'https://two.example/',"
                + " 'audience': ['me'], 'adminScopes': ['adm']}]}");
    assertThat(result.problems()).isEmpty();
    AuthOptions auth = result.usable().orElseThrow().auth();
    assertThat(auth.issuers())
        .extracting(AuthOptions.Issuer::name, AuthOptions.Issuer::issuer)
        .containsExactly(
            tuple("jwt", "https://one.example"), tuple("work", "https://two.example/"));
    assertThat(auth.resource()).isEqualTo("https://me.example/mcp");

    assertThat(
            auth("{'issuers': [{'name': 'a', 'issuer': 'https://one.example', 'audience': ['x']},"
                    + " {'name': 'a', 'issuer': 'https://two.example', 'audience': ['x']}]}")
                .problems())
        .singleElement()
        .satisfies(
            problem ->
                assertThat(problem.toString())
                    .contains("auth.issuers[1].name", "also the name of another issuer"));
    assertThat(
            auth("{'jwt': {'issuer': 'https://one.example', 'audience': ['x']},"
                    + " 'issuers': [{'name': 'b', 'issuer': 'https://one.example/',"
                    + " 'audience': ['y']}]}")
                .problems())
        .singleElement()
        .satisfies(
            problem ->
                assertThat(problem.toString())
                    .contains("auth.issuers[0].issuer", "also that of \"jwt\"", "one entry"));
    assertThat(
            auth("{'resource': 'https://me.example', 'jwt': {'issuer': 'https://one.example',"
                    + " 'audience': ['x'], 'resource': 'https://me.example'}}")
                .problems()
                .toString())
        .contains("say the same", "Keep");
  }

  @Test
  void an_issuer_has_algorithms_claims_rules_and_introspection() throws IOException {
    AuthOptions auth =
        auth("{'dpop': {'nonce': true}, 'issuers': [{'name': 'a', 'issuer': 'https://as.example',"
                + " 'audience': ['me'], 'algorithms': ['ES256', 'EdDSA'],"
                + " 'claims': {'name': 'email', 'roles': ['groups', 'realm_access.roles']},"
                + " 'roles': [{'claim': 'groups', 'value': 'mcp', 'role': 'ops', 'admin': true}],"
                + " 'introspection': {'url': 'https://as.example/i', 'clientId': 'me',"
                + " 'clientSecret': 'canary', 'cache': '5s'}}]}")
            .usable()
            .orElseThrow()
            .auth();
    AuthOptions.Issuer issuer = auth.issuers().get(0);
    assertThat(issuer.algorithms()).containsExactlyInAnyOrder("ES256", "EdDSA");
    assertThat(issuer.claims())
        .isEqualTo(
            new ClaimMapping(
                "email",
                List.of("groups", "realm_access.roles"),
                List.of(new ClaimMapping.ClaimRule("groups", "mcp", "ops", true))));
    assertThat(Objects.requireNonNull(issuer.introspection()).cache())
        .isEqualTo(Duration.ofSeconds(5));
    assertThat(auth.dpop()).isEqualTo(new AuthOptions.Dpop(true, false, true));
    assertThat(auth.toString()).doesNotContain("canary");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      textBlock =
          """
          'algorithms': ['HS256'] | auth.issuers[0].algorithms | can be made by others
          'algorithms': ['none'] | auth.issuers[0].algorithms | can be made by others
          'algorithms': ['ES257'] | auth.issuers[0].algorithms | unknown algorithm
          'claims': {'name': ' '} | auth.issuers[0].claims.name | names no claim
          'claims': {'roles': ['']} | auth.issuers[0].claims.roles | names no claim
          'claims': {'names': 'x'} | auth.issuers[0].claims.names | unknown key
          'roles': [{'claim': 'g', 'value': 'x'}] | auth.issuers[0].roles[0].role | gives nothing
          'roles': [{'claim': 'g', 'role': 'x'}] | auth.issuers[0].roles[0].value | is missing
          'introspection': {'url': 'https://x.example', 'clientId': 'a'} | clientSecret | is missing
          'introspection': {'url': 'http://x.example', 'clientId': 'a', 'clientSecret': 'canary'} | introspection.url | https URL
          """)
  void mistakes_of_an_issuer_name_their_place(String keys, String place, String why)
      throws IOException {
    ConfigResult result =
        auth(
            "{'issuers': [{'name': 'a', 'issuer': 'https://as.example', 'audience': ['me'], "
                + keys
                + "}]}");
    assertThat(result.usable()).isEmpty();
    assertThat(result.problems()).as(keys).hasSize(1);
    assertThat(result.problems().toString()).contains(place, why).doesNotContain("canary");
  }

  @Test
  void two_issuers_that_are_asked_tell_their_tokens_apart() throws IOException {
    String asked =
        "{'name': '%1$s', 'issuer': 'https://%1$s.example', 'audience': ['me'], 'introspection':"
            + " {'url': 'https://x.example', 'clientId': 'a', 'clientSecret': 'b'%2$s}}";
    for (String[] both :
        new String[][] {
          {"", ""}, {"", ", 'prefix': 'b_'"}, {", 'prefix': 'b'", ", 'prefix': 'b_'"}
        }) {
      assertThat(
              auth("{'issuers': ["
                      + String.format(asked, "one", both[0])
                      + ","
                      + String.format(asked, "two", both[1])
                      + "]}")
                  .problems()
                  .toString())
          .contains("introspection.prefix", "could go to \"one\" as well");
    }
    assertThat(
            auth("{'issuers': ["
                    + String.format(asked, "one", ", 'prefix': 'a_'")
                    + ","
                    + String.format(asked, "two", ", 'prefix': 'b_'")
                    + "]}")
                .problems())
        .isEmpty();
  }

  @Test
  void what_a_variable_brought_into_a_wrong_word_is_not_shown() throws IOException {
    String wrong =
        "{\"mcpServers\": {}, \"auth\": {\"policies\": [{\"effect\": \"allow\", \"actions\":"
            + " [\"${CANARY}\"]}]}, \"gateway\": {\"views\": {\"v\": {\"rename\": {\"a.b\":"
            + " \"${CANARY}\", \"a.c\": \"x${FINE}\", \"a.d\": \"x${FINE}\"}}}}}";
    Path file = folder.resolve("words.json");
    Files.writeString(file, wrong);
    Map<String, String> variables = Map.of("CANARY", "canary value", "FINE", "canary");
    ConfigResult result =
        ConfigReader.read(file, ConfigEnvironment.system().withVariables(variables));
    assertThat(result.problems().toString())
        .contains("unknown action \"***\"", "\"***\" is not a name for a tool")
        .contains("two tools are renamed to \"x***\"")
        .doesNotContain("canary");
  }

  @Test
  void auth_where_it_would_not_be_read_is_a_problem() throws IOException {
    assertThat(read("{\"servers\": {}, \"auth\": {\"apiKeys\": []}}").usable()).isEmpty();
  }

  @Test
  void beyond_loopback_login_is_required() {
    assertThatThrownBy(() -> BridgeOptions.DEFAULT.withHost("0.0.0.0"))
        .hasMessageContaining("auth.apiKeys");
    assertThatThrownBy(
            () -> RecordCopy.with(BridgeOptions.DEFAULT, "allowRemote", true).withHost("0.0.0.0"))
        .hasMessageContaining("allowedHosts");
    BridgeOptions remote =
        RecordCopy.with(
                RecordCopy.with(
                    BridgeOptions.DEFAULT,
                    Map.of("allowedHosts", Set.of("mcp.example"), "allowedOrigins", Set.of())),
                "allowRemote",
                true)
            .withHost("0.0.0.0");
    assertThatThrownBy(() -> remote.requireAuth(false)).hasMessageContaining("--new-key");
    remote.requireAuth(true);
  }
}
