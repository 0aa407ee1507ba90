package dev.mcpbus.gateway;

import dev.mcpbus.bus.RequestSender;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.eventbus.DeliveryOptions;
import io.vertx.core.eventbus.Message;
import io.vertx.core.eventbus.ReplyException;
import io.vertx.core.eventbus.ReplyFailure;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;

/**
 * The names of session hosts and HTTP verticles, of this node and of others. In a cluster a name
 * begins as its node's does, so that whoever has it knows where its bearer is, and that it is gone,
 * without anybody's help. Safe on every thread.
 */
final class SessionHostNames {

  /** Hexadecimal digits; of a node's name in the cluster so many come first. */
  private static final int LENGTH = 16;

  private static final int OF_NODE = 12;

  private final RequestSender sender;
  private final String node;
  private final AtomicInteger named = new AtomicInteger();
  private final AtomicInteger turn = new AtomicInteger();
  private final List<String> own;

  /**
   * @param count of session hosts on this node
   */
  SessionHostNames(Vertx vertx, int count) {
    this.sender = RequestSender.of(vertx);
    this.node = sender.membership().self();
    this.own = Stream.generate(this::name).limit(count).toList();
  }

  /** Of this node, in order. */
  List<String> own() {
    return own;
  }

  /** One of this node's, each in its turn. */
  String next() {
    return own.get(Math.floorMod(turn.getAndIncrement(), own.size()));
  }

  boolean isClustered() {
    return !node.isEmpty();
  }

  /** A name for one more on this node. */
  String name() {
    if (!isClustered()) {
      return RandomNames.create(LENGTH / 2);
    }
    int number = named.getAndIncrement() & 0xffff;
    return prefix(node) + String.format(Locale.ROOT, "%04x", number);
  }

  private static String prefix(String node) {
    return node.replace("-", "").substring(0, OF_NODE);
  }

  /** True where the node of a name is a member. */
  private boolean isThere(String name) {
    return sender.membership().nodes().stream().anyMatch(each -> isOn(each, name));
  }

  /** True where whoever has this name is, or was, on that node. */
  static boolean isOn(String node, String name) {
    return name.startsWith(prefix(node));
  }

  /**
   * A request to the bearer of a name.
   *
   * @param address to which the name is added
   * @return fails with {@code NO_HANDLERS} where it is gone, with {@code OWNER_LOST} where its node
   *     goes before it has answered
   */
  <T> Future<Message<T>> request(
      String address, String name, Object body, DeliveryOptions options) {
    if (isClustered() && !isThere(name)) {
      return Future.failedFuture(
          new ReplyException(ReplyFailure.NO_HANDLERS, "its node has left the cluster"));
    }
    return sender.request(null, address + name, body, options);
  }

  /** True where nobody has that name any more; it was not sent. */
  static boolean isGone(Throwable failure) {
    return RequestSender.hadNoReceiver(failure);
  }
}
