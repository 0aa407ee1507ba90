package dev.mcpbus.transport.sdk;

import dev.mcpbus.protocol.Envelope;
import dev.mcpbus.protocol.ParseLimits;
import dev.mcpbus.transport.Channel;
import dev.mcpbus.transport.InboundParser;
import dev.mcpbus.transport.OutboundMessage;
import dev.mcpbus.transport.SendWindow;
import dev.mcpbus.transport.TransportException;
import dev.mcpbus.transport.TransportException.Reached;
import dev.mcpbus.transport.TransportException.Reason;
import io.modelcontextprotocol.client.McpAsyncClient;
import io.modelcontextprotocol.json.McpJsonMapper;
import io.modelcontextprotocol.spec.McpClientTransport;
import io.modelcontextprotocol.spec.McpSchema;
import io.modelcontextprotocol.spec.McpSchema.JSONRPCMessage;
import io.modelcontextprotocol.spec.McpTransportSessionNotFoundException;
import io.vertx.core.Context;
import io.vertx.core.Future;
import io.vertx.core.json.JsonObject;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import reactor.core.Disposable;
import reactor.core.publisher.Mono;
import reactor.core.publisher.Sinks;
import reactor.core.scheduler.Schedulers;

/**
 * One connection through a client transport of the SDK. A worker thread sends the messages in order
 * and does not wait for the answer to an earlier one. The fields belong to the owner context.
 */
final class SdkChannel implements Channel {

  private static final Logger LOG = LoggerFactory.getLogger(SdkChannel.class);
  private static final Duration CLOSE_TIMEOUT = Duration.ofSeconds(5);
  private static final int MAX_UNDELIVERED = 16_384;

  private final Context owner;
  private final McpJsonMapper mapper;
  private final McpClientTransport transport;
  private final SendWindow window = new SendWindow(SendWindow.MESSAGES, SendWindow.BYTES);
  private final Sinks.Many<OutboundMessage> outbound =
      Sinks.many().unicast().onBackpressureBuffer();
  private final Disposable sending;
  private final AtomicInteger undelivered = new AtomicInteger();
  private final List<Envelope> early = new ArrayList<>();
  private volatile String version = "";
  private @Nullable Receiver receiver;
  private @Nullable Future<Void> closing;

  SdkChannel(Context owner, McpJsonMapper mapper, McpClientTransport transport) {
    this.owner = owner;
    this.mapper = mapper;
    this.transport = transport;
    this.sending =
        outbound
            .asFlux()
            .publishOn(Schedulers.boundedElastic())
            .flatMap(this::transmit, SendWindow.MESSAGES)
            .subscribe();
  }

  Context owner() {
    return owner;
  }

  Mono<Void> connect() {
    transport.setExceptionHandler(this::transportFailed);
    return transport.connect(incoming -> incoming.doOnNext(this::arrived));
  }

  void start(Receiver messages) {
    receiver = messages;
    early.forEach(this::deliver);
    early.clear();
  }

  @Override
  public void send(OutboundMessage message) throws TransportException {
    if (closing != null) {
      throw new TransportException(Reason.UPSTREAM_RESET, Reached.NO, "the channel is closed");
    }
    window.take(message.bytes().length);
    outbound.tryEmitNext(message).orThrow();
  }

  /** Runs on a worker thread. */
  private Mono<Void> transmit(OutboundMessage message) {
    return Mono.fromCallable(() -> read(message.bytes()))
        .flatMap(transport::sendMessage)
        .contextWrite(
            context ->
                version.isEmpty()
                    ? context
                    : context.put(McpAsyncClient.NEGOTIATED_PROTOCOL_VERSION, version))
        .onErrorResume(
            failure -> {
              owner.runOnContext(nothing -> failed(message, failure));
              return Mono.empty();
            })
        .doFinally(signal -> owner.runOnContext(nothing -> window.give(message.bytes().length)));
  }

  private JSONRPCMessage read(byte[] bytes) throws IOException {
    return McpSchema.deserializeJsonRpcMessage(mapper, new String(bytes, StandardCharsets.UTF_8));
  }

  private void failed(OutboundMessage message, Throwable failure) {
    LOG.debug("the SDK could not send {}", message.method(), failure);
    Receiver current = receiver;
    if (closing == null && current != null && message.kind() == Envelope.Kind.REQUEST) {
      current.onRequestFailed(message.id(), reasonOf(failure));
    }
  }

  private static TransportException reasonOf(Throwable failure) {
    return failure instanceof McpTransportSessionNotFoundException
        ? new TransportException(
            Reason.SESSION_LOST, Reached.NO, "the server no longer knows the session")
        : new TransportException(
            Reason.UPSTREAM_RESET,
            Reached.MAYBE,
            "the SDK transport failed to send: " + failure.getClass().getSimpleName());
  }

  /** Runs on a thread of the SDK, in the order in which messages arrive. */
  private void arrived(JSONRPCMessage message) {
    if (undelivered.incrementAndGet() > MAX_UNDELIVERED) {
      owner.runOnContext(
          nothing ->
              over(
                  new TransportException(
                      Reason.OVERLOADED,
                      Reached.MAYBE,
                      "the server sends messages faster than mcpbus can process them")));
      return;
    }
    try {
      byte[] bytes = mapper.writeValueAsBytes(message);
      Envelope envelope = InboundParser.parse(bytes, ParseLimits.DEFAULT);
      owner.runOnContext(nothing -> deliver(envelope));
    } catch (IOException e) {
      owner.runOnContext(
          nothing ->
              over(
                  new TransportException(
                      Reason.PROTOCOL_ERROR,
                      Reached.MAYBE,
                      "the SDK cannot serialize its own message")));
    } catch (TransportException e) {
      owner.runOnContext(nothing -> over(e));
    }
  }

  private void deliver(Envelope message) {
    Receiver current = receiver;
    if (current == null) {
      early.add(message);
      return;
    }
    undelivered.decrementAndGet();
    if (closing == null) {
      current.onMessage(message);
    }
  }

  /**
   * Runs on a thread of the SDK. Of all errors of the SDK only a lost session ends the connection.
   */
  private void transportFailed(Throwable failure) {
    LOG.debug("the SDK transport reported an error", failure);
    if (failure instanceof McpTransportSessionNotFoundException) {
      owner.runOnContext(nothing -> over(reasonOf(failure)));
    }
  }

  private void over(TransportException reason) {
    Receiver current = receiver;
    if (closing == null && current != null) {
      close();
      current.onClosed(reason);
    }
  }

  @Override
  public Future<Void> close() {
    Future<Void> under = closing;
    if (under == null) {
      outbound.tryEmitComplete();
      under =
          Future.fromCompletionStage(
                  Mono.defer(transport::closeGracefully)
                      .subscribeOn(Schedulers.boundedElastic())
                      .timeout(CLOSE_TIMEOUT)
                      .doFinally(signal -> sending.dispose())
                      .toFuture(),
                  owner)
              .otherwiseEmpty();
      closing = under;
    }
    return under;
  }

  @Override
  public void negotiated(String protocolVersion) {
    version = protocolVersion;
  }

  @Override
  public JsonObject diagnostics() {
    return new JsonObject()
        .put("sdkTransport", transport.getClass().getSimpleName())
        .put("underWay", window.messages());
  }
}
