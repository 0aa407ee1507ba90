package dev.mcpbus.bus;

import static dev.mcpbus.bus.HttpPath.path;
import static dev.mcpbus.bus.HttpQuery.AFTER;
import static dev.mcpbus.bus.HttpQuery.AS_TASK;
import static dev.mcpbus.bus.HttpQuery.CACHE;
import static dev.mcpbus.bus.HttpQuery.CURSOR;
import static dev.mcpbus.bus.HttpQuery.DIRECTORY_URI;
import static dev.mcpbus.bus.HttpQuery.LIMIT;
import static dev.mcpbus.bus.HttpQuery.REPLICA;
import static dev.mcpbus.bus.HttpQuery.RESOURCE_URI;
import static dev.mcpbus.bus.HttpQuery.SKILL_PATH;
import static dev.mcpbus.bus.HttpQuery.SKILL_URI;
import static dev.mcpbus.bus.HttpQuery.TIMEOUT;
import static dev.mcpbus.bus.HttpQuery.VALIDATE;
import static dev.mcpbus.bus.ServerOperation.Again.BY_RULES;
import static dev.mcpbus.bus.ServerOperation.Again.FREELY;
import static dev.mcpbus.bus.ServerOperation.Again.ONCE;
import static dev.mcpbus.bus.ServerOperation.Belonging.CALLER;
import static dev.mcpbus.bus.ServerOperation.Belonging.NOBODY;
import static dev.mcpbus.bus.ServerOperation.Belonging.SUBSCRIBER;
import static dev.mcpbus.bus.ServerOperation.Belonging.TASK;
import static dev.mcpbus.bus.ServerOperation.Bundling.ALONE;
import static dev.mcpbus.bus.ServerOperation.Bundling.BUNDLED;
import static dev.mcpbus.bus.ServerOperation.Doors.EVERY;
import static dev.mcpbus.bus.ServerOperation.Doors.GATEWAY;
import static dev.mcpbus.bus.ServerOperation.Doors.INNER;
import static dev.mcpbus.bus.ServerOperation.Doors.OPEN;
import static dev.mcpbus.bus.ServerOperation.Keeping.FRESH;
import static dev.mcpbus.bus.ServerOperation.Keeping.KEPT;
import static dev.mcpbus.bus.ServerOperation.Replicas.ADD_UP;
import static dev.mcpbus.bus.ServerOperation.Replicas.ALL;
import static dev.mcpbus.bus.ServerOperation.Replicas.ANY;
import static dev.mcpbus.bus.ServerOperation.Replicas.ASK_ALL;
import static dev.mcpbus.bus.ServerOperation.Replicas.COLLECT_CALLS;
import static dev.mcpbus.bus.ServerOperation.Replicas.COLLECT_ENDINGS;
import static dev.mcpbus.bus.ServerOperation.Replicas.NAMED;
import static dev.mcpbus.bus.ServerOperation.Replicas.ONE_BY_ONE;
import static dev.mcpbus.bus.ServerOperation.Replicas.SPEAKER;
import static dev.mcpbus.bus.ServerOperation.Replicas.STATUS_OF_ALL;
import static dev.mcpbus.bus.ServerOperation.Subject.ADMIN;
import static dev.mcpbus.bus.ServerOperation.Subject.CALL;
import static dev.mcpbus.bus.ServerOperation.Subject.LIST;
import static dev.mcpbus.bus.ServerOperation.Subject.LIST_WHOLE;
import static dev.mcpbus.bus.ServerOperation.Subject.METHOD;
import static dev.mcpbus.bus.ServerOperation.Subject.METRICS;
import static dev.mcpbus.bus.ServerOperation.Subject.PROMPT;
import static dev.mcpbus.bus.ServerOperation.Subject.REFERENCE;
import static dev.mcpbus.bus.ServerOperation.Subject.RESOURCE;
import static dev.mcpbus.bus.ServerOperation.Subject.SKILL_FILE;
import static dev.mcpbus.bus.ServerOperation.Subject.SUBSCRIPTION;
import static dev.mcpbus.bus.ServerOperation.Subject.TOOL;

