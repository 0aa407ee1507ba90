package dev.mcpbus.security;

import java.util.Locale;

/** What a request does, in the one word that rights are given by. */
public enum Action {
  /** Looks at what there is: lists, states, events. */
  READ,
  /** Uses a server: its tools, the contents of its resources, its questions. */
  CALL,
  /** Changes what runs, or sees what everybody does: may start or stop a process. */
  ADMIN;

  /** As documents and configuration write it. */
  public String word() {
    return name().toLowerCase(Locale.ROOT);
  }
}
