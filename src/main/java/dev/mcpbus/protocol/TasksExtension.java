package dev.mcpbus.protocol;

import io.vertx.core.json.JsonObject;
import java.util.Set;

/**
 * The tasks extension of MCP 2026-07-28: its name, the values of a task's status, and which servers
 * offer it. Stateless.
 */
public final class TasksExtension {

  /** The extension's name among a peer's capabilities. */
  public static final String ID = "io.modelcontextprotocol/tasks";

  public static final String WORKING = "working";

  /** A status; {@link ResultType#INPUT_REQUIRED} is a type of results and not tied to it. */
  public static final String INPUT_REQUIRED = "input_required";

  public static final String COMPLETED = "completed";
  public static final String FAILED = "failed";
  public static final String CANCELLED = "cancelled";

  private static final Set<String> OVER = Set.of(COMPLETED, FAILED, CANCELLED);

  private TasksExtension() {}

  /** Whether a task with this status has ended. */
  public static boolean isOver(String status) {
    return OVER.contains(status);
  }

  /**
   * Whether a server can run tool calls as tasks.
   *
   * @param discover true for a server of the {@code discover} era
   * @param capabilities that the server has stated
   */
  public static boolean isOfferedBy(boolean discover, JsonObject capabilities) {
    return discover
        ? object(capabilities, "extensions").containsKey(ID)
        : object(object(object(capabilities, "tasks"), "requests"), "tools").containsKey("call");
  }

  private static JsonObject object(JsonObject from, String name) {
    return from.getValue(name) instanceof JsonObject found ? found : new JsonObject();
  }

  /** The tool as a client of 2025-11-25 has to see it, if it may call the tool as a task. */
  public static RawJson withTaskSupport(RawJson tool) {
    return tool.member("execution") != null
        ? tool
        : tool.with(
            "execution", RawJson.EMPTY_OBJECT.with("taskSupport", RawJson.string("optional")));
  }
}
