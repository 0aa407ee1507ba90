package dev.mcpbus.security;

import java.util.Locale;

/** What a request does, in the words that policies and the audit log use. */
public enum Action {
  /** Looks at what there is: servers, lists, states, events. */
  LIST,
  /** Calls a tool, or any method of a server that no other action covers. */
  CALL,
  /** Reads a resource. */
  READ,
  /** Gets a prompt. */
  GET,
  /** Subscribes to changes of a resource. */
  SUBSCRIBE,
  /**
   * Reads the metrics, which name every server and its tools. A policy permits it only if it names
   * this action.
   */
  METRICS,
  /**
   * Changes what runs: may start or stop a process. Requires the admin right as well as a policy.
   */
  ADMIN;

  /** The name as documents, the configuration and the audit log write it. */
  public String word() {
    return name().toLowerCase(Locale.ROOT);
  }
}
