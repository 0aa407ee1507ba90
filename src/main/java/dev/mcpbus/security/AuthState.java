package dev.mcpbus.security;

import dev.mcpbus.internals.OptionalLibrary;
import dev.mcpbus.security.AuthOptions.ApiKey;
import dev.mcpbus.security.AuthOptions.Jwt;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
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
  private final @Nullable TokenRules tokens;

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
    Jwt jwt = options.jwt();
    if (jwt != null) {
      OptionalLibrary.NIMBUS.require();
    }
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

  /** Null if the configuration accepts no tokens. */
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
