package dev.mcpbus.protocol;

/**
 * The values of the member {@code resultType} (MCP 2026-07-28, Multi Round-Trip Requests and the
 * tasks extension). A result without this member is complete.
 */
public final class ResultType {

  public static final String MEMBER = "resultType";

  public static final String COMPLETE = "complete";

  /** The server needs answers first; the client repeats the call with them. */
  public static final String INPUT_REQUIRED = "input_required";

  /** The call continues as a task. */
  public static final String TASK = "task";

  /** {@link #COMPLETE} as a JSON value. */
  public static final RawJson COMPLETE_JSON = RawJson.string(COMPLETE);

  /** {@link #TASK} as a JSON value. */
  public static final RawJson TASK_JSON = RawJson.string(TASK);

  /** A complete result without members. */
  public static final RawJson EMPTY = RawJson.EMPTY_OBJECT.with(MEMBER, COMPLETE_JSON);

  private ResultType() {}
}
