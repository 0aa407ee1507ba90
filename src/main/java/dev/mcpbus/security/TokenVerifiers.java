package dev.mcpbus.security;

import dev.mcpbus.security.AuthOptions.Issuer;
import dev.mcpbus.security.oauth.HostResolver;
import dev.mcpbus.security.oauth.IssuerKeys;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.json.JsonObject;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * A verifier for each issuer of the present configuration. Which issuer a token is verified by, its
 * {@code iss} alone decides, and a verifier has the keys of its own issuer alone. Confined to the
 * context of one {@link AdmissionControl}.
 */
final class TokenVerifiers {

  private record IssuerVerifier(Issuer issuer, AccessTokenVerifier verifier) {}

  private final Vertx vertx;
  private final AccessControl control;
  private final List<IssuerVerifier> verifiers = new ArrayList<>();
  private @Nullable AuthState seen;

  TokenVerifiers(Vertx vertx, AccessControl control) {
    this.vertx = vertx;
    this.control = control;
  }

  /**
   * The claims of a token that one of the issuers has signed; completes with null for any other
   * text, never fails.
   */
  Future<@Nullable JsonObject> claims(AuthState state, String credential) {
    UnverifiedToken token = UnverifiedToken.read(credential);
    TokenRules rules = token == null ? null : state.rules(token.claims());
    return token == null || rules == null
        ? Future.succeededFuture(null)
        : verifier(state, rules.issuer()).claims(token);
  }

  /** Of the present issuers; a reload may have named others. */
  private AccessTokenVerifier verifier(AuthState state, Issuer issuer) {
    if (seen != state) {
      seen = state;
      verifiers.removeIf(
          known -> state.options().issuers().stream().noneMatch(known.issuer()::hasKeysOf));
    }
    for (IssuerVerifier known : verifiers) {
      if (known.issuer().hasKeysOf(issuer)) {
        return known.verifier();
      }
    }
    Supplier<Future<List<JsonObject>>> local = control.localKeys(issuer.issuer());
    IssuerKeys remote =
        new IssuerKeys(vertx, issuer.issuer(), issuer.jwks(), HostResolver.system(vertx));
    SigningKeys keys = new SigningKeys(local == null ? remote::fetch : local, control.nanos());
    IssuerVerifier made = new IssuerVerifier(issuer, new AccessTokenVerifier(keys));
    verifiers.add(made);
    return made.verifier();
  }
}
