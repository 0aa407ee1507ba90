package dev.mcpbus.transport.http;

import dev.mcpbus.protocol.Envelope;
import dev.mcpbus.transport.Channel;
import dev.mcpbus.transport.TransportException;
import io.vertx.core.Future;
import io.vertx.core.http.HttpClientRequest;
import io.vertx.core.http.HttpClientResponse;
import org.jspecify.annotations.Nullable;

/**
 * The standalone GET stream for messages that belong to no request. It reconnects as long as the
 * channel is open and the server offers the stream; a server without it costs one request. Confined
 * to the owner context of its channel.
 */
final class StandaloneStream implements EventStream.StreamListener {

  private static final long MAX_BACKOFF_MILLIS = 60_000;

  private final HttpChannel channel;
  private final GetStream control;
  private final EventStream reader;
  private boolean wasOpen;

  StandaloneStream(HttpChannel channel, GetStream control) {
    this.channel = channel;
    this.control = control;
    this.reader = new EventStream(channel, this);
  }

  void start() {
    reader.get();
  }

  /** Closes the connection; {@link #start()} goes on after the last event. */
  void suspend() {
    reader.suspend();
  }

  /** Whether a GET is on its way or answered. */
  boolean isAsked() {
    return reader.isAsked();
  }

  void stop() {
    reader.stop();
  }

  /** Stops reading, or goes on with it. */
  void hold(boolean paused) {
    reader.hold(paused);
  }

  boolean isOpen() {
    return reader.isOpen();
  }

  boolean hasPosition() {
    return reader.position().lastId() != null;
  }

  /** The stream may stay open as long as the channel, so it gets a connection of its own. */
  @Override
  public Future<HttpClientRequest> get() {
    return channel.streamRequest();
  }

  @Override
  public boolean message(Envelope message, boolean replayed) {
    if (message.kind().isAnswer()) {
      channel.junk++;
    } else if (!replayed) {
      channel.deliver(message, Channel.Receiver.STANDING_STREAM);
    }
    return true;
  }

  @Override
  public void cut(@Nullable Throwable cause) {
    reconnect();
  }

  @Override
  public void opened() {
    wasOpen = true;
    control.opened();
  }

  /** A second 409 is about a stream of ours that the server has not seen end. */
  @Override
  public void refused(HttpClientResponse response) {
    int status = response.statusCode();
    if (!wasOpen && (status == 405 || status == 409)) {
      control.refused();
    } else if (status >= 500 || status == 429 || status == 409) {
      reconnect();
    }
  }

  @Override
  public void failed(TransportException why, boolean isFinal) {
    if (!isFinal) {
      reconnect();
    }
  }

  @Override
  public void broken(TransportException why) {
    channel.junk++;
    reconnect();
  }

  private void reconnect() {
    long retry = reader.position().retryMillis();
    int doublings = Math.min(16, reader.countAttempt() - 1);
    reader.reopenAfter(Math.max(retry, Math.min(MAX_BACKOFF_MILLIS, retry << doublings)));
  }
}
