package dev.mcpbus.ai;

import dev.mcpbus.bus.Addresses;
import dev.mcpbus.bus.CallDeadline;
import dev.mcpbus.bus.CallDeadline.Layer;
import dev.mcpbus.bus.Codecs;
import dev.mcpbus.bus.ConnectionId;
import dev.mcpbus.bus.Events;
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
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Lists and calls tools for frameworks that block their caller. Any thread may call, except an
 * event loop, where it throws at once. A call ends by its time-out at the latest; if its thread is
 * interrupted, the call is cancelled at the server.
 */
@PublicApi
public final class BlockingTools implements AutoCloseable {

  private static final Logger LOG = LoggerFactory.getLogger(BlockingTools.class);
  private static final long LIST_MILLIS = 30_000;

  private final Vertx vertx;
  private final InternalContext context;
  private final McpClient client;
  private final FrameworkOptions options;
  private final SilentServers silent;

  /** If a verticle creates it, undeployment of that verticle ends its calls. */
  public BlockingTools(Vertx vertx, FrameworkOptions options) {
    this(vertx, options, System::nanoTime);
  }

  BlockingTools(Vertx vertx, FrameworkOptions options, LongSupplier nanos) {
    Codecs.register(vertx);
    this.vertx = vertx;
    this.context = InternalContext.create(vertx);
    this.client = McpClient.create(vertx);
    this.options = options;
    this.silent = new SilentServers(client, options, nanos);
    client.onEvent(silent::onEvent);
    Consumer<JsonObject> log = options.settings.log();
    if (log != null) {
      client.onEvent(
          Events.LOG,
          event -> {
            if (options.offers(event.getString("id", ""))) {
              onWorker(() -> log.accept(event));
            }
          });
    }
  }

  /**
   * The present tools, with those of a server that was just added: it waits for first attempts to
   * connect, as {@link FrameworkOptions#withPatience} says. Blocks for at most that and 30 s.
   *
   * @throws McpFailure {@code UNAVAILABLE} if the options demand all servers and one is not ready
   * @throws IllegalStateException if two tools would have the same name, or one would have none
   * @throws IllegalArgumentException if {@link FrameworkOptions#withSchemas} names no tool
   */
  public ModelTools list() {
    JsonObject wanted =
        options.settings.servers().isEmpty()
            ? new JsonObject()
            : new JsonObject().put("servers", new JsonArray(options.settings.servers()));
    JsonObject listed =
        await(
            () ->
                silent
                    .settled()
                    .compose(
                        tried ->
                            vertx.eventBus().<JsonObject>request(Addresses.ALL_TOOLS_LIST, wanted))
                    .map(Message::body),
            LIST_MILLIS + options.settings.patience().toMillis(),
            new CancellationToken());
    ModelTools tools = ModelTools.of(listed, options.settings.schemas());
    requireTools(tools);
    return tools.offered(options);
  }

  /** Asks for the servers only where a name is that of no tool. */
  private void requireTools(ModelTools tools) {
    Set<String> names = options.settings.schemas().keySet();
    if (tools.strangers(names, List.of()).isEmpty()) {
      return;
    }
    List<String> unlisted = await(silent::unlisted, LIST_MILLIS, new CancellationToken());
    String mistake = tools.strangers(names, unlisted);
    if (!mistake.isEmpty()) {
      throw new IllegalArgumentException("withSchemas: " + mistake);
    }
  }

  /** Calls a tool without {@code _meta}, as the options say. */
  public ToolOutput call(ModelTool tool, @Nullable String arguments) {
    return call(tool, arguments, new JsonObject(), CallOptions.DEFAULT);
  }

  /**
   * Calls a tool and blocks until it has answered.
   *
   * @param arguments as the model wrote them, a JSON object; null or blank for none
   * @param meta {@code _meta} of this call, for the server; empty for none
   * @param given the options of this call; what it leaves open is as the framework's options say
   * @throws McpFailure if the tool gave no result; {@code CALL_TIMEOUT} after the time-out
   */
  public ToolOutput call(
      ModelTool tool, @Nullable String arguments, JsonObject meta, CallOptions given) {
    JsonObject object = FunctionCall.parse(arguments == null ? "" : arguments);
    CancellationToken token = Objects.requireNonNullElseGet(given.cancel(), CancellationToken::new);
    Duration timeout = given.timeout() == null ? options.settings.timeout() : given.timeout();
    CallOptions how = listened(tool, given.withCancel(token));
    CallOptions timed = timeout == null ? how : how.withTimeout(timeout);
    JsonObject result =
        await(
            () -> send(tool, object, meta, timed),
            Layer.BLOCKING.timeout(CallDeadline.of(timeout)),
            token);
    return ToolOutput.of(result);
  }

  private Future<JsonObject> send(
      ModelTool tool, JsonObject arguments, JsonObject meta, CallOptions how) {
    if (ResourceTools.isOne(tool)) {
      return ResourceTools.call(client, options, tool, arguments, how);
    }
    JsonObject params =
        new JsonObject().put("name", tool.tool().tool()).put("arguments", arguments);
    if (!meta.isEmpty()) {
      params.put("_meta", meta);
    }
    return client
        .server(new ConnectionId(tool.tool().server()))
        .send(Addresses.TOOLS_CALL, params, how);
  }

  private CallOptions listened(ModelTool tool, CallOptions how) {
    BiConsumer<ModelTool, JsonObject> handler = options.settings.progress();
    return handler == null || how.progress() != null
        ? how
        : how.withProgress(step -> onWorker(() -> handler.accept(tool, step.json())));
  }

  /** Runs a handler of the program, which may block, on a worker thread, in order. */
  private void onWorker(Runnable handler) {
    context
        .context()
        .executeBlocking(Executors.callable(handler))
        .onFailure(failure -> LOG.warn("a handler of the program failed", failure));
  }

  /** What the model reads of a result. */
  public String text(ToolOutput output) {
    return options.text(output);
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
