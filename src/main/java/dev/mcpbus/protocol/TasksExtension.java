package dev.mcpbus.protocol;

import io.vertx.core.json.JsonObject;

/**
 * The tasks extension of MCP 2026-07-28: its name, the words for a task's status, who offers it.
 */
public final class TasksExtension {

  /** The extension's name among a peer's capabilities. */
  public static final String ID = "io.modelcontextprotocol/tasks";

  public static final String WORKING = "working";
  public static final String INPUT_REQUIRED = "input_required";
  public static final String COMPLETED = "completed";
  public static final String FAILED = "failed";
  public static final String CANCELLED = "cancelled";

  private TasksExtension() {}

  /**
   * Whether a server makes tasks of tool calls.
   *
   * @param modern true for a server of the {@code server/discover} era
   * @param capabilities that the server has stated
   */
  public static boolean isOfferedBy(boolean modern, JsonObject capabilities) {
    return modern
        ? object(capabilities, "extensions").containsKey(ID)
        : object(object(object(capabilities, "tasks"), "requests"), "tools").containsKey("call");
  }

  private static JsonObject object(JsonObject from, String name) {
    return from.getValue(name) instanceof JsonObject found ? found : new JsonObject();
  }

  /** A tool as clients of 2025-11-25 see it that may call it as a task. */
  public static RawJson withTaskSupport(RawJson tool) {
    return tool.member("execution") != null
        ? tool
        : tool.with(
            "execution", RawJson.EMPTY_OBJECT.with("taskSupport", RawJson.string("optional")));
  }
}
