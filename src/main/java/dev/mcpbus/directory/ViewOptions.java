package dev.mcpbus.directory;

import dev.mcpbus.protocol.ServerId;
import java.util.List;
import java.util.Map;
import java.util.function.UnaryOperator;
import java.util.stream.Collectors;

/**
 * A configured selection of the servers' entries, served at {@code /mcp/<name>}. Immutable.
 *
 * @param servers ids; empty for all
 * @param allow globs over {@code server.tool} ({@code *} any text, {@code ?} one character), also
 *     over {@code server.prompt} and {@code server.uri}; empty for everything
 * @param deny the same; an entry that both match is denied
 * @param rename from {@code server.tool} to the name that clients see, tools and prompts
 * @param closed whether a list fails while one of the servers is down or has not listed; if not, it
 *     lacks the entries of that server
 * @param search whether {@code tools/list} has three tools in place of all: to search, to describe
 *     and to call them
 * @param principals who may use the view: globs over names, or {@code role:} and a glob over roles;
 *     empty for all; for other principals the view does not exist
 * @param plainNames whether tools, prompts and URIs have their servers' own names; a name that
 *     several servers have then leads to none of them
 * @param passUnknown whether requests and notifications that MCP does not define pass to the server
 *     whose thing they name
 */
public record ViewOptions(
    List<String> servers,
    List<String> allow,
    List<String> deny,
    Map<String, String> rename,
    boolean closed,
    boolean search,
    List<String> principals,
    boolean plainNames,
    boolean passUnknown) {

  /** With names that begin with their server. */
  public ViewOptions(
      List<String> servers,
      List<String> allow,
      List<String> deny,
      Map<String, String> rename,
      boolean closed,
      boolean search,
      List<String> principals) {
    this(servers, allow, deny, rename, closed, search, principals, false);
  }

  /** Without requests that MCP does not define. */
  public ViewOptions(
      List<String> servers,
      List<String> allow,
      List<String> deny,
      Map<String, String> rename,
      boolean closed,
      boolean search,
      List<String> principals,
      boolean plainNames) {
    this(servers, allow, deny, rename, closed, search, principals, plainNames, false);
  }

  public ViewOptions {
    UnaryOperator<String> items = ServerId.itemPatterns(servers);
    servers = servers.stream().map(ServerId::pattern).toList();
    allow = allow.stream().map(items).toList();
    deny = deny.stream().flatMap(ServerId::itemDenials).distinct().toList();
    rename =
        rename.entrySet().stream()
            .collect(
                Collectors.toUnmodifiableMap(
                    one -> items.apply(one.getKey()),
                    Map.Entry::getValue,
                    (first, second) -> first));
    principals = List.copyOf(principals);
  }
}
