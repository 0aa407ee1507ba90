package dev.mcpbus.security;

import io.vertx.core.json.JsonObject;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * What a caller showed when he came, as far as it takes to find out later whether it is still good:
 * the hash of a key, what a token claims. Never the credential itself. Immutable.
 */
sealed interface PresentedCredential {

  /**
   * Whom it stands for.
   *
   * @param until when it is good no more, null for never
   * @param hasScopes false for a token without the scopes that every token needs
   */
  record Holder(Principal principal, @Nullable Instant until, boolean hasScopes) {}

  /** Whom it stands for under that configuration, whatever the time is; null for nobody. */
  @Nullable Holder in(AuthState state);

  /** As messages call it. */
  String word();

  /** None was shown, and none is wanted. */
  final class None implements PresentedCredential {
    static final None SHOWN = new None();

    private static final Holder LOCAL = new Holder(Principal.LOCAL, null, true);

    private None() {}

    @Override
    public Holder in(AuthState state) {
      return LOCAL;
    }

    @Override
    public String word() {
      return "caller";
    }
  }

  /** A key, by its hash. */
  final class Key implements PresentedCredential {
    private final byte[] hash;

    Key(byte[] hash) {
      this.hash = hash;
    }

    @Override
    public @Nullable Holder in(AuthState state) {
      return state.keys().holder(hash);
    }

    @Override
    public String word() {
      return "key";
    }
  }

  /** A token whose signature was good. */
  final class Token implements PresentedCredential {
    private final JsonObject claims;

    Token(JsonObject claims) {
      this.claims = claims;
    }

    @Override
    public @Nullable Holder in(AuthState state) {
      TokenRules rules = state.tokens();
      return rules == null ? null : rules.holder(claims);
    }

    @Override
    public String word() {
      return "token";
    }
  }
}
