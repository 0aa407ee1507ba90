package dev.mcpbus.bus;

import static dev.mcpbus.bus.HttpPath.created;
import static dev.mcpbus.bus.HttpPath.delete;
import static dev.mcpbus.bus.HttpPath.post;
import static dev.mcpbus.bus.HttpPath.put;
import static dev.mcpbus.bus.HttpQuery.ONE_SERVER;
import static dev.mcpbus.bus.HttpQuery.PRINCIPAL;
import static dev.mcpbus.bus.HttpQuery.SERVERS;
import static dev.mcpbus.bus.ServiceOperation.ServiceSubject.ADMIN_OF_NAME;
import static dev.mcpbus.bus.ServiceOperation.ServiceSubject.ADMIN_OF_NODE;
import static dev.mcpbus.bus.ServiceOperation.ServiceSubject.ADMIN_OF_SERVER;
import static dev.mcpbus.bus.ServiceOperation.ServiceSubject.ADMIN_OF_SERVER_OR_SOME;
import static dev.mcpbus.bus.ServiceOperation.ServiceSubject.CALL_OF_SERVER_OR_ALL;
import static dev.mcpbus.bus.ServiceOperation.ServiceSubject.FILTERED;
import static dev.mcpbus.bus.ServiceOperation.ServiceSubject.LIST_OF_NODE;
import static dev.mcpbus.bus.ServiceOperation.ServiceSubject.LIST_OF_SERVER;
import static dev.mcpbus.bus.ServiceOperation.ServiceSubject.METRICS_OF_SERVER_OR_SOME;
import static dev.mcpbus.bus.ServiceOperation.ServiceSubject.OWN;
import static dev.mcpbus.bus.ServiceOperation.ServiceSubject.OWN_QUESTIONS;
import static dev.mcpbus.bus.SocketRule.CLOSED;
import static dev.mcpbus.bus.SocketRule.WHOLE;

