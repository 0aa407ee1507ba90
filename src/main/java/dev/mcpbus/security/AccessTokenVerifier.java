package dev.mcpbus.security;

import io.vertx.core.Future;
import io.vertx.core.json.JsonObject;
import java.util.Set;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Verifies the signatures of access tokens that are JWTs (RFC 9068), of one issuer. The response to
 * a refused caller gives no reason. Confined to the context of its {@link SigningKeys}. {@link
 * TokenVerifiers} calls it for each token of the issuer; {@link TokenRules} then checks the claims.
 */
final class AccessTokenVerifier {

  private final SigningKeys keys;
  private final VerifiedSignatures verified;

  /**
   * @param nanos monotonic time in nanoseconds
   */
  AccessTokenVerifier(SigningKeys keys, LongSupplier nanos) {
    this.keys = keys;
    this.verified = new VerifiedSignatures(nanos);
  }

  /**
   * The claims of an access token whose signature is valid; of the claims only those that say what
   * kind of JWT it is are checked. Completes with null if the token or its signature is invalid,
   * for any reason; never fails.
   *
   * @param allowed the algorithms of the issuer; empty for all that are asymmetric
   * @param from the address of the caller
   */
  Future<@Nullable JsonObject> claims(UnverifiedToken token, Set<String> allowed, String from) {
    if (!(token.header().getValue("kid") instanceof String id)
        || !TokenRules.isAccessToken(token.header(), token.claims())) {
      return Future.succeededFuture(null);
    }
    return keys.find(id)
        .map(
            key -> {
              VerificationKey fit = key == null ? null : key.with(token.algorithm(), allowed);
              return fit != null && verified.hasSigned(fit, token, from) ? token.claims() : null;
            })
        .otherwise((JsonObject) null);
  }
}
