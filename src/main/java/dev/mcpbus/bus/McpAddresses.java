package dev.mcpbus.bus;

import dev.mcpbus.protocol.PublicApi;

/**
 * Addresses that a program uses besides the facade; {@code src/docs/addresses.md} has all of them,
 * with the body and the reply of each.
 *
 * <p>An address of one server is {@code mcp.<id>.<suffix>}, see {@link #of}; {@code SERVERS} are of
 * the configured servers, {@code ALL} of all servers together.
 */
@PublicApi
public abstract class McpAddresses {

  /** The suffixes of one server begin here. */
  public static final String TOOLS_LIST = "tools.list";

  public static final String TOOLS_CALL = "tools.call";
  public static final String RESOURCES_LIST = "resources.list";
  public static final String RESOURCES_TEMPLATES = "resources.templates";
  public static final String RESOURCES_READ = "resources.read";
  public static final String RESOURCES_SUBSCRIBE = "resources.subscribe";
  public static final String RESOURCES_UNSUBSCRIBE = "resources.unsubscribe";
  public static final String PROMPTS_LIST = "prompts.list";
  public static final String PROMPTS_GET = "prompts.get";
  public static final String COMPLETION = "completion";
  public static final String PING = "ping";
  public static final String STATUS = "status";
  public static final String REQUEST = "request";
  public static final String CANCEL = "cancel";
  public static final String EVENTS = "events";
  public static final String INPUT = "input";

  /** From here on whole addresses. */
  public static final String ALL_EVENTS = "mcp.events";

  public static final String ALL_INPUT = "mcp.input";
  public static final String RPC = "mcp.rpc";
  public static final String SERVERS_ADD = "mcp.servers.add";
  public static final String SERVERS_REMOVE = "mcp.servers.remove";
  public static final String SERVERS_LIST = "mcp.servers.list";
  public static final String ALL_TOOLS_LIST = "mcp.tools.list";
  public static final String ALL_TOOLS_CALL = "mcp.tools.call";
  public static final String ALL_TOOLS_FUNCTIONS = "mcp.tools.functions";
  public static final String ALL_TOOLS_FUNCTIONS_CALL = "mcp.tools.functions.call";

  McpAddresses() {}

  /** {@code mcp.<id>.<suffix>}. */
  public static String of(ConnectionId id, String suffix) {
    return Addresses.OURS + id.value() + "." + suffix;
  }
}
