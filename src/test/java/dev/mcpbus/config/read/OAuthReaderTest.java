package dev.mcpbus.config.read;

import static org.assertj.core.api.Assertions.assertThat;

import dev.mcpbus.config.ServerDefinition;
import dev.mcpbus.config.read.ConfigNode.ConfigMember;
import dev.mcpbus.protocol.ClientAuthentication;
import dev.mcpbus.protocol.DpopMode;
import dev.mcpbus.protocol.IdentityProvider;
import dev.mcpbus.protocol.OAuthGrant;
import dev.mcpbus.protocol.Sensitive;
import dev.mcpbus.protocol.WorkloadIdentity;
import dev.mcpbus.transport.HttpOptions;
import dev.mcpbus.transport.OAuthOptions;
import java.net.URI;
import java.nio.file.Path;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class OAuthReaderTest {

  @TempDir Path folder;

  private ServerDefinition server(String... lines) {
    String[] all = java.util.Arrays.copyOf(lines, lines.length + 1);
    all[lines.length] = "\"url\": \"https://mcp.example/mcp\"";
    return Sample.in(folder).good(all);
  }

  private OAuthOptions oauth(String text) {
    return Objects.requireNonNull(((HttpOptions) server(text).transport()).oauth());
  }

  @Test
  void an_empty_object_switches_oauth_on_and_nothing_leaves_it_off() {
    assertThat(oauth("\"oauth\": {}")).isEqualTo(OAuthOptions.DEFAULT);
    assertThat(((HttpOptions) server().transport()).oauth()).isNull();
  }

  @Test
  void the_keys_of_other_programs_are_understood() {
    OAuthOptions claude =
        oauth("\"oauth\": {\"clientId\": \"x\", \"callbackPort\": 8123, \"scopes\": \"a  b\"}");
    assertThat(claude.redirectUri()).isEqualTo(URI.create("http://localhost:8123/callback"));
    assertThat(claude.scopes()).containsExactly("a", "b");
    OAuthOptions cursor =
        oauth(
            "\"auth\": {\"CLIENT_ID\": \"x\", \"CLIENT_SECRET\": \"${API_TOKEN}\", \"scopes\":"
                + " [\"a\"]}");
    assertThat(cursor.clientId()).isEqualTo("x");
    assertThat(cursor.clientSecret()).isEqualTo(Sensitive.of("canary-7f3a"));
  }

  @Test
  void every_grant_can_be_described() {
    OAuthOptions machine =
        oauth(
            "\"oauth\": {\"grant\": \"client_credentials\", \"clientId\": \"m\", \"privateKey\":"
                + " \"keys/a.pem\", \"keyId\": \"k\", \"tokenEndpointAuthMethod\":"
                + " \"private_key_jwt\", \"issuer\": \"https://as.example/t\"}");
    assertThat(machine.grant()).isEqualTo(OAuthGrant.CLIENT_CREDENTIALS);
    assertThat(machine.authMethod()).isEqualTo(ClientAuthentication.PRIVATE_KEY_JWT);
    assertThat(machine.privateKey()).isEqualTo(folder.resolve("keys/a.pem"));
    assertThat(machine.issuer()).isEqualTo(URI.create("https://as.example/t"));
    IdentityProvider idp =
        oauth(
                "\"oauth\": {\"grant\": \"id_jag\", \"clientId\": \"m\", \"idJag\":"
                    + " {\"tokenEndpoint\": \"https://idp.example/token\", \"clientId\": \"i\","
                    + " \"subjectTokenFile\": \"id.jwt\"}}")
            .idJag();
    assertThat(Objects.requireNonNull(idp).subjectTokenFile()).isEqualTo(folder.resolve("id.jwt"));
    assertThat(idp.subjectTokenType()).isEqualTo("id_token");
    OAuthOptions workload =
        oauth("\"oauth\": {\"workloadIdentity\": {\"tokenFile\": \"/run/jwt\"}}");
    assertThat(workload.grant()).isEqualTo(OAuthGrant.WORKLOAD_IDENTITY);
    assertThat(workload.workloadIdentity())
        .isEqualTo(new WorkloadIdentity(null, Path.of("/run/jwt")));
    assertThat(workload.clientId()).isNull();
  }

  @Test
  void tokens_are_bound_to_a_key_as_the_file_says() {
    assertThat(oauth("\"oauth\": {}").dpop()).isEqualTo(DpopMode.AUTO);
    assertThat(oauth("\"oauth\": {\"dpop\": \"required\"}").dpop()).isEqualTo(DpopMode.REQUIRED);
    assertThat(oauth("\"oauth\": {\"dpop\": \"never\"}").dpop()).isEqualTo(DpopMode.NEVER);
  }

  @Test
  void the_resource_can_be_another_one_or_none() {
    assertThat(oauth("\"oauth\": {}").resource()).isNull();
    assertThat(oauth("\"oauth\": {\"resource\": false}").resource()).isEmpty();
    assertThat(oauth("\"auth\": {\"resource\": \"api://x\"}").resource()).isEqualTo("api://x");
  }

  @Test
  void the_authorization_server_may_have_an_underscore_in_its_name() {
    assertThat(oauth("\"oauth\": {\"issuer\": \"https://my_as:8443\"}").issuer())
        .isEqualTo(URI.create("https://my_as:8443"));
  }

  @Test
  void no_key_of_ours_is_taken_for_one_of_another_program() {
    for (String key : ConfigSchema.OAUTH.names()) {
      ConfigNode written =
          ConfigNode.object(1, List.of(new ConfigMember(key, 1, ConfigNode.text(1, "x"))));
      assertThat(ForeignOAuth.translated(written, ignored -> {}).get(key)).as(key).isNotNull();
    }
  }

  @Test
  void the_jwt_of_a_workload_is_a_secret() {
    ServerDefinition server =
        server("\"oauth\": {\"workloadIdentity\": {\"token\": \"${API_TOKEN}\"}}");
    assertThat(server.transport().secrets()).contains(Sensitive.of("canary-7f3a"));
    OAuthOptions options = Objects.requireNonNull(((HttpOptions) server.transport()).oauth());
    assertThat(server.view().encode() + server + options + options.workloadIdentity())
        .doesNotContain("canary-7f3a");
  }

  @Test
  void secrets_are_known_as_such_and_never_shown() {
    ServerDefinition server =
        server(
            "\"oauth\": {\"grant\": \"id_jag\", \"clientId\": \"m\", \"clientSecret\": \"one-s\","
                + " \"idJag\": {\"tokenEndpoint\": \"https://idp.example/t\", \"clientId\": \"i\","
                + " \"clientSecret\": \"two-s\", \"subjectToken\": \"three-s\"}}");
    assertThat(server.transport().secrets())
        .containsAll(Sensitive.all(List.of("one-s", "two-s", "three-s")));
    OAuthOptions options = Objects.requireNonNull(((HttpOptions) server.transport()).oauth());
    assertThat(server.view().encode() + server + server.transport() + options + options.idJag())
        .doesNotContain("one-s", "two-s", "three-s");
  }

  @Test
  void a_headers_helper_is_read_and_hidden() {
    ServerDefinition server = server("\"headersHelper\": \"get-token --secret x7\"");
    assertThat(((HttpOptions) server.transport()).headersHelper())
        .isEqualTo(Sensitive.of("get-token --secret x7"));
    assertThat(server.view().encode()).doesNotContain("x7");
  }
}
