package dev.mcpbus.gateway.dialect;

import dev.mcpbus.bus.McpFailure;
import dev.mcpbus.gateway.request.McpErrors;
import dev.mcpbus.protocol.EraMembers;
import dev.mcpbus.protocol.MessageWriter;
import dev.mcpbus.protocol.Methods;
import dev.mcpbus.protocol.RawJson;
import io.vertx.core.AsyncResult;
import io.vertx.core.buffer.Buffer;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/** What a client of the {@code initialize} era sends and receives. Pure functions. */
public final class Initialize {

  private Initialize() {}

  // ---- log levels, of both eras

  /**
   * Accepts the levels of MCP.
   *
   * @throws McpFailure with the error for any other
   */
  public static void checkLevel(String wanted) {
    if (!Methods.LOG_LEVELS.contains(wanted)) {
      throw McpErrors.invalidParams("\"level\" must be one of " + Methods.LOG_LEVELS);
    }
  }

  /** Whether it is one of the levels of MCP; a server may know others. */
  public static boolean isLevel(@Nullable RawJson level) {
    return level != null && level.isString() && Methods.LOG_LEVELS.contains(level.asString());
  }

  /** Whether a log message has at least that level. */
  public static boolean reaches(RawJson log, String level) {
    RawJson of = log.member("level");
    return Methods.LOG_LEVELS.indexOf(of != null && of.isString() ? of.asString() : "")
        >= Methods.LOG_LEVELS.indexOf(level);
  }

  // ---- to the client

  /** A notification of a server of either era. */
  public static byte[] notification(String method, RawJson params) {
    return MessageWriter.notification(
        method, params.isAbsent() ? null : EraMembers.paramsForInitialize(method, params));
  }

  /**
   * The answer to a request: its result, or the error.
   *
   * @param id the client's own
   * @param named puts the client's ids into a result of a method that MCP does not define
   * @param fromDiscover whether the server is of the other era
   */
  public static Buffer written(
      RawJson id,
      String method,
      AsyncResult<RawJson> outcome,
      UnaryOperator<RawJson> named,
      boolean fromDiscover) {
    if (outcome.failed()) {
      return failed(id, McpErrors.of(outcome.cause()));
    }
    boolean known = Methods.isKnown(method);
    RawJson result = known ? outcome.result() : named.apply(outcome.result());
    if (fromDiscover) {
      result =
          known ? EraMembers.resultForInitialize(result) : EraMembers.unknownForInitialize(result);
    }
    return MessageWriter.written(id, result);
  }

  public static Buffer failed(RawJson id, McpFailure failure) {
    return Buffer.buffer(McpErrors.message(id, failure));
  }
}
