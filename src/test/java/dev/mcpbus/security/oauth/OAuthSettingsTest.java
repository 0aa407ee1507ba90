package dev.mcpbus.security.oauth;

import static org.assertj.core.api.Assertions.assertThat;

import dev.mcpbus.protocol.ClientAuthentication;
import dev.mcpbus.protocol.DpopMode;
import dev.mcpbus.protocol.IdentityProvider;
import dev.mcpbus.protocol.OAuthGrant;
import dev.mcpbus.protocol.Sensitive;
import dev.mcpbus.protocol.WorkloadIdentity;
import dev.mcpbus.transport.OAuthOptions;
import java.net.URI;
import java.nio.file.Path;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class OAuthSettingsTest {

  private static OAuthSettings settings(@Nullable String subject) {
    return new OAuthSettings(
        URI.create("https://h/mcp"),
        new OAuthOptions(
            OAuthGrant.ID_JAG,
            "id",
            Sensitive.of("canary-client"),
            null,
            List.of("b", "a"),
            URI.create("https://as"),
            null,
            URI.create("http://127.0.0.1:0/callback"),
            null,
            null,
            new IdentityProvider(
                URI.create("https://idp/token"),
                "at-idp",
                Sensitive.of("canary-idp"),
                Sensitive.ofNullable(subject),
                subject == null ? Path.of("/s.jwt") : null,
                "urn:x"),
            null,
            DpopMode.AUTO,
            null,
            null));
  }

  /** The key must stay the same in all versions, or stored tokens are not found. */
  @Test
  void the_key_of_stored_tokens_stays_the_same_and_differs_by_owner() {
    assertThat(settings("subject-1").key())
        .isEqualTo("516eff55d95d909c7a85cc0fd5c93eab030a26ec69856a0bd2b74195a3cd6b44")
        .isNotEqualTo(settings("subject-2").key());
    assertThat(settings(null).key())
        .isEqualTo("7bd49d4a7038b5af47bc9ae551f2c536e8b99ab5a0fdf6d2a8c6442be248ee3f");
  }

  @Test
  void the_key_of_a_full_set_and_of_an_empty_one_stays_the_same() {
    OAuthSettings full =
        new OAuthSettings(
            URI.create("https://Host.example:8443/mcp?tenant=a"),
            new OAuthOptions(
                OAuthGrant.AUTHORIZATION_CODE,
                "id",
                Sensitive.of("canary-client"),
                ClientAuthentication.CLIENT_SECRET_POST,
                List.of("write", "admin", "read"),
                URI.create("https://As.example/Realm"),
                URI.create("https://Me.example/client.json"),
                URI.create("http://127.0.0.1:7777/callback"),
                Path.of("/key.pem"),
                "k1",
                new IdentityProvider(
                    URI.create("https://idp/token"),
                    "at-idp",
                    Sensitive.of("canary-idp"),
                    Sensitive.of("subject"),
                    null,
                    "urn:x"),
                new WorkloadIdentity(Sensitive.of("jwt"), null),
                DpopMode.REQUIRED,
                null,
                "https://other/resource"));
    OAuthSettings empty =
        new OAuthSettings(
            URI.create("http://h"),
            new OAuthOptions(
                OAuthGrant.CLIENT_CREDENTIALS,
                null,
                null,
                null,
                List.of(),
                null,
                null,
                URI.create("http://127.0.0.1:0/callback"),
                null,
                null,
                null,
                null,
                DpopMode.AUTO,
                null,
                null));
    assertThat(full.key())
        .isEqualTo("a0024e61779981eba1bae77b89163db722b5ab20c921d48100502d1905124da6");
    assertThat(empty.key())
        .isEqualTo("0325f4dbe82bac70e05b144a260a3872e5b30607f4307bb194003719649748ed");
  }

  @Test
  void tokens_of_hosts_with_an_underscore_are_kept_apart() {
    OAuthSettings one = Settings.withServer(settings("s"), "https://My_mcp/mcp");
    OAuthSettings other = Settings.withServer(settings("s"), "https://my_other:8443/mcp");
    assertThat(one.origin()).isEqualTo("https://my_mcp");
    assertThat(other.resource()).isEqualTo("https://my_other:8443/mcp");
    assertThat(one.key()).isNotEqualTo(other.key());
  }

  @Test
  void no_part_of_them_prints_a_secret() {
    OAuthSettings settings = settings("canary-subject");
    IdentityProvider idJag = Objects.requireNonNull(settings.options().idJag());
    assertThat(
            settings
                + " "
                + settings.options().clientSecret()
                + idJag
                + idJag.clientSecret()
                + idJag.subjectToken())
        .contains("***")
        .doesNotContain("canary");
  }
}
