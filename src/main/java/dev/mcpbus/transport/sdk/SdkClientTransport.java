package dev.mcpbus.transport.sdk;

import dev.mcpbus.transport.Channel;
import dev.mcpbus.transport.Transport;
import dev.mcpbus.transport.TransportException;
import dev.mcpbus.transport.TransportException.Reason;
import dev.mcpbus.transport.TransportException.Sent;
import io.modelcontextprotocol.json.McpJsonMapper;
import io.modelcontextprotocol.spec.McpClientTransport;
import io.vertx.core.Context;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import java.io.IOException;
import java.time.Duration;
import java.util.function.Supplier;
import reactor.core.scheduler.Schedulers;

/**
 * Any {@link McpClientTransport} of the SDK as a transport of ours.
 *
 * <p>It can do no more than the SDK does. Every message passes through the SDK's records: members
 * of the envelope that they do not know are dropped, and a number may come back in another form.
 * Most SDK transports do not tell that the peer has died; a ping of the owner finds out. A child
 * process that ignores SIGTERM outlives {@link Channel#close}. Opening takes 10 s at most. Prefer
 * the transports of this project where one fits.
 */
public final class SdkClientTransport implements Transport {

  public static final String TYPE = "sdk";

  private static final Duration CONNECT_TIMEOUT = Duration.ofSeconds(10);

  private final String target;
  private final McpJsonMapper mapper;
  private final Supplier<? extends McpClientTransport> factory;

  /**
   * @param target one line for logs, without a secret
   * @param mapper the SDK's JSON mapper, {@code McpJsonDefaults.getMapper()} as a rule
   * @param factory makes a fresh SDK transport for each opening; called on a worker thread
   */
  public SdkClientTransport(
      String target, McpJsonMapper mapper, Supplier<? extends McpClientTransport> factory) {
    this.target = target;
    this.mapper = mapper;
    this.factory = factory;
  }

  @Override
  public String type() {
    return TYPE;
  }

  @Override
  public String target() {
    return target;
  }

  @Override
  public Future<Channel> open(Context owner, Channel.Receiver receiver) {
    Promise<Channel> opened = Promise.promise();
    owner
        .<McpClientTransport>executeBlocking(factory::get)
        .onFailure(failure -> opened.fail(refused(failure)))
        .onSuccess(
            transport -> connect(new SdkChannel(owner, mapper, transport), receiver, opened));
    return opened.future();
  }

  private void connect(SdkChannel channel, Channel.Receiver receiver, Promise<Channel> opened) {
    Future.fromCompletionStage(
            channel
                .connect()
                .subscribeOn(Schedulers.boundedElastic())
                .timeout(CONNECT_TIMEOUT)
                .toFuture(),
            channel.owner())
        .onSuccess(
            nothing -> {
              opened.complete(channel);
              channel.owner().runOnContext(next -> channel.start(receiver));
            })
        .onFailure(failure -> channel.close().onComplete(gone -> opened.fail(refused(failure))));
  }

  /** Repeats the text of an I/O failure only: other texts may hold the whole command line. */
  private TransportException refused(Throwable failure) {
    Throwable root = failure;
    while (root.getCause() != null) {
      root = root.getCause();
    }
    String why = root.getClass().getSimpleName();
    if (root instanceof IOException) {
      why += ": " + root.getMessage();
    }
    return new TransportException(
        Reason.CONNECT_FAILED, Sent.NO, target + " cannot be connected: " + why);
  }
}
