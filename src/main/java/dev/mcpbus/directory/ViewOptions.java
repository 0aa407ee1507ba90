package dev.mcpbus.directory;

import java.util.List;
import java.util.Map;

/**
 * A selection of what the servers offer, served at {@code /mcp/<name>}.
 *
 * @param servers ids, all where empty
 * @param allow globs over {@code server.tool} ({@code *} any text, {@code ?} one character), also
 *     over {@code server.prompt} and {@code server.uri}; everything where empty
 * @param deny the same; what both name is denied
 * @param rename from {@code server.tool} to the name that clients see, tools and prompts
 * @param closed true where a list fails while one of the servers is down; else such a server costs
 *     its own entries
 * @param search true where {@code tools/list} has three tools in place of all: to search, to
 *     describe and to call them
 * @param principals who may enter, globs over names and {@code role:} with globs over roles;
 *     everybody where empty, and for others there is no such view
 */
public record ViewOptions(
    List<String> servers,
    List<String> allow,
    List<String> deny,
    Map<String, String> rename,
    boolean closed,
    boolean search,
    List<String> principals) {

  /** For everybody, with its tools in its list. */
  public ViewOptions(
      List<String> servers,
      List<String> allow,
      List<String> deny,
      Map<String, String> rename,
      boolean closed) {
    this(servers, allow, deny, rename, closed, false, List.of());
  }

  public ViewOptions {
    servers = List.copyOf(servers);
    allow = List.copyOf(allow);
    deny = List.copyOf(deny);
    rename = Map.copyOf(rename);
    principals = List.copyOf(principals);
  }
}
