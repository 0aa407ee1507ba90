package dev.mcpbus.testing;

import dev.mcpbus.protocol.PublicApi;
import dev.mcpbus.server.LogLevel;
import dev.mcpbus.server.RequestException;
import dev.mcpbus.server.ServerRequest;
import dev.mcpbus.server.ToolResult;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.json.JsonObject;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.BiFunction;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * What one tool of a {@link FakeMcpServer} is, and does at each call: first its steps, in the order
 * in which they were added, then the answer. Without an answer it is an empty text. Any thread may
 * call.
 *
 * <pre>{@code
 * FakeMcpServer.create(vertx, "files")
 *     .tool("delete", ToolScript.of()
 *         .define("annotations", new JsonObject().put("destructiveHint", true))
 *         .progress(1, 2.0, "looking")
 *         .ask("elicitation/create", new JsonObject().put("message", "Really?"))
 *         .answer(answers -> ToolResult.text("you said " + answers.get(0).getString("action"))));
 * }</pre>
 *
 * <p>In the {@code discover} era a client calls again with the answer to a question; the script
 * then starts again from its first step.
 */
@PublicApi
public final class ToolScript {

  private final JsonObject definition =
      new JsonObject()
          .put("description", "A tool of a test.")
          .put("inputSchema", new JsonObject().put("type", "object"));
  private final List<BiFunction<ServerRequest, List<JsonObject>, Future<Void>>> steps =
      new ArrayList<>();
  private BiFunction<JsonObject, List<JsonObject>, Future<JsonObject>> answer =
      (arguments, answers) -> Future.succeededFuture(ToolResult.text(""));
  private Duration delay = Duration.ZERO;
  private @Nullable Promise<Void> held;

  private ToolScript() {}

  /** A tool that takes any arguments. */
  public static ToolScript of() {
    return new ToolScript();
  }

  /**
   * Sets a member of the definition in {@code tools/list}: {@code inputSchema}, {@code
   * outputSchema}, {@code annotations}, {@code title}, {@code description}, {@code _meta}. Before
   * the server has the tool.
   */
  public synchronized ToolScript define(String member, Object value) {
    definition.put(member, value);
    return this;
  }

  /** Sends progress, to a client that wants it. */
  public ToolScript progress(double progress, @Nullable Double total, @Nullable String message) {
    return step((request, answers) -> request.progress(progress, total, message));
  }

  /** Sends a log message, to a client that takes this level. */
  public ToolScript log(LogLevel level, String logger, Object data) {
    return step((request, answers) -> request.log(level, logger, data));
  }

  /** Sends any notification. */
  public ToolScript send(String method, JsonObject params) {
    return step((request, answers) -> request.notify(method, params));
  }

  /**
   * Asks the client: {@code elicitation/create}, {@code sampling/createMessage}, {@code
   * roots/list}. A client that cannot answer ends the call with an error.
   */
  public ToolScript ask(String method, JsonObject params) {
    return step(
        (request, answers) ->
            request
                .ask(method, params.copy())
                .map(
                    came -> {
                      answers.add(came);
                      return null;
                    }));
  }

  private synchronized ToolScript step(
      BiFunction<ServerRequest, List<JsonObject>, Future<Void>> step) {
    steps.add(step);
    return this;
  }

  /** Answers with one text. */
  public ToolScript text(String text) {
    return answer((arguments, answers) -> Future.succeededFuture(ToolResult.text(text)));
  }

  /** Answers with structured content. */
  public ToolScript structured(JsonObject content) {
    return answer((arguments, answers) -> Future.succeededFuture(ToolResult.structured(content)));
  }

  /** The tool runs and fails: its result has {@code isError}. */
  public ToolScript error(String message) {
    return answer((arguments, answers) -> Future.succeededFuture(ToolResult.error(message)));
  }

  /** Answers with a JSON-RPC error. */
  public ToolScript refuse(int code, String message) {
    return answer((arguments, answers) -> Future.failedFuture(new RequestException(code, message)));
  }

  /** Answers with what is made of the client's answers to the questions, in their order. */
  public ToolScript answer(Function<List<JsonObject>, JsonObject> result) {
    return answer((arguments, answers) -> Future.succeededFuture(result.apply(answers)));
  }

  /**
   * Answers with what is made of the arguments and of the client's answers to the questions.
   *
   * @param result gives a {@code CallToolResult}, see {@link ToolResult}; what it throws becomes a
   *     failed result
   */
  public synchronized ToolScript answer(
      BiFunction<JsonObject, List<JsonObject>, Future<JsonObject>> result) {
    answer = result;
    return this;
  }

  JsonObject definition(String name) {
    return definition.copy().put("name", name);
  }

  /** Does from now on what the other does; keeps the definition, and what is held. */
  synchronized void become(ToolScript other) {
    steps.clear();
    steps.addAll(other.steps);
    answer = other.answer;
  }

  synchronized void delay(Duration next) {
    delay = next;
  }

  synchronized void hold() {
    if (held == null) {
      held = Promise.promise();
    }
  }

  void release() {
    Promise<Void> waiting;
    synchronized (this) {
      waiting = held;
      held = null;
    }
    if (waiting != null) {
      waiting.complete();
    }
  }

  private synchronized Future<Void> released() {
    return held == null ? Future.succeededFuture() : held.future();
  }

  /** Answers after the delay, and after {@link #release} where the tool is held. */
  synchronized Future<JsonObject> call(
      ServerRequest request, JsonObject arguments, Function<Duration, Future<Void>> time) {
    List<JsonObject> answers = new ArrayList<>();
    BiFunction<JsonObject, List<JsonObject>, Future<JsonObject>> last = answer;
    Future<Void> done = time.apply(delay).compose(over -> released());
    for (var step : steps) {
      done = done.compose(before -> step.apply(request, answers));
    }
    return done.compose(all -> last.apply(arguments, answers));
  }
}
