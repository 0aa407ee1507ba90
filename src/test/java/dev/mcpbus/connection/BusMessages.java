package dev.mcpbus.connection;

import dev.mcpbus.bus.Codecs;
import dev.mcpbus.connection.options.ConnectionOptions;
import dev.mcpbus.connection.session.BusCall;
import dev.mcpbus.connection.session.Clock;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.eventbus.DeliveryOptions;
import io.vertx.core.eventbus.Message;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;

/** Calls as they arrive over a real bus, with what becomes of them. */
public final class BusMessages {

  /**
   * One call.
   *
   * @param message as the connection gets it
   * @param reply what its caller gets
   */
  public record Sent(Message<Object> message, Future<Object> reply) {}

  private static final String ADDRESS = "test.messages";

  private BusMessages() {}

  public static Sent send(Vertx vertx, @Nullable Object body, DeliveryOptions options) {
    Codecs.register(vertx);
    CompletableFuture<Message<Object>> arrived = new CompletableFuture<>();
    var consumer = vertx.eventBus().<Object>localConsumer(ADDRESS, arrived::complete);
    Future<Object> reply =
        vertx.eventBus().<Object>request(ADDRESS, body, options).map(Message::body);
    try {
      Message<Object> message = arrived.get(60, TimeUnit.SECONDS);
      consumer.unregister();
      return new Sent(message, reply);
    } catch (InterruptedException | ExecutionException | TimeoutException e) {
      throw new AssertionError("the message does not arrive", e);
    }
  }

  public static Sent send(Vertx vertx, @Nullable Object body) {
    return send(vertx, body, new DeliveryOptions());
  }

  /** A call with the header {@code name}. */
  public static BusCall call(Vertx vertx, Object body, String name, String value, Clock clock) {
    DeliveryOptions options = new DeliveryOptions().addHeader(name, value);
    return BusCall.of(
        send(vertx, body, options).message(), "tools/call", ConnectionOptions.DEFAULT, clock, null);
  }
}
