package dev.mcpbus.directory;

import dev.mcpbus.bus.Addresses;
import dev.mcpbus.bus.Events;

/** What a server lists, and how it is named in the aggregate. */
public enum Kind {
  TOOLS(
      "tools", "name", true, Addresses.TOOLS_LIST, Addresses.ALL_TOOLS_LIST, Events.TOOLS_CHANGED),
  /** Named by URIs of their own: only marked with their server. */
  RESOURCES(
      "resources",
      "uri",
      false,
      Addresses.RESOURCES_LIST,
      Addresses.ALL_RESOURCES_LIST,
      Events.RESOURCES_CHANGED),
  PROMPTS(
      "prompts",
      "name",
      true,
      Addresses.PROMPTS_LIST,
      Addresses.ALL_PROMPTS_LIST,
      Events.PROMPTS_CHANGED);

  /** Member of the MCP result that holds the list. */
  public final String member;

  /** Member of an entry that tells it from the others of its server. */
  public final String key;

  /** True where the aggregate says {@code server.name}. */
  public final boolean prefixed;

  /** Suffix of one server's address. */
  public final String suffix;

  /** Address of the aggregate. */
  public final String aggregate;

  /** Type of the event that says that the list changed. */
  public final String changed;

  Kind(
      String member,
      String key,
      boolean prefixed,
      String suffix,
      String aggregate,
      String changed) {
    this.member = member;
    this.key = key;
    this.prefixed = prefixed;
    this.suffix = suffix;
    this.aggregate = aggregate;
    this.changed = changed;
  }
}
