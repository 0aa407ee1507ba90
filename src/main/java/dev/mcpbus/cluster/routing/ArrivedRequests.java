package dev.mcpbus.cluster.routing;

import dev.mcpbus.bus.Addresses;
import dev.mcpbus.bus.Headers;
import dev.mcpbus.bus.McpFailure;
import dev.mcpbus.internals.InternalContext;
import dev.mcpbus.internals.NumberWindow;
import io.vertx.core.Future;
import io.vertx.core.MultiMap;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.eventbus.DeliveryContext;
import io.vertx.core.eventbus.DeliveryOptions;
import io.vertx.core.eventbus.Message;
import io.vertx.core.eventbus.ReplyException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * What has become of the requests of other nodes that arrived here, so that a node whose link was
 * cut can ask for an answer that it never got ({@link LostAnswers}). It keeps which requests have
 * arrived, and each answer for some seconds. To a question about a request that has not arrived it
 * replies so and refuses that request from then on: a late copy that comes out of a link when it
 * heals must not run beside the one that the sender has sent again.
 *
 * <p>A question is the {@link RequestId} as text, sent to {@link Addresses#SERVERS_ANSWERS} of this
 * node. The reply is the answer itself with the header {@link Headers#ASKED}: {@code answered},
 * {@code failed} (the body is {@link McpFailure#toBuffer}), {@code unseen}, or {@code unknown}
 * where this node has forgotten. A question about a request that still runs is answered when that
 * one is. Any thread may call.
 */
final class ArrivedRequests {

  static final String ANSWERED = "answered";
  static final String FAILED = "failed";
  static final String UNSEEN = "unseen";
  static final String UNKNOWN = "unknown";

  /** A cut link is noticed, and an answer asked for, sooner than this. */
  private static final long KEPT_MILLIS = 8_000;

  /** Of all answers that are kept. */
  private static final int MAX_BYTES = 16 << 20;

  private static final int MAX_ANSWERS = 20_000;

  /** What an answer counts at least. */
  private static final int LEAST_BYTES = 512;

  /** This node forgets the oldest requests without an answer beyond this number. */
  private static final int MAX_RUNNING = 65_536;

  /** How many of one sender's numbers are known: about a minute at 2,000 requests a second. */
  private static final int WINDOW = 1 << 17;

  private static final int MAX_SENDERS = 256;
  private static final int MAX_REFUSED = 65_536;
  private static final String REPLY = "__vertx.reply.";

  /** A request that has arrived: it runs, or its answer is kept. */
  private static final class Arrival {
    private final RequestId id;
    private final List<Message<String>> askers = new ArrayList<>(0);
    private @Nullable Object body;
    private MultiMap headers = MultiMap.caseInsensitiveMultiMap();
    private boolean answered;
    private long at;

    Arrival(RequestId id) {
      this.id = id;
    }

    int bytes() {
      return LEAST_BYTES + (body instanceof Buffer bytes ? bytes.length() : 0);
    }
  }

  private final RequestId.Numbering own;
  private final LongSupplier clock;

  // All guarded by this.
  private final Map<String, NumberWindow> senders =
      new LinkedHashMap<>(16, 0.75f, true) {
        @Override
        protected boolean removeEldestEntry(Map.Entry<String, NumberWindow> eldest) {
          return size() > MAX_SENDERS;
        }
      };
  private final Set<RequestId> refused = new LinkedHashSet<>();
  private final Map<RequestId, Arrival> arrivals = new HashMap<>();
  private final Map<String, Arrival> byReply =
      new LinkedHashMap<>() {
        @Override
        protected boolean removeEldestEntry(Map.Entry<String, Arrival> eldest) {
          if (size() > MAX_RUNNING) {
            arrivals.remove(eldest.getValue().id);
            return true;
          }
          return false;
        }
      };
  private final Deque<Arrival> answers = new ArrayDeque<>();
  private int bytes;

  /**
   * @param own numbers of this node, whose requests are not kept
   * @param clock monotonic milliseconds
   */
  ArrivedRequests(RequestId.Numbering own, LongSupplier clock) {
    this.own = own;
    this.clock = clock;
  }

  static String address(String node) {
    return Addresses.at(Addresses.SERVERS_ANSWERS, node);
  }

  /**
   * Watches what arrives and what is answered, and answers questions, until Vert.x closes.
   *
   * @return completes when questions are answered
   */
  Future<Void> open(Vertx vertx, String self) {
    vertx.eventBus().addInboundInterceptor(this::arrived);
    vertx.eventBus().addOutboundInterceptor(this::answered);
    return InternalContext.create(vertx)
        .call(
            () -> {
              vertx.setPeriodic(KEPT_MILLIS, now -> forget());
              return vertx.eventBus().<String>consumer(address(self), this::asked).completion();
            });
  }

  /** Interceptor for arriving messages. */
  void arrived(DeliveryContext<Object> delivery) {
    Message<Object> message = delivery.message();
    MultiMap headers = message.headers();
    String text = headers.isEmpty() ? null : headers.get(Headers.REQUEST);
    String reply = message.replyAddress();
    // One that is to be passed on arrives where it is passed on to.
    if (text == null || reply == null || headers.contains(Headers.RELAY)) {
      delivery.next();
      return;
    }
    RequestId id = RequestId.parse(text);
    if (id == null || own.has(id)) {
      delivery.next();
    } else if (begin(id, reply)) {
      delivery.next();
    } else {
      McpFailure.ownerLeft("the request came late, and its sender has sent it again")
          .replyTo(message);
    }
  }

  private synchronized boolean begin(RequestId id, String reply) {
    if (refused.contains(id)) {
      return false;
    }
    numbers(id.sender()).add(id.number());
    // A speaker forwards a request with its headers: its own reply answers the sender.
    if (!arrivals.containsKey(id)) {
      Arrival arrival = new Arrival(id);
      arrivals.put(id, arrival);
      byReply.put(reply, arrival);
    }
    return true;
  }

  private NumberWindow numbers(String sender) {
    return senders.computeIfAbsent(sender, first -> new NumberWindow(WINDOW));
  }

  /** Interceptor for leaving messages: replies are among them. */
  void answered(DeliveryContext<Object> delivery) {
    Message<Object> message = delivery.message();
    Arrival arrival = null;
    List<Message<String>> askers = List.of();
    if (message.address().startsWith(REPLY)) {
      synchronized (this) {
        arrival = byReply.remove(message.address());
        if (arrival != null) {
          askers = arrival.askers;
          keep(arrival, delivery.body(), message.headers());
        }
      }
    }
    delivery.next();
    for (Message<String> asker : askers) {
      tell(asker, arrival);
    }
  }

  private void keep(Arrival arrival, @Nullable Object body, MultiMap headers) {
    arrival.body = body;
    arrival.headers = headers;
    arrival.answered = true;
    arrival.at = clock.getAsLong();
    answers.add(arrival);
    bytes += arrival.bytes();
    forget();
  }

  /** Forgets what is old, or beyond the bounds. */
  private synchronized void forget() {
    long now = clock.getAsLong();
    for (Arrival oldest = answers.peek();
        oldest != null
            && (now - oldest.at > KEPT_MILLIS || bytes > MAX_BYTES || answers.size() > MAX_ANSWERS);
        oldest = answers.peek()) {
      answers.remove();
      arrivals.remove(oldest.id);
      bytes -= oldest.bytes();
    }
  }

  private void asked(Message<String> question) {
    RequestId id = RequestId.parse(question.body());
    if (id == null) {
      McpFailure.badRequest("this is no id of a request").replyTo(question);
      return;
    }
    Arrival arrival;
    String otherwise;
    synchronized (this) {
      arrival = arrivals.get(id);
      if (arrival != null && !arrival.answered) {
        arrival.askers.add(question);
        return;
      }
      otherwise = arrival == null ? withoutArrival(id) : "";
    }
    if (arrival == null) {
      question.reply(null, new DeliveryOptions().addHeader(Headers.ASKED, otherwise));
    } else {
      tell(question, arrival);
    }
  }

  private String withoutArrival(RequestId id) {
    NumberWindow numbers = numbers(id.sender());
    if (numbers.isForgotten(id.number()) || numbers.has(id.number())) {
      return refused.contains(id) ? UNSEEN : UNKNOWN;
    }
    refused.add(id);
    if (refused.size() > MAX_REFUSED) {
      refused.remove(refused.iterator().next());
    }
    return UNSEEN;
  }

  private static void tell(Message<String> asker, @Nullable Arrival arrival) {
    DeliveryOptions options = new DeliveryOptions();
    try {
      if (arrival != null && arrival.body instanceof ReplyException failure) {
        asker.reply(McpFailure.of(failure).toBuffer(), options.addHeader(Headers.ASKED, FAILED));
        return;
      }
      if (arrival != null) {
        options.setHeaders(MultiMap.caseInsensitiveMultiMap().addAll(arrival.headers));
        asker.reply(arrival.body, options.addHeader(Headers.ASKED, ANSWERED));
        return;
      }
    } catch (IllegalArgumentException noCodec) {
      // A body that only the receiver of the first reply can read.
    }
    asker.reply(null, new DeliveryOptions().addHeader(Headers.ASKED, UNKNOWN));
  }
}
