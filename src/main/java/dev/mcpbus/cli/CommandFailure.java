package dev.mcpbus.cli;

import io.vertx.core.json.JsonObject;

/**
 * Ends a command with an exit code and an error text: for people one line on stderr, with {@code
 * --json} one line of JSON there.
 */
public final class CommandFailure extends RuntimeException {

  private static final long serialVersionUID = 1;

  private final ExitCode exit;
  private final String code;
  private final transient JsonObject data;

  /**
   * @param code for programs: the code of mcpbus's failure table, or one of the command's own
   * @param message names the place and the remedy
   * @param data more members of the JSON line, for example {@code sent} and {@code retryAfter}
   */
  public CommandFailure(ExitCode exit, String code, String message, JsonObject data) {
    super(message);
    this.exit = exit;
    this.code = code;
    this.data = data;
  }

  /** Without more members. */
  public CommandFailure(ExitCode exit, String code, String message) {
    this(exit, code, message, new JsonObject());
  }

  /** Wrong usage of a command, for example an argument that cannot be read. */
  public static CommandFailure usage(String message) {
    return new CommandFailure(ExitCode.UNEXPECTED, "USAGE", message);
  }

  public ExitCode exit() {
    return exit;
  }

  /** For programs, for example {@code UNKNOWN_CONNECTION}. */
  public String code() {
    return code;
  }

  /** {@code {"error": {"code", "message", ...}}}. */
  JsonObject toJson() {
    JsonObject error = new JsonObject().put("code", code).put("message", getMessage());
    data.forEach(
        member -> {
          if (!error.containsKey(member.getKey())) {
            error.put(member.getKey(), member.getValue());
          }
        });
    return new JsonObject().put("error", error);
  }
}
