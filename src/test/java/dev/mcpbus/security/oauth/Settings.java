package dev.mcpbus.security.oauth;

import dev.mcpbus.protocol.ClientAuthentication;
import dev.mcpbus.protocol.DpopMode;
import dev.mcpbus.protocol.IdentityProvider;
import dev.mcpbus.protocol.Sensitive;
import dev.mcpbus.protocol.WorkloadIdentity;
import dev.mcpbus.transport.OAuthOptions;
import java.net.URI;
import java.nio.file.Path;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Variations of settings. */
final class Settings {

  private Settings() {}

  static OAuthSettings withServer(OAuthSettings s, String url) {
    return new OAuthSettings(URI.create(url), s.options());
  }

  static OAuthSettings withIssuer(OAuthSettings s, String issuer) {
    OAuthOptions o = s.options();
    return client(
        s, o.clientId(), o.clientSecret(), o.authMethod(), o.scopes(), issuer, null, null, null);
  }

  static OAuthSettings withClient(OAuthSettings s, String id, @Nullable String secret) {
    OAuthOptions o = s.options();
    return client(
        s,
        id,
        Sensitive.ofNullable(secret),
        o.authMethod(),
        o.scopes(),
        s.issuer(),
        null,
        null,
        null);
  }

  static OAuthSettings withMethod(OAuthSettings s, ClientAuthentication method) {
    OAuthOptions o = s.options();
    return client(
        s, o.clientId(), o.clientSecret(), method, o.scopes(), s.issuer(), null, null, null);
  }

  static OAuthSettings withScopes(OAuthSettings s, String... scopes) {
    OAuthOptions o = s.options();
    return client(
        s,
        o.clientId(),
        o.clientSecret(),
        o.authMethod(),
        List.of(scopes),
        s.issuer(),
        null,
        null,
        null);
  }

  static OAuthSettings withDocument(OAuthSettings s, String url) {
    return client(s, null, null, null, s.options().scopes(), s.issuer(), url, null, null);
  }

  static OAuthSettings withKey(OAuthSettings s, Path key) {
    return client(s, "machine", null, null, s.options().scopes(), s.issuer(), null, key, null);
  }

  static OAuthSettings withIdJag(OAuthSettings s, IdentityProvider idJag) {
    return client(s, "machine", null, null, s.options().scopes(), s.issuer(), null, null, idJag);
  }

  static OAuthSettings withResource(OAuthSettings s, String resource) {
    OAuthOptions o = s.options();
    return bound(s, o.workloadIdentity(), o.dpop(), resource);
  }

  static OAuthSettings withDpop(OAuthSettings s, DpopMode dpop) {
    OAuthOptions o = s.options();
    return bound(s, o.workloadIdentity(), dpop, o.resource());
  }

  static OAuthSettings withWorkload(OAuthSettings s, WorkloadIdentity workload) {
    OAuthOptions o = s.options();
    return bound(s, workload, o.dpop(), o.resource());
  }

  private static OAuthSettings bound(
      OAuthSettings s,
      @Nullable WorkloadIdentity workload,
      DpopMode dpop,
      @Nullable String resource) {
    OAuthOptions o = s.options();
    return new OAuthSettings(
        s.server(),
        new OAuthOptions(
            o.grant(),
            o.clientId(),
            o.clientSecret(),
            o.authMethod(),
            o.scopes(),
            o.issuer(),
            o.clientMetadataUrl(),
            o.redirectUri(),
            o.privateKey(),
            o.keyId(),
            o.idJag(),
            workload,
            dpop,
            o.tokenStore(),
            resource));
  }

  private static OAuthSettings client(
      OAuthSettings s,
      @Nullable String id,
      @Nullable Sensitive secret,
      @Nullable ClientAuthentication method,
      List<String> scopes,
      @Nullable String issuer,
      @Nullable String document,
      @Nullable Path key,
      @Nullable IdentityProvider idJag) {
    OAuthOptions o = s.options();
    return new OAuthSettings(
        s.server(),
        new OAuthOptions(
            o.grant(),
            id,
            secret,
            method,
            scopes,
            issuer == null ? null : URI.create(issuer),
            document == null ? null : URI.create(document),
            o.redirectUri(),
            key,
            key == null ? null : "k1",
            idJag,
            o.workloadIdentity(),
            o.dpop(),
            o.tokenStore(),
            o.resource()));
  }
}
