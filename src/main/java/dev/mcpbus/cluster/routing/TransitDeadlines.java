package dev.mcpbus.cluster.routing;

import dev.mcpbus.bus.CallOrigin;
import dev.mcpbus.bus.Headers;
import dev.mcpbus.cluster.membership.ClockOffsets;
import io.vertx.core.MultiMap;
import io.vertx.core.eventbus.DeliveryContext;

/**
 * Translates the time at which a call arrived from the clock of one node to that of another, so
 * that its time goes on while it is in transit. Part of {@link ClusterRequests}; runs on the
 * sending and the receiving threads of the event bus.
 *
 * @param self the id of this node in the cluster
 */
record TransitDeadlines(String self, ClockOffsets offsets) {

  /** The time of a call that carries none counts from now. */
  void stamp(MultiMap headers) {
    boolean isCall = headers.contains(Headers.CALL_ID) || headers.contains(Headers.DEADLINE);
    if (isCall && !headers.contains(Headers.SINCE)) {
      headers.set(Headers.SINCE, CallOrigin.since(self, offsets.now()));
    }
  }

  /** Interceptor for arriving messages: changes the time to this node's clock. */
  void arrived(DeliveryContext<Object> delivery) {
    MultiMap headers = delivery.message().headers();
    String since = headers.isEmpty() ? null : headers.get(Headers.SINCE);
    if (since != null) {
      String node = CallOrigin.node(since);
      long millis = CallOrigin.millis(since);
      if (millis >= 0 && !node.equals(self)) {
        headers.set(
            Headers.SINCE, CallOrigin.since(self, offsets.now() - offsets.underWay(node, millis)));
      }
    }
    delivery.next();
  }
}
