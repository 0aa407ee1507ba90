package dev.mcpbus.transport.bus;

import io.vertx.core.eventbus.DeliveryOptions;
import java.time.Duration;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** Headers and addresses of the connection protocol that package-info describes. */
final class BusFrames {

  static final String FRAME = "mcpbus-frame";
  static final String CHANNEL = "mcpbus-channel";

  static final String CONNECT = "connect";
  static final String CLOSE = "close";
  static final String PING = "ping";

  private BusFrames() {}

  private static final String PRIVATE = "mcpbus.channel.";

  static String privateAddress() {
    return PRIVATE + UUID.randomUUID();
  }

  /**
   * Whether this is the private address of a channel. A peer may name no other address, so that it
   * cannot make us send to a third party.
   */
  static boolean isPrivate(@Nullable String address) {
    return address != null && address.startsWith(PRIVATE);
  }

  static DeliveryOptions control(String frame, Duration timeout) {
    return message(timeout).addHeader(FRAME, frame);
  }

  static DeliveryOptions message(Duration timeout) {
    return new DeliveryOptions().setSendTimeout(timeout.toMillis());
  }
}
