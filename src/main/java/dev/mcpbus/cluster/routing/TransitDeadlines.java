package dev.mcpbus.cluster.routing;

import dev.mcpbus.bus.CallDeadline;
import dev.mcpbus.bus.FailureCode;
import dev.mcpbus.bus.Headers;
import dev.mcpbus.bus.McpFailure;
import dev.mcpbus.cluster.membership.ClockOffsets;
import io.vertx.core.MultiMap;
import io.vertx.core.eventbus.DeliveryContext;
import io.vertx.core.eventbus.Message;

/**
 * Subtracts the time that a call was in transit between nodes from its time left. Part of {@link
 * ClusterRequests}; runs on the sending and the receiving threads of the event bus.
 */
final class TransitDeadlines {

  private final String self;
  private final ClockOffsets offsets;

  /**
   * @param self the id of this node in the cluster
   */
  TransitDeadlines(String self, ClockOffsets offsets) {
    this.self = self;
    this.offsets = offsets;
  }

  /** Adds this node's clock to a call that leaves. */
  void stamp(MultiMap headers) {
    if (headers.contains(Headers.DEADLINE)) {
      headers.set(Headers.SENT_AT, self + " " + offsets.now());
    }
  }

  /**
   * Interceptor for arriving messages: reduces the time left; a call without any is refused and not
   * delivered.
   */
  void arrived(DeliveryContext<Object> delivery) {
    Message<Object> message = delivery.message();
    String stamp = message.headers().isEmpty() ? null : message.headers().get(Headers.SENT_AT);
    if (stamp == null) {
      delivery.next();
      return;
    }
    long timeLeft = CallDeadline.read(message.headers().get(Headers.DEADLINE));
    long inTransit;
    try {
      int space = stamp.indexOf(' ');
      inTransit =
          offsets.underWay(
              stamp.substring(0, Math.max(0, space)), Long.parseLong(stamp.substring(space + 1)));
    } catch (NumberFormatException e) {
      delivery.next(); // not from a node of mcpbus
      return;
    }
    if (timeLeft == CallDeadline.NONE) {
      delivery.next(); // the connection refuses the header
      return;
    }
    message.headers().remove(Headers.SENT_AT);
    if (inTransit >= timeLeft && inTransit > 0) {
      McpFailure.notSent(
              FailureCode.CALL_TIMEOUT,
              "the call was in transit between nodes for " + inTransit + " ms; it was not sent")
          .replyTo(message);
      return;
    }
    if (inTransit > 0) {
      message.headers().set(Headers.DEADLINE, Long.toString(timeLeft - inTransit));
    }
    delivery.next();
  }
}
