package dev.mcpbus.security;

import dev.mcpbus.internals.OptionalLibrary;
import dev.mcpbus.security.AuthOptions.ApiKey;
import io.vertx.core.json.JsonObject;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * What one configuration of {@code auth} says, prepared for the doors. Immutable except for caches;
 * a reload creates a new instance, and {@link AccessControl} replaces one reference.
 */
final class AuthState {

  private final AuthOptions options;
  private final AccessPolicy policy;
  private final ApiKeys keys;
  private final RateLimits limits;
  private final ProtectedResourceMetadata resource;
  private final List<TokenRules> issuers;

  /**
   * Throws where the library for tokens is needed and missing.
   *
   * @param admin the generated admin key, null if the configuration requires login
   */
  AuthState(AuthOptions options, @Nullable ApiKey admin) {
    List<ApiKey> all = new ArrayList<>(options.apiKeys());
    if (admin != null) {
      all.add(admin);
    }
    if (options.takesTokens()) {
      OptionalLibrary.NIMBUS.require();
    }
    this.options = options;
    this.policy = new AccessPolicy(options.policies());
    this.keys = new ApiKeys(all);
    this.limits = new RateLimits(options.limits(), options.apiKeys());
    this.resource = new ProtectedResourceMetadata(options);
    this.issuers = options.issuers().stream().map(TokenRules::new).toList();
  }

  AuthOptions options() {
    return options;
  }

  AccessPolicy policy() {
    return policy;
  }

  ApiKeys keys() {
    return keys;
  }

  RateLimits limits() {
    return limits;
  }

  ProtectedResourceMetadata resource() {
    return resource;
  }

  /** The rules for tokens with these claims, as their {@code iss} says; null for no issuer. */
  @Nullable TokenRules rules(JsonObject claims) {
    Object iss = claims.getValue("iss");
    for (TokenRules rules : issuers) {
      if (rules.isFrom(iss)) {
        return rules;
      }
    }
    return null;
  }

  /** The rules of the issuer that has named a principal; null for one of a key. */
  @Nullable TokenRules rules(Principal principal) {
    for (TokenRules rules : issuers) {
      if (rules.names(principal)) {
        return rules;
      }
    }
    return null;
  }

  /** The scopes that a token needs whichever issuer it is of. */
  Set<String> requiredScopes() {
    Set<String> scopes = new TreeSet<>();
    issuers.stream().limit(1).forEach(first -> scopes.addAll(first.issuer().requiredScopes()));
    issuers.forEach(rules -> scopes.retainAll(rules.issuer().requiredScopes()));
    return scopes;
  }
}
