package dev.mcpbus.protocol;

/** The tasks extension of MCP 2026-07-28: its name, and the words for a task's status. */
public final class TasksExtension {

  /** The extension's name among a peer's capabilities. */
  public static final String ID = "io.modelcontextprotocol/tasks";

  public static final String WORKING = "working";
  public static final String INPUT_REQUIRED = "input_required";
  public static final String COMPLETED = "completed";
  public static final String FAILED = "failed";
  public static final String CANCELLED = "cancelled";

  private TasksExtension() {}
}
