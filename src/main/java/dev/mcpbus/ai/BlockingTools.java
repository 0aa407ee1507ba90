package dev.mcpbus.ai;

import dev.mcpbus.bus.Addresses;
import dev.mcpbus.bus.CallDeadline;
import dev.mcpbus.bus.CallDeadline.Layer;
import dev.mcpbus.bus.Codecs;
import dev.mcpbus.bus.ConnectionId;
import dev.mcpbus.bus.FailureCode;
import dev.mcpbus.bus.McpFailure;
import dev.mcpbus.client.CallOptions;
import dev.mcpbus.client.CancellationToken;
import dev.mcpbus.client.McpClient;
import dev.mcpbus.internals.InternalContext;
import dev.mcpbus.protocol.PublicApi;
import io.vertx.core.Context;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.eventbus.Message;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Lists and calls tools for frameworks that block their caller. Any thread may call, except an
 * event loop, where it throws at once. A call ends by its time-out at the latest; if its thread is
 * interrupted, the call is cancelled at the server.
 */
@PublicApi
public final class BlockingTools implements AutoCloseable {

  private static final long LIST_MILLIS = 30_000;

  private final Vertx vertx;
  private final InternalContext context;
  private final McpClient client;
  private final FrameworkOptions options;

  /**
   * The options for a framework. Immutable.
   *
   * @param servers ids of the servers whose tools are offered; empty for all
   * @param timeout of a call; null for the connection's own request time-out
   * @param patience how long a list waits for servers that connect for the first time, for example
   *     one that was just added; default 10 s, zero for no wait
   * @param schemas replace the servers' schemas, by routing name or {@code server.tool}
   */
  public record FrameworkOptions(
      List<String> servers,
      @Nullable Duration timeout,
      Duration patience,
      Map<String, JsonObject> schemas) {

    /** All servers, the connections' time-outs, the servers' schemas. */
    public static final FrameworkOptions DEFAULT =
        new FrameworkOptions(List.of(), null, Duration.ofSeconds(10), Map.of());

    public FrameworkOptions {
      servers = List.copyOf(servers);
      schemas = Map.copyOf(schemas);
    }

    public FrameworkOptions withServers(String... ids) {
      return new FrameworkOptions(List.of(ids), timeout, patience, schemas);
    }

    public FrameworkOptions withTimeout(Duration value) {
      return new FrameworkOptions(servers, value, patience, schemas);
    }

    public FrameworkOptions withPatience(Duration value) {
      return new FrameworkOptions(servers, timeout, value, schemas);
    }

    public FrameworkOptions withSchemas(Map<String, JsonObject> values) {
      return new FrameworkOptions(servers, timeout, patience, values);
    }
  }

  /** If a verticle creates it, undeployment of that verticle ends its calls. */
  public BlockingTools(Vertx vertx, FrameworkOptions options) {
    Codecs.register(vertx);
    this.vertx = vertx;
    this.context = InternalContext.create(vertx);
    this.client = McpClient.create(vertx);
    this.options = options;
  }

  /**
   * The present tools, with those of a server that was just added: it waits for first attempts to
   * connect, as long as {@link FrameworkOptions#patience} says. Blocks for at most that and 30 s.
   */
  public ModelTools list() {
    JsonObject wanted =
        options.servers().isEmpty()
            ? new JsonObject()
            : new JsonObject().put("servers", new JsonArray(options.servers()));
    return await(
        () ->
            settled()
                .compose(
                    tried -> vertx.eventBus().<JsonObject>request(Addresses.ALL_TOOLS_LIST, wanted))
                .map(Message::body)
                .map(listed -> ModelTools.of(listed, options.schemas())),
        LIST_MILLIS + options.patience().toMillis(),
        new CancellationToken());
  }

  private Future<Void> settled() {
    return options.patience().isZero()
        ? Future.succeededFuture()
        : client.awaitAttempts(options.patience(), options.servers());
  }

  /**
   * Calls a tool and blocks until it has answered.
   *
   * @param arguments as the model wrote them, a JSON object; null or blank for none
   * @throws McpFailure if the tool gave no result; {@code CALL_TIMEOUT} after the time-out
   */
  public ToolOutput call(ModelTool tool, @Nullable String arguments) {
    JsonObject object = FunctionCall.parse(arguments == null ? "" : arguments);
    JsonObject params = new JsonObject().put("name", tool.tool().tool()).put("arguments", object);
    CancellationToken token = new CancellationToken();
    CallOptions how = CallOptions.DEFAULT.withCancel(token);
    Duration timeout = options.timeout();
    CallOptions timed = timeout == null ? how : how.withTimeout(timeout);
    JsonObject result =
        await(
            () ->
                client
                    .server(new ConnectionId(tool.tool().server()))
                    .send(Addresses.TOOLS_CALL, params, timed),
            Layer.BLOCKING.timeout(CallDeadline.of(timeout)),
            token);
    return ToolOutput.of(result);
  }

  /**
   * Runs on a context of its own: a future of a worker's context could not complete while that
   * worker waits for it.
   */
  private <T> T await(Supplier<Future<T>> work, long millis, CancellationToken token) {
    refuseEventLoop();
    CompletableFuture<T> done = new CompletableFuture<>();
    context.run(() -> work.get().onSuccess(done::complete).onFailure(done::completeExceptionally));
    try {
      return done.get(millis, TimeUnit.MILLISECONDS);
    } catch (ExecutionException e) {
      throw McpFailure.of(Objects.requireNonNullElse(e.getCause(), e));
    } catch (TimeoutException e) {
      token.cancel();
      throw McpFailure.maybeSent(
          FailureCode.CALL_TIMEOUT, "no answer within " + millis / 1_000 + " s");
    } catch (InterruptedException e) {
      token.cancel();
      Thread.currentThread().interrupt();
      throw McpFailure.maybeSent(
          FailureCode.CANCELLED, "the calling thread was interrupted; the call is cancelled");
    }
  }

  private static void refuseEventLoop() {
    if (Context.isOnEventLoopThread()) {
      throw new IllegalStateException(
          "this call blocks, and "
              + Thread.currentThread().getName()
              + " is an event loop; call it inside vertx.executeBlocking(...), from a worker"
              + " verticle or from a thread of your own");
    }
  }

  /** Cancels the running calls. */
  @Override
  public void close() {
    client.close();
  }
}
