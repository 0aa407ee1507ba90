package dev.mcpbus.protocol;

import java.util.Set;

/** Keys of {@code _meta}: those that MCP reserves (MCP 2026-07-28, _meta), and those of mcpbus. */
public final class MetaKeys {

  /** Keys of mcpbus begin with it. */
  public static final String OURS = "dev.mcpbus/";

  public static final String PROTOCOL_VERSION = "io.modelcontextprotocol/protocolVersion";
  public static final String CLIENT_INFO = "io.modelcontextprotocol/clientInfo";
  public static final String CLIENT_CAPABILITIES = "io.modelcontextprotocol/clientCapabilities";
  public static final String LOG_LEVEL = "io.modelcontextprotocol/logLevel";
  public static final String SERVER_INFO = "io.modelcontextprotocol/serverInfo";
  public static final String SUBSCRIPTION_ID = "io.modelcontextprotocol/subscriptionId";

  /** The task that a message belongs to; 2025-11-25 only. */
  public static final String RELATED_TASK = "io.modelcontextprotocol/related-task";

  public static final String PROGRESS_TOKEN = "progressToken";
  public static final String TRACEPARENT = "traceparent";
  public static final String TRACESTATE = "tracestate";
  public static final String BAGGAGE = "baggage";

  /**
   * Of mcpbus, in a request of a {@code discover} client: tells several programs of one principal
   * and one name apart.
   */
  public static final String CLIENT = "dev.mcpbus/client";

  /** By these a caller of the {@code discover} era describes itself in each request. */
  public static final Set<String> DESCRIBING =
      Set.of(PROTOCOL_VERSION, CLIENT_INFO, CLIENT_CAPABILITIES, LOG_LEVEL, CLIENT);

  /**
   * Of mcpbus, in a list of tools: the names of tools that are omitted because they differ from
   * their pins.
   */
  public static final String QUARANTINED = "dev.mcpbus/quarantined";

  /** Of mcpbus, in a list of tools: the reason why a tool of the server is omitted, by its name. */
  public static final String LEFT_OUT = "dev.mcpbus/leftOut";

  /** Of mcpbus, in a list of tools: the names of tools whose schemas are used as mended. */
  public static final String MENDED = "dev.mcpbus/mended";

  /**
   * Of mcpbus, in a handshake or a list: each mcpbus that the result has passed; see {@link
   * LoopMark}.
   */
  public static final String VIA = "dev.mcpbus/via";

  /** Of mcpbus, in the handshake of one server's endpoint: its own name and version. */
  public static final String GATEWAY = "dev.mcpbus/gateway";

  /**
   * Of mcpbus, in the answer to {@code mcp.<id>.skills.read}: the skill, the digest of the content,
   * and whether the entry of the skill confirms it.
   */
  public static final String SKILL = "dev.mcpbus/skill";

  /** Of mcpbus, in an entry of an aggregate list: the id of the server that lists it. */
  public static final String SERVER = "dev.mcpbus/server";

  /** Of mcpbus, in an entry of an aggregate list: true while its server is not ready. */
  public static final String STALE = "dev.mcpbus/stale";

  /** Of mcpbus, in an aggregate list: the omitted entries and the reasons. */
  public static final String PROBLEMS = "dev.mcpbus/problems";

  /** Of mcpbus, in an aggregate list: the servers that list nothing, and the reasons. */
  public static final String NOT_LISTED = "dev.mcpbus/notListed";

  private MetaKeys() {}
}
