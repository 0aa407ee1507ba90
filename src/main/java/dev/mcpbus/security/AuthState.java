package dev.mcpbus.security;

import dev.mcpbus.security.AuthOptions.ApiKey;
import dev.mcpbus.security.AuthOptions.Jwt;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * All that one configuration of {@code auth} says, as doors ask for it. Immutable but for what it
 * remembers of its own answers: a reload makes another one and swaps one reference.
 */
final class AuthState {

  private final AuthOptions options;
  private final AccessPolicy policy;
  private final ApiKeys keys;
  private final RateLimits limits;
  private final ProtectedResourceMetadata resource;
  private final @Nullable TokenRules tokens;

  /**
   * @param admin the key of this process alone, null where the configuration has keys
   */
  AuthState(AuthOptions options, @Nullable ApiKey admin) {
    List<ApiKey> all = new ArrayList<>(options.apiKeys());
    if (admin != null) {
      all.add(admin);
    }
    Jwt jwt = options.jwt();
    this.options = options;
    this.policy = new AccessPolicy(options.policies());
    this.keys = new ApiKeys(all);
    this.limits = new RateLimits(options.limits(), options.apiKeys());
    this.resource = new ProtectedResourceMetadata(jwt);
    this.tokens = jwt == null ? null : new TokenRules(jwt);
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

  /** Null where no tokens are taken. */
  @Nullable TokenRules tokens() {
    return tokens;
  }

  Set<String> requiredScopes() {
    Jwt jwt = options.jwt();
    return jwt == null ? Set.of() : jwt.requiredScopes();
  }

  Set<String> adminScopes() {
    Jwt jwt = options.jwt();
    return jwt == null ? Set.of() : jwt.adminScopes();
  }
}
