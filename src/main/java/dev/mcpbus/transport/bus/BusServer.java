package dev.mcpbus.transport.bus;

import dev.mcpbus.protocol.PublicApi;
import dev.mcpbus.transport.Acceptor;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.eventbus.DeliveryOptions;
import io.vertx.core.eventbus.Message;
import io.vertx.core.eventbus.MessageConsumer;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Listens at a bus address and creates a channel for each connection. Confined to the context on
 * which {@link #listen} was called.
 */
@PublicApi
public final class BusServer {

  private static final Logger LOG = LoggerFactory.getLogger(BusServer.class);
  private static final int REFUSED = 1;

  private final Vertx vertx;
  private final Acceptor acceptor;
  private final BusTuning tuning;
  private final MessageConsumer<Buffer> consumer;
  private final Set<BusChannel> channels = new LinkedHashSet<>();

  private BusServer(Vertx vertx, String address, Acceptor acceptor, BusTuning tuning) {
    this.vertx = vertx;
    this.acceptor = acceptor;
    this.tuning = tuning;
    this.consumer = vertx.eventBus().consumer(address, this::connect);
  }

  /**
   * Starts to listen. Call it on the context that owns every connection, usually that of a
   * verticle.
   *
   * @return completes when the address is registered on all nodes
   */
  public static Future<BusServer> listen(Vertx vertx, String address, Acceptor acceptor) {
    return listen(vertx, address, acceptor, BusTuning.DEFAULT);
  }

  static Future<BusServer> listen(
      Vertx vertx, String address, Acceptor acceptor, BusTuning tuning) {
    BusServer server = new BusServer(vertx, address, acceptor, tuning);
    return server.consumer.completion().map(server);
  }

  private void connect(Message<Buffer> message) {
    String client = message.headers().get(BusFrames.CHANNEL);
    if (client == null
        || !BusFrames.isPrivate(client)
        || !BusFrames.CONNECT.equals(message.headers().get(BusFrames.FRAME))) {
      message.fail(REFUSED, "only the bus transport of mcpbus may connect here");
      return;
    }
    BusChannel[] made = new BusChannel[1];
    BusChannel channel = new BusChannel(vertx, tuning, () -> channels.remove(made[0]));
    made[0] = channel;
    channel
        .registered()
        .onSuccess(nothing -> accept(message, client, channel))
        .onFailure(failure -> refuse(message, channel, failure));
  }

  private void accept(Message<Buffer> message, String client, BusChannel channel) {
    try {
      channels.add(channel);
      channel.connected(client);
      channel.start(acceptor.accept(channel));
    } catch (Throwable e) {
      // A defect of the acceptor refuses this connection alone.
      refuse(message, channel, e);
      return;
    }
    message.reply(null, new DeliveryOptions().addHeader(BusFrames.CHANNEL, channel.address()));
  }

  private static void refuse(Message<Buffer> message, BusChannel channel, Throwable failure) {
    LOG.warn("refused a connection over the bus", failure);
    channel.release();
    message.fail(REFUSED, "the server refused: " + failure.getClass().getSimpleName());
  }

  /** How many connections are open. */
  public int connections() {
    return channels.size();
  }

  /**
   * Stops listening and closes every connection. Call it on the context of {@link #listen}.
   *
   * @return completes when all connections are closed
   */
  public Future<Void> close() {
    Future<Void> unregistered = consumer.unregister();
    List<Future<Void>> closing = List.copyOf(channels).stream().map(BusChannel::close).toList();
    return Future.join(closing).<Void>mapEmpty().otherwiseEmpty().compose(nothing -> unregistered);
  }
}
