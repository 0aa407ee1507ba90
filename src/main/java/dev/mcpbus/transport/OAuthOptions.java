package dev.mcpbus.transport;

import dev.mcpbus.protocol.ClientAuthentication;
import dev.mcpbus.protocol.DpopMode;
import dev.mcpbus.protocol.IdentityProvider;
import dev.mcpbus.protocol.OAuthGrant;
import dev.mcpbus.protocol.Sensitive;
import dev.mcpbus.protocol.WorkloadIdentity;
import java.net.URI;
import java.nio.file.Path;
import java.util.Collection;
import java.util.List;
import java.util.Objects;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * How to get tokens for a server behind HTTP. With {@link #DEFAULT} the server's metadata and
 * challenge decide everything.
 *
 * @param grant how the client obtains a token; default {@link OAuthGrant#AUTHORIZATION_CODE}
 * @param clientId as registered with the authorization server; null to obtain it with {@code
 *     clientMetadataUrl} or by dynamic registration
 * @param clientSecret of that client, null for a public one
 * @param authMethod how the client authenticates at the token endpoint; with null the authorization
 *     server's metadata decides
 * @param scopes requested in addition to those of the server's challenge; if empty, the server
 *     decides
 * @param issuer the authorization server that the credentials belong to; with null the first one
 *     seen
 * @param clientMetadataUrl https URL of this client's metadata document, used as its id
 * @param redirectUri on loopback; port 0 lets the system choose
 * @param privateKey PEM file (PKCS#8, RSA or P-256) for {@code private_key_jwt}
 * @param keyId of that key, null for none
 * @param idJag the identity provider that exchanges an identity assertion; for {@link
 *     OAuthGrant#ID_JAG}
 * @param workloadIdentity the platform's JWT; for {@link OAuthGrant#WORKLOAD_IDENTITY}
 * @param dpop whether tokens are bound to a key of the client
 * @param tokenStore name of the store that keeps the tokens, null for the program's own
 * @param resource sent in place of the server's own identifier (RFC 8707), empty for none; null for
 *     that
 */
public record OAuthOptions(
    OAuthGrant grant,
    @Nullable String clientId,
    @Nullable Sensitive clientSecret,
    @Nullable ClientAuthentication authMethod,
    List<String> scopes,
    @Nullable URI issuer,
    @Nullable URI clientMetadataUrl,
    URI redirectUri,
    @Nullable Path privateKey,
    @Nullable String keyId,
    @Nullable IdentityProvider idJag,
    @Nullable WorkloadIdentity workloadIdentity,
    DpopMode dpop,
    @Nullable String tokenStore,
    @Nullable String resource,
    @Nullable String audience) {

  public static final URI ANY_LOOPBACK_PORT = URI.create("http://127.0.0.1:0/callback");

  /** Options without an audience. */
  public OAuthOptions(
      OAuthGrant grant,
      @Nullable String clientId,
      @Nullable Sensitive clientSecret,
      @Nullable ClientAuthentication authMethod,
      List<String> scopes,
      @Nullable URI issuer,
      @Nullable URI clientMetadataUrl,
      URI redirectUri,
      @Nullable Path privateKey,
      @Nullable String keyId,
      @Nullable IdentityProvider idJag,
      @Nullable WorkloadIdentity workloadIdentity,
      DpopMode dpop,
      @Nullable String tokenStore,
      @Nullable String resource) {
    this(
        grant,
        clientId,
        clientSecret,
        authMethod,
        scopes,
        issuer,
        clientMetadataUrl,
        redirectUri,
        privateKey,
        keyId,
        idJag,
        workloadIdentity,
        dpop,
        tokenStore,
        resource,
        null);
  }

  public static final OAuthOptions DEFAULT =
      new OAuthOptions(
          OAuthGrant.AUTHORIZATION_CODE,
          null,
          null,
          null,
          List.of(),
          null,
          null,
          ANY_LOOPBACK_PORT,
          null,
          null,
          null,
          null,
          DpopMode.AUTO,
          null,
          null);

  public OAuthOptions {
    scopes = List.copyOf(scopes);
  }

  /** Whether a token is made of the token of a caller, so that each caller has its own. */
  public boolean isOfCaller() {
    return grant == OAuthGrant.TOKEN_EXCHANGE
        || grant == OAuthGrant.ON_BEHALF_OF
        || (idJag != null && idJag.isOfCaller());
  }

  /** Values that must never be shown in a log or a status. */
  public Collection<Sensitive> secrets() {
    return Stream.of(
            clientSecret,
            idJag == null ? null : idJag.clientSecret(),
            idJag == null ? null : idJag.subjectToken(),
            workloadIdentity == null ? null : workloadIdentity.token())
        .filter(Objects::nonNull)
        .toList();
  }

  /** Omits every credential. */
  @Override
  public String toString() {
    return "oauth[" + grant + "]";
  }
}
