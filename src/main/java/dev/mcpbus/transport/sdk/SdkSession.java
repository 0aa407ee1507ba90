package dev.mcpbus.transport.sdk;

import dev.mcpbus.protocol.Envelope;
import dev.mcpbus.protocol.JsonRpcError;
import dev.mcpbus.protocol.MessageWriter;
import dev.mcpbus.protocol.ProtocolException;
import dev.mcpbus.protocol.RawJson;
import dev.mcpbus.transport.Channel;
import dev.mcpbus.transport.OutboundMessage;
import dev.mcpbus.transport.SendBuffer;
import dev.mcpbus.transport.TransportException;
import io.modelcontextprotocol.json.McpJsonMapper;
import io.modelcontextprotocol.json.TypeRef;
import io.modelcontextprotocol.spec.McpSchema;
import io.modelcontextprotocol.spec.McpSchema.JSONRPCMessage;
import io.modelcontextprotocol.spec.McpServerSession;
import io.modelcontextprotocol.spec.McpServerTransport;
import io.vertx.core.Context;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import java.io.IOException;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.Semaphore;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import reactor.core.Disposable;
import reactor.core.Disposables;
import reactor.core.publisher.Mono;
import reactor.core.publisher.Sinks;
import reactor.core.scheduler.Schedulers;

/**
 * One SDK session over one channel. The channel is confined to its owner context, the session to a
 * worker thread that handles the messages in order.
 */
final class SdkSession implements McpServerTransport, Channel.Receiver {

  private static final Logger LOG = LoggerFactory.getLogger(SdkSession.class);
  private static final int MAX_REQUESTS = 1_024;
  private static final int MAX_QUEUED = 4_096;

  private final Context owner;
  private final Channel channel;
  private final McpJsonMapper mapper;
  private final SendBuffer outbox;
  private final Semaphore requests = new Semaphore(MAX_REQUESTS);
  private final Sinks.Many<Envelope> inbound =
      Sinks.many().unicast().onBackpressureBuffer(new ArrayBlockingQueue<>(MAX_QUEUED));
  private Disposable handling = Disposables.disposed();
  private Runnable onEnd = () -> {};
  private @Nullable McpServerSession session;
  private @Nullable Future<Void> ended;

  SdkSession(Context owner, Channel channel, McpJsonMapper mapper) {
    this.owner = owner;
    this.channel = channel;
    this.mapper = mapper;
    this.outbox = new SendBuffer(owner, channel);
  }

  void start(McpServerSession of, Runnable whenEnded) {
    session = of;
    onEnd = whenEnded;
    handling =
        inbound
            .asFlux()
            .publishOn(Schedulers.boundedElastic())
            // The concurrency is unbounded here. With a bound, answers to the server would wait
            // behind the calls that need them; the semaphore bounds the calls.
            .flatMap(message -> handle(of, message), Integer.MAX_VALUE)
            .subscribe();
  }

  @Override
  public void onMessage(Envelope message) {
    boolean request = message.kind() == Envelope.Kind.REQUEST;
    ProtocolException ambiguity = message.ambiguity();
    if (ambiguity != null) {
      LOG.debug("{} is refused: {}", message, ambiguity.getMessage());
      answer(message, JsonRpcError.INVALID_REQUEST, String.valueOf(ambiguity.getMessage()));
      return;
    }
    if (request && !requests.tryAcquire()) {
      answer(message, JsonRpcError.BUSY, MAX_REQUESTS + " calls are in flight; try again later");
      return;
    }
    if (inbound.tryEmitNext(message).isFailure()) {
      if (request) {
        requests.release();
        answer(
            message, JsonRpcError.BUSY, "the server has too many unread messages; try again later");
      } else {
        LOG.warn(
            "ended a session of the SDK server: it has too many unread messages from its client");
        stop();
      }
    }
  }

  private Mono<Void> handle(McpServerSession to, Envelope message) {
    Mono<Void> handled =
        Mono.fromCallable(() -> read(message))
            .onErrorResume(IOException.class, e -> refuse(message))
            .flatMap(to::handle)
            .onErrorResume(
                failure -> {
                  LOG.debug("{} was not handled", message, failure);
                  return Mono.empty();
                });
    return message.kind() == Envelope.Kind.REQUEST
        ? handled.doFinally(signal -> requests.release())
        : handled;
  }

  private JSONRPCMessage read(Envelope message) throws IOException {
    return McpSchema.deserializeJsonRpcMessage(mapper, message.text().toString());
  }

  private Mono<JSONRPCMessage> refuse(Envelope message) {
    owner.runOnContext(
        nothing ->
            answer(message, JsonRpcError.INVALID_REQUEST, "the SDK cannot read this message"));
    return Mono.empty();
  }

  private void answer(Envelope request, int code, String text) {
    RawJson id = request.id();
    if (request.kind() != Envelope.Kind.REQUEST || id == null) {
      return;
    }
    try {
      outbox.send(
          OutboundMessage.response(Envelope.Kind.ERROR, MessageWriter.error(id, code, text, null)));
    } catch (TransportException e) {
      LOG.debug("the error response to {} could not be sent", request, e);
    }
  }

  @Override
  public void onRequestFailed(long id, TransportException reason) {
    throw new IllegalStateException("a server's end has no requests of its own to report");
  }

  @Override
  public void onClosed(TransportException reason) {
    stop();
  }

  /** A worker thread closes the SDK session, which then closes this object. */
  private void stop() {
    McpServerSession of = session;
    if (of != null) {
      Schedulers.boundedElastic().schedule(of::close);
    }
  }

  @Override
  public Mono<Void> sendMessage(JSONRPCMessage message) {
    return Mono.<Void>create(
            sink -> {
              OutboundMessage written;
              try {
                written = write(message);
              } catch (IOException e) {
                sink.error(e);
                return;
              }
              owner.runOnContext(
                  nothing -> {
                    try {
                      outbox.send(written);
                      sink.success();
                    } catch (TransportException e) {
                      sink.error(e);
                    }
                  });
            })
        // The SDK server must continue on a worker thread, not on the event loop.
        .publishOn(Schedulers.boundedElastic());
  }

  private OutboundMessage write(JSONRPCMessage message) throws IOException {
    byte[] bytes = mapper.writeValueAsBytes(message);
    if (message instanceof McpSchema.JSONRPCRequest request) {
      return OutboundMessage.request(-1, request.method(), bytes);
    }
    if (message instanceof McpSchema.JSONRPCNotification notification) {
      return OutboundMessage.notification(notification.method(), bytes);
    }
    boolean error = message instanceof McpSchema.JSONRPCResponse answer && answer.error() != null;
    return OutboundMessage.response(error ? Envelope.Kind.ERROR : Envelope.Kind.RESULT, bytes);
  }

  @Override
  public <T> T unmarshalFrom(Object data, TypeRef<T> type) {
    return mapper.convertValue(data, type);
  }

  @Override
  public Mono<Void> closeGracefully() {
    return Mono.defer(
        () -> {
          Promise<Void> gone = Promise.promise();
          owner.runOnContext(nothing -> end().onComplete(gone));
          return Mono.fromCompletionStage(gone.future().toCompletionStage());
        });
  }

  @Override
  public void close() {
    owner.runOnContext(nothing -> end());
  }

  /** Cancels the calls in flight, because no client waits for them any more. */
  private Future<Void> end() {
    Future<Void> under = ended;
    if (under == null) {
      handling.dispose();
      onEnd.run();
      under = channel.close();
      ended = under;
    }
    return under;
  }
}
