package dev.mcpbus.security.oauth;

import dev.mcpbus.protocol.DpopMode;
import dev.mcpbus.security.oauth.OAuthException.OAuthFailure;
import io.vertx.core.Future;

/**
 * Whether tokens for a server are bound to a key (SEP-1932). The authorization server's metadata
 * alone does not decide: many of them offer DPoP for MCP servers that know Bearer tokens only, and
 * such a server refuses a bound token.
 */
enum DpopUse {
  NONE,
  /** The request for a token has a proof; a token that is not bound is used as well. */
  OFFERED,
  /** A token that is not bound is not used. */
  DEMANDED;

  /**
   * Decides for one exchange; fails with {@code INVALID} if a bound token is needed and cannot be
   * had.
   */
  static Future<DpopUse> of(
      DpopMode mode, TokenChallenge challenge, ResourceMetadata resource, ServerMetadata server) {
    if (mode == DpopMode.NEVER) {
      return Future.succeededFuture(NONE);
    }
    boolean possible =
        server.dpopAlgorithms() == null || server.dpopAlgorithms().contains(DpopKey.ALGORITHM);
    if (mode == DpopMode.REQUIRED
        || resource.dpopRequired()
        || (challenge.dpop() && !challenge.bearer())) {
      return possible
          ? Future.succeededFuture(DEMANDED)
          : OAuthFailure.INVALID.fails(
              "a DPoP-bound token is needed, and the authorization server takes no proofs with "
                  + DpopKey.ALGORITHM);
    }
    boolean named = challenge.dpop() || resource.dpop();
    return Future.succeededFuture(
        named && possible && server.dpopAlgorithms() != null ? OFFERED : NONE);
  }
}
