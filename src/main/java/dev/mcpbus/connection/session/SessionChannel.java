package dev.mcpbus.connection.session;

import dev.mcpbus.bus.ConnectionTelemetry;
import dev.mcpbus.protocol.MessageTap;
import dev.mcpbus.protocol.RawJson;
import dev.mcpbus.transport.Channel;
import dev.mcpbus.transport.OutboundMessage;
import dev.mcpbus.transport.TransportException;
import dev.mcpbus.transport.TransportException.Reached;
import dev.mcpbus.transport.TransportException.Reason;
import io.vertx.core.Future;
import io.vertx.core.json.JsonObject;
import org.jspecify.annotations.Nullable;

/**
 * The channel of a session: checks the size of each message, counts it, shows it to the tap, and
 * passes it to the transport's {@link Channel}. Owner: the connection's context.
 */
final class SessionChannel {

  private final int maxBytes;
  private @Nullable MessageTap tap;
  private final @Nullable ConnectionTelemetry telemetry;
  private @Nullable Channel channel;

  SessionChannel(int maxBytes, @Nullable MessageTap tap, @Nullable ConnectionTelemetry telemetry) {
    this.maxBytes = maxBytes;
    this.tap = tap;
    this.telemetry = telemetry;
  }

  /** A request is about to leave: its operation begins, where there is telemetry. */
  void measure(long id, PendingRequest call, @Nullable RawJson params) {
    if (telemetry != null) {
      call.begin(telemetry, id, params);
    }
  }

  /** Shows the following messages to another tap; null for none. */
  void show(@Nullable MessageTap other) {
    tap = other;
  }

  void attach(Channel opened) {
    channel = opened;
  }

  boolean isAttached() {
    return channel != null;
  }

  boolean hasRequestStreams() {
    return channel != null && channel.hasRequestStreams();
  }

  boolean isInstalling() {
    return channel != null && channel.isInstalling();
  }

  void put(OutboundMessage message) throws TransportException {
    Channel out = channel;
    if (out == null) {
      throw new TransportException(Reason.UPSTREAM_RESET, Reached.NO, "the channel is not open");
    }
    int length = message.bytes().length;
    if (length > maxBytes) {
      throw new TransportException(
          Reason.LIMIT_EXCEEDED,
          Reached.NO,
          "the message has " + length + " bytes, the limit is " + maxBytes);
    }
    if (tap != null) {
      tap.message(MessageTap.Direction.SENT, RawJson.slice(message.bytes(), 0, length));
    }
    if (telemetry != null) {
      telemetry.bytes(length, 0);
    }
    out.send(message);
  }

  /** As {@link #put} for a message that may be dropped; false where the channel refuses it. */
  boolean offer(OutboundMessage message) {
    try {
      if (isAttached()) {
        put(message);
      }
      return true;
    } catch (TransportException refused) {
      return false;
    }
  }

  /** Counts a message of the server, and shows it to the tap. */
  void received(RawJson message) {
    if (telemetry != null) {
      telemetry.bytes(0, message.length());
    }
    if (tap != null) {
      tap.message(MessageTap.Direction.RECEIVED, message);
    }
  }

  void forget(long id) {
    if (channel != null) {
      channel.forget(id);
    }
  }

  void negotiated(String version) {
    if (channel != null) {
      channel.negotiated(version);
    }
  }

  JsonObject diagnostics() {
    return channel == null ? new JsonObject() : channel.diagnostics();
  }

  Future<Void> close() {
    return channel == null ? Future.succeededFuture() : channel.close();
  }
}
