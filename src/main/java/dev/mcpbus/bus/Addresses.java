package dev.mcpbus.bus;

import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Every address of the bus; those that programs need stand in {@link McpAddresses}.
 *
 * <p>An address of one server is {@code mcp.<id>.<suffix>}, see {@link #of}; all others begin with
 * {@code mcp.} and a reserved word, which no server can have as its id. {@code gateway} alone may
 * be an id: after it no address here continues as one of a server does. The group of an address is
 * the first word of its name: {@code INPUT}, {@code SERVERS}, {@code GATEWAY}, {@code ALL} (all
 * servers together). Where the comment of an address limits it to one node, its messages never
 * travel.
 */
public final class Addresses extends McpAddresses {

  /** Each address of mcpbus begins with this. */
  public static final String OURS = "mcp.";

  /** More suffixes of one server; {@link #of} makes the address of a suffix. */
  public static final String TOOLS_METADATA = "tools.metadata";

  public static final String TASKS_GET = "tasks.get";
  public static final String TASKS_RESULT = "tasks.result";
  public static final String TASKS_UPDATE = "tasks.update";
  public static final String TASKS_CANCEL = "tasks.cancel";
  public static final String TASKS_LIST = "tasks.list";
  public static final String TOOLS_DRIFT = "tools.drift";
  public static final String TOOLS_APPROVE = "tools.approve";
  public static final String RESOURCES_DIRECTORY = "resources.directory";
  public static final String SKILLS_LIST = "skills.list";
  public static final String SKILLS_GET = "skills.get";

  /** Reads a file of a skill and checks it; no MCP method, several requests to the server. */
  public static final String SKILLS_READ = "skills.read";

  public static final String HISTORY = "history";
  public static final String LOGS = "logs";
  public static final String CALLS = "calls";

  /** Cancels any caller's call by its number, unlike {@link #CANCEL}. */
  public static final String CALLS_CANCEL = "calls.cancel";

  /** The calls of callers that ended in each of the last 60 minutes, in numbers. */
  public static final String ACTIVITY = "activity";

  /** Sets for a time where the JSON-RPC messages are shown. */
  public static final String RPCLOG = "rpclog";

  public static final String CONNECT = "connect";
  public static final String DISCONNECT = "disconnect";
  public static final String RESTART = "restart";
  public static final String LOGLEVEL = "loglevel";

  /**
   * A notification of a method that MCP does not define, to the server; also progress of a question
   * that the server has asked.
   */
  public static final String NOTIFY = "notify";

  public static final String ROOTS_CHANGED = "roots.changed";

  /**
   * Suffix: {@link LifecycleMessage.Command}s from a supervisor to its child, and {@link
   * SharingMessage}s; on one node only.
   */
  public static final String CONTROL = "control";

  /** The suffixes at which each connection is a consumer. */
  public static final Set<String> SERVED = ServerOperation.suffixes(row -> true);

  /** {@link LifecycleMessage.Fact}s from children to their supervisor, on one node only. */
  public static final String SUPERVISOR = "mcp.supervisor";

  /** Followed by the id of a call: where the caller receives the progress of that call. */
  public static final String PROGRESS = "mcp.progress.";

  /** A connection asks for the answer to a question of its server, on one node only. */
  public static final String INPUT_ASK = "mcp.input.ask";

  /** A connection takes back a question that needs no answer any more, on one node only. */
  public static final String INPUT_DROP = "mcp.input.drop";

  public static final String INPUT_OFFER = "mcp.input.offer";
  public static final String INPUT_WITHDRAW = "mcp.input.withdraw";
  public static final String INPUT_OFFERS = "mcp.input.offers";
  public static final String INPUT_PENDING = "mcp.input.pending";
  public static final String INPUT_RESPOND = "mcp.input.respond";

  /** Published on one node only, after each change: all offers. */
  public static final String INPUT_OFFERED = "mcp.input.offered";

  /** Published on one node only: every caller that offers answers sends its offer again. */
  public static final String INPUT_RENEW = "mcp.input.renew";

  /** Published between the nodes of a cluster: offers that were made or withdrawn. */
  public static final String INPUT_SHARED = "mcp.input.shared";

  /** Followed by a dot and the id of a node: other nodes read its offers and its questions. */
  public static final String INPUT_NODES = "mcp.input.nodes";

  /** What a text that a person has pasted would add; adds nothing. */
  public static final String SERVERS_PREVIEW = "mcp.servers.preview";

  /**
   * Looks for what is wrong with a server, step by step. Followed by a dot and the id of a node:
   * that node does it, because it owns the connection.
   */
  public static final String SERVERS_EXAMINE = "mcp.servers.examine";

  public static final String SERVERS_GET = "mcp.servers.get";

  /**
   * Followed by a dot and the id of a node: other nodes read of many of its connections at once.
   */
  public static final String SERVERS_READ = "mcp.servers.read";

  /**
   * Followed by a dot and the id of a node: another node asks what has become of a request whose
   * answer it has not received.
   */
  public static final String SERVERS_ANSWERS = "mcp.servers.answers";

  /** The nodes of the cluster, as seen by the node that replies. */
  public static final String SERVERS_NODES = "mcp.servers.nodes";

  /**
   * Drains a node of the cluster. Followed by a dot and the id of a node: that node drains itself.
   */
  public static final String SERVERS_NODES_DRAIN = "mcp.servers.nodes.drain";

  /**
   * Logins at servers that wait for a person now: {@code {logins: [{server, principal?, page?,
   * until}]}}; {@code server} is the id of the server. A principal gets its own, of all nodes, at
   * servers of callers. An admin also gets those of other principals, without the page, and those
   * of mcpbus itself: of the answering node alone, whose loopback interface the browser has to
   * reach.
   */
  public static final String SERVERS_LOGINS = "mcp.servers.logins";

  /** What a principal has stored at mcpbus for servers, without the values. */
  public static final String CREDENTIALS_LIST = "mcp.credentials.list";

  /** Stores the personal secret of a principal for a server. */
  public static final String CREDENTIALS_SET = "mcp.credentials.set";

  /** Removes what a principal has stored for a server, or for all. */
  public static final String CREDENTIALS_REMOVE = "mcp.credentials.remove";

  /** Published between nodes: what a principal has stored for a server, or for all, has changed. */
  public static final String CREDENTIALS_CHANGED = "mcp.credentials.changed";

  /** The configuration file of the node that replies, and what is wrong with it. */
  public static final String SERVERS_CONFIG = "mcp.servers.config";

  /** The calls of all servers, or of one, on all their connections. */
  public static final String SERVERS_CALLS = "mcp.servers.calls";

  /** The activity of all servers, or of some, in the last hour, on all their connections. */
  public static final String SERVERS_ACTIVITY = "mcp.servers.activity";

  /** Says for a time where the JSON-RPC messages of a server are shown, on all its connections. */
  public static final String SERVERS_RPCLOG = "mcp.servers.rpclog";

  /** Published between the nodes of a cluster: ownership changes and announcements of nodes. */
  public static final String PLACEMENT = "mcp.placement";

  /** Starts or renews a private connection. */
  public static final String SERVERS_LEASE = "mcp.servers.lease";

  /** Ends a private connection. */
  public static final String SERVERS_RELEASE = "mcp.servers.release";

  /** The private connections of the node that replies: of which server, for which client. */
  public static final String SERVERS_LEASES = "mcp.servers.leases";

  /** The lists of the servers, from the directory; on one node only. */
  public static final String GATEWAY_DIRECTORY = "mcp.gateway.directory";

  /** Adds or ends a client's subscription to a resource; on one node only. */
  public static final String GATEWAY_SUBSCRIBE = "mcp.gateway.subscribe";

  /** Published on one node only: lists may have changed. */
  public static final String GATEWAY_CHANGED = "mcp.gateway.changed";

  /**
   * Published between the nodes: a notification of a shared connection that clients of the gateway
   * may get ({@link ServerNotice}).
   */
  public static final String GATEWAY_NOTIFIED = "mcp.gateway.notified";

  /** Published on one node only: a resource was updated, or a task changed. */
  public static final String GATEWAY_UPDATED = "mcp.gateway.updated";

  /** Published on one node only: a node has left the cluster. */
  public static final String GATEWAY_LEFT = "mcp.gateway.left";

  /** Published on one node only: a node has joined the cluster. */
  public static final String GATEWAY_JOINED = "mcp.gateway.joined";

  /** Followed by a dot and the id of a node: has that node subscribers to a resource? */
  public static final String GATEWAY_HOLDERS = "mcp.gateway.holders";

  /** Published between the nodes: one node has ended the subscription to a resource. */
  public static final String GATEWAY_FREED = "mcp.gateway.freed";

  /** Followed by the name of a session host: requests of the clients whose sessions it owns. */
  public static final String GATEWAY_SESSIONS = "mcp.gateway.sessions.";

  /**
   * Followed by the name of a session host or an HTTP verticle: progress and log messages of the
   * calls that it has sent, as the server's bytes.
   */
  public static final String GATEWAY_CALLS = "mcp.gateway.reports.";

  /**
   * Followed by the name of a session host: questions of servers to its clients ({@link
   * QuestionMessage}).
   */
  public static final String GATEWAY_INPUT = "mcp.gateway.questions.";

  /** Followed by a name of its own: what the home of a server of callers hears of connections. */
  public static final String CALLER_CONNECTIONS = "mcp.servers.callers.";

  /** Followed by the id of a login that waits for its principal ({@link CallerLogins}). */
  private static final String LOGIN = "mcp.servers.login.";

  /** Where the pages of a login find it, on whatever node it waits. */
  public static String login(String id) {
    return LOGIN + id;
  }

  /**
   * Followed by the name of a session host: events of the private connections that it holds ({@link
   * ServerNotice}).
   */
  public static final String GATEWAY_PRIVATE_EVENTS = "mcp.gateway.notices.";

  /**
   * Followed by the id of its node, empty on one node alone, a dot, and the name of an HTTP
   * verticle: the key of a client as text -> whether the client still waits ({@link
   * CallOrigin#isAwaited}).
   */
  public static final String GATEWAY_DOORS = "mcp.gateway.doors.";

  /** Followed by the name of an HTTP verticle: messages for its open responses. */
  public static final String GATEWAY_RESPONSES = "mcp.gateway.responses.";

  /** Followed by the name of an HTTP verticle: messages from clients of its HTTP+SSE streams. */
  public static final String GATEWAY_SSE = "mcp.gateway.sse.";

  public static final String ALL_TOOLS_SEARCH = "mcp.tools.search";
  public static final String ALL_TOOLS_DESCRIBE = "mcp.tools.describe";
  public static final String ALL_TOOLS_FUNCTIONS_CANCEL = "mcp.tools.functions.cancel";

  /** On one node only: takes the body of a function call, replies {@code {server, tool}}. */
  public static final String ALL_TOOLS_FUNCTIONS_ROUTE = "mcp.tools.functions.route";

  public static final String ALL_RESOURCES_LIST = "mcp.resources.list";
  public static final String ALL_PROMPTS_LIST = "mcp.prompts.list";
  public static final String ALL_SKILLS_LIST = "mcp.skills.list";

  /** As {@link #SKILLS_READ}, with the {@code server} in the body. */
  public static final String ALL_SKILLS_READ = "mcp.skills.read";

  private Addresses() {}

  /** The address of a service that every node has, on the node named: {@code <address>.<node>}. */
  public static String at(String address, String node) {
    return address + "." + node;
  }

  /**
   * Whether what a server sends goes to this address as bytes. A handler on the bus gets JSON
   * objects, and so does a gateway of an older mcpbus, whose addresses have other names.
   */
  public static boolean takesBytes(String address) {
    return address.startsWith(GATEWAY_CALLS)
        || address.startsWith(GATEWAY_INPUT)
        || address.startsWith(GATEWAY_PRIVATE_EVENTS);
  }

  /** Whether mcpbus itself receives at an address, so that no server of a program may. */
  public static boolean isOwn(String address) {
    if (!address.startsWith(OURS)) {
      return false;
    }
    int dot = address.indexOf('.', OURS.length());
    String word = address.substring(OURS.length(), dot < 0 ? address.length() : dot);
    return ConnectionId.isReserved(word) || connection(address) != null;
  }

  /**
   * {@code mcp.<id>} for the address of a suffix in {@link #SERVED}; null for any other address.
   */
  public static @Nullable String connection(String address) {
    if (!address.startsWith(OURS)) {
      return null;
    }
    int dot = address.indexOf('.', OURS.length());
    return dot < 0
            || !SERVED.contains(address.substring(dot + 1))
            || ConnectionId.isReserved(address.substring(OURS.length(), dot))
        ? null
        : address.substring(0, dot);
  }
}
