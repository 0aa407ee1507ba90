package dev.mcpbus.connection.tasks;

import dev.mcpbus.connection.session.BusCall;
import dev.mcpbus.connection.session.OpenSession;
import dev.mcpbus.connection.session.Session;
import dev.mcpbus.protocol.Era;
import dev.mcpbus.protocol.RawJson;
import io.vertx.core.json.JsonObject;
import org.jspecify.annotations.Nullable;

/**
 * The last step of {@code ToolCallPipeline}: sends the call, in 2025-11-25 as a task where the
 * server and the tool allow or require it (MCP 2025-11-25, Tasks, Tool-Level Negotiation). In the
 * {@code discover} era the client requests no task: the server decides. Owner: the connection's
 * context.
 */
public final class ToolCallSender {

  /** The {@code execution.taskSupport} of a tool whose calls may not become tasks: the default. */
  public static final String NO_TASK = "forbidden";

  /** The server must keep the result this much longer than the call can last. */
  private static final long TTL_MARGIN_MILLIS = 60_000;

  private final Session session;
  private final TaskSupport support;
  private final ServerTasks tasks;

  public ToolCallSender(OpenSession open, ServerTasks tasks) {
    this.session = open.session();
    this.support = TaskSupport.of(open);
    this.tasks = tasks;
  }

  /**
   * Sends a call that has passed its checks, plainly or as a task.
   *
   * @param taskSupport {@code execution.taskSupport} of the tool, as the server listed it; {@link
   *     #NO_TASK} where the server did not list its tools
   */
  public void send(BusCall call, String taskSupport) {
    boolean wanted = call.wantsTask();
    RawJson params =
        call.task() == null || decidesItself(call) ? call.params() : call.params().without("task");
    switch (support.create() ? taskSupport : NO_TASK) {
      case "required" -> {
        if (wanted || !call.asksForTasks()) {
          asTask(call, wanted);
        } else {
          session.send(call, params); // the server itself says what the call lacks
        }
      }
      case "optional" -> {
        if (wanted) {
          asTask(call, true);
        } else {
          session.send(call, params);
        }
      }
      default -> {
        if (call.task() == null) {
          session.send(call, params);
        } else {
          sendUnchanged(call, params);
        }
      }
    }
  }

  /**
   * Whether the server of 2025-11-25 itself says what a task is worth that its tool does not take.
   */
  private boolean decidesItself(BusCall call) {
    return call.isAsIs() && session.era().era() == Era.INITIALIZE;
  }

  /** Sends a raw request: the caller itself requests a task, and gets it. */
  public void sendUnchanged(BusCall call, @Nullable RawJson params) {
    if (support.create() && params != null && params.member("task") != null) {
      call.onResult(result -> tasks.made(session, call, result.member("task")));
    }
    session.send(call, params);
  }

  private void asTask(BusCall call, boolean wanted) {
    RawJson wish = call.task();
    if (wanted) {
      call.onResult(result -> tasks.made(session, call, result.member("task")));
      session.send(call, call.params().with("task", wish == null ? RawJson.EMPTY_OBJECT : wish));
      return;
    }
    long ttl = call.hardDeadline() - session.clock().millis() + TTL_MARGIN_MILLIS;
    RawJson task = RawJson.of(new JsonObject().put("ttl", ttl));
    new TaskWatch(tasks, call, support, true).send(session, call.params().with("task", task));
  }
}
