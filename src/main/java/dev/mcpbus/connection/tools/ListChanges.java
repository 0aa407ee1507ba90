package dev.mcpbus.connection.tools;

import dev.mcpbus.bus.Events;
import dev.mcpbus.connection.session.Clock;
import dev.mcpbus.connection.session.Timers;
import dev.mcpbus.protocol.Methods;
import io.vertx.core.Future;
import io.vertx.core.json.JsonObject;
import java.util.Map;
import java.util.function.BiConsumer;
import java.util.function.Supplier;

/**
 * What follows from {@code list_changed}: the tools are read again, and for resources (templates
 * among them) and prompts, which are not kept, the fact is published; each however often the server
 * says it, as {@link Coalescer} does. Owner: the connection's context.
 */
public final class ListChanges {

  private final Map<String, Coalescer> byMethod;

  /**
   * @param readTools reads the tools again
   * @param publisher takes type and members of an event
   */
  public ListChanges(
      Timers timers,
      Clock clock,
      Supplier<Future<?>> readTools,
      BiConsumer<String, JsonObject> publisher) {
    this.byMethod =
        Map.of(
            Methods.TOOLS_CHANGED,
            new Coalescer(timers, clock, readTools),
            Methods.RESOURCES_CHANGED,
            new Coalescer(timers, clock, () -> publish(publisher, Events.RESOURCES_CHANGED)),
            Methods.PROMPTS_CHANGED,
            new Coalescer(timers, clock, () -> publish(publisher, Events.PROMPTS_CHANGED)));
  }

  private static Future<?> publish(BiConsumer<String, JsonObject> publisher, String type) {
    publisher.accept(type, new JsonObject());
    return Future.succeededFuture();
  }

  /**
   * The server said so.
   *
   * @param method one of the three notifications
   */
  public void heard(String method) {
    Coalescer coalescer = byMethod.get(method);
    if (coalescer != null) {
      coalescer.ask();
    }
  }

  /** The session is over. */
  public void stop() {
    byMethod.values().forEach(Coalescer::stop);
  }
}
