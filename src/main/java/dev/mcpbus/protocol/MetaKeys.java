package dev.mcpbus.protocol;

/** Keys of {@code _meta}: those that MCP reserves (MCP 2026-07-28, _meta), and ours. */
public final class MetaKeys {

  public static final String PROTOCOL_VERSION = "io.modelcontextprotocol/protocolVersion";
  public static final String CLIENT_INFO = "io.modelcontextprotocol/clientInfo";
  public static final String CLIENT_CAPABILITIES = "io.modelcontextprotocol/clientCapabilities";
  public static final String LOG_LEVEL = "io.modelcontextprotocol/logLevel";
  public static final String SERVER_INFO = "io.modelcontextprotocol/serverInfo";
  public static final String SUBSCRIPTION_ID = "io.modelcontextprotocol/subscriptionId";

  /** Of 2025-11-25: the task that a message belongs to. */
  public static final String RELATED_TASK = "io.modelcontextprotocol/related-task";

  public static final String PROGRESS_TOKEN = "progressToken";
  public static final String TRACEPARENT = "traceparent";

  /** Ours, of a list of tools: names of those left out because they differ from their pins. */
  public static final String QUARANTINED = "dev.mcpbus/quarantined";

  /** Ours, in a list of tools: why a tool of the server is not in it, by its name. */
  public static final String LEFT_OUT = "dev.mcpbus/leftOut";

  /** Ours, of a handshake or a list: every mcpbus that it came through; see {@link Via}. */
  public static final String VIA = "dev.mcpbus/via";

  /** Ours, in an entry of an aggregate list: the id of the server that lists it. */
  public static final String SERVER = "dev.mcpbus/server";

  /** Ours, in an entry of an aggregate list: true while its server is not ready. */
  public static final String STALE = "dev.mcpbus/stale";

  /** Ours, of an aggregate list: which entries were left out, and why. */
  public static final String PROBLEMS = "dev.mcpbus/problems";

  private MetaKeys() {}
}
