package dev.mcpbus.bus;

/** Every address of the bus. The table in {@code README.md} says what each takes and gives. */
public final class Addresses {

  /** Suffixes of {@code mcp.<id>.}, for {@link #of}. */
  public static final String TOOLS_LIST = "tools.list";

  public static final String TOOLS_CALL = "tools.call";
  public static final String TOOLS_METADATA = "tools.metadata";
  public static final String TASKS_GET = "tasks.get";
  public static final String TASKS_RESULT = "tasks.result";
  public static final String TASKS_UPDATE = "tasks.update";
  public static final String TASKS_CANCEL = "tasks.cancel";
  public static final String TASKS_LIST = "tasks.list";
  public static final String TOOLS_DRIFT = "tools.drift";
  public static final String TOOLS_APPROVE = "tools.approve";
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
  public static final String CONNECT = "connect";
  public static final String DISCONNECT = "disconnect";
  public static final String RESTART = "restart";
  public static final String LOGLEVEL = "loglevel";
  public static final String REQUEST = "request";
  public static final String ROOTS_CHANGED = "roots.changed";
  public static final String CANCEL = "cancel";
  public static final String EVENTS = "events";
  public static final String INPUT = "input";

  /** Commands of the supervisor to its child, on the child's own node only. */
  public static final String CONTROL = "control";

  /** Facts of the children to their supervisor, on one node only. */
  public static final String SUPERVISOR = "mcp.supervisor";

  public static final String ALL_EVENTS = "mcp.events";
  public static final String ALL_INPUT = "mcp.input";
  public static final String RPC = "mcp.rpc";

  /** Followed by the id of a call: its progress, to who has made it. */
  public static final String PROGRESS = "mcp.progress.";

  /** Questions of servers, from their connections, on one node only. */
  public static final String INPUT_ASK = "mcp.input.ask";

  /** A question that nobody wants an answer to any more, on one node only. */
  public static final String INPUT_DROP = "mcp.input.drop";

  public static final String INPUT_OFFER = "mcp.input.offer";
  public static final String INPUT_WITHDRAW = "mcp.input.withdraw";
  public static final String INPUT_OFFERS = "mcp.input.offers";
  public static final String INPUT_PENDING = "mcp.input.pending";
  public static final String INPUT_RESPOND = "mcp.input.respond";

  /** Published: all offers, after each change; and a wish that all be made again. */
  public static final String INPUT_OFFERED = "mcp.input.offered";

  public static final String INPUT_RENEW = "mcp.input.renew";

  /** Between the nodes of a cluster: offers as they come and go; followed by a node, questions. */
  public static final String INPUT_SHARED = "mcp.input.shared";

  public static final String INPUT_NODES = "mcp.input.nodes";

  public static final String SERVERS_ADD = "mcp.servers.add";
  public static final String SERVERS_REMOVE = "mcp.servers.remove";
  public static final String SERVERS_LIST = "mcp.servers.list";
  public static final String SERVERS_GET = "mcp.servers.get";

  /** The nodes of the cluster, as the one that is asked sees them. */
  public static final String SERVERS_NODES = "mcp.servers.nodes";

  /** Published between the nodes of a cluster: who owns what, and who is there. */
  public static final String PLACEMENT = "mcp.placement";

  /** Followed by the id of a node, which keeps the limits of some principals for all nodes. */
  public static final String LIMITS = "mcp.limits.";

  public static final String SERVERS_LEASE = "mcp.servers.lease";
  public static final String SERVERS_RELEASE = "mcp.servers.release";

  /** What servers list, and who wants to hear of which resource; on one node only. */
  public static final String GATEWAY_DIRECTORY = "mcp.gateway.directory";

  public static final String GATEWAY_SUBSCRIBE = "mcp.gateway.subscribe";

  /** Published on one node only: lists may have changed; a resource was updated. */
  public static final String GATEWAY_CHANGED = "mcp.gateway.changed";

  public static final String GATEWAY_UPDATED = "mcp.gateway.updated";

  /** Published on one node only: a node has left the cluster, or joined it. */
  public static final String GATEWAY_LEFT = "mcp.gateway.left";

  public static final String GATEWAY_JOINED = "mcp.gateway.joined";

  /**
   * Between the nodes of a cluster: who wants to hear of a resource; published when one is free.
   */
  public static final String GATEWAY_HOLDERS = "mcp.gateway.holders";

  public static final String GATEWAY_FREED = "mcp.gateway.freed";

  /** Followed by the name of a host: sessions, and what their calls tell on the way. */
  public static final String GATEWAY_SESSIONS = "mcp.gateway.sessions.";

  public static final String GATEWAY_CALLS = "mcp.gateway.calls.";
  public static final String GATEWAY_INPUT = "mcp.gateway.input.";
  public static final String GATEWAY_LEASED = "mcp.gateway.leased.";

  /** Followed by the name of an HTTP verticle: messages for its open responses. */
  public static final String GATEWAY_RESPONSES = "mcp.gateway.responses.";

  /** Followed by the name of an HTTP verticle: what clients of its HTTP+SSE streams say. */
  public static final String GATEWAY_SSE = "mcp.gateway.sse.";

  public static final String ALL_TOOLS_LIST = "mcp.tools.list";
  public static final String ALL_TOOLS_CALL = "mcp.tools.call";
  public static final String ALL_TOOLS_SEARCH = "mcp.tools.search";
  public static final String ALL_TOOLS_DESCRIBE = "mcp.tools.describe";
  public static final String ALL_TOOLS_FUNCTIONS = "mcp.tools.functions";
  public static final String ALL_TOOLS_FUNCTIONS_CALL = "mcp.tools.functions.call";
  public static final String ALL_TOOLS_FUNCTIONS_CANCEL = "mcp.tools.functions.cancel";

  /** Of this node alone: the body of a call of a function -> {@code {server, tool}}. */
  public static final String ALL_TOOLS_FUNCTIONS_ROUTE = "mcp.tools.functions.route";

  public static final String ALL_RESOURCES_LIST = "mcp.resources.list";
  public static final String ALL_PROMPTS_LIST = "mcp.prompts.list";

  private Addresses() {}

  /** A service of every node, on one of them: {@code <address>.<node>}. */
  public static String at(String address, String node) {
    return address + "." + node;
  }

  /** {@code mcp.<id>.<suffix>}. */
  public static String of(ConnectionId id, String suffix) {
    return "mcp." + id.value() + "." + suffix;
  }
}
