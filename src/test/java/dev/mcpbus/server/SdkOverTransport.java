package dev.mcpbus.server;

import dev.mcpbus.protocol.Envelope;
import dev.mcpbus.transport.Channel;
import dev.mcpbus.transport.OutboundMessage;
import dev.mcpbus.transport.Transport;
import dev.mcpbus.transport.TransportException;
import io.modelcontextprotocol.json.McpJsonDefaults;
import io.modelcontextprotocol.json.McpJsonMapper;
import io.modelcontextprotocol.json.TypeRef;
import io.modelcontextprotocol.spec.McpClientTransport;
import io.modelcontextprotocol.spec.McpSchema;
import io.modelcontextprotocol.spec.McpSchema.JSONRPCMessage;
import io.vertx.core.Context;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import java.io.IOException;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Mono;
import reactor.core.scheduler.Schedulers;

/** Lets a client of the SDK speak through a transport of ours. */
final class SdkOverTransport implements McpClientTransport, Channel.Receiver {

  private final McpJsonMapper mapper = McpJsonDefaults.getMapper();
  private final Context context;
  private final Transport transport;
  private volatile @Nullable Channel channel;
  private volatile @Nullable Function<Mono<JSONRPCMessage>, Mono<JSONRPCMessage>> handler;

  SdkOverTransport(Vertx vertx, Transport transport) {
    this.context = vertx.getOrCreateContext();
    this.transport = transport;
  }

  @Override
  public Mono<Void> connect(Function<Mono<JSONRPCMessage>, Mono<JSONRPCMessage>> handles) {
    handler = handles;
    Promise<Channel> opened = Promise.promise();
    context.runOnContext(now -> transport.open(context, this).onComplete(opened));
    return Mono.fromCompletionStage(opened.future().toCompletionStage())
        .doOnNext(open -> channel = open)
        .publishOn(Schedulers.boundedElastic())
        .then();
  }

  @Override
  public Mono<Void> sendMessage(JSONRPCMessage message) {
    return Mono.<Void>create(
            sink ->
                context.runOnContext(
                    now -> {
                      try {
                        String method =
                            message instanceof McpSchema.JSONRPCRequest request
                                ? request.method()
                                : "notification";
                        Channel open = java.util.Objects.requireNonNull(channel);
                        open.send(
                            OutboundMessage.notification(
                                method, mapper.writeValueAsBytes(message)));
                        sink.success();
                      } catch (IOException | TransportException e) {
                        sink.error(e);
                      }
                    }))
        .publishOn(Schedulers.boundedElastic());
  }

  @Override
  public void onMessage(Envelope message) {
    Function<Mono<JSONRPCMessage>, Mono<JSONRPCMessage>> handles =
        java.util.Objects.requireNonNull(handler);
    Mono.fromCallable(() -> McpSchema.deserializeJsonRpcMessage(mapper, message.text().toString()))
        .subscribeOn(Schedulers.boundedElastic())
        .flatMap(read -> handles.apply(Mono.just(read)))
        .subscribe();
  }

  @Override
  public void onRequestFailed(long id, TransportException reason) {}

  @Override
  public void onClosed(TransportException reason) {}

  @Override
  public Mono<Void> closeGracefully() {
    return Mono.fromRunnable(
        () ->
            context.runOnContext(
                now -> {
                  Channel open = channel;
                  if (open != null) {
                    open.close();
                  }
                }));
  }

  @Override
  public <T> T unmarshalFrom(Object data, TypeRef<T> type) {
    return mapper.convertValue(data, type);
  }
}
