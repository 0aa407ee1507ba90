package dev.mcpbus.hosting;

import dev.mcpbus.bus.Addresses;
import dev.mcpbus.bus.Codecs;
import dev.mcpbus.bus.ConnectionId;
import dev.mcpbus.bus.InstanceId;
import dev.mcpbus.bus.McpBusVersion;
import dev.mcpbus.bus.McpFailure;
import dev.mcpbus.config.ServerDefinition;
import dev.mcpbus.connection.options.PinStore;
import dev.mcpbus.doctor.ExaminationException;
import dev.mcpbus.doctor.ExaminedServer;
import dev.mcpbus.hosting.credentials.OAuthAuthenticators;
import dev.mcpbus.internals.RecordCopy;
import dev.mcpbus.protocol.Implementation;
import dev.mcpbus.supervisor.SupervisorOptions;
import dev.mcpbus.supervisor.SupervisorVerticle;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.VertxOptions;
import io.vertx.core.eventbus.DeliveryOptions;
import io.vertx.core.eventbus.Message;
import io.vertx.core.json.JsonObject;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CancellationException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/**
 * A second connection to a server, for one examination: an actor with a supervisor of its own in a
 * Vert.x instance of its own. So neither callers, events, metrics nor the other nodes of a cluster
 * see it, and it ends with that instance. Blocks; used on the worker thread of the examination,
 * except for {@link #close}, which any thread may call.
 */
final class ExaminedCopy implements ExaminedServer, AutoCloseable {

  private static final long ASK_MILLIS = 10_000;

  private final Vertx vertx;
  private final ConnectionId id;

  private ExaminedCopy(Vertx vertx, ConnectionId id) {
    this.vertx = vertx;
    this.id = id;
  }

  /**
   * Begins without a connection; {@link Addresses#CONNECT} opens it.
   *
   * @param of the Vert.x instance of the service: a server that leads back to it is recognized
   */
  static ExaminedCopy create(Vertx of, ServerDefinition definition) {
    Vertx own =
        Vertx.vertx(
            new VertxOptions()
                .setEventLoopPoolSize(1)
                .setWorkerPoolSize(4)
                .setInternalBlockingPoolSize(4));
    InstanceId.share(of, own);
    return new ExaminedCopy(own, definition.id());
  }

  /**
   * Deploys the connection.
   *
   * @param definition connects on demand
   * @param variables the environment of mcpbus, which names the store of tokens
   */
  void deploy(ServerDefinition definition, Map<String, String> variables) {
    Codecs.register(vertx);
    SupervisorVerticle supervisor = new SupervisorVerticle(SupervisorOptions.DEFAULT);
    ConnectionFactory factory =
        new ConnectionFactory(
            vertx,
            new Implementation("mcpbus", McpBusVersion.current()),
            OAuthAuthenticators.ofVariables(vertx, variables),
            PinStore.inMemory(),
            PinStore.inMemory());
    await(
        vertx
            .deployVerticle(supervisor)
            .compose(deployed -> supervisor.startChild(factory.childSpec(alone(definition), 0))));
  }

  @Override
  public JsonObject ask(String suffix, JsonObject body) {
    return ask(vertx, id, suffix, body);
  }

  /** Sends a request to a connection and waits for the reply. */
  static JsonObject ask(Vertx vertx, ConnectionId id, String suffix, JsonObject body) {
    return await(
        vertx
            .eventBus()
            .<JsonObject>request(
                Addresses.of(id, suffix), body, new DeliveryOptions().setSendTimeout(ASK_MILLIS))
            .map(Message::body));
  }

  private static <T> T await(Future<T> future) {
    try {
      return future
          .toCompletionStage()
          .toCompletableFuture()
          .get(2 * ASK_MILLIS, TimeUnit.MILLISECONDS);
    } catch (ExecutionException e) {
      McpFailure failure = McpFailure.of(Objects.requireNonNullElse(e.getCause(), e));
      throw new ExaminationException(String.valueOf(failure.getMessage()), failure);
    } catch (TimeoutException e) {
      throw new ExaminationException("there was no answer in time", e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new CancellationException("interrupted");
    }
  }

  /** Ends the connection and its process; does not wait for that. */
  @Override
  public void close() {
    vertx.close();
  }

  /** One connection is examined, whatever their number. */
  private static ServerDefinition alone(ServerDefinition definition) {
    return RecordCopy.with(RecordCopy.with(definition, "others", List.of()), "origin", null);
  }
}
