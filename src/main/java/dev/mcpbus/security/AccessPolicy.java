package dev.mcpbus.security;

import dev.mcpbus.protocol.Glob;
import dev.mcpbus.security.AuthOptions.Policy;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/** Who may do what. One for all doors of a process, safe on every thread. */
public final class AccessPolicy {

  /** All that needs no admin right. Nobody's: to look at what there is. */
  public static final Rights WHOLE = new Rights(List.of(), true, false);

  private static final String ROLE = "role:";
  private static final int MAX_KNOWN = 10_000;

  /** Tokens may name any scopes: callers with so many are not remembered. */
  private static final int MAX_ROLES = 64;

  /** Sets of policies that concern somebody; who may choose scopes could make very many. */
  private static final int MAX_SETS = 1_000;

  private record Same(List<Policy> policies, boolean admin) {}

  private record Found(Principal principal, Rights rights) {}

  private final List<Policy> policies;
  private final Map<Same, Rights> sets = new ConcurrentHashMap<>();
  private final Map<Principal, Rights> known = new ConcurrentHashMap<>();

  /** Most requests have the principal of the one before; to compare costs less than to hash. */
  private volatile @Nullable Found latest;

  public AccessPolicy(List<Policy> policies) {
    this.policies = List.copyOf(policies);
  }

  /** Worked out once for each principal. */
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
        known.clear(); // subjects come from tokens
      }
      known.put(principal, rights);
    }
    latest = new Found(principal, rights);
    return rights;
  }

  /** Whether this tool is there for him. */
  public boolean visible(Principal principal, String server, String tool) {
    return rights(principal).lists(Action.CALL, server, tool);
  }

  private Rights find(Principal principal) {
    List<Policy> his = new ArrayList<>();
    for (Policy policy : policies) {
      if (matches(policy.principals(), principal)) {
        his.add(policy);
      }
    }
    if (sets.size() >= MAX_SETS) {
      sets.clear();
      known.clear();
    }
    return sets.computeIfAbsent(
        new Same(his, principal.admin()),
        same -> new Rights(same.policies(), policies.isEmpty(), same.admin()));
  }

  /**
   * Whether he is meant.
   *
   * @param principals globs over names, and {@code role:} with globs over roles; all where empty
   */
  public static boolean matches(List<String> principals, Principal who) {
    if (principals.isEmpty()) {
      return true;
    }
    for (String glob : principals) {
      boolean his =
          glob.startsWith(ROLE)
              ? who.roles().stream()
                  .anyMatch(role -> Glob.matches(glob.substring(ROLE.length()), role))
              : Glob.matches(glob, who.name());
      if (his) {
        return true;
      }
    }
    return false;
  }
}
