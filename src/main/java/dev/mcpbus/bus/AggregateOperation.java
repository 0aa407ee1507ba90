package dev.mcpbus.bus;

import static dev.mcpbus.bus.AggregateOperation.AllSubject.ADMIN;
import static dev.mcpbus.bus.AggregateOperation.AllSubject.FILTERED;
import static dev.mcpbus.bus.AggregateOperation.AllSubject.NAMED_TOOL;
import static dev.mcpbus.bus.AggregateOperation.AllSubject.SKILL_FILE;
import static dev.mcpbus.bus.HttpPath.get;
import static dev.mcpbus.bus.HttpPath.post;
import static dev.mcpbus.bus.HttpQuery.AS_TASK;
import static dev.mcpbus.bus.HttpQuery.CURSOR;
import static dev.mcpbus.bus.HttpQuery.FORM;
import static dev.mcpbus.bus.HttpQuery.OFFSET;
import static dev.mcpbus.bus.HttpQuery.SEARCH_LIMIT;
import static dev.mcpbus.bus.HttpQuery.STRICT;
import static dev.mcpbus.bus.HttpQuery.TIMEOUT;
import static dev.mcpbus.bus.HttpQuery.TOOL_SERVERS;
import static dev.mcpbus.bus.HttpQuery.VALIDATE;
import static dev.mcpbus.bus.HttpQuery.WITH_SKILLS;
import static dev.mcpbus.bus.HttpQuery.WORDS;
import static dev.mcpbus.bus.SocketRule.AS_ASKED;
import static dev.mcpbus.bus.SocketRule.CLOSED;
import static dev.mcpbus.bus.SocketRule.WHOLE;

import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * One row for each address of all servers together, such as {@code mcp.tools.list}. Each node
 * serves them itself: what it does at the servers, the rows of {@link ServerOperation} say.
 */
@SuppressWarnings("ImmutableEnumChecker") // lists that cannot be changed
public enum AggregateOperation {
  // spotless:off
  // The columns, as the constructor has them.
  TOOLS_LIST(Addresses.ALL_TOOLS_LIST, ServerOperation.TOOLS_LIST, FILTERED, WHOLE, true, "ListParams", "ToolList",
      get("/api/tools", "listAllTools", "The tools of all servers; with a form, as functions of a model's API.", "Object", TIMEOUT, CURSOR, FORM, TOOL_SERVERS, STRICT)),
  TOOLS_CALL(Addresses.ALL_TOOLS_CALL, ServerOperation.TOOLS_CALL, NAMED_TOOL, AS_ASKED, true, "ToolCall", "ToolResult",
      post("/api/tools/:tool", "callNamedTool", "Calls server.tool or server:tool; the body is its arguments.", "Object", "ToolResult", TIMEOUT, VALIDATE, AS_TASK)),
  TOOLS_SEARCH(Addresses.ALL_TOOLS_SEARCH, null, FILTERED, CLOSED, true, "ToolSearch", "ToolSearchResult",
      get("/api/tools/search", "searchTools", "Tools by what they are for.", "Object", TIMEOUT, WORDS, SEARCH_LIMIT, OFFSET, WITH_SKILLS, TOOL_SERVERS)),
  TOOLS_DESCRIBE(Addresses.ALL_TOOLS_DESCRIBE, null, ADMIN, CLOSED, true, "ToolNamed", "ToolFound"),
  TOOLS_FUNCTIONS(Addresses.ALL_TOOLS_FUNCTIONS, null, ADMIN, WHOLE, true, "Functions", "Object" /* at the path of TOOLS_LIST, with form= */),
  TOOLS_FUNCTIONS_CALL(Addresses.ALL_TOOLS_FUNCTIONS_CALL, null, ADMIN, WHOLE, true, "FunctionCall", "Object",
      post("/api/tools/call", "callFunction", "One function call of a model, in the form that the query says.", "Object", "Object", TIMEOUT, FORM, TOOL_SERVERS, STRICT)),
  TOOLS_FUNCTIONS_CANCEL(Addresses.ALL_TOOLS_FUNCTIONS_CANCEL, null, ADMIN, WHOLE, true, "CallId", null),
  TOOLS_FUNCTIONS_ROUTE(Addresses.ALL_TOOLS_FUNCTIONS_ROUTE, null, ADMIN, CLOSED, false, "FunctionCall", "Object"),
  RESOURCES_LIST(Addresses.ALL_RESOURCES_LIST, ServerOperation.RESOURCES_LIST, FILTERED, WHOLE, true, "ListParams", "ResourceList",
      get("/api/resources", "listAllResources", "Resources of all servers.", "ResourceList", TIMEOUT, CURSOR)),
  SKILLS_LIST(Addresses.ALL_SKILLS_LIST, ServerOperation.SKILLS_LIST, FILTERED, WHOLE, true, "ListParams", "SkillList",
      get("/api/skills", "listAllSkills", "Skills of all servers.", "SkillList", TIMEOUT, CURSOR)),
  SKILLS_READ(Addresses.ALL_SKILLS_READ, ServerOperation.SKILLS_READ, SKILL_FILE, AS_ASKED, true, "SkillReading", "ResourceContents"),
  PROMPTS_LIST(Addresses.ALL_PROMPTS_LIST, ServerOperation.PROMPTS_LIST, FILTERED, WHOLE, true, "ListParams", "PromptList",
      get("/api/prompts", "listAllPrompts", "Prompts of all servers.", "PromptList", TIMEOUT, CURSOR));
  // spotless:on

  /** What the policies decide on. */
  public enum AllSubject {
    /** Nothing: the answer is cut down to what the caller may see. */
    FILTERED,
    /** The tool that the body names. */
    NAMED_TOOL,
    /** The file of a skill that the body names. */
    SKILL_FILE,
    ADMIN
  }

  public final String address;

  /** The same of one server; null if there is none. */
  public final @Nullable ServerOperation one;

  public final AllSubject subject;

  /** What {@code /eventbus} asks of who sends there. */
  public final SocketRule socket;

  /** Whether a program without the cluster's secret may send there. */
  public final boolean plain;

  /** The names of the schemas of the body and the reply; null if there is no reply. */
  public final String takes;

  public final @Nullable String gives;

  /** As what it is served over HTTP. */
  public final List<HttpPath> paths;

  private static final Map<String, AggregateOperation> BY_ADDRESS =
      Arrays.stream(values()).collect(Collectors.toUnmodifiableMap(row -> row.address, row -> row));

  private static final Map<String, AggregateOperation> BY_METHOD =
      Arrays.stream(values())
          .filter(row -> row.one != null && row.one.method != null)
          .collect(
              Collectors.toUnmodifiableMap(
                  row -> String.valueOf(Objects.requireNonNull(row.one).method), row -> row));

  AggregateOperation(
      String address,
      @Nullable ServerOperation one,
      AllSubject subject,
      SocketRule socket,
      boolean plain,
      String takes,
      @Nullable String gives,
      HttpPath... paths) {
    this.address = address;
    this.one = one;
    this.subject = subject;
    this.socket = socket;
    this.plain = plain;
    this.takes = takes;
    this.gives = gives;
    this.paths = List.of(paths);
  }

  /** Null for a method that is of one server alone. */
  public static @Nullable AggregateOperation ofMethod(String method) {
    return BY_METHOD.get(method);
  }

  /** Null for an address that has no row. */
  public static @Nullable AggregateOperation of(String address) {
    return BY_ADDRESS.get(address);
  }
}
