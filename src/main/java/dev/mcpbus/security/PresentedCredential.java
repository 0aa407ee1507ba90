package dev.mcpbus.security;

import dev.mcpbus.security.OwnTokens.IssuedToken;
import io.vertx.core.json.JsonObject;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * What a caller presented, kept as far as a later check needs it: the hash of a key or the claims
 * of a token, never the credential itself. Immutable.
 */
sealed interface PresentedCredential {

  /**
   * The principal that a credential stands for.
   *
   * @param until the end of its validity, null for never
   * @param hasScopes false for a token without all required scopes
   */
  record CredentialHolder(Principal principal, @Nullable Instant until, boolean hasScopes) {}

  /**
   * The holder under that configuration, without a check of the time; null if the credential is not
   * valid there.
   */
  @Nullable CredentialHolder in(AuthState state);

  /** The noun for messages. */
  String word();

  /** Whether it was revoked, as far as this node knows. */
  default boolean isRevoked() {
    return false;
  }

  /** No credential, which is sufficient if no login is required. */
  final class None implements PresentedCredential {
    static final None SHOWN = new None();

    private static final CredentialHolder LOCAL = new CredentialHolder(Principal.LOCAL, null, true);

    private None() {}

    @Override
    public CredentialHolder in(AuthState state) {
      return LOCAL;
    }

    @Override
    public String word() {
      return "caller";
    }
  }

  /** An API key, by its hash. */
  final class PresentedKey implements PresentedCredential {
    private final byte[] hash;

    PresentedKey(byte[] hash) {
      this.hash = hash;
    }

    @Override
    public @Nullable CredentialHolder in(AuthState state) {
      return state.keys().holder(hash);
    }

    @Override
    public String word() {
      return "key";
    }
  }

  /** A token that this mcpbus issued, verified. */
  final class SignInToken implements PresentedCredential {
    private final IssuedToken token;
    private final OwnTokens issuer;

    SignInToken(IssuedToken token, OwnTokens issuer) {
      this.token = token;
      this.issuer = issuer;
    }

    @Override
    public @Nullable CredentialHolder in(AuthState state) {
      return state.options().signIn() == null || isRevoked()
          ? null
          : new CredentialHolder(token.principal(), token.until(), true);
    }

    @Override
    public String word() {
      return "token";
    }

    @Override
    public boolean isRevoked() {
      return issuer.isEnded(token.family());
    }
  }

  /** A token with a valid signature. */
  final class Token implements PresentedCredential {
    private final JsonObject claims;

    Token(JsonObject claims) {
      this.claims = claims;
    }

    @Override
    public @Nullable CredentialHolder in(AuthState state) {
      TokenRules rules = state.rules(claims);
      return rules == null ? null : rules.holder(claims);
    }

    @Override
    public String word() {
      return "token";
    }
  }
}
