package dev.mcpbus.connection.tools;

import dev.mcpbus.bus.FailureCode;
import dev.mcpbus.bus.Headers;
import dev.mcpbus.bus.McpFailure;
import dev.mcpbus.connection.session.BusCall;
import dev.mcpbus.connection.session.ConnectionFailures;
import dev.mcpbus.connection.session.OutputCheck;
import dev.mcpbus.connection.session.Session;
import dev.mcpbus.connection.session.WorkerThreshold;
import dev.mcpbus.connection.tasks.ToolCallSender;
import dev.mcpbus.protocol.Methods;
import dev.mcpbus.protocol.RawJson;
import dev.mcpbus.protocol.schema.ArgumentValidator;
import dev.mcpbus.protocol.schema.ArgumentValidator.Violation;
import io.vertx.core.json.JsonObject;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The steps of a tool call in a ready session: may the tool be called? are the arguments valid?
 * send. {@code Mailbox} gives it the call, {@link ToolCallSender} sends it; a call that it refuses
 * was not sent. Owner: the connection's context.
 *
 * @param offered whether the server offers the capability {@code tools}
 * @param untilListed keeps a call until the first request for the list has ended, and then gives it
 *     to {@link #call} of the present session
 */
public record ToolCallPipeline(
    Session session,
    boolean offered,
    SessionTools tools,
    ToolCallSender sender,
    Consumer<BusCall> untilListed) {

  /**
   * Sends a call whose tool and arguments pass the checks.
   *
   * @throws McpFailure not sent: {@code METHOD_NOT_FOUND}, {@code BAD_REQUEST}, {@code FORBIDDEN},
   *     {@code UNKNOWN_TOOL}, {@code INVALID_ARGUMENTS} or {@code LIMIT_EXCEEDED}
   */
  public void call(BusCall call) {
    if (!offered && !call.isAsIs()) {
      throw ConnectionFailures.lacks(Methods.TOOLS_CALL, "tools");
    }
    if (tools.isFirstReading()) {
      untilListed.accept(call);
      return;
    }
    if (call.isAsIs() && namesNoTool(call.params().member("name"))) {
      session.send(call, call.params()); // the server itself says what that is worth
      return;
    }
    String name = admitted(call);
    ToolTable table = tools.table();
    ToolTable.ListedTool tool = table == null ? null : table.find(name);
    if (table == null) {
      sender.send(
          call,
          ToolCallSender.NO_TASK); // the server cannot list its tools: no check, the server decides
    } else if (tool == null && call.isAsIs() && mayBeUnlisted(table, name)) {
      sender.send(call, ToolCallSender.NO_TASK);
    } else if (tool == null) {
      throw missing(table, name);
    } else {
      call.listed(tool.name());
      call.headers(tool.headers(call));
      sendValid(call, name, tool);
    }
  }

  /**
   * Sends a raw request unchanged, if the tool may be called.
   *
   * @param params null where the caller gave none
   * @throws McpFailure {@code BAD_REQUEST}, {@code FORBIDDEN} or {@code UNKNOWN_TOOL}, not sent
   */
  public void callUnchecked(BusCall call, @Nullable RawJson params) {
    admitted(call);
    sender.sendUnchanged(call, params);
  }

  /**
   * The server says that the headers of a call do not match its body: the schema may have changed.
   * Lists the tools again and sends the call a second time. A list whose request is in flight may
   * be older than that, so another one follows it.
   *
   * @return false where that was done already
   */
  public boolean retryWithFreshSchema(BusCall call) {
    if (!call.relist()) {
      return false;
    }
    long hold = session.hold(call, () -> {});
    tools
        .changed()
        .onComplete(
            loaded -> {
              if (session.release(hold, call)) {
                call.attempt(() -> call(call));
              }
            });
    return true;
  }

  /** The name of the tool, if the server's entry and the pins allow it; else throws the failure. */
  private String admitted(BusCall call) {
    RawJson name = call.params().member("name");
    if (name == null || !name.isString()) {
      throw McpFailure.badRequest("\"name\" must be a string: the name of the tool");
    }
    String tool = name.asString();
    call.named(tool);
    McpFailure refused = tools.refusal(tool);
    if (refused != null) {
      throw refused;
    }
    return tool;
  }

  /**
   * Whether no server can take that for the name of a tool that may not be called: it is absent, or
   * its text is no such name. A list or an object could be read as a name.
   */
  private boolean namesNoTool(@Nullable RawJson name) {
    if (name == null) {
      return true;
    }
    return !name.isString()
        && !name.isObject()
        && !name.toString().startsWith("[")
        && session.options().tools().isOpen()
        && tools.refusal(name.toString()) == null;
  }

  /** Where the entry leaves tools out, one that is left out must look like one that is absent. */
  private boolean mayBeUnlisted(ToolTable table, String name) {
    return session.options().tools().isOpen() && !table.leftOut().containsKey(name);
  }

  private McpFailure missing(ToolTable table, String name) {
    Object why = table.leftOut().getValue(name);
    return why == null
        ? tools.unknown(name)
        : McpFailure.notSent(
            FailureCode.UNKNOWN_TOOL, "the server's tool '" + name + "' is left out: " + why);
  }

  private void sendValid(BusCall call, String name, ToolTable.ListedTool tool) {
    if (!validates(call)) {
      sender.send(call, tool.taskSupport());
      return;
    }
    if (tool.hasOutputSchema()) {
      call.inspect(new OutputCheck(session.vertx(), tool.output()));
    }
    ArgumentValidator validator = tool.validator();
    session
        .waiting()
        .on(
            "its arguments to be checked",
            WorkerThreshold.check(
                session.vertx(),
                validator,
                call.params(),
                effort -> validator.check(arguments(call), effort, call::isOver)),
            call,
            violation -> {
              if (violation.isPresent()) {
                throw invalid(name, violation.get());
              }
              sender.send(call, tool.taskSupport());
            },
            defect -> sender.send(call, tool.taskSupport())); // a defect of the check is no refusal
  }

  private boolean validates(BusCall call) {
    String wish = call.header(Headers.VALIDATE);
    if (wish != null) {
      return wish.equals("true");
    }
    return switch (session.options().validation()) {
      case ALWAYS -> true;
      case NEVER -> false;
      case AUTO -> !call.isRaw();
    };
  }

  private static JsonObject arguments(BusCall call) {
    if (!call.isRaw()) {
      return call.json().getValue("arguments") instanceof JsonObject json ? json : new JsonObject();
    }
    RawJson arguments = call.params().member("arguments");
    return arguments == null || !arguments.isObject() ? new JsonObject() : arguments.toJsonObject();
  }

  private static McpFailure invalid(String name, Violation violation) {
    return violation.unchecked()
        ? McpFailure.notSent(
            FailureCode.LIMIT_EXCEEDED,
            violation.of(name)
                + "; with header '"
                + Headers.VALIDATE
                + "' = false they are sent as they are")
        : new McpFailure(
            FailureCode.INVALID_ARGUMENTS,
            McpFailure.Sent.NO,
            violation.of(name),
            -1,
            new JsonObject().put("tool", name).put("path", violation.path()));
  }
}
