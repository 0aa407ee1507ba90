package dev.mcpbus.bus;

import io.vertx.core.Vertx;
import io.vertx.core.eventbus.EventBus;
import io.vertx.core.json.JsonObject;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Registers what the bus needs to carry our messages. */
public final class Codecs {

  private static final List<Class<? extends LifecycleMessage>> LIFECYCLE =
      List.of(
          LifecycleMessage.Start.class,
          LifecycleMessage.Stop.class,
          LifecycleMessage.RestartScheduled.class,
          LifecycleMessage.GaveUp.class,
          LifecycleMessage.Started.class,
          LifecycleMessage.Ended.class,
          LifecycleMessage.StartWanted.class,
          LifecycleMessage.StopWanted.class,
          LifecycleMessage.RestartWanted.class,
          LifecycleMessage.Crashed.class);

  private static final LocalMessageCodec<JsonObject> OWNED =
      new LocalMessageCodec<>(JsonObject.class);

  /**
   * Name of the codec for a buffer that nobody writes to any more; receivers see a {@code Buffer},
   * which they must only read.
   */
  public static final String SHARED = "mcpbus.shared";

  private Codecs() {}

  /** Idempotent: a second registration on the same Vert.x is a no-op. */
  public static void register(Vertx vertx) {
    EventBus bus = vertx.eventBus();
    try {
      bus.registerDefaultCodec(McpFailure.class, new McpFailureCodec());
    } catch (IllegalStateException alreadyRegistered) {
      return;
    }
    bus.registerCodec(OWNED);
    bus.registerCodec(new SharedBufferCodec());
    LIFECYCLE.forEach(type -> registerLocal(bus, type));
  }

  /**
   * The codec, by name, with which a {@code JsonObject} that its sender lets go of is sent: handed
   * over without the deep copy of Vert.x. Null in a cluster, where a node that does not know mcpbus
   * must be able to read it.
   */
  public static @Nullable String ownedJson(Vertx vertx) {
    return vertx.isClustered() ? null : OWNED.name();
  }

  private static <T> void registerLocal(EventBus bus, Class<T> type) {
    bus.registerDefaultCodec(type, new LocalMessageCodec<>(type));
  }
}
