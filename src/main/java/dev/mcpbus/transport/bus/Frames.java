package dev.mcpbus.transport.bus;

import io.vertx.core.eventbus.DeliveryOptions;
import java.time.Duration;
import java.util.UUID;

/** The words of the connection protocol; see the package. */
final class Frames {

  static final String FRAME = "mcpbus-frame";
  static final String CHANNEL = "mcpbus-channel";

  static final String CONNECT = "connect";
  static final String CLOSE = "close";
  static final String PING = "ping";

  private Frames() {}

  static String privateAddress() {
    return "mcpbus.channel." + UUID.randomUUID();
  }

  static DeliveryOptions control(String frame, Duration timeout) {
    return message(timeout).addHeader(FRAME, frame);
  }

  static DeliveryOptions message(Duration timeout) {
    return new DeliveryOptions().setSendTimeout(timeout.toMillis());
  }
}
