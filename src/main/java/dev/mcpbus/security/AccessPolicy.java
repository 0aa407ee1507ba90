package dev.mcpbus.security;

import dev.mcpbus.protocol.Glob;
import dev.mcpbus.security.AuthOptions.Policy;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * Finds the {@link Rights} of a principal from the configured policies, and remembers them. All
 * doors of a process share one instance. Thread-safe.
 */
public final class AccessPolicy {

  /**
   * Everything that does not require the admin right. Belongs to no principal; used to see all that
   * there is.
   */
  public static final Rights WHOLE = new Rights(List.of(), true, false);

  private static final String ROLE = "role:";
  private static final int MAX_KNOWN = 10_000;

  /**
   * Tokens may name any scopes; the rights of a principal with more roles than this are not cached.
   */
  private static final int MAX_ROLES = 64;

  /** Bound of {@link #sets}: a caller that can choose its token's scopes could create very many. */
  private static final int MAX_SETS = 1_000;

  private record RightsKey(List<Policy> policies, boolean admin) {}

  private record Found(Principal principal, Rights rights) {}

  private final List<Policy> policies;
  private final Map<RightsKey, Rights> sets = new ConcurrentHashMap<>();
  private final Map<Principal, Rights> known = new ConcurrentHashMap<>();

  /**
   * The last result. Most requests come from the same principal as the request before, and a
   * comparison costs less than the principal's hash.
   */
  private volatile @Nullable Found latest;

  public AccessPolicy(List<Policy> policies) {
    this.policies = List.copyOf(policies);
  }

  /** The rights of {@code principal}; computed once and cached. */
  public Rights rights(Principal principal) {
    if (principal.roles().size() > MAX_ROLES) {
      return find(principal);
    }
    Found before = latest;
    if (before != null && before.principal().equals(principal)) {
      return before.rights();
    }
    Rights rights = known.get(principal);
    if (rights == null) {
      rights = find(principal);
      if (known.size() >= MAX_KNOWN) {
        known.clear(); // bounded: subjects come from tokens
      }
      known.put(principal, rights);
    }
    latest = new Found(principal, rights);
    return rights;
  }

  private Rights find(Principal principal) {
    List<Policy> matching = new ArrayList<>();
    for (Policy policy : policies) {
      if (matches(policy.principals(), principal)) {
        matching.add(policy);
      }
    }
    if (sets.size() >= MAX_SETS) {
      sets.clear();
      known.clear();
    }
    return sets.computeIfAbsent(
        new RightsKey(matching, principal.admin()),
        key -> new Rights(key.policies(), policies.isEmpty(), key.admin()));
  }

  /**
   * Whether {@code principals} include {@code principal}.
   *
   * @param principals globs over names, or {@code role:} and a glob over roles; empty: everyone
   */
  public static boolean matches(List<String> principals, Principal principal) {
    if (principals.isEmpty()) {
      return true;
    }
    for (String glob : principals) {
      boolean found =
          glob.startsWith(ROLE)
              ? principal.roles().stream()
                  .anyMatch(role -> Glob.matches(glob.substring(ROLE.length()), role))
              : Glob.matches(glob, principal.name());
      if (found) {
        return true;
      }
    }
    return false;
  }
}
