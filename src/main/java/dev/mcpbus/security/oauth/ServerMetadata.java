package dev.mcpbus.security.oauth;

import io.vertx.core.json.JsonObject;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The metadata of an authorization server (RFC 8414, OpenID Connect Discovery).
 *
 * @param issuer that its credentials and tokens belong to
 * @param ownName its name for itself in answers to logins, with Microsoft's {@code {tenantid}}
 * @param scopes null if not given
 * @param codeChallengeMethods null if not given
 * @param tokenAuthMethods null if not given
 * @param dpopAlgorithms of proofs, null if not given
 * @param sendsIssuer whether an authorization response must hold {@code iss}
 * @param readsClientMetadata whether a client id may be the URL of a metadata document
 */
record ServerMetadata(
    String issuer,
    String ownName,
    @Nullable String authorizationEndpoint,
    @Nullable String tokenEndpoint,
    @Nullable String registrationEndpoint,
    @Nullable String revocationEndpoint,
    @Nullable Set<String> scopes,
    @Nullable Set<String> codeChallengeMethods,
    @Nullable Set<String> tokenAuthMethods,
    @Nullable Set<String> dpopAlgorithms,
    boolean sendsIssuer,
    boolean readsClientMetadata) {

  /**
   * An authorization server without metadata: its endpoints are those of protocol 2025-03-26, which
   * requires PKCE.
   */
  static ServerMetadata ofDefaults(String origin) {
    return of(
        origin,
        new JsonObject()
            .put("issuer", origin)
            .put("authorization_endpoint", origin + "/authorize")
            .put("token_endpoint", origin + "/token")
            .put("registration_endpoint", origin + "/register")
            .put("code_challenge_methods_supported", "S256"));
  }

  static ServerMetadata of(String issuer, JsonObject document) {
    return new ServerMetadata(
        issuer,
        document.getString("issuer"),
        JsonMembers.text(document, "authorization_endpoint"),
        JsonMembers.text(document, "token_endpoint"),
        JsonMembers.text(document, "registration_endpoint"),
        JsonMembers.text(document, "revocation_endpoint"),
        JsonMembers.texts(document, "scopes_supported"),
        JsonMembers.texts(document, "code_challenge_methods_supported"),
        JsonMembers.texts(document, "token_endpoint_auth_methods_supported"),
        JsonMembers.texts(document, "dpop_signing_alg_values_supported"),
        JsonMembers.flag(document, "authorization_response_iss_parameter_supported"),
        JsonMembers.flag(document, "client_id_metadata_document_supported"));
  }

  /**
   * Whether it supports PKCE with S256.
   *
   * @param chosen whether the operator has registered a client there. Then silence is no refusal:
   *     Entra ID and Cognito support it without a word
   */
  boolean provesCodes(boolean chosen) {
    return codeChallengeMethods == null ? chosen : codeChallengeMethods.contains("S256");
  }
}
