package dev.mcpbus.gateway.dialect;

import dev.mcpbus.bus.ListKind;
import dev.mcpbus.bus.McpFailure;
import dev.mcpbus.gateway.request.McpErrors;
import dev.mcpbus.protocol.EraMembers;
import dev.mcpbus.protocol.JsonRpcError;
import dev.mcpbus.protocol.MessageWriter;
import dev.mcpbus.protocol.Methods;
import dev.mcpbus.protocol.RawJson;
import dev.mcpbus.protocol.ResultType;
import io.vertx.core.AsyncResult;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** What a client of the {@code discover} era receives. Pure functions. */
public final class Discover {

  /** How often a client may ask for a task. */
  private static final long POLL_MILLIS = 500;

  private Discover() {}

  /**
   * The message with a result as the era wants it: with its type, and with hints where it is a
   * resource.
   *
   * @param id the client's own
   * @param known the result by the client's ids
   * @param asked whether a server was asked; mcpbus makes pages of lists itself
   * @param statedByServer whether the server is of this era
   */
  public static Buffer written(
      RawJson id, String method, RawJson known, boolean asked, boolean statedByServer) {
    boolean list = ListKind.ofMethod(method) != null;
    boolean page = list && !asked; // made for this era, with type and hints
    RawJson result = statedByServer || page ? known : EraMembers.forDiscover(known);
    boolean typed = !Methods.isOfTasks(method) && (statedByServer || page);
    boolean untyped = !typed && result.member(ResultType.MEMBER) == null;
    boolean late = untyped && result.length() >= MessageWriter.LONG; // a new member would copy it
    RawJson whole = untyped && !late ? typed(result) : result;
    boolean hints =
        method.equals(Methods.RESOURCES_READ)
            || method.equals(Methods.SKILLS_GET)
            || (list && asked);
    RawJson hinted = hints ? hinted(whole) : whole;
    return late ? MessageWriter.writtenComplete(id, hinted) : MessageWriter.written(id, hinted);
  }

  /** A result with its type; a server of the {@code initialize} era states none. */
  public static RawJson typed(RawJson result) {
    return result.member(ResultType.MEMBER) == null
        ? result.withNew(ResultType.MEMBER, ResultType.COMPLETE_JSON)
        : result;
  }

  /** A server of the {@code initialize} era does not say how long its result may be kept. */
  private static RawJson hinted(RawJson result) {
    RawJson type = result.member(ResultType.MEMBER);
    if (type != null && !type.equals(ResultType.COMPLETE_JSON)) {
      return result;
    }
    RawJson timed = result.member("ttlMs") == null ? result.with("ttlMs", RawJson.of("0")) : result;
    return timed.member("cacheScope") == null
        ? timed.with("cacheScope", RawJson.string("private"))
        : timed;
  }

  // ---- calls that wait for the client

  /**
   * The result of a call that needs answers of the client.
   *
   * @param state by which the client names the call when it comes back
   */
  public static RawJson inputRequired(RawJson questions, String state) {
    Map<String, RawJson> result = new LinkedHashMap<>();
    result.put(ResultType.MEMBER, RawJson.string(ResultType.INPUT_REQUIRED));
    result.put("inputRequests", questions);
    result.put("requestState", RawJson.string(state));
    return RawJson.object(result);
  }

  /**
   * The state of a task.
   *
   * @param message of the server; empty for none
   * @param questions that are open; null for none
   */
  public static RawJson task(
      String id,
      String status,
      Instant created,
      Instant updated,
      long ttlMillis,
      String message,
      @Nullable RawJson questions) {
    JsonObject state =
        new JsonObject()
            .put(ResultType.MEMBER, ResultType.COMPLETE)
            .put("taskId", id)
            .put("status", status)
            .put("createdAt", created.toString())
            .put("lastUpdatedAt", updated.toString())
            .put("ttlMs", ttlMillis)
            .put("pollIntervalMs", POLL_MILLIS);
    if (!message.isEmpty()) {
      state.put("statusMessage", message);
    }
    return questions == null
        ? RawJson.of(state)
        : RawJson.of(state.put("inputRequests", "")).with("inputRequests", questions);
  }

  /** The state of a task with its outcome. */
  public static RawJson finished(RawJson task, AsyncResult<RawJson> outcome) {
    return outcome.succeeded()
        ? task.with("result", typed(outcome.result()))
        : task.with("error", McpErrors.raw(McpFailure.of(outcome.cause())));
  }

  /**
   * A failure for a client that knows no -32042: it learns which capability it lacks, or gets an
   * "internal error" with the server's text and data. An error of that number which names no URLs
   * is another one, and passes as it is.
   *
   * @param capabilities as the client stated them
   */
  public static McpFailure failure(McpFailure failure, @Nullable RawJson capabilities) {
    if (!failure.isUpstream(JsonRpcError.URL_ELICITATION_REQUIRED)) {
      return failure;
    }
    JsonRpcError error = JsonRpcError.of(McpErrors.raw(failure));
    if (!(error.data() instanceof JsonObject known)
        || !(known.getValue("elicitations") instanceof JsonArray urls)
        || urls.stream().noneMatch(JsonObject.class::isInstance)) {
      return failure;
    }
    JsonObject data = known.copy();
    RawJson elicitation = capabilities == null ? null : capabilities.member("elicitation");
    if (elicitation != null && elicitation.member("url") != null) {
      return McpErrors.rpc(JsonRpcError.INTERNAL_ERROR, error.message(), data);
    }
    JsonObject url = new JsonObject().put("url", new JsonObject());
    return McpErrors.rpc(
        JsonRpcError.MISSING_CLIENT_CAPABILITY,
        error.message(),
        data.put("requiredCapabilities", new JsonObject().put("elicitation", url)));
  }
}
