package dev.mcpbus.security;

import dev.mcpbus.protocol.Glob;
import dev.mcpbus.protocol.UriForms;
import dev.mcpbus.security.AuthOptions.Effect;
import dev.mcpbus.security.AuthOptions.Policy;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * What a principal may do. Principals to whom the same policies apply share one instance and its
 * cache. Every door calls {@link #permits} before it sends a request. Safe on every thread.
 *
 * <p>A denial beats every permission, in any order; what no policy permits is denied.
 */
public final class Rights {

  private static final int MAX_KNOWN = 10_000;

  /**
   * Characters. Longer names match no policy: the cost of a glob grows with the name, and callers
   * choose the name.
   */
  private static final int MAX_NAME = 4_096;

  private static final int MAX_KNOWN_NAME = 256;

  private record Query(Action action, String server, String tool) {

    /** Whether the item is the URI of a resource. */
    boolean isUri() {
      boolean read = action == Action.READ || action == Action.SUBSCRIBE;
      return (read && !tool.isEmpty()) || tool.contains(":");
    }
  }

  /**
   * An item's name, and the URIs as which a server may read it; made only if a policy needs them.
   */
  private static final class NamedItem {
    private final String name;
    private @Nullable UriForms forms;

    NamedItem(String name) {
      this.name = name;
    }

    UriForms forms() {
      UriForms known = forms;
      if (known == null) {
        known = UriForms.of(name);
        forms = known;
      }
      return known;
    }
  }

  /**
   * A policy.
   *
   * @param uris its globs over tools, for each form of a URI
   */
  private record Rule(Policy policy, List<String> uris) {

    static Rule of(Policy policy) {
      return new Rule(policy, policy.tools().stream().map(UriForms::pattern).toList());
    }
  }

  private final List<Policy> policies;
  private final List<Rule> rules;
  private final boolean open;
  private final boolean admin;
  private final Map<Query, Boolean> known = new ConcurrentHashMap<>();
  private final Map<String, Boolean> visible = new ConcurrentHashMap<>();

  /**
   * @param policies those that apply to the principal
   * @param open true if there are no policies at all
   * @param admin whether the principal may change what runs, if policies permit it
   */
  Rights(List<Policy> policies, boolean open, boolean admin) {
    this.policies = policies;
    this.rules = policies.stream().map(Rule::of).toList();
    this.open = open;
    this.admin = admin;
  }

  /** Whether both allow the same, even if they come from different configurations. */
  boolean sameAs(Rights other) {
    return open == other.open && admin == other.admin && policies.equals(other.policies);
  }

  /** True if nothing but admin operations is denied; then listings need no filter. */
  public boolean isUnbounded() {
    return open;
  }

  /** Whether the principal has the admin right. */
  public boolean isAdmin() {
    return admin;
  }

  /** Whether the principal may do this; every door checks it before it sends anything. */
  public boolean permits(Operation operation) {
    String server = operation.server();
    return switch (operation.scope()) {
      case OWN -> true;
      case NAMED ->
          switch (operation.action()) {
            case LIST -> sees(server);
            case METRICS -> measures(server);
            default -> allows(operation.action(), server, operation.item());
          };
      case NAMELESS -> open;
      case WHOLE -> open || allows(Action.ADMIN, server, "");
      case SOME ->
          allowsSomewhere(operation.action())
              || (operation.action() == Action.METRICS && allowsSomewhere(Action.ADMIN));
      case UNKNOWN -> open && admin;
    };
  }

  /**
   * Whether the principal may see the metrics.
   *
   * @param server of this server; empty for those of all together
   */
  private boolean measures(String server) {
    return (server.isEmpty() || sees(server))
        && (allows(Action.METRICS, server, "") || allows(Action.ADMIN, server, ""));
  }

  /** Whether a policy permits the action on any server; a denial may take that server out again. */
  private boolean allowsSomewhere(Action action) {
    if (action == Action.ADMIN && !admin) {
      return false;
    }
    return open
        || policies.stream()
            .anyMatch(policy -> policy.effect() == Effect.ALLOW && covers(policy, action));
  }

  /**
   * Whether the principal may do this.
   *
   * @param server empty for what concerns all servers: then no denial may name any server
   * @param tool name of a tool or prompt, URI of a resource; empty for the server itself
   */
  public boolean allows(Action action, String server, String tool) {
    if (action == Action.ADMIN && !admin) {
      return false;
    }
    if (open) {
      return true;
    }
    if (tool.length() > MAX_NAME || server.length() > MAX_NAME) {
      return false;
    }
    return allows(new Query(action, server, tool), new NamedItem(tool));
  }

  private boolean allows(Query query, NamedItem item) {
    if (query.tool().length() > MAX_KNOWN_NAME || query.server().length() > MAX_KNOWN_NAME) {
      return decide(query, item);
    }
    Boolean answer = known.get(query);
    if (answer == null) {
      answer = decide(query, item);
      if (known.size() >= MAX_KNOWN) {
        known.clear(); // bounded: names come from callers
      }
      known.put(query, answer);
    }
    return answer;
  }

  private boolean decide(Query query, NamedItem item) {
    boolean allowed = false;
    for (Rule rule : rules) {
      if (concerns(rule, query, item)) {
        if (rule.policy().effect() == Effect.DENY) {
          return false;
        }
        allowed = true;
      }
    }
    return allowed;
  }

  private static boolean concerns(Rule rule, Query query, NamedItem item) {
    Policy policy = rule.policy();
    if (!covers(policy, query.action())) {
      return false;
    }
    if (query.server().isEmpty() && policy.effect() == Effect.DENY) {
      // What concerns all servers concerns those that a denial names; the metrics name the tools.
      return policy.tools().isEmpty() || query.action() == Action.METRICS;
    }
    return matches(policy.servers(), query.server())
        && (query.tool().isEmpty()
            ? policy.effect() == Effect.ALLOW || policy.tools().isEmpty()
            : policy.effect() == Effect.DENY
                ? denies(rule, item)
                : permits(policy.tools(), query, item));
  }

  /** Whether a policy speaks of an action; of the metrics a permission has to speak by name. */
  private static boolean covers(Policy policy, Action action) {
    return policy.actions().isEmpty()
        ? action != Action.METRICS || policy.effect() == Effect.DENY
        : policy.actions().contains(action);
  }

  /** A denial names an item in every form: a server may be lenient with names, too. */
  private static boolean denies(Rule rule, NamedItem item) {
    return matches(rule.policy().tools(), item.name)
        || rule.uris().stream().anyMatch(glob -> item.forms().matches(glob));
  }

  /**
   * A permission names an item as it is written; a URI that may leave the folder that is permitted
   * is not named.
   */
  private static boolean permits(List<String> globs, Query query, NamedItem item) {
    return globs.isEmpty()
        || globs.stream()
            .filter(glob -> Glob.matches(glob, item.name))
            .anyMatch(glob -> !query.isUri() || item.forms().stayWithin(glob));
  }

  /**
   * Whether a denial of any action names the item: for a message of which mcpbus does not know what
   * the server does with the item.
   */
  public boolean denies(String server, String item) {
    NamedItem named = new NamedItem(item);
    return rules.stream()
        .filter(rule -> rule.policy().effect() == Effect.DENY && !rule.uris().isEmpty())
        .filter(rule -> matches(rule.policy().servers(), server))
        .anyMatch(
            rule ->
                item.length() > MAX_NAME
                    ? matches(rule.policy().tools(), item)
                    : denies(rule, named));
  }

  static boolean matches(List<String> globs, String text) {
    return globs.isEmpty() || globs.stream().anyMatch(glob -> Glob.matches(glob, text));
  }

  /** Whether the principal may do anything with a server; if not, the server is hidden from it. */
  public boolean sees(String server) {
    if (open) {
      return true;
    }
    if (server.length() > MAX_KNOWN_NAME) {
      return false; // ids are shorter
    }
    Boolean answer = visible.get(server);
    if (answer == null) {
      answer = false;
      for (Action action : Action.values()) {
        answer |= action != Action.METRICS && allows(action, server, "");
      }
      if (visible.size() >= MAX_KNOWN) {
        visible.clear();
      }
      visible.put(server, answer);
    }
    return answer;
  }

  /**
   * Whether the principal may list and call every tool of a server. If not, the number of its tools
   * tells what the principal's lists hide.
   */
  public boolean listsAllTools(String server) {
    return open
        || List.of(Action.LIST, Action.CALL).stream()
            .allMatch(
                action -> {
                  List<Policy> about =
                      policies.stream()
                          .filter(policy -> covers(policy, action))
                          .filter(policy -> matches(policy.servers(), server))
                          .toList();
                  return about.stream().noneMatch(policy -> policy.effect() == Effect.DENY)
                      && about.stream()
                          .anyMatch(
                              policy -> policy.tools().isEmpty() || policy.tools().contains("*"));
                });
  }

  /** Whether the principal may list and use a tool, prompt or resource; others are not listed. */
  public boolean lists(Action use, String server, String tool) {
    if (open) {
      return true;
    }
    if (tool.length() > MAX_NAME || server.length() > MAX_NAME) {
      return false;
    }
    NamedItem item = new NamedItem(tool); // both questions read it once
    return allows(new Query(Action.LIST, server, tool), item)
        && allows(new Query(use, server, tool), item);
  }
}
