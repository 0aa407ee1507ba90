package dev.mcpbus.bus;

import dev.mcpbus.protocol.Envelope;
import io.vertx.core.Vertx;
import io.vertx.core.eventbus.EventBus;
import io.vertx.core.json.JsonObject;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Registers the codecs of mcpbus at the event bus of a Vert.x. Any thread may call. */
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

  private static final List<Class<?>> SHARING =
      List.of(
          SharingMessage.MayShare.class,
          SharingMessage.RefusedTwice.class,
          SharingMessage.Served.class,
          SharingMessage.Unserved.class,
          SharingMessage.SharingAnswer.class);

  private static final LocalMessageCodec<JsonObject> OWNED =
      new LocalMessageCodec<>(JsonObject.class);

  /**
   * Name of the codec that passes a {@code Buffer} by reference on one node. The sender must not
   * write to the buffer after sending; the receivers must only read it.
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
    registerLocal(bus, Envelope.class); // from a gateway endpoint to a session host of its node
    registerLocal(bus, ServerNotice.class); // from the directory to the gateways of its node
    LIFECYCLE.forEach(type -> registerLocal(bus, type));
    SHARING.forEach(type -> registerLocal(bus, type));
  }

  /**
   * Name of the codec that passes a {@code JsonObject} by reference on one node, without the deep
   * copy of Vert.x. The sender must not use the object after sending. Null in a cluster: there a
   * process without the codecs of mcpbus must be able to read the message.
   */
  public static @Nullable String ownedJson(Vertx vertx) {
    return vertx.isClustered() ? null : OWNED.name();
  }

  private static <T> void registerLocal(EventBus bus, Class<T> type) {
    bus.registerDefaultCodec(type, new LocalMessageCodec<>(type));
  }
}
