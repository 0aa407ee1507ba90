package dev.mcpbus.security;

import dev.mcpbus.protocol.Glob;
import dev.mcpbus.security.AuthOptions.Effect;
import dev.mcpbus.security.AuthOptions.Policy;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/**
 * What the principals may do whom the same policies concern. One instance for each such set, so
 * that what is worked out for one of them is good for all, and equality is identity. Safe on every
 * thread.
 *
 * <p>A denial beats every permission, whatever their order; what no policy permits is denied.
 */
public final class Rights {

  private static final int MAX_KNOWN = 10_000;

  /**
   * What is longer fits no policy: the work of a glob grows with the text, which callers choose.
   */
  private static final int MAX_NAME = 4_096;

  private static final int MAX_KNOWN_NAME = 256;

  private record Question(Action action, String server, String tool) {}

  private final List<Policy> policies;
  private final boolean open;
  private final boolean admin;
  private final Map<Question, Boolean> known = new ConcurrentHashMap<>();
  private final Map<String, Boolean> seen = new ConcurrentHashMap<>();

  /**
   * @param policies that concern the principal
   * @param open true where there are no policies at all
   * @param admin whether he may change what runs, where policies permit it
   */
  Rights(List<Policy> policies, boolean open, boolean admin) {
    this.policies = policies;
    this.open = open;
    this.admin = admin;
  }

  /** Whether they come to the same, though made of another configuration. */
  boolean sameAs(Rights other) {
    return open == other.open && admin == other.admin && policies.equals(other.policies);
  }

  /** True where nothing that needs no admin right is denied: nothing has to be looked at. */
  public boolean isUnbounded() {
    return open;
  }

  /** True where he may change what runs at all. */
  public boolean isAdmin() {
    return admin;
  }

  /** Whether he may do this: the question that every door asks before it sends anything. */
  public boolean permits(Operation operation) {
    String server = operation.server();
    return switch (operation.scope()) {
      case OWN -> true;
      case NAMED ->
          operation.action() == Action.LIST
              ? sees(server)
              : allows(operation.action(), server, operation.item());
      case NAMELESS -> open;
      case WHOLE -> open || allows(Action.ADMIN, server, "");
      case UNKNOWN -> open && admin;
    };
  }

  /**
   * Whether he may do this.
   *
   * @param tool a tool's or prompt's name, a resource's URI; empty for the server itself
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
    Question question = new Question(action, server, tool);
    if (tool.length() > MAX_KNOWN_NAME || server.length() > MAX_KNOWN_NAME) {
      return decide(question);
    }
    Boolean answer = known.get(question);
    if (answer == null) {
      answer = decide(question);
      if (known.size() >= MAX_KNOWN) {
        known.clear(); // names come from callers
      }
      known.put(question, answer);
    }
    return answer;
  }

  private boolean decide(Question question) {
    boolean allowed = false;
    for (Policy policy : policies) {
      if (concerns(policy, question)) {
        if (policy.effect() == Effect.DENY) {
          return false;
        }
        allowed = true;
      }
    }
    return allowed;
  }

  private static boolean concerns(Policy policy, Question question) {
    return (policy.actions().isEmpty() || policy.actions().contains(question.action()))
        && matches(policy.servers(), question.server())
        && (question.tool().isEmpty()
            ? policy.effect() == Effect.ALLOW || policy.tools().isEmpty()
            : matches(policy.tools(), question.tool()));
  }

  static boolean matches(List<String> globs, String text) {
    return globs.isEmpty() || globs.stream().anyMatch(glob -> Glob.matches(glob, text));
  }

  /** True where he may do anything at all with a server; else it is as if there was none. */
  public boolean sees(String server) {
    if (open) {
      return true;
    }
    if (server.length() > MAX_KNOWN_NAME) {
      return false; // no id is as long
    }
    Boolean answer = seen.get(server);
    if (answer == null) {
      answer = false;
      for (Action action : Action.values()) {
        answer |= allows(action, server, "");
      }
      if (seen.size() >= MAX_KNOWN) {
        seen.clear();
      }
      seen.put(server, answer);
    }
    return answer;
  }

  /** True for a tool, prompt or resource that he may use: what he may not use is never listed. */
  public boolean lists(Action use, String server, String tool) {
    return open || (allows(Action.LIST, server, tool) && allows(use, server, tool));
  }
}
