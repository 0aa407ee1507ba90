package dev.mcpbus.cli.stdio;

import dev.mcpbus.protocol.Envelope;
import dev.mcpbus.protocol.MessageWriter;
import dev.mcpbus.protocol.Methods;
import dev.mcpbus.protocol.RawJson;
import dev.mcpbus.transport.Channel;
import dev.mcpbus.transport.OutboundMessage;
import dev.mcpbus.transport.Transport;
import dev.mcpbus.transport.TransportException;
import dev.mcpbus.transport.TransportException.Reached;
import dev.mcpbus.transport.TransportException.Reason;
import io.vertx.core.Context;
import io.vertx.core.Future;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The session of a client of the {@code initialize} era, which outlives the session at the service:
 * where that is lost, because mcpbus was started again, it opens another with the client's own
 * {@code initialize}, and repeats what the client has subscribed to. Messages wait meanwhile.
 * Confined to the bridge's context.
 */
final class BridgeSession {

  private static final Logger LOG = LoggerFactory.getLogger(BridgeSession.class);

  private enum BridgeState {
    /** The client has not sent {@code initialize}. */
    NONE,
    /** {@code initialize} has no answer yet: messages wait. */
    OPENING,
    OPEN,
    /** The service does not know the session any more; the next request opens another. */
    LOST
  }

  /** One message that waits: a request, or something else. */
  private record HeldMessage(@Nullable BridgeRequest request, @Nullable OutboundMessage other) {}

  private final StdioBridge bridge;
  private final ServiceRequests requests;
  private final Transport transport;
  private final Context owner;
  private final List<HeldMessage> held = new ArrayList<>();
  private final SessionSettings settings = new SessionSettings();
  private BridgeState state = BridgeState.NONE;
  private @Nullable Channel channel;
  private @Nullable BridgeRequest initialize;
  private @Nullable String version;
  private boolean initialized;

  BridgeSession(StdioBridge bridge, ServiceRequests requests, Transport transport, Context owner) {
    this.bridge = bridge;
    this.requests = requests;
    this.transport = transport;
    this.owner = owner;
  }

  /** The client begins: a former session ends, and what was in flight in it fails. */
  void begin(BridgeRequest request) {
    Channel former = channel;
    close();
    if (former != null) {
      requests.closed(former);
    }
    settings.clear();
    initialized = false;
    version = null;
    initialize = request;
    open(opened -> requests.send(opened, request));
  }

  private void open(Consumer<Channel> then) {
    state = BridgeState.OPENING;
    SessionReceiver receiver = new SessionReceiver();
    transport
        .open(owner, receiver)
        .onComplete(
            (opened, failure) -> {
              if (failure != null) {
                throw new IllegalStateException("a channel without TLS files opens", failure);
              }
              receiver.mine = opened;
              channel = opened;
              opened.hold(bridge.isHeld());
              then.accept(opened);
            });
  }

  /** The service has answered the client's {@code initialize}, or nothing came of it. */
  void begun(@Nullable Envelope answer) {
    version = versionOf(answer);
    if (version == null || channel == null) {
      state = BridgeState.NONE;
      close();
    } else {
      channel.negotiated(version);
      state = BridgeState.OPEN;
    }
    release();
  }

  /** The version that the client has agreed on; empty before. */
  String version() {
    return version == null ? "" : version;
  }

  private static @Nullable String versionOf(@Nullable Envelope answer) {
    if (answer == null || answer.kind() != Envelope.Kind.RESULT || answer.ambiguity() != null) {
      return null;
    }
    RawJson version =
        answer.payload().isObject() ? answer.payload().member("protocolVersion") : null;
    return version != null && version.isString() ? version.asString() : null;
  }

  void send(BridgeRequest request) {
    if (state == BridgeState.LOST) {
      renew();
    }
    switch (state) {
      case NONE -> bridge.sendStateless(request);
      case OPEN -> {
        settings.note(request);
        if (channel != null) {
          requests.send(channel, request);
        }
      }
      default -> held.add(new HeldMessage(request, null));
    }
  }

