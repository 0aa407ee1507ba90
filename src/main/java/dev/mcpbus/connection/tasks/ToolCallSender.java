package dev.mcpbus.connection.tasks;

import dev.mcpbus.connection.session.BusCall;
import dev.mcpbus.connection.session.Session;
import dev.mcpbus.connection.session.TaskSupport;
import dev.mcpbus.connection.tools.ToolSender;
import dev.mcpbus.connection.tools.ToolTable;
import dev.mcpbus.protocol.RawJson;
import io.vertx.core.json.JsonObject;
import org.jspecify.annotations.Nullable;

/**
 * The last step of {@code ToolCallPipeline}: sends the call, as a task where the server and the
 * tool take it so (MCP 2025-11-25, Tasks, Tool-Level Negotiation). The extension of the {@code
 * server/discover} era has no such wish: there the server decides. Owner: the connection's context.
 */
public final class ToolCallSender implements ToolSender {

  /** The result must outlive the last moment at which it may be fetched. */
  private static final long TTL_MARGIN_MILLIS = 60_000;

  private final Session session;
  private final TaskSupport support;
  private final ServerTasks tasks;

  public ToolCallSender(Session session, JsonObject capabilities, ServerTasks tasks) {
    this.session = session;
    this.support = TaskSupport.of(session.era().era(), capabilities);
    this.tasks = tasks;
  }

  /** A tool that the server did not list takes no tasks. */
  @Override
  public void send(BusCall call, ToolTable.@Nullable Tool tool) {
    boolean wanted = call.wantsTask();
    RawJson params = call.task() == null ? call.params() : call.params().without("task");
    String takes = tool == null || !support.create() ? "forbidden" : tool.taskSupport();
    switch (takes) {
      case "required" -> asTask(call, wanted);
      case "optional" -> {
        if (wanted) {
          asTask(call, true);
        } else {
          session.send(call, params);
        }
      }
      default -> session.send(call, params);
    }
  }

  /** The caller made the request: what it says of a task is between the caller and the server. */
  @Override
  public void sendUnchanged(BusCall call, @Nullable RawJson params) {
    if (support.create() && call.params().member("task") != null) {
      call.keep(result -> tasks.made(call, result.member("task")));
    }
    session.send(call, params);
  }

  private void asTask(BusCall call, boolean wanted) {
    RawJson wish = call.task();
    if (wanted) {
      call.keep(result -> tasks.made(call, result.member("task")));
      session.send(call, call.params().with("task", wish == null ? RawJson.EMPTY_OBJECT : wish));
      return;
    }
    long ttl = call.hardDeadline() - session.clock().millis() + TTL_MARGIN_MILLIS;
    RawJson task = RawJson.of(new JsonObject().put("ttl", ttl));
    new TaskWatch(tasks, call, support, true).send(session, call.params().with("task", task));
  }
}
