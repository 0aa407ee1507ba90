package dev.mcpbus.cli.stdio;

import dev.mcpbus.internals.InternalContext;
import dev.mcpbus.protocol.Envelope;
import dev.mcpbus.protocol.JsonRpcError;
import dev.mcpbus.protocol.MessageWriter;
import dev.mcpbus.protocol.Methods;
import dev.mcpbus.protocol.ProtocolException;
import dev.mcpbus.protocol.RawJson;
import dev.mcpbus.transport.Channel;
import dev.mcpbus.transport.OutboundMessage;
import dev.mcpbus.transport.Transport;
import dev.mcpbus.transport.TransportException;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The middle of the bridge: what the client sends goes to {@code /mcp} with the client's own ids
 * and bytes, what comes back goes to stdout. A request of the {@code discover} era describes itself
 * and needs no session; all others go through {@link BridgeSession}. Confined to its context.
 */
final class StdioBridge
    implements StdinReader.LineListener, StdoutWriter.FlowListener, ServiceRequests.RequestRoutes {

  private static final Logger LOG = LoggerFactory.getLogger(StdioBridge.class);

  private static final List<String> LISTS = List.of("tools", "prompts", "resources");

  private final InternalContext owner;
  private final Transport transport;
  private final StdoutWriter out;
  private final ServiceRequests requests;
  private final BridgeSession session;
  private final Queue<Runnable> waitsForRoom = new ArrayDeque<>();
  private final Promise<Void> ended;
  private @Nullable Channel stateless;
  private boolean held;
  private boolean ending;
  private boolean over;

  /**
   * @param clock monotonic nanoseconds
   */
  StdioBridge(
      InternalContext owner,
      Transport transport,
      BridgeErrors errors,
      StdoutWriter out,
      LongSupplier clock) {
    this.owner = owner;
    this.transport = transport;
    this.out = out;
    this.requests = new ServiceRequests(owner, errors, out, clock, this);
    this.session = new BridgeSession(this, requests, transport, owner.context());
    this.ended = owner.promise();
  }

  /** Opens the channel for requests without a session; sends nothing. */
  Future<Void> open() {
    return transport
        .open(owner.context(), new StatelessReceiver())
        .onSuccess(opened -> stateless = opened)
        .mapEmpty();
  }

  /** Completes when the bridge has ended, its session at the service included. */
  Future<Void> whenOver() {
    return ended.future();
  }

  // ---- from the client

  @Override
  public void message(Envelope message) {
    if (ending) {
      return;
    }
    switch (message.kind()) {
      case REQUEST -> request(message);
      case NOTIFICATION -> notification(message);
      default -> other(message, null);
    }
  }

  @Override
  public void malformed(ProtocolException fault) {
    out.write(BridgeErrors.malformed(fault));
  }

  @Override
  public String version() {
    return session.version();
  }

  @Override
  public void whenRoom(Runnable next) {
    waitsForRoom.add(next);
    room();
  }

  /** The end of stdin: requests in flight may still be answered, for some seconds. */
  @Override
  public void ended() {
    end(ServiceRequests.PATIENCE_NANOS);
  }

  private void request(Envelope message) {
    RawJson id = message.id();
    if (id == null) {
      return;
    }
    BridgeRequest request = requests.add(message, id);
    if (request == null) {
      out.write(
          BridgeErrors.message(
              BridgeRequest.copy(id),
              JsonRpcError.INVALID_REQUEST,
              "a request with this id has no answer yet; each request needs an id of its own",
              null));
    } else if (request.isDiscover()) {
      sendStateless(request);
    } else if (request.method.equals(Methods.INITIALIZE)) {
      session.begin(request);
    } else {
      session.send(request);
    }
  }

  private void notification(Envelope message) {
    if (message.method().equals(Methods.CANCELLED) && message.ambiguity() == null) {
      BridgeRequest request = requests.inFlight().byId(message.params().member("requestId"));
      if (request != null && request.own == null && !cancel(request)) {
        return;
      }
    }
    other(message, message.method());
  }

  private void other(Envelope message, @Nullable String method) {
    byte[] bytes = BridgeRequest.copy(message.text()).array();
    requests.inFlight().sent(bytes.length);
    session.send(
        method == null
            ? OutboundMessage.response(message.kind(), bytes)
            : OutboundMessage.notification(method, bytes));
  }

  /**
   * Cancels a request. Over HTTP a request of the {@code discover} era is cancelled by closing its
   * stream (MCP 2026-07-28, Cancellation); in the {@code initialize} era the notification does it.
   *
   * @return whether the service has to get the notification
   */
  private boolean cancel(BridgeRequest request) {
    if (!request.isDiscover() && request.sent) {
      request.cancelled = true;
      return true;
    }
    if (request.channel != null) {
      request.channel.forget(request.key);
    }
    session.forget(request);
    requests.drop(request);
    return false;
  }

  // ---- to the service

  void sendStateless(BridgeRequest request) {
    if (stateless != null) {
      requests.send(stateless, request);
    }
  }

  void sendStateless(OutboundMessage message) {
    if (stateless != null) {
      requests.send(stateless, message);
    }
  }

  // ---- what becomes of requests

  @Override
  public void again(BridgeRequest request) {
    boolean elsewhere =
        request.own != null || request.isDiscover() || ServiceRequests.isInitialize(request);
    if (elsewhere && request.channel != null) {
      requests.send(request.channel, request);
    } else {
      session.send(request);
    }
  }

  @Override
  public void sessionLost(BridgeRequest request) {
    session.lost(request);
  }

  @Override
  public void begun(@Nullable Envelope answer) {
    session.begun(answer);
  }

  @Override
  public void room() {
    while (!held && !waitsForRoom.isEmpty() && requests.inFlight().hasRoom()) {
      waitsForRoom.remove().run();
    }
    if (ending && requests.inFlight().isQuiet()) {
      finish();
    }
  }

  /**
   * After a restart the service may offer other things; its new session sends no list_changed, so
   * the bridge does.
   */
  void listsMayHaveChanged(RawJson result) {
    RawJson capabilities = result.member("capabilities");
    for (String list : LISTS) {
      RawJson offered =
          capabilities == null || !capabilities.isObject() ? null : capabilities.member(list);
      RawJson changes =
          offered == null || !offered.isObject() ? null : offered.member("listChanged");
      if (changes != null && changes.toString().equals("true")) {
        byte[] bytes = MessageWriter.notification("notifications/" + list + "/list_changed", null);
        out.write(RawJson.slice(bytes, 0, bytes.length));
      }
    }
  }

  // ---- flow and end

  boolean isHeld() {
    return held;
  }

  @Override
  public void changed() {
    owner.run(this::flow);
  }

  /** While the client does not read, nothing is read from it, and nothing for it. */
  private void flow() {
    held = out.isFull(held);
    session.hold(held);
    if (stateless != null) {
      stateless.hold(held);
    }
    room();
  }

  @Override
  public void broken() {
    owner.run(() -> end(0));
  }

  /**
   * Ends the bridge.
   *
   * @param graceNanos how long requests in flight may take; 0 ends at once
   */
  void end(long graceNanos) {
    ending = true;
    requests.ending();
    if (graceNanos == 0 || requests.inFlight().isQuiet()) {
      finish();
    } else {
      owner.setTimer(TimeUnit.NANOSECONDS.toMillis(graceNanos), timer -> finish());
    }
  }

  private void finish() {
    if (over) {
      return;
    }
    over = true;
    List<Future<Void>> closing = new ArrayList<>();
    closing.add(session.close());
    if (stateless != null) {
      closing.add(stateless.close());
    }
    Future.join(closing).onComplete((closed, failure) -> ended.tryComplete());
  }

  /** Passes on what the channel without a session reports. */
  private final class StatelessReceiver extends RequestsReceiver {

    StatelessReceiver() {
      super(requests);
    }

    @Override
    public void onClosed(TransportException reason) {
      LOG.warn("the channel to mcpbus has ended: {}", reason.getMessage());
    }
  }
}