  /** A notification or an answer of the client. */
  void send(OutboundMessage message) {
    boolean begins = Methods.INITIALIZED.equals(message.method());
    initialized |= begins;
    switch (state) {
      case NONE -> bridge.sendStateless(message);
      case OPEN -> {
        if (channel != null) {
          requests.send(channel, message);
        }
      }
      case OPENING -> held.add(new HeldMessage(null, message));
      case LOST ->
          requests.delivered(message); // it was about something of the session that is lost
    }
  }

  /** Removes a request that waits here. */
  void forget(BridgeRequest request) {
    held.removeIf(one -> one.request() == request);
  }

  /** The service has refused a request, because it does not know the session. */
  void lost(BridgeRequest request) {
    if (state == BridgeState.OPEN && request.channel == channel) {
      state = BridgeState.LOST;
    }
    send(request);
  }

  private void renew() {
    BridgeRequest first = initialize;
    if (first == null) {
      return;
    }
    LOG.info("mcpbus does not know the session any more; opening another");
    open(
        opened ->
            requests.sendOwn(
                opened, Methods.INITIALIZE, id -> first.text.with("id", id), this::renewed));
  }

  private void renewed(@Nullable Envelope answer, @Nullable TransportException failure) {
    String spoken = versionOf(answer);
    Channel opened = channel;
    if (answer == null || spoken == null || opened == null || !spoken.equals(version)) {
      state = BridgeState.LOST;
      refuseHeld(failure == null ? refused(answer, spoken) : failure);
      return;
    }
    opened.negotiated(spoken);
    state = BridgeState.OPEN;
    if (initialized) {
      byte[] bytes = MessageWriter.notification(Methods.INITIALIZED, null);
      requests.sendUncounted(opened, OutboundMessage.notification(Methods.INITIALIZED, bytes));
    }
    settings.repeat(
        (method, text) ->
            requests.sendOwn(opened, method, id -> text.with("id", id), (a, f) -> {}));
    release();
    bridge.listsMayHaveChanged(answer.payload());
  }

  private TransportException refused(@Nullable Envelope answer, @Nullable String spoken) {
    return new TransportException(
        Reason.SESSION_LOST,
        Reached.NO,
        "mcpbus was started again, and the session could not be opened again ("
            + (spoken == null
                ? String.valueOf(answer == null ? null : answer.text())
                : "it speaks " + spoken + " now, and " + version + " before")
            + "); restart this server in your editor");
  }

  private void refuseHeld(TransportException why) {
    List<HeldMessage> all = List.copyOf(held);
    held.clear();
    for (HeldMessage one : all) {
      if (one.request() != null) {
        requests.refuse(one.request(), why);
      } else if (one.other() != null) {
        requests.delivered(one.other());
      }
    }
  }

  private void release() {
    List<HeldMessage> all = List.copyOf(held);
    held.clear();
    for (HeldMessage one : all) {
      if (one.request() != null) {
        send(one.request());
      } else if (one.other() != null) {
        send(one.other());
      }
    }
  }

  void hold(boolean paused) {
    if (channel != null) {
      channel.hold(paused);
    }
  }

  /** Ends the session at the service. */
  Future<Void> close() {
    Channel present = channel;
    channel = null;
    return present == null ? Future.succeededFuture() : present.close();
  }

  /** Passes on what one channel reports; an earlier channel may still have requests in flight. */
  private final class SessionReceiver extends RequestsReceiver {

    private @Nullable Channel mine;

    SessionReceiver() {
      super(requests);
    }

    @Override
    public void onClosed(TransportException reason) {
      Channel closed = mine;
      if (closed == null) {
        return;
      }
      if (closed == channel && state == BridgeState.OPEN) {
        state = BridgeState.LOST;
      }
      requests.closed(closed);
      closed.close();
    }
  }
}
