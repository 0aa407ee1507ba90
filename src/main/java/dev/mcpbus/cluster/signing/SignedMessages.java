package dev.mcpbus.cluster.signing;

import dev.mcpbus.bus.ClusterSecret;
import dev.mcpbus.bus.FailureCode;
import dev.mcpbus.bus.Headers;
import dev.mcpbus.bus.McpFailure;
import dev.mcpbus.cluster.membership.ClockOffsets;
import dev.mcpbus.internals.WireMessages;
import dev.mcpbus.protocol.PublicApi;
import io.vertx.core.Vertx;
import io.vertx.core.eventbus.DeliveryContext;
import io.vertx.core.eventbus.Message;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Base64;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import javax.crypto.Mac;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Signs messages between the processes of a cluster and refuses unsigned ones. A message that adds,
 * changes or removes something, or that only nodes send ({@link SignatureRules}), carries a proof
 * that its sender has the cluster's secret; the receiver drops such a message without a valid
 * proof. Messages within one JVM need none: Vert.x marks a message that it read from a connection,
 * and nothing in the message can change that mark.
 *
 * <p>A proof covers the address, the reply address, the kind (sent or published), the headers and
 * the body. It holds for two minutes, and a sent message passes once at a receiver ({@link
 * ReplayGuard}). Any thread may call.
 */
@PublicApi
public final class SignedMessages {

  private static final Logger LOG = LoggerFactory.getLogger(SignedMessages.class);
  private static final String REPLIES = "__vertx.reply.";
  private static final String VERSION = "1";
  private static final int FIELDS = 6;

  /** Headers that other components add on the way and that give no rights. */
  private static final Set<String> NOT_SIGNED =
      Set.of(Headers.PROOF, Headers.TRACEPARENT, Headers.TRACESTATE, Headers.BAGGAGE);

  private record Header(String name, String value) {}

  /** Signs what this thread sends, once the bus chooses a node for it. */
  private static final ThreadLocal<@Nullable Consumer<String>> SENDING = new ThreadLocal<>();

  private static final Comparator<Header> BY_NAME =
      Comparator.comparing(Header::name).thenComparing(Header::value);

  private final Mac prototype;
  private final InstantSource time;
  private final LongSupplier clock;
  private final ReplayGuard replays;
  private final RefusedMessageLog refusals;
  private final String self = UUID.randomUUID().toString();
  private final AtomicLong sequence = new AtomicLong();

  /**
   * @param time the time of day
   * @param clock monotonic milliseconds
   */
  SignedMessages(ClusterSecret secret, InstantSource time, LongSupplier clock) {
    this.prototype = ClusterSecret.hmac(secret.key("messages"));
    this.time = time;
    this.clock = clock;
    this.replays = new ReplayGuard(time, clock);
    this.refusals = new RefusedMessageLog(LOG, clock);
  }

  /**
   * Makes this Vert.x sign what it sends, and refuse what is not signed. For a process that is no
   * node of mcpbus but may do what nodes may, such as adding servers; a node does it by itself.
   * Call it once, before any other use of the Vert.x.
   */
  public static void install(Vertx vertx, ClusterSecret secret) {
    install(vertx, secret, false);
  }

  /**
   * The same for a Vert.x whose choice of nodes calls {@link #chosen}: what stays on the node is
   * not signed, and no interceptor can see what does. An interceptor that a program adds goes on in
   * the thread that called it; if it does not, the message has no proof.
   */
  public static void installOnNode(Vertx vertx, ClusterSecret secret) {
    install(vertx, secret, true);
  }

  private static void install(Vertx vertx, ClusterSecret secret, boolean onNode) {
    secret.register(vertx);
    SignedMessages signed = new SignedMessages(secret, InstantSource.system(), ClockOffsets::clock);
    vertx
        .eventBus()
        .addOutboundInterceptor((DeliveryContext<Object> sent) -> signed.outgoing(sent, onNode))
        .addInboundInterceptor(signed::incoming);
  }

  /** To be called before a node is chosen for a message to this address, on the sending thread. */
  public static void chosen(String address) {
    Consumer<String> sending = SENDING.get();
    if (sending != null) {
      sending.accept(address);
    }
  }

  private void outgoing(DeliveryContext<Object> delivery, boolean onNode) {
    Message<Object> message = delivery.message();
    if (!SignatureRules.needsProof(message.address(), message.headers())) {
      delivery.next();
      return;
    }
    Consumer<String> outer = SENDING.get(); // a consumer of this node may run in it, and send
    SENDING.set(chosen -> sign(delivery, chosen));
    try {
      if (!onNode) {
        sign(delivery, message.address());
      }
      delivery.next();
    } finally {
      SENDING.set(outer);
    }
  }