import dev.mcpbus.bus.HttpPath.Shape;
import dev.mcpbus.protocol.Methods;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * One row for each address {@code mcp.<id>.<suffix>}: everything that is decided about it, for all
 * who list addresses. What has no row is denied at each door.
 */
@SuppressWarnings("ImmutableEnumChecker") // lists that cannot be changed
public enum ServerOperation {
  // spotless:off
  // The columns, as the constructor has them. The order of the rows is that of /openapi.json.
  // Of two rows that log one method the first is that of the method itself.
  STATUS(Addresses.STATUS, null, LIST, null, OPEN, STATUS_OF_ALL, ONCE, FRESH, BUNDLED, NOBODY, null, "StatusRequest", "ServerStatus",
      path(Shape.STATUS, "status", "getStatus", "State of a server.")),
  CONNECT(Addresses.CONNECT, null, ADMIN, null, INNER, ALL, ONCE, FRESH, ALONE, NOBODY, null, "StateRequest", "State",
      path(Shape.STATE, "connect", "connect", "Starts a server that is not connected.")),
  DISCONNECT(Addresses.DISCONNECT, null, ADMIN, null, INNER, ALL, ONCE, FRESH, ALONE, NOBODY, null, "StateRequest", "State",
      path(Shape.STATE, "disconnect", "disconnect", "Stops a server until connect.")),
  RESTART(Addresses.RESTART, null, ADMIN, null, INNER, ONE_BY_ONE, ONCE, FRESH, ALONE, NOBODY, null, "StateRequest", "State",
      path(Shape.STATE, "restart", "restart", "Stops a server and starts it anew.")),
  HISTORY(Addresses.HISTORY, null, ADMIN, null, INNER, COLLECT_ENDINGS, ONCE, FRESH, ALONE, NOBODY, null, "Object", "History",
      path(Shape.LOOK, "history", "getHistory", "The last 20 endings of the server's sessions, the newest first.")),
  LOGS(Addresses.LOGS, null, ADMIN, null, INNER, NAMED, ONCE, FRESH, ALONE, NOBODY, null, "OutputWanted", "Output",
      path(Shape.NUMBERS, "logs", "getLogs", "What the server's process wrote beside its messages.", AFTER, LIMIT, REPLICA)),
  CALLS(Addresses.CALLS, null, ADMIN, null, INNER, COLLECT_CALLS, ONCE, FRESH, ALONE, NOBODY, null, "Object", "CallList"),
  ACTIVITY(Addresses.ACTIVITY, null, METRICS, null, INNER, ADD_UP, ONCE, FRESH, ALONE, NOBODY, null, "Object", "Activity"),
  RPCLOG(Addresses.RPCLOG, null, ADMIN, null, INNER, ALL, ONCE, FRESH, ALONE, NOBODY, null, "RpcLogChange", "RpcLogState"),
  CALLS_CANCEL(Addresses.CALLS_CANCEL, null, ADMIN, null, INNER, NAMED, ONCE, FRESH, ALONE, NOBODY, null, "CallNumber", "Cancelled",
      path(Shape.NUMBERED_CALL, "calls/:call/cancel", "cancelNumberedCall", "Ends the call of any caller, by its number.", REPLICA)),
  TOOLS_LIST(Addresses.TOOLS_LIST, Methods.TOOLS_LIST, LIST, ListKind.TOOLS, EVERY, ANY, FREELY, KEPT, BUNDLED, NOBODY, Methods.TOOLS_LIST, "ListParams", "ToolList",
      path(Shape.LIST, "tools", "listTools", "The tools of a server.", TIMEOUT, CURSOR, CACHE)),
  TOOLS_METADATA(Addresses.TOOLS_METADATA, null, LIST_WHOLE, ListKind.TOOLS, OPEN, ANY, ONCE, FRESH, ALONE, NOBODY, Methods.TOOLS_LIST, "Object", "Object",
      path(Shape.LOOK, "metadata", "getToolMetadata", "The _meta of each tool, by name.", TIMEOUT)),
  TOOLS_CALL(Addresses.TOOLS_CALL, Methods.TOOLS_CALL, TOOL, null, EVERY, ANY, BY_RULES, FRESH, ALONE, TASK, Methods.TOOLS_CALL, "ToolCall", "ToolResult",
      path(Shape.TOOL, "tools/:tool", "callTool", "Calls a tool; the body is its arguments.", TIMEOUT, VALIDATE, AS_TASK)),
  TOOLS_DRIFT(Addresses.TOOLS_DRIFT, null, LIST_WHOLE, null, OPEN, SPEAKER, ONCE, FRESH, ALONE, NOBODY, null, "Object", "Object",
      path(Shape.LOOK, "drift", "getDrift", "How the tools have changed since they were approved.", TIMEOUT)),
  TOOLS_APPROVE(Addresses.TOOLS_APPROVE, null, ADMIN, null, INNER, ALL, ONCE, FRESH, ALONE, NOBODY, null, "Approval", "Object",
      path(Shape.PARAMS, "drift/approve", "approveTools", "Approves a tool as it is now, or all of them.", TIMEOUT)),
  RESOURCES_LIST(Addresses.RESOURCES_LIST, Methods.RESOURCES_LIST, LIST, ListKind.RESOURCES, EVERY, ANY, FREELY, KEPT, ALONE, NOBODY, Methods.RESOURCES_LIST, "ListParams", "ResourceList",
      path(Shape.LIST, "resources", "listResources", "The resources of a server.", TIMEOUT, CURSOR, CACHE)),
  RESOURCES_TEMPLATES(Addresses.RESOURCES_TEMPLATES, Methods.RESOURCES_TEMPLATES, LIST, ListKind.TEMPLATES, EVERY, ANY, FREELY, KEPT, ALONE, NOBODY, Methods.RESOURCES_TEMPLATES, "ListParams", "ResourceTemplateList",
      path(Shape.LIST, "resources/templates", "listResourceTemplates", "The resource templates of a server.", TIMEOUT, CURSOR, CACHE)),
  RESOURCES_READ(Addresses.RESOURCES_READ, Methods.RESOURCES_READ, RESOURCE, null, EVERY, ANY, FREELY, KEPT, ALONE, NOBODY, Methods.RESOURCES_READ, "ResourceParams", "ResourceContents",
      path(Shape.URI, "resources/read", "getResource", "Reads a resource that the query names.", RESOURCE_URI, TIMEOUT, CACHE),
      path(Shape.PARAMS, "resources/read", "readResource", "Reads a resource.", CACHE, TIMEOUT)),
  RESOURCES_SUBSCRIBE(Addresses.RESOURCES_SUBSCRIBE, Methods.RESOURCES_SUBSCRIBE, SUBSCRIPTION, null, EVERY, SPEAKER, ONCE, FRESH, ALONE, SUBSCRIBER, Methods.RESOURCES_SUBSCRIBE, "ResourceParams", "Object",
      path(Shape.PARAMS, "resources/subscribe", "subscribeResource", "Wants events of type resourceUpdated.", TIMEOUT)),
  RESOURCES_UNSUBSCRIBE(Addresses.RESOURCES_UNSUBSCRIBE, Methods.RESOURCES_UNSUBSCRIBE, SUBSCRIPTION, null, EVERY, ALL, ONCE, FRESH, ALONE, SUBSCRIBER, Methods.RESOURCES_UNSUBSCRIBE, "ResourceParams", "Object",
      path(Shape.PARAMS, "resources/unsubscribe", "unsubscribeResource", "Wants them no longer.", TIMEOUT)),
  SKILLS_LIST(Addresses.SKILLS_LIST, Methods.SKILLS_LIST, LIST, ListKind.SKILLS, EVERY, ANY, FREELY, KEPT, ALONE, NOBODY, Methods.SKILLS_LIST, "ListParams", "SkillList",
      path(Shape.LIST, "skills", "listSkills", "The skills of a server.", TIMEOUT, CURSOR, CACHE)),
  SKILLS_GET(Addresses.SKILLS_GET, Methods.SKILLS_GET, RESOURCE, null, EVERY, ANY, ONCE, FRESH, ALONE, NOBODY, Methods.SKILLS_GET, "ResourceParams", "SkillEntry",
      path(Shape.URI, "skills/get", "getSkill", "The entry of a skill, also of one that no list has.", SKILL_URI, TIMEOUT)),
  SKILLS_READ(Addresses.SKILLS_READ, null, SKILL_FILE, null, OPEN, ANY, ONCE, FRESH, ALONE, NOBODY, Methods.RESOURCES_READ, "SkillReading", "ResourceContents",
      path(Shape.SKILL_FILE, "skills/read", "getSkillFile", "Reads a file of a skill, checked against the skill's present entry.", SKILL_URI, SKILL_PATH, TIMEOUT),
      path(Shape.OBJECT, "skills/read", "readSkillFile", "Reads a file of a skill, checked against the entry in the body.", TIMEOUT)),
  RESOURCES_DIRECTORY(Addresses.RESOURCES_DIRECTORY, Methods.DIRECTORY_READ, RESOURCE, null, EVERY, ANY, ONCE, FRESH, ALONE, NOBODY, Methods.DIRECTORY_READ, "DirectoryParams", "ResourceList",
      path(Shape.DIRECTORY, "resources/directory", "readDirectory", "What a directory of a server contains.", DIRECTORY_URI, TIMEOUT, CURSOR)),
  PROMPTS_LIST(Addresses.PROMPTS_LIST, Methods.PROMPTS_LIST, LIST, ListKind.PROMPTS, EVERY, ANY, FREELY, KEPT, ALONE, NOBODY, Methods.PROMPTS_LIST, "ListParams", "PromptList",
      path(Shape.LIST, "prompts", "listPrompts", "The prompts of a server.", TIMEOUT, CURSOR, CACHE)),
  PROMPTS_GET(Addresses.PROMPTS_GET, Methods.PROMPTS_GET, PROMPT, null, EVERY, ANY, FREELY, FRESH, ALONE, NOBODY, Methods.PROMPTS_GET, "PromptParams", "PromptResult",
      path(Shape.PROMPT, "prompts/:prompt", "getPrompt", "Fills in a prompt; the body is its arguments.", TIMEOUT)),
  TASKS_LIST(Addresses.TASKS_LIST, Methods.TASKS_LIST, CALL, null, OPEN, SPEAKER, ONCE, FRESH, ALONE, TASK, Methods.TASKS_LIST, "ListParams", "Object",
      path(Shape.LIST, "tasks", "listTasks", "The tasks of a server; of 2025-11-25 alone.", TIMEOUT, CURSOR, CACHE)),
  TASKS_GET(Addresses.TASKS_GET, Methods.TASKS_GET, CALL, null, EVERY, SPEAKER, ONCE, FRESH, ALONE, TASK, Methods.TASKS_GET, "TaskParams", "Object",
      path(Shape.TASK_LOOK, "tasks/:task", "getTask", "A task as it stands.", TIMEOUT)),
  TASKS_RESULT(Addresses.TASKS_RESULT, Methods.TASKS_RESULT, CALL, null, EVERY, SPEAKER, ONCE, FRESH, ALONE, TASK, Methods.TASKS_RESULT, "TaskParams", "Object",
      path(Shape.TASK_LOOK, "tasks/:task/result", "getTaskResult", "A task's result, when it is over.", TIMEOUT)),
  TASKS_UPDATE(Addresses.TASKS_UPDATE, Methods.TASKS_UPDATE, CALL, null, EVERY, SPEAKER, ONCE, FRESH, ALONE, TASK, Methods.TASKS_UPDATE, "TaskUpdate", "Object",
      path(Shape.TASK, "tasks/:task/update", "updateTask", "Gives a task what it asked for.", TIMEOUT)),
  TASKS_CANCEL(Addresses.TASKS_CANCEL, Methods.TASKS_CANCEL, CALL, null, EVERY, SPEAKER, ONCE, FRESH, ALONE, TASK, Methods.TASKS_CANCEL, "TaskParams", "Object",
      path(Shape.TASK_ONLY, "tasks/:task/cancel", "cancelTask", "Gives a task up.", TIMEOUT)),
  COMPLETION(Addresses.COMPLETION, Methods.COMPLETE, REFERENCE, null, EVERY, ANY, FREELY, FRESH, ALONE, NOBODY, Methods.COMPLETE, "CompletionParams", "CompletionResult",
      path(Shape.PARAMS, "completion", "complete", "Completes an argument of a prompt or template.", TIMEOUT)),
  PING(Addresses.PING, Methods.PING, LIST, null, OPEN, ANY, FREELY, FRESH, ALONE, NOBODY, Methods.PING, "Object", "Object",
      path(Shape.PARAMS, "ping", "ping", "Asks the server whether it is there.", TIMEOUT)),
  LOGLEVEL(Addresses.LOGLEVEL, Methods.SET_LEVEL, ADMIN, null, GATEWAY, ALL, ONCE, FRESH, ALONE, NOBODY, Methods.SET_LEVEL, "LogLevel", "Object",
      path(Shape.PARAMS, "loglevel", "setLogLevel", "What the server logs from now.", TIMEOUT)),
  REQUEST(Addresses.REQUEST, null, METHOD, null, GATEWAY, ANY, ONCE, FRESH, ALONE, NOBODY, "request", "RawRequest", "Object",
      path(Shape.PARAMS, "request", "request", "Any method of MCP.", TIMEOUT)),
  CANCEL(Addresses.CANCEL, null, CALL, null, EVERY, ASK_ALL, ONCE, FRESH, ALONE, CALLER, null, "CallId", "Cancelled",
      path(Shape.CANCEL, "cancel", "cancelCall", "Ends a call that was made with the header Call-Id.")),
  NOTIFY(Addresses.NOTIFY, null, METHOD, null, GATEWAY, SPEAKER, ONCE, FRESH, ALONE, NOBODY, "notify", "RawRequest", "Object"),
  ROOTS_CHANGED(Addresses.ROOTS_CHANGED, null, ADMIN, null, GATEWAY, ALL, ONCE, FRESH, ALONE, NOBODY, Methods.ROOTS_CHANGED, "Object", "Object");
  // spotless:on

