package dev.mcpbus.cluster.routing;

import dev.mcpbus.bus.CallDeadline;
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
    long left = CallDeadline.read(message.headers().get(Headers.DEADLINE));
    long late;
    try {
      int space = stamp.indexOf(' ');
      late =
          offsets.underWay(
              stamp.substring(0, Math.max(0, space)), Long.parseLong(stamp.substring(space + 1)));
    } catch (NumberFormatException e) {
      delivery.next(); // not from a node of ours
      return;
    }
    if (left == CallDeadline.NONE) {
      delivery.next(); // the connection refuses the header
      return;
    }
    message.headers().remove(Headers.SENT_AT);
    if (late >= left && late > 0) {
      McpFailure.notSent(
              FailureCode.CALL_TIMEOUT,
              "the call was under way between nodes for " + late + " ms; it was not sent")
          .replyTo(message);
      return;
    }
    if (late > 0) {
      message.headers().set(Headers.DEADLINE, Long.toString(left - late));
    }
    delivery.next();
  }
}
