package dev.mcpbus.security.oauth;

import dev.mcpbus.internals.OptionalLibrary;
import org.jspecify.annotations.Nullable;

/**
 * The key to which a token shall be bound. Immutable.
 *
 * @param key null for a Bearer token
 * @param demanded whether a token that is not bound is refused
 */
record TokenBinding(@Nullable DpopKey key, boolean demanded) {

  /**
   * A new key for a new grant, if {@code use} wants one; none where a Bearer token does as well and
   * the library for a key is missing.
   *
   * @throws IllegalStateException if a key is demanded and the library for it is missing
   */
  static TokenBinding of(DpopUse use) {
    if (use == DpopUse.NONE || (use == DpopUse.OFFERED && !OptionalLibrary.NIMBUS.isPresent())) {
      return new TokenBinding(null, false);
    }
    OptionalLibrary.NIMBUS.require();
    return new TokenBinding(DpopKey.generate(), use == DpopUse.DEMANDED);
  }

  /**
   * The key of the tokens that are refreshed: their refresh token may be bound to it, too. A bound
   * token is not exchanged for a Bearer token.
   */
  static TokenBinding ofRefresh(DpopUse use, OAuthTokens tokens) {
    return tokens.key() == null ? of(use) : new TokenBinding(tokens.key(), true);
  }
}