  private void sign(DeliveryContext<Object> delivery, String chosen) {
    Message<Object> message = delivery.message();
    byte[] body = message.address().equals(chosen) ? SignedBody.sent(delivery.body()) : null;
    if (body != null) { // a body without a wire form stays on this node
      message.headers().set(Headers.PROOF, prove(message, delivery.send(), body));
    }
  }

  private String prove(Message<?> message, boolean sent, byte[] body) {
    String stamp =
        String.join(
            " ",
            VERSION,
            self,
            Long.toString(sequence.getAndIncrement()),
            Long.toString(time.millis()),
            Long.toString(clock.getAsLong()));
    return stamp + " " + mac(stamp, message, sent, body);
  }

  private void incoming(DeliveryContext<Object> delivery) {
    Message<Object> message = delivery.message();
    if (!WireMessages.isFromWire(message)) {
      delivery.next();
      return;
    }
    String reply = message.replyAddress();
    if (reply != null && !reply.startsWith(REPLIES)) {
      // This node would send the reply to that address in its own name.
      refusals.refused(
          message.address(), "it wants its reply at an address that Vert.x never makes");
      return;
    }
    if (!SignatureRules.needsProof(message.address(), message.headers())) {
      delivery.next();
      return;
    }
    String why = refusal(message, delivery.send());
    if (why == null) {
      delivery.next();
      return;
    }
    refusals.refused(message.address(), why);
    if (reply != null) {
      McpFailure.notSent(
              FailureCode.FORBIDDEN,
              "'"
                  + message.address()
                  + "' is for processes that have the cluster's secret: "
                  + why
                  + "; give this process the secret (SignedMessages.install), or ask a node over"
                  + " HTTP")
          .replyTo(message);
    }
  }

  /** Why a message is not delivered; null where it is. */
  private @Nullable String refusal(Message<Object> message, boolean sent) {
    String proof = message.headers().get(Headers.PROOF);
    if (proof == null) {
      return "the message has no proof";
    }
    String[] fields = proof.split(" ", FIELDS);
    int end = proof.lastIndexOf(' ');
    byte[] body = decoded(message);
    if (fields.length < FIELDS
        || body == null
        || !same(fields[FIELDS - 1], mac(proof.substring(0, end), message, sent, body))) {
      return "its proof was not made with this cluster's secret, or not for this message";
    }
    // The proof is valid, so the writer of these numbers has the secret.
    return replays.refusal(
        fields[1],
        Long.parseLong(fields[2]),
        sent,
        Long.parseLong(fields[3]),
        Long.parseLong(fields[4]));
  }

  private static boolean same(String one, String other) {
    return MessageDigest.isEqual(
        one.getBytes(StandardCharsets.UTF_8), other.getBytes(StandardCharsets.UTF_8));
  }

  private String mac(String stamp, Message<?> message, boolean sent, byte[] body) {
    Mac mac = copy();
    add(mac, stamp);
    add(mac, sent ? "send" : "publish");
    add(mac, message.address());
    String reply = message.replyAddress();
    add(mac, reply == null ? "" : reply);
    List<Header> signed = new ArrayList<>();
    for (Map.Entry<String, String> header : message.headers()) {
      String lower = header.getKey().toLowerCase(Locale.ROOT);
      if (!NOT_SIGNED.contains(lower)) {
        signed.add(new Header(lower, header.getValue()));
      }
    }
    signed.sort(BY_NAME);
    for (Header header : signed) {
      add(mac, header.name());
      add(mac, header.value());
    }
    ClusterSecret.update(mac, body);
    return Base64.getUrlEncoder().withoutPadding().encodeToString(mac.doFinal());
  }

  private Mac copy() {
    try {
      return (Mac) prototype.clone();
    } catch (CloneNotSupportedException e) {
      throw new IllegalStateException("Java's own HMAC can be cloned", e);
    }
  }

  private static void add(Mac mac, String part) {
    ClusterSecret.update(mac, part.getBytes(StandardCharsets.UTF_8));
  }

  private static byte @Nullable [] decoded(Message<Object> message) {
    try {
      return SignedBody.received(message.body());
    } catch (RuntimeException unreadable) {
      return null;
    }
  }
}
