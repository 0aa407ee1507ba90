package dev.mcpbus.protocol;

import java.net.URI;
import java.nio.file.Path;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * The identity provider of an enterprise, which exchanges an identity assertion for a grant
 * (ID-JAG).
 *
 * @param tokenEndpoint the URL that exchanges the assertion
 * @param clientId of this client at the identity provider
 * @param clientSecret of this client at the identity provider, null for none
 * @param subjectToken the identity assertion itself, or null
 * @param subjectTokenFile a file that is read again for every exchange, or null
 * @param subjectTokenType {@code id_token}, {@code saml2}, or {@code access_token} for that of a
 *     caller, as a short name or a URN
 */
public record IdentityProvider(
    URI tokenEndpoint,
    String clientId,
    @Nullable Sensitive clientSecret,
    @Nullable Sensitive subjectToken,
    @Nullable Path subjectTokenFile,
    String subjectTokenType) {

  /** The type of the assertion as the exchange names it (RFC 8693, section 3). */
  public String subjectTokenUrn() {
    return subjectTokenType.startsWith("urn:")
        ? subjectTokenType
        : "urn:ietf:params:oauth:token-type:" + subjectTokenType.toLowerCase(Locale.ROOT);
  }

  /** Whether the assertion is the token of the caller: the text of the token is empty. */
  public boolean isOfCaller() {
    return subjectToken != null && subjectToken.isEmpty();
  }

  @Override
  public String toString() {
    return "idJag[" + tokenEndpoint.getHost() + "]";
  }
}
