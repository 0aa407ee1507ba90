package dev.mcpbus.security;

import dev.mcpbus.security.AuthOptions.ApiKey;
import dev.mcpbus.security.AuthOptions.Limits;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** The limits of each principal, by the configuration. Immutable. */
public final class RateLimits {

  private final Limits common;
  private final Map<String, Limits> own = new HashMap<>();

  /**
   * @param common for each principal whose key has no limits of its own
   */
  public RateLimits(Limits common, List<ApiKey> keys) {
    this.common = common;
    for (ApiKey key : keys) {
      Limits limits = key.limits();
      if (limits != null) {
        own.put(key.name(), limits);
      }
    }
  }

  public Limits of(Principal principal) {
    return own.getOrDefault(principal.name(), common);
  }
}
