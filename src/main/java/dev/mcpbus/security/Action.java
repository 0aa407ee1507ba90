package dev.mcpbus.security;

import java.util.Locale;

/** What a request does, in the one word that policies and the audit log have for it. */
public enum Action {
  /** Looks at what there is: servers, lists, states, events. */
  LIST,
  /** Uses a tool, or any method of a server that has no word of its own. */
  CALL,
  /** Reads a resource. */
  READ,
  /** Gets a prompt. */
  GET,
  /** Wants to hear of changes of a resource. */
  SUBSCRIBE,
  /** Changes what runs: may start or stop a process. Needs the admin right beside any policy. */
  ADMIN;

  /** As documents, configuration and the audit log write it. */
  public String word() {
    return name().toLowerCase(Locale.ROOT);
  }
}
