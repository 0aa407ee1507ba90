package dev.mcpbus.security.oauth;

import org.jspecify.annotations.Nullable;

/**
 * The key to which a token shall be bound. Immutable.
 *
 * @param key null for a Bearer token
 * @param demanded whether a token that is not bound is refused
 */
record TokenBinding(@Nullable DpopKey key, boolean demanded) {

  /** A new key for a new grant, if {@code use} wants one. */
  static TokenBinding of(DpopUse use) {
    return new TokenBinding(
        use == DpopUse.NONE ? null : DpopKey.generate(), use == DpopUse.DEMANDED);
  }

  /**
   * The key of the tokens that are refreshed: their refresh token may be bound to it, too. A bound
   * token is not exchanged for a Bearer token.
   */
  static TokenBinding ofRefresh(DpopUse use, OAuthTokens tokens) {
    return tokens.key() == null ? of(use) : new TokenBinding(tokens.key(), true);
  }
}