import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** One row for each address of the service itself that a door or a program may use. */
@SuppressWarnings("ImmutableEnumChecker") // lists that cannot be changed
public enum ServiceOperation {
  // spotless:off
  // The columns, as the constructor has them.
  LIST(Addresses.SERVERS_LIST, FILTERED, WHOLE, true, "Object", "ServerList",
      HttpPath.get("/api/servers", "listServers", "All servers and their states.", "ServerList")),
  ADD(Addresses.SERVERS_ADD, ADMIN_OF_NAME, CLOSED, false, "NewServer", "Server",
      created("/api/servers", "addServer", "Adds a server and starts it.", "NewServer", "Server")),
  PREVIEW(Addresses.SERVERS_PREVIEW, ADMIN_OF_NODE, CLOSED, false, "PastedText", "ServerPreview",
      post("/api/servers/preview", "previewServers", "What a text would add: a configuration, an entry, a command line or a URL.", "PastedText", "ServerPreview")),
  GET(Addresses.SERVERS_GET, LIST_OF_SERVER, WHOLE, true, "ServerNamed", "Server",
      HttpPath.get("/api/servers/:id", "getServer", "State and masked configuration of a server.", "Server")),
  REMOVE(Addresses.SERVERS_REMOVE, ADMIN_OF_SERVER, CLOSED, false, "ServerNamed", "Removed",
      delete("/api/servers/:id", "removeServer", "Ends a server and forgets it.", "Removed")),
  NODES(Addresses.SERVERS_NODES, LIST_OF_NODE, CLOSED, true, "Object", "NodeList",
      HttpPath.get("/api/nodes", "listNodes", "The nodes that this one sees.", "NodeList")),
  NODES_DRAIN(Addresses.SERVERS_NODES_DRAIN, ADMIN_OF_NODE, CLOSED, false, "NodeNamed", "Drained",
      post("/api/nodes/:node/drain", "drainNode", "A node hands over its connections and takes no new ones until its restart.", "Object", "Drained")),
  INPUT_PENDING(Addresses.INPUT_PENDING, OWN_QUESTIONS, CLOSED, false, "Object", "QuestionList",
      HttpPath.get("/api/inputs", "listInputs", "Questions that wait for an answer.", "QuestionList", ONE_SERVER)),
  INPUT_RESPOND(Addresses.INPUT_RESPOND, OWN_QUESTIONS, CLOSED, false, "Object", "Answered",
      post("/api/inputs/:question", "answerInput", "Answers a question; the body is the MCP result.", "InputResult", "Answered"),
      delete("/api/inputs/:question", "declineInput", "Declines a question: its server hears that, as MCP has it.", "Declined")),
  INPUT_OFFER(Addresses.INPUT_OFFER, CALL_OF_SERVER_OR_ALL, CLOSED, false, "Offer", "Offered",
      post("/api/offers", "offerInput", "Offers to answer such questions, for ttl milliseconds.", "Offer", "Offered")),
  INPUT_WITHDRAW(Addresses.INPUT_WITHDRAW, OWN_QUESTIONS, CLOSED, false, "Object", "Object",
      delete("/api/offers/:offer", "withdrawOffer", "Takes an offer back.", "Object")),
  CALLS(Addresses.SERVERS_CALLS, ADMIN_OF_SERVER_OR_SOME, CLOSED, false, "Object", "CallList",
      HttpPath.get("/api/servers/:id/calls", "listCalls", "The calls of a server in flight and the last that ended, on all its connections.", "CallList"),
      HttpPath.get("/api/calls", "listAllCalls", "The calls of all servers.", "CallList")),
  EXAMINE(Addresses.SERVERS_EXAMINE, ADMIN_OF_SERVER, CLOSED, false, "ServerNamed", "ServerExamination",
      post("/api/servers/:id/examine", "examineServer", "Looks for what is wrong with a server, step by step, within 30 s.", "Object", "ServerExamination")),
  CONFIG(Addresses.SERVERS_CONFIG, ADMIN_OF_NODE, CLOSED, false, "Object", "Configuration",
      HttpPath.get("/api/config", "getConfig", "The configuration file of this node, and what is wrong with it.", "Configuration")),
  ACTIVITY(Addresses.SERVERS_ACTIVITY, METRICS_OF_SERVER_OR_SOME, CLOSED, false, "Object", "ActivityList",
      HttpPath.get("/api/servers/:id/activity", "getActivity", "The calls of a server that ended in each of the last 60 minutes, in numbers.", "Activity"),
      HttpPath.get("/api/activity", "listActivity", "The same of all servers that had a call in the last hour.", "ActivityList", SERVERS)),
  RPCLOG(Addresses.SERVERS_RPCLOG, ADMIN_OF_SERVER, CLOSED, false, "RpcLogChange", "RpcLogState",
      post("/api/servers/:id/rpc-log", "setRpcLog", "Says for a time where the JSON-RPC messages of a server are shown.", "RpcLogChange", "RpcLogState")),
  LOGINS(Addresses.SERVERS_LOGINS, OWN, CLOSED, false, "Object", "LoginList",
      HttpPath.get("/api/logins", "listLogins", "Logins that wait for a person: the caller's own; for an administrator also that others wait.", "LoginList")),
  CREDENTIALS_LIST(Addresses.CREDENTIALS_LIST, OWN, CLOSED, false, "PrincipalNamed", "CredentialList",
      HttpPath.get("/api/credentials", "listCredentials", "What the caller has stored for servers, without the values.", "CredentialList", PRINCIPAL)),
  CREDENTIALS_SET(Addresses.CREDENTIALS_SET, LIST_OF_SERVER, CLOSED, false, "NewCredential", "Credential",
      put("/api/credentials/:id", "setCredential", "Stores the caller's personal secret for a server.", "Secret", "Credential")),
  CREDENTIALS_REMOVE(Addresses.CREDENTIALS_REMOVE, OWN, CLOSED, false, "CredentialNamed", "CredentialsRemoved",
      delete("/api/credentials/:id", "removeCredential", "Removes what the caller has stored for a server.", "CredentialsRemoved", PRINCIPAL),
      delete("/api/credentials", "removeCredentials", "Removes all that the caller has stored.", "CredentialsRemoved", PRINCIPAL)),
  LEASES(Addresses.SERVERS_LEASES, ADMIN_OF_NODE, CLOSED, false, "Object", "LeaseList",
      HttpPath.get("/api/leases", "listLeases", "The private connections of this node: of which server, for which client.", "LeaseList")),
  RELEASE(Addresses.SERVERS_RELEASE, ADMIN_OF_NODE, CLOSED, false, "Object", "Released",
      delete("/api/leases/:lease", "endLease", "Ends a private connection; the next request of its client opens another.", "Released")),
  LEASE(Addresses.SERVERS_LEASE, ADMIN_OF_NODE, CLOSED, false, "Object", "Object");
  // spotless:on

  /** What the policies decide on. */
  public enum ServiceSubject {
    /** Nothing: the answer is cut down to what the caller may see. */
    FILTERED,
    LIST_OF_SERVER,
    LIST_OF_NODE,
    ADMIN_OF_SERVER,
    /** Of the server that the {@code name} becomes. */
    ADMIN_OF_NAME,
    ADMIN_OF_NODE,
    /** Of the server that the body names, else the answer is cut down. */
    ADMIN_OF_SERVER_OR_SOME,
    METRICS_OF_SERVER_OR_SOME,
    CALL_OF_SERVER_OR_ALL,
    /** Nothing: who asks has only what is its own. */
    OWN_QUESTIONS,
    /** Nothing: it is about what the caller has stored. */
    OWN
  }

  public final String address;
  public final ServiceSubject subject;

  /** What {@code /eventbus} asks of who sends there. */
  public final SocketRule socket;

  /** Whether a program without the cluster's secret may send there. */
  public final boolean plain;

  /** The names of the schemas of the body and the reply. */
  public final String takes;

  public final String gives;

  /** As what it is served over HTTP. */
  public final List<HttpPath> paths;

  private static final Map<String, ServiceOperation> BY_ADDRESS =
      Arrays.stream(values()).collect(Collectors.toUnmodifiableMap(row -> row.address, row -> row));

  ServiceOperation(
      String address,
      ServiceSubject subject,
      SocketRule socket,
      boolean plain,
      String takes,
      String gives,
      HttpPath... paths) {
    this.address = address;
    this.subject = subject;
    this.socket = socket;
    this.plain = plain;
    this.takes = takes;
    this.gives = gives;
    this.paths = List.of(paths);
  }

  /** Null for an address that has no row. */
  public static @Nullable ServiceOperation of(String address) {
    return BY_ADDRESS.get(address);
  }
}
