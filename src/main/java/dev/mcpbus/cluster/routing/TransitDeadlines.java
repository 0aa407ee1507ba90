package dev.mcpbus.cluster.routing;

import dev.mcpbus.bus.FailureCode;
import dev.mcpbus.bus.Headers;
import dev.mcpbus.bus.McpFailure;
import dev.mcpbus.cluster.membership.ClockOffsets;
import io.vertx.core.MultiMap;
import io.vertx.core.eventbus.DeliveryContext;
import io.vertx.core.eventbus.Message;

/** Takes the time that a call was under way between nodes off its budget. */
final class TransitDeadlines {

  private final String self;
  private final ClockOffsets offsets;

  /**
   * @param self the node's id
   */
  TransitDeadlines(String self, ClockOffsets offsets) {
    this.self = self;
    this.offsets = offsets;
  }

  /** A call leaves. */
  void stamp(MultiMap headers) {
    if (headers.contains(Headers.DEADLINE)) {
      headers.set(Headers.SENT_AT, self + " " + offsets.now());
    }
  }

  /** A call without any time left is not delivered. */
  void arrived(DeliveryContext<Object> delivery) {
    Message<Object> message = delivery.message();
    String stamp = message.headers().isEmpty() ? null : message.headers().get(Headers.SENT_AT);
    if (stamp == null) {
      delivery.next();
      return;
    }
    long late;
    long budget;
    try {
      int space = stamp.indexOf(' ');
      late =
          offsets.underWay(
              stamp.substring(0, Math.max(0, space)), Long.parseLong(stamp.substring(space + 1)));
      budget = Long.parseLong(String.valueOf(message.headers().get(Headers.DEADLINE)).trim());
    } catch (NumberFormatException e) {
      // Whoever reads the headers says what is wrong with them.
      delivery.next();
      return;
    }
    message.headers().remove(Headers.SENT_AT);
    if (late >= budget && late > 0) {
      McpFailure.notSent(
              FailureCode.CALL_TIMEOUT,
              "the call was under way between nodes for " + late + " ms; it was not sent")
          .replyTo(message);
      return;
    }
    if (late > 0) {
      message.headers().set(Headers.DEADLINE, Long.toString(budget - late));
    }
    delivery.next();
  }
}
