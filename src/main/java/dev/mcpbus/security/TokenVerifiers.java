package dev.mcpbus.security;

import dev.mcpbus.security.AuthOptions.Introspection;
import dev.mcpbus.security.AuthOptions.Issuer;
import dev.mcpbus.security.oauth.HostResolver;
import dev.mcpbus.security.oauth.IntrospectionEndpoint;
import dev.mcpbus.security.oauth.IssuerKeys;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import java.util.HashMap;
import java.util.Map;
import java.util.Objects;

/**
 * Verifies tokens of the issuers of the present configuration. Which issuer a JWT is verified by,
 * its {@code iss} alone decides, and the keys of one issuer verify no token of another; what is no
 * JWT goes to one issuer that has introspection. Confined to the context of one {@link
 * AdmissionControl}.
 */
final class TokenVerifiers {

  private final Vertx vertx;
  private final AccessControl control;
  private final Map<Issuer, AccessTokenVerifier> verifiers = new HashMap<>();
  private final Map<Issuer, TokenIntrospection> introspections = new HashMap<>();

  TokenVerifiers(Vertx vertx, AccessControl control) {
    this.vertx = vertx;
    this.control = control;
  }

  /**
   * The claims of a token that one of the issuers vouches for. What the claims of a JWT refuse in
   * any case is not verified; {@link TokenRules#holder} and the binding are checked later. Never
   * fails.
   *
   * @param from the address of the caller
   */
  Future<TokenOutcome> outcome(AuthState state, String credential, String from) {
    UnverifiedToken token = UnverifiedToken.read(credential);
    if (token == null) {
      Issuer asked = state.introspecting(credential);
      return asked == null
          ? Future.succeededFuture(TokenOutcome.INVALID)
          : introspection(state, asked).outcome(credential, from);
    }
    TokenRules rules = state.rules(token.claims());
    return rules == null || !rules.mayCount(token.claims(), control.now())
        ? Future.succeededFuture(TokenOutcome.INVALID)
        : verifier(state, rules.issuer())
            .claims(token, rules.issuer().algorithms(), from)
            .map(claims -> claims == null ? TokenOutcome.INVALID : TokenOutcome.of(claims));
  }

  /** What is kept of an issuer ends when a reload has changed it in any way. */
  private AccessTokenVerifier verifier(AuthState state, Issuer issuer) {
    AccessTokenVerifier known = verifiers.get(issuer);
    if (known == null) {
      verifiers.keySet().retainAll(state.options().issuers());
      IssuerKeys remote =
          new IssuerKeys(vertx, issuer.issuer(), issuer.jwks(), HostResolver.system(vertx));
      known =
          new AccessTokenVerifier(new SigningKeys(remote::fetch, control.nanos()), control.nanos());
      verifiers.put(issuer, known);
    }
    return known;
  }

  private TokenIntrospection introspection(AuthState state, Issuer issuer) {
    TokenIntrospection known = introspections.get(issuer);
    if (known == null) {
      introspections.keySet().retainAll(state.options().issuers());
      Introspection options = Objects.requireNonNull(issuer.introspection());
      IntrospectionEndpoint endpoint =
          new IntrospectionEndpoint(
              vertx,
              options.url(),
              options.clientId(),
              options.clientSecret(),
              HostResolver.system(vertx));
      known =
          new TokenIntrospection(
              issuer, options.cache(), endpoint::ask, control::now, control.nanos());
      introspections.put(issuer, known);
    }
    return known;
  }
}
