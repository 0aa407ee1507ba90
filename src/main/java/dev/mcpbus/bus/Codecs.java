package dev.mcpbus.bus;

import io.vertx.core.Vertx;
import io.vertx.core.eventbus.EventBus;
import java.util.List;

/** Registers what the bus needs to carry our messages. */
public final class Codecs {

  private static final List<Class<? extends Lifecycle>> LIFECYCLE =
      List.of(
          Lifecycle.Start.class,
          Lifecycle.Stop.class,
          Lifecycle.RestartScheduled.class,
          Lifecycle.GaveUp.class,
          Lifecycle.Started.class,
          Lifecycle.Ended.class,
          Lifecycle.StartWanted.class,
          Lifecycle.StopWanted.class,
          Lifecycle.RestartWanted.class,
          Lifecycle.Crashed.class);

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
    bus.registerCodec(new SharedBufferCodec());
    LIFECYCLE.forEach(type -> registerLocal(bus, type));
  }

  private static <T> void registerLocal(EventBus bus, Class<T> type) {
    bus.registerDefaultCodec(type, new LocalCodec<>(type));
  }
}
