package dev.mcpbus.transport;

import dev.mcpbus.protocol.Envelope;
import dev.mcpbus.protocol.Quirks;
import dev.mcpbus.protocol.Redactor;
import io.vertx.core.Context;
import io.vertx.core.Future;
import io.vertx.core.json.JsonObject;
import org.jspecify.annotations.Nullable;

/**
 * A transport whose texts pass through a {@link Redactor}: its target, its diagnostics and every
 * failure. So a transport, built in or plugged in, needs no masking of its own. Lines of output
 * pass as they are; the connection masks them when a caller reads them.
 *
 * @param inner does the work; its messages pass unchanged
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
  public boolean hasOutput() {
    return inner.hasOutput();
  }

  @Override
  public @Nullable String installer() {
    return inner.installer();
  }

  @Override
  public Future<Channel> open(Context owner, Channel.Receiver receiver) {
    return inner
        .open(owner, new RedactingReceiver(receiver, redactor))
        .<Channel>map(channel -> new RedactedChannel(channel, redactor))
        .recover(failure -> Future.failedFuture(redacted(failure, redactor)));
  }

  private static Throwable redacted(Throwable failure, Redactor redactor) {
    return failure instanceof TransportException known ? redacted(known, redactor) : failure;
  }

  /** Without the cause, whose text may hold secrets. */
  private static TransportException redacted(TransportException failure, Redactor redactor) {
    return new TransportException(
        failure.reason(),
        failure.reached(),
        redactor.redact(String.valueOf(failure.getMessage())),
        failure.retryAfterMillis(),
        null);
  }

  /** Passes the owner's calls to the channel. */
  private record RedactedChannel(Channel inner, Redactor redactor) implements Channel {

    @Override
    public void send(OutboundMessage message) throws TransportException {
      try {
        inner.send(message);
      } catch (TransportException e) {
        throw redacted(e, redactor);
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
    public boolean isInstalling() {
      return inner.isInstalling();
    }

    @Override
    public void hold(boolean paused) {
      inner.hold(paused);
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

  /** Passes the reports of the channel to its owner. */
  private record RedactingReceiver(Channel.Receiver inner, Redactor redactor)
      implements Channel.Receiver {

    @Override
    public void onMessage(Envelope message) {
      inner.onMessage(message);
    }

    @Override
    public void onMessage(Envelope message, long request) {
      inner.onMessage(message, request);
    }

    @Override
    public void onRequestFailed(long id, TransportException reason) {
      inner.onRequestFailed(id, redacted(reason, redactor));
    }

    @Override
    public boolean isAwaited(long id) {
      return inner.isAwaited(id);
    }

    @Override
    public void onDelivered(OutboundMessage message) {
      inner.onDelivered(message);
    }

    @Override
    public void onClosed(TransportException reason) {
      inner.onClosed(redacted(reason, redactor));
    }

    @Override
    public Quirks quirks() {
      return inner.quirks();
    }

    @Override
    public OutputListener output() {
      return inner.output();
    }
  }
}
