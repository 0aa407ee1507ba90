package dev.mcpbus.transport.sdk;

import dev.mcpbus.protocol.PublicApi;
import dev.mcpbus.transport.Channel;
import dev.mcpbus.transport.Transport;
import dev.mcpbus.transport.TransportException;
import dev.mcpbus.transport.TransportException.Reached;
import dev.mcpbus.transport.TransportException.Reason;
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
 * Wraps any {@link McpClientTransport} of the SDK as a transport of mcpbus.
 *
 * <p>It has the limits of the SDK. Every message passes through the SDK's records: envelope members
 * that the SDK does not know are dropped, and the form of a number may change. Most SDK transports
 * do not report that the peer has died; only the owner's pings detect it. A child process that
 * ignores SIGTERM outlives {@link Channel#close}. Opening takes 10 s at most. Prefer the transports
 * of this project where one fits.
 */
@PublicApi
public final class SdkClientTransport implements Transport {

  public static final String TYPE = "sdk";

  private static final Duration CONNECT_TIMEOUT = Duration.ofSeconds(10);

  private final String target;
  private final McpJsonMapper mapper;
  private final Supplier<? extends McpClientTransport> factory;

  /**
   * @param target one line for logs, without a secret
   * @param mapper the SDK's JSON mapper, usually {@code McpJsonDefaults.getMapper()}
   * @param factory creates a new SDK transport for each {@link #open}; called on a worker thread
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

  /** Quotes the text of an I/O failure only: other texts may contain the whole command line. */
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
        Reason.CONNECT_FAILED, Reached.NO, target + " cannot be connected: " + why);
  }
}
