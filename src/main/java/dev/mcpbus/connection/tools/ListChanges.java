package dev.mcpbus.connection.tools;

import dev.mcpbus.bus.Events;
import dev.mcpbus.bus.Timers;
import dev.mcpbus.connection.session.Clock;
import dev.mcpbus.protocol.Methods;
import io.vertx.core.Future;
import io.vertx.core.json.JsonObject;
import java.util.Map;
import java.util.function.BiConsumer;
import java.util.function.Supplier;

/**
 * Handles {@code list_changed}: lists the tools again; publishes an event for resources (with
 * templates) and prompts, whose lists the connection does not keep. A {@link Coalescer} combines
 * many notifications into few runs. Owner: the connection's context.
 */
public final class ListChanges {

  private final Map<String, Coalescer> byMethod;

  /**
   * @param readTools lists the tools again
   * @param publisher publishes an event: its type and its members
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
   * Takes a notification of the server.
   *
   * @param method one of the three {@code list_changed}; others are ignored
   */
  public void changed(String method) {
    Coalescer coalescer = byMethod.get(method);
    if (coalescer != null) {
      coalescer.request();
    }
  }

  /** The session is over: drops what is still to be done. */
  public void stop() {
    byMethod.values().forEach(Coalescer::stop);
  }
}
