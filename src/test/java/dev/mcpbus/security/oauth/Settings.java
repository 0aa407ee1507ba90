package dev.mcpbus.security.oauth;

import dev.mcpbus.protocol.ClientAuthentication;
import dev.mcpbus.protocol.DpopMode;
import dev.mcpbus.protocol.IdentityProvider;
import dev.mcpbus.protocol.Sensitive;
import dev.mcpbus.protocol.WorkloadIdentity;
import java.net.URI;
import java.nio.file.Path;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Variations of settings. */
final class Settings {

  private Settings() {}

  static OAuthSettings withServer(OAuthSettings s, String url) {
    return new OAuthSettings(
        URI.create(url),
        s.clientName(),
        s.grant(),
        s.clientId(),
        s.clientSecret(),
        s.authMethod(),
        s.scopes(),
        s.issuer(),
        s.clientMetadataUrl(),
        s.redirectUri(),
        s.privateKey(),
        s.keyId(),
        s.idJag(),
        s.workload(),
        s.dpop(),
        s.otherResource());
  }

  static OAuthSettings withIssuer(OAuthSettings s, String issuer) {
    return make(
        s, s.clientId(), s.clientSecret(), s.authMethod(), s.scopes(), issuer, null, null, null);
  }

  static OAuthSettings withClient(OAuthSettings s, String id, @Nullable String secret) {
    return make(
        s,
        id,
        Sensitive.ofNullable(secret),
        s.authMethod(),
        s.scopes(),
        s.issuer(),
        null,
        null,
        null);
  }

  static OAuthSettings withMethod(OAuthSettings s, ClientAuthentication method) {
    return make(
        s, s.clientId(), s.clientSecret(), method, s.scopes(), s.issuer(), null, null, null);
  }

  static OAuthSettings withScopes(OAuthSettings s, String... scopes) {
    return make(
        s,
        s.clientId(),
        s.clientSecret(),
        s.authMethod(),
        Set.of(scopes),
        s.issuer(),
        null,
        null,
        null);
  }

  static OAuthSettings withDocument(OAuthSettings s, String url) {
    return make(s, null, null, null, s.scopes(), s.issuer(), url, null, null);
  }

  static OAuthSettings withKey(OAuthSettings s, Path key) {
    return make(s, "machine", null, null, s.scopes(), s.issuer(), null, key, null);
  }

  static OAuthSettings withIdJag(OAuthSettings s, IdentityProvider idJag) {
    return make(s, "machine", null, null, s.scopes(), s.issuer(), null, null, idJag);
  }

  static OAuthSettings withResource(OAuthSettings s, String resource) {
    return new OAuthSettings(
        s.server(),
        s.clientName(),
        s.grant(),
        s.clientId(),
        s.clientSecret(),
        s.authMethod(),
        s.scopes(),
        s.issuer(),
        s.clientMetadataUrl(),
        s.redirectUri(),
        s.privateKey(),
        s.keyId(),
        s.idJag(),
        s.workload(),
        s.dpop(),
        resource);
  }

  static OAuthSettings withDpop(OAuthSettings s, DpopMode dpop) {
    return with(s, s.workload(), dpop);
  }

  static OAuthSettings withWorkload(OAuthSettings s, WorkloadIdentity workload) {
    return with(s, workload, s.dpop());
  }

  private static OAuthSettings with(
      OAuthSettings s, @Nullable WorkloadIdentity workload, DpopMode dpop) {
    return new OAuthSettings(
        s.server(),
        s.clientName(),
        s.grant(),
        s.clientId(),
        s.clientSecret(),
        s.authMethod(),
        s.scopes(),
        s.issuer(),
        s.clientMetadataUrl(),
        s.redirectUri(),
        s.privateKey(),
        s.keyId(),
        s.idJag(),
        workload,
        dpop,
        s.otherResource());
  }

  private static OAuthSettings make(
      OAuthSettings s,
      @Nullable String id,
      @Nullable Sensitive secret,
      @Nullable ClientAuthentication method,
      Set<String> scopes,
      @Nullable String issuer,
      @Nullable String document,
      @Nullable Path key,
      @Nullable IdentityProvider idJag) {
    return new OAuthSettings(
        s.server(),
        s.clientName(),
        s.grant(),
        id,
        secret,
        method,
        scopes,
        issuer,
        document,
        s.redirectUri(),
        key,
        key == null ? null : "k1",
        idJag,
        s.workload(),
        s.dpop(),
        s.otherResource());
  }
}
