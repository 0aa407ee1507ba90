package dev.mcpbus.transport.bus;

import dev.mcpbus.transport.AuthenticatorFactory;
import dev.mcpbus.transport.BuiltInTransport;
import dev.mcpbus.transport.BusOptions;
import dev.mcpbus.transport.Channel;
import dev.mcpbus.transport.Transport;
import dev.mcpbus.transport.TransportException;
import dev.mcpbus.transport.TransportException.Reached;
import dev.mcpbus.transport.TransportException.Reason;
import dev.mcpbus.transport.TransportOptions;
import io.vertx.core.Context;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.eventbus.Message;
import io.vertx.core.eventbus.ReplyException;
import io.vertx.core.eventbus.ReplyFailure;
import java.util.Set;

/**
 * Connects to a {@link BusServer}. Immutable. {@link #open} fails with {@code CONNECT_FAILED} if no
 * server listens at the address, or if the server refuses or does not answer.
 */
public final class BusTransport implements Transport {

  private final Vertx vertx;
  private final String address;
  private final BusTuning tuning;

  public BusTransport(Vertx vertx, BusOptions options) {
    this(vertx, options, BusTuning.DEFAULT);
  }

  BusTransport(Vertx vertx, BusOptions options, BusTuning tuning) {
    this.vertx = vertx;
    this.address = options.address().reveal();
    this.tuning = tuning;
  }

  @Override
  public String type() {
    return BusOptions.TYPE;
  }

  @Override
  public String target() {
    return "bus:" + address;
  }

  @Override
  public Future<Channel> open(Context owner, Channel.Receiver receiver) {
    BusChannel channel = new BusChannel(vertx, tuning, () -> {});
    Promise<Channel> opened = Promise.promise();
    channel
        .registered()
        .compose(nothing -> connect(channel.address()))
        .compose(BusTransport::addressOf)
        .onSuccess(
            peer -> {
              channel.connected(peer);
              opened.complete(channel);
              owner.runOnContext(nothing -> channel.start(receiver));
            })
        .onFailure(failure -> channel.release().onComplete(gone -> opened.fail(refused(failure))));
    return opened.future();
  }

  private Future<Message<Object>> connect(String mine) {
    return vertx
        .eventBus()
        .request(
            address,
            Buffer.buffer(),
            BusFrames.control(BusFrames.CONNECT, tuning.connectTimeout())
                .addHeader(BusFrames.CHANNEL, mine));
  }

  private static Future<String> addressOf(Message<Object> accepted) {
    String peer = accepted.headers().get(BusFrames.CHANNEL);
    return peer == null || !BusFrames.isPrivate(peer)
        ? Future.failedFuture("the listener at this address is not an MCP server of mcpbus")
        : Future.succeededFuture(peer);
  }

  private TransportException refused(Throwable failure) {
    String why = failure.getMessage();
    if (failure instanceof ReplyException reply) {
      if (reply.failureType() == ReplyFailure.NO_HANDLERS) {
        why = "no server listens there; deploy the server first or correct the address";
      } else if (reply.failureType() == ReplyFailure.TIMEOUT) {
        why = "no answer within " + tuning.connectTimeout().toMillis() + " ms";
      }
    }
    return new TransportException(
        Reason.CONNECT_FAILED, Reached.NO, "bus address \"" + address + "\": " + why);
  }

  /** Makes transports of the type {@code bus}. Stateless. */
  public static final class BusProvider extends BuiltInTransport {

    public BusProvider() {
      super(BusOptions.TYPE, "address", Set.of(), Set.of());
    }

    @Override
    public Transport create(
        Vertx vertx, TransportOptions options, AuthenticatorFactory authenticators) {
      return new BusTransport(vertx, (BusOptions) options);
    }
  }
}
