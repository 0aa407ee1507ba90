package dev.mcpbus.transport.http;

import dev.mcpbus.protocol.Envelope;
import dev.mcpbus.protocol.Methods;
import dev.mcpbus.transport.Channel;
import dev.mcpbus.transport.OutboundMessage;
import dev.mcpbus.transport.TransportException;
import dev.mcpbus.transport.TransportException.Reached;
import dev.mcpbus.transport.TransportException.Reason;
import io.vertx.core.Future;
import io.vertx.core.http.HttpClientResponse;
import io.vertx.core.json.JsonObject;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Streamable HTTP first; HTTP+SSE if the server refuses {@code initialize} as its first message
 * with 400, 404 or 405 (MCP 2025-11-25, Transports, Backwards Compatibility), whatever the body
 * says: a JSON-RPC error is the answer only if HTTP+SSE fails, too. The server has refused that
 * request, so it is safe to send it again. A refusal of {@code server/discover} says nothing of
 * HTTP+SSE, which knows no such request: servers of Streamable HTTP refuse it so, too, and open a
 * stream for the GET that would follow. Confined to the owner context.
 */
final class FallbackChannel implements Channel {

  private static final int MAX_HELD = 64;

  private final HttpChannel http;
  private final Supplier<SseChannel> httpSse;
  private final Receiver receiver;
  private final List<OutboundMessage> held = new ArrayList<>();
  private Channel current;
  private @Nullable SseChannel opening;
  private boolean closed;

  /**
   * Creates the channel.
   *
   * @param httpSse starts a channel over HTTP+SSE
   */
  FallbackChannel(HttpChannel http, Supplier<SseChannel> httpSse, Receiver receiver) {
    this.http = http;
    this.httpSse = httpSse;
    this.receiver = receiver;
    this.current = http;
    http.onRefusal(this::refused);
  }

  private boolean refused(
      OutboundMessage message, HttpClientResponse response, @Nullable Envelope reply) {
    int status = response.statusCode();
    if ((status != 400 && status != 404 && status != 405)
        || opening != null
        || !Methods.INITIALIZE.equals(message.method())) {
      return false;
    }
    TransportException why = StatusFailures.of(response, http.endpoint(), null);
    held.add(message);
    SseChannel candidate = httpSse.get();
    opening = candidate;
    candidate
        .opening()
        .onComplete(
            (opened, failure) -> {
              opening = null;
              if (closed) {
                return;
              }
              if (opened != null) {
                current = opened;
                http.close();
              } else if (reply == null) {
                fail(message, both(why, failure));
              } else if (held.remove(message)) {
                receiver.onMessage(reply);
              }
              sendHeld();
            });
    return true;
  }

  /** Both reasons; a question that both ask is asked once. */
  private static TransportException both(TransportException why, Throwable httpSseFailure) {
    String first = String.valueOf(why.getMessage()).replace(StatusFailures.ENDPOINT, "");
    String second =
        String.valueOf(httpSseFailure.getMessage()).replace(StatusFailures.ENDPOINT, "");
    return why.withMessage(
        first.equals(second)
            ? first + ", also over HTTP+SSE (2024-11-05)" + StatusFailures.ENDPOINT
            : first + StatusFailures.ENDPOINT + "; HTTP+SSE (2024-11-05) failed, too: " + second);
  }

  private void sendHeld() {
    List<OutboundMessage> all = List.copyOf(held);
    held.clear();
    for (OutboundMessage message : all) {
      try {
        current.send(message);
      } catch (TransportException e) {
        if (message.kind() == Envelope.Kind.REQUEST) {
          receiver.onRequestFailed(message.id(), e);
        }
      }
    }
  }

  private void fail(OutboundMessage message, TransportException why) {
    if (held.remove(message)) {
      receiver.onRequestFailed(message.id(), why);
    }
  }

  @Override
  public void send(OutboundMessage message) throws TransportException {
    if (opening == null) {
      current.send(message);
    } else if (closed) {
      throw new TransportException(Reason.UPSTREAM_RESET, Reached.NO, "the channel is closed");
    } else if (held.size() >= MAX_HELD) {
      throw new TransportException(
          Reason.OVERLOADED, Reached.NO, MAX_HELD + " messages wait for HTTP+SSE to open");
    } else {
      held.add(message);
    }
  }

  @Override
  public void forget(long id) {
    held.removeIf(
        message -> message.kind() == Envelope.Kind.REQUEST && message.id() == id && !closed);
    current.forget(id);
  }

  @Override
  public boolean hasRequestStreams() {
    return current.hasRequestStreams();
  }

  @Override
  public void hold(boolean paused) {
    current.hold(paused);
  }

  @Override
  public void negotiated(String protocolVersion) {
    current.negotiated(protocolVersion);
  }

  @Override
  public Future<Void> close() {
    closed = true;
    held.clear();
    Future<Void> done = current.close();
    SseChannel candidate = opening;
    return candidate == null ? done : Future.join(done, candidate.close()).mapEmpty();
  }

  @Override
  public JsonObject diagnostics() {
    return current.diagnostics();
  }
}