  /** What the policies decide on: an action, and where it takes its item from. */
  public enum Subject {
    /** The server is listed, without an item. */
    LIST(null),
    /** The same for a list that is not cut down to what the caller may see. */
    LIST_WHOLE(null),
    METRICS(null),
    ADMIN(null),
    /** A call, of no item. */
    CALL(null),
    TOOL("name"),
    PROMPT("name"),
    RESOURCE("uri"),
    SUBSCRIPTION("uri"),
    /** The prompt or template that {@code ref} names. */
    REFERENCE(null),
    /** Whatever the method in the body is. */
    METHOD(null),
    /** A file of a skill. */
    SKILL_FILE(null);

    /** The member of the params that names the item; null if none does. */
    public final @Nullable String member;

    Subject(@Nullable String member) {
      this.member = member;
    }
  }

  /** Who may send there; a program with the cluster's secret and a path of HTTP always may. */
  public enum Doors {
    /** {@code /eventbus}, plain Vert.x, and the gateway. */
    EVERY,
    /** {@code /eventbus} and plain Vert.x. */
    OPEN,
    /** The gateway. */
    GATEWAY,
    /** Nobody else. */
    INNER
  }

  /** Which replicas of a server do it. */
  public enum Replicas {
    /** One that serves. */
    ANY,
    /** The one that speaks for all. */
    SPEAKER,
    /** Each; the speaker's reply counts. */
    ALL,
    /** The one that the body names, else the speaker. */
    NAMED,
    /** The one that has the call. */
    ASK_ALL,
    STATUS_OF_ALL,
    /** Each after the other; the first replica sees to it, whether it serves or not. */
    ONE_BY_ONE,
    ADD_UP,
    COLLECT_ENDINGS,
    COLLECT_CALLS
  }

