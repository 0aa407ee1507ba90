package dev.mcpbus.transport;

import dev.mcpbus.protocol.Envelope;
import dev.mcpbus.protocol.Redactor;
import io.vertx.core.Context;
import io.vertx.core.Future;
import io.vertx.core.json.JsonObject;

/**
 * A transport whose texts pass a {@link Redactor}: where it leads to, its diagnostics and every
 * failure. No transport, built in or plugged in, has to know what must not be shown.
 *
 * @param inner what does the work; its messages are not touched
 */
public record RedactedTransport(Transport inner, Redactor redactor) implements Transport {

  @Override
  public String type() {
    return inner.type();
  }

  @Override
  public String target() {
    return redactor.redact(inner.target());
  }

  @Override
  public Future<Channel> open(Context owner, Channel.Receiver receiver) {
    return inner
        .open(owner, new Hearing(receiver, redactor))
        .<Channel>map(channel -> new Shown(channel, redactor))
        .recover(failure -> Future.failedFuture(shown(failure, redactor)));
  }

  private static Throwable shown(Throwable failure, Redactor redactor) {
    return failure instanceof TransportException known ? shown(known, redactor) : failure;
  }

  /** Without its cause, which quotes what it likes. */
  private static TransportException shown(TransportException failure, Redactor redactor) {
    return new TransportException(
        failure.reason(),
        failure.sent(),
        redactor.redact(String.valueOf(failure.getMessage())),
        failure.retryAfterMillis(),
        null);
  }

  /** Passes the owner's calls on. */
  private record Shown(Channel inner, Redactor redactor) implements Channel {

    @Override
    public void send(OutboundMessage message) throws TransportException {
      try {
        inner.send(message);
      } catch (TransportException e) {
        throw shown(e, redactor);
      }
    }

    @Override
    public void forget(long id) {
      inner.forget(id);
    }

    @Override
    public boolean hasRequestStreams() {
      return inner.hasRequestStreams();
    }

    @Override
    public void negotiated(String protocolVersion) {
      inner.negotiated(protocolVersion);
    }

    @Override
    public Future<Void> close() {
      return inner.close();
    }

    @Override
    public JsonObject diagnostics() {
      return redactor.redact(inner.diagnostics());
    }
  }

  /** Passes what the channel reports on. */
  private record Hearing(Channel.Receiver inner, Redactor redactor) implements Channel.Receiver {

    @Override
    public void onMessage(Envelope message) {
      inner.onMessage(message);
    }

    @Override
    public void onRequestFailed(long id, TransportException reason) {
      inner.onRequestFailed(id, shown(reason, redactor));
    }

    @Override
    public void onClosed(TransportException reason) {
      inner.onClosed(shown(reason, redactor));
    }
  }
}
