package dev.mcpbus.cluster.routing;

import dev.mcpbus.bus.Headers;
import dev.mcpbus.bus.McpFailure;
import dev.mcpbus.cluster.membership.ClockOffsets;
import dev.mcpbus.internals.InternalContext;
import io.vertx.core.MultiMap;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.eventbus.DeliveryOptions;
import io.vertx.core.eventbus.Message;
import java.util.HashMap;
import java.util.Map;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Asks for the answers of requests that are in flight over a link which is cut, or was cut a moment
 * ago: the request or its answer may be lost, and the caller would wait for its whole time. A third
 * node passes the question on while the link is cut. A request that has not arrived is not run any
 * more ({@link ArrivedRequests}), so its caller may send it again. Confined to a context of its
 * own.
 */
final class LostAnswers {

  private static final Logger LOG = LoggerFactory.getLogger(LostAnswers.class);

  private static final long EVERY_MILLIS = 200;

  /** After this time without an answer it asks again. */
  private static final long ASK_AGAIN_MILLIS = 2_000;

  /** A tick that comes so late shows that this process did not run. */
  private static final long STOOD_STILL_MILLIS = 2_000;

  private final Vertx vertx;
  private final String self;
  private final NodeLinks links;
  private final InFlightRequests inFlight;
  private long lastTick = ClockOffsets.clock();

  LostAnswers(Vertx vertx, String self, NodeLinks links, InFlightRequests inFlight) {
    this.vertx = vertx;
    this.self = self;
    this.links = links;
    this.inFlight = inFlight;
  }

  /** Asks until this Vert.x closes. */
  void open() {
    InternalContext.create(vertx).run(() -> vertx.setPeriodic(EVERY_MILLIS, now -> look()));
  }

  private void look() {
    long now = ClockOffsets.clock();
    boolean stoodStill = now - lastTick > STOOD_STILL_MILLIS;
    lastTick = now;
    Map<String, NodeLinks.Way> ways = new HashMap<>();
    for (InFlightRequests.InFlightRequest<?> request : inFlight.all()) {
      if (request.firstHop() == null && request.giveUp()) {
        request.failed(McpFailure.ownerLeft("the node of its owner cannot be found at the moment"));
      }
      RequestId id = request.id();
      String receiver = request.receiver();
      String firstHop = request.firstHop();
      if (id == null || receiver == null || firstHop == null || firstHop.equals(self)) {
        continue;
      }
      request.mayBeLost(stoodStill || request.isMisrouted());
      NodeLinks.Way way = ways.computeIfAbsent(receiver, links::to);
      NodeLinks.Way first = ways.computeIfAbsent(firstHop, links::to);
      request.mayBeLost(
          !(way instanceof NodeLinks.Way.Direct || request.isPassedOn())
              || !(first instanceof NodeLinks.Way.Direct));
      if (!(way instanceof NodeLinks.Way.Closed) && request.beginAsking()) {
        ask(request, id, receiver, way);
      }
    }
  }

  private void ask(
      InFlightRequests.InFlightRequest<?> request,
      RequestId id,
      String receiver,
      NodeLinks.Way way) {
    String address = ArrivedRequests.address(receiver);
    LOG.debug("asks {} for the answer of {}, {}", receiver, request, way);
    DeliveryOptions options = new DeliveryOptions().setSendTimeout(ASK_AGAIN_MILLIS);
    if (way instanceof NodeLinks.Way.Around around) {
      RelayedRequests.mark(options.setHeaders(MultiMap.caseInsensitiveMultiMap()), address);
      address = RelayedRequests.address(around.via());
    }
    vertx
        .eventBus()
        .<Object>request(address, id.text(), options)
        .onComplete(
            reply -> {
              request.endAsking();
              told(request, reply);
            },
            noAnswer -> request.endAsking());
  }

  @SuppressWarnings("unchecked") // its reader names the type, as with any reply
  private static <T> void told(InFlightRequests.InFlightRequest<T> request, Message<Object> reply) {
    String asked = String.valueOf(reply.headers().get(Headers.ASKED));
    switch (asked) {
      case ArrivedRequests.ANSWERED -> {
        reply.headers().remove(Headers.ASKED);
        request.answered((Message<T>) reply);
      }
      case ArrivedRequests.FAILED ->
          request.failed(
              reply.body() instanceof Buffer bytes ? McpFailure.read(bytes) : McpFailure.defect());
      case ArrivedRequests.UNSEEN ->
          request.failed(
              McpFailure.ownerLeft("the link to its node was cut; the request did not arrive"));
      default -> {
        // It has forgotten: the request may have run. Its own time-out ends it.
      }
    }
  }
}