  /** Whether it is sent again when its node is lost. */
  public enum Again {
    ONCE,
    FREELY,
    /** Where its tool may be called again. */
    BY_RULES
  }

  /** Whether an answer may be kept for the next caller. */
  public enum Keeping {
    FRESH,
    KEPT
  }

  /** Whether requests of one node to another travel together. */
  public enum Bundling {
    ALONE,
    BUNDLED
  }

  /** Whom what it names belongs to. */
  public enum Belonging {
    NOBODY,
    /** A call, to who has made it. */
    CALLER,
    /** A task, to who has made it. */
    TASK,
    /** A subscription, to who wants it. */
    SUBSCRIBER
  }

  /** The address is {@code mcp.<id>.<suffix>}. */
  public final String suffix;

  /** The MCP method whose requests it takes; null if it takes those of none, or of each. */
  public final @Nullable String method;

  public final Subject subject;

  /** The list that it reads; null if it reads none. */
  public final @Nullable ListKind list;

  public final Doors doors;
  public final Replicas replicas;
  public final Again again;
  public final Keeping keeping;
  public final Bundling bundling;
  public final Belonging belonging;

  /** Its method in the call log; null if it has no line there. */
  public final @Nullable String logged;

  /** The names of the schemas of the body and the reply. */
  public final String takes;

