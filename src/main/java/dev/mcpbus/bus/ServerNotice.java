package dev.mcpbus.bus;

import dev.mcpbus.protocol.RawJson;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.eventbus.DeliveryOptions;
import io.vertx.core.eventbus.EventBus;
import io.vertx.core.eventbus.Message;
import io.vertx.core.json.JsonObject;
import org.jspecify.annotations.Nullable;

/**
 * An event of a connection for the gateway, with the params of the notification as the bytes that
 * the server sent. The one of a private connection goes to its holder, the one of a shared
 * connection to the directories ({@link Addresses#GATEWAY_NOTIFIED}), beside the JSON object that
 * all other readers get ({@link Events}). Immutable.
 *
 * @param connection the id of the connection
 * @param type one of {@link Events}
 * @param method of the notification; empty for an event that is none
 * @param params {@link RawJson#isAbsent absent} for an event that is no notification
 * @param call the caller's id of the call that it belongs to; empty if it belongs to no call in
 *     flight, null if that is not known
 * @param principal the only one that it is for; null where it is for all who see the server
 */
public record ServerNotice(
    String connection,
    String type,
    String method,
    RawJson params,
    @Nullable String call,
    @Nullable String principal) {

  private static final String CONNECTION = "id";
  private static final String TYPE = "type";
  private static final String BESIDE = "notice";

  /** A notice for all who see the connection. */
  public ServerNotice(
      String connection, String type, String method, RawJson params, @Nullable String call) {
    this(connection, type, method, params, call, null);
  }

  /** Whether a principal may get it. */
  public boolean isFor(String name) {
    return principal == null || principal.equals(name);
  }

  /** Sends the notice to the holder of a private connection. */
  public void sendTo(EventBus bus, String address) {
    bus.send(address, params.paramsBuffer(), options());
  }

  /**
   * Sends progress or a log message of one call to the address that its caller named: the bytes to
   * the gateway, a JSON object to a handler on the bus.
   *
   * @param callId the caller's id of the call; null if it has none
   */
  public static void ofCall(
      EventBus bus, String address, @Nullable String callId, String method, RawJson params) {
    DeliveryOptions options = new DeliveryOptions().addHeader(Headers.METHOD, method);
    CallHeaders.add(options, Headers.CALL_ID, callId);
    if (Addresses.takesBytes(address)) {
      bus.send(address, params.paramsBuffer(), options.setCodecName(Codecs.SHARED));
    } else {
      bus.send(address, params.toJsonObject(), options);
    }
  }

  /** Publishes the notice of a shared connection to the directories of all nodes. */
  public void publish(EventBus bus) {
    bus.publish(Addresses.GATEWAY_NOTIFIED, params.paramsBuffer(), options());
  }

  /**
   * Marks the event beside a notice that is published. It carries no bytes: pages may receive it,
   * in their own form.
   */
  public static DeliveryOptions beside() {
    return new DeliveryOptions().addHeader(BESIDE, "true");
  }

  /** Whether a notice is published beside the event; a node with an older mcpbus publishes none. */
  public static boolean isBeside(Message<JsonObject> event) {
    return event.headers().contains(BESIDE);
  }

  private DeliveryOptions options() {
    DeliveryOptions options =
        new DeliveryOptions()
            .setCodecName(Codecs.SHARED)
            .addHeader(CONNECTION, connection)
            .addHeader(TYPE, type)
            .addHeader(Headers.METHOD, method);
    CallHeaders.add(options, Headers.CALL_ID, call);
    if (principal != null) {
      new Requester(principal, false).addTo(options);
    }
    return options;
  }

  /** Reads a notice, or an event. */
  public static ServerNotice of(Message<?> message) {
    if (message.body() instanceof JsonObject event) {
      return new ServerNotice(
          event.getString(CONNECTION, ""),
          event.getString(TYPE, ""),
          event.getString("method", ""),
          RawJson.of(event.getJsonObject("params", new JsonObject())),
          null,
          event.getString("principal"));
    }
    Requester only = Requester.of(message.headers());
    return new ServerNotice(
        String.valueOf(message.headers().get(CONNECTION)),
        String.valueOf(message.headers().get(TYPE)),
        String.valueOf(message.headers().get(Headers.METHOD)),
        RawJson.ofParams((Buffer) message.body()),
        message.headers().get(Headers.CALL_ID),
        only == null ? null : only.name());
  }
}
