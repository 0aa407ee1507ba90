package dev.mcpbus.gateway.request;

import dev.mcpbus.bus.Addresses;
import dev.mcpbus.bus.Codecs;
import dev.mcpbus.bus.RequestSender;
import dev.mcpbus.protocol.Envelope;
import dev.mcpbus.protocol.RawJson;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.eventbus.DeliveryOptions;
import io.vertx.core.eventbus.Message;
import io.vertx.core.eventbus.ReplyException;
import io.vertx.core.eventbus.ReplyFailure;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The names of session hosts and HTTP verticles, of this node and of others, and the way to them.
 * In a cluster the name begins with digits of its node's name. So every node knows from the name
 * where the host or verticle is, and whether that node has left the cluster. Any thread may call.
 */
public final class SessionHostNames {

  /** Hexadecimal digits of a name; in a cluster the first ones are those of the node's name. */
  private static final int LENGTH = 16;

  private static final int OF_NODE = 12;

  private final Vertx vertx;
  private final RequestSender sender;
  private final String node;
  private final AtomicInteger named = new AtomicInteger();
  private final AtomicInteger turn = new AtomicInteger();
  private final List<String> own;

  /**
   * @param count of session hosts on this node
   */
  public SessionHostNames(Vertx vertx, int count) {
    this.vertx = vertx;
    this.sender = RequestSender.of(vertx);
    this.node = sender.membership().self();
    this.own = Stream.generate(this::name).limit(count).toList();
  }

  /** The session hosts of this node, in order. */
  public List<String> own() {
    return own;
  }

  /** The next session host of this node, each in its turn. */
  public String next() {
    return own.get(Math.floorMod(turn.getAndIncrement(), own.size()));
  }

  /** The session host of this node for a client of the {@code discover} era, by its key. */
  public String of(String key) {
    return own.get(Math.floorMod(key.hashCode(), own.size()));
  }

  public boolean isClustered() {
    return !node.isEmpty();
  }

  /** A new name for a session host or an HTTP verticle of this node. */
  public String name() {
    if (!isClustered()) {
      return RandomNames.create(LENGTH / 2);
    }
    int number = named.getAndIncrement() & 0xffff;
    return prefix(node) + String.format(Locale.ROOT, "%04x", number);
  }

  private static String prefix(String node) {
    return node.replace("-", "").substring(0, OF_NODE);
  }

  /** Whether the node of a name has left the cluster. */
  public boolean isGone(String name) {
    return isClustered()
        && sender.membership().nodes().stream().noneMatch(each -> isOn(each, name));
  }

  private static <T> Future<Message<T>> gone() {
    return Future.failedFuture(
        new ReplyException(ReplyFailure.NO_HANDLERS, "its node has left the cluster"));
  }

  /** Whether a name belongs to that node. */
  public static boolean isOn(String node, String name) {
    return name.startsWith(prefix(node));
  }

  /**
   * Sends a message of a client to a session host. A host of this node gets the parsed message by
   * reference, any other host its bytes.
   *
   * @param message null for a {@link HostMessage} without a body
   * @return fails as {@link #request}
   */
  public Future<Message<Buffer>> send(
      String host, @Nullable Envelope message, DeliveryOptions options) {
    if (isGone(host)) {
      return gone();
    }
    Object body =
        message == null ? Buffer.buffer() : own.contains(host) ? message : bytes(message, options);
    return sender.request(null, Addresses.GATEWAY_SESSIONS + host, body, options);
  }

  private static Buffer bytes(Envelope message, DeliveryOptions options) {
    options.setCodecName(Codecs.SHARED);
    return message.text().toBuffer();
  }

  /** Sends the params of a call to a session host, without a copy of their bytes. */
  public Future<Message<Buffer>> sendParams(String host, RawJson params, DeliveryOptions options) {
    return request(
        Addresses.GATEWAY_SESSIONS, host, params.toBuffer(), options.setCodecName(Codecs.SHARED));
  }

  /** Sends a message without a body and without an answer to a session host. */
  public void tell(String host, DeliveryOptions options) {
    tell(host, Buffer.buffer(), options);
  }

  /** Sends a message without an answer to a session host. */
  public void tell(String host, Buffer body, DeliveryOptions options) {
    vertx.eventBus().send(Addresses.GATEWAY_SESSIONS + host, body, options);
  }

  /**
   * Sends a request to the session host or HTTP verticle of that name.
   *
   * @param address without the name
   * @return fails with {@code NO_HANDLERS} if there is none of that name, with {@code OWNER_LOST}
   *     if its node leaves the cluster before the answer
   */
  public <T> Future<Message<T>> request(
      String address, String name, Object body, DeliveryOptions options) {
    if (isGone(name)) {
      return gone();
    }
    return sender.request(null, address + name, body, options);
  }
}