  public final String gives;

  /** As what it is served over HTTP, in the order of the OpenAPI document. */
  public final List<HttpPath> paths;

  private static final Map<String, ServerOperation> BY_SUFFIX =
      Arrays.stream(values()).collect(Collectors.toUnmodifiableMap(row -> row.suffix, row -> row));

  private static final Map<String, ServerOperation> BY_METHOD =
      Arrays.stream(values())
          .filter(row -> row.method != null)
          .collect(Collectors.toUnmodifiableMap(row -> String.valueOf(row.method), row -> row));

  ServerOperation(
      String suffix,
      @Nullable String method,
      Subject subject,
      @Nullable ListKind list,
      Doors doors,
      Replicas replicas,
      Again again,
      Keeping keeping,
      Bundling bundling,
      Belonging belonging,
      @Nullable String logged,
      String takes,
      String gives,
      HttpPath... paths) {
    this.suffix = suffix;
    this.method = method;
    this.subject = subject;
    this.list = list;
    this.doors = doors;
    this.replicas = replicas;
    this.again = again;
    this.keeping = keeping;
    this.bundling = bundling;
    this.belonging = belonging;
    this.logged = logged;
    this.takes = takes;
    this.gives = gives;
    this.paths = Arrays.stream(paths).map(path -> path.of(takes, gives)).toList();
  }

  /** Null for a suffix that has no row. */
  public static @Nullable ServerOperation of(String suffix) {
    return BY_SUFFIX.get(suffix);
  }

  /** Null for a method that has no address of its own. */
  public static @Nullable ServerOperation ofMethod(String method) {
    return BY_METHOD.get(method);
  }

  /** The suffixes of the rows that are such; cannot be changed. */
  public static Set<String> suffixes(Predicate<ServerOperation> which) {
    return Arrays.stream(values())
        .filter(which)
        .map(row -> row.suffix)
        .collect(Collectors.toUnmodifiableSet());
  }
}
