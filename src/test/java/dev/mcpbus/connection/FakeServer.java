package dev.mcpbus.connection;

import dev.mcpbus.bus.McpFailure;
import dev.mcpbus.connection.options.ConnectionOptions;
import dev.mcpbus.connection.session.Clock;
import dev.mcpbus.connection.session.InitializeEra;
import dev.mcpbus.connection.session.MessageOwner;
import dev.mcpbus.connection.session.PendingRequest;
import dev.mcpbus.connection.session.Session;
import dev.mcpbus.connection.session.SessionListener;
import dev.mcpbus.connection.session.SessionPreferences;
import dev.mcpbus.protocol.Envelope;
import dev.mcpbus.protocol.Implementation;
import dev.mcpbus.protocol.JsonRpcError;
import dev.mcpbus.protocol.ParseLimits;
import dev.mcpbus.protocol.ProtocolException;
import dev.mcpbus.protocol.ProtocolVersion;
import dev.mcpbus.protocol.RawJson;
import dev.mcpbus.protocol.ServerDescription;
import dev.mcpbus.transport.Channel;
import dev.mcpbus.transport.OutboundMessage;
import dev.mcpbus.transport.Transport;
import io.vertx.core.Context;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.json.JsonObject;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * A transport with its server: shakes hands, and answers what it is told to. Everything that was
 * sent is kept in {@link #sent}.
 */
final class FakeServer implements Transport, Channel, SessionListener {

  static final String INITIALIZED =
      "{\"protocolVersion\":\"2025-11-25\",\"capabilities\":{\"tools\":{}},"
          + "\"serverInfo\":{\"name\":\"fake\",\"version\":\"1\"}}";

  final List<String> sent = new CopyOnWriteArrayList<>();
  final List<String> notifications = new CopyOnWriteArrayList<>();
  final List<McpFailure> endings = new CopyOnWriteArrayList<>();

  private final Vertx vertx;
  private final Function<String, @Nullable String> answers;
  private volatile @Nullable Receiver receiver;

  /**
   * @param answers the member {@code result} or {@code error} for a method, null for no answer
   */
  FakeServer(Vertx vertx, Function<String, @Nullable String> answers) {
    this.vertx = vertx;
    this.answers = answers;
  }

  /** A session with this server, shaking hands. Call it on {@code context}. */
  Session session(Context context, ConnectionOptions options, Clock clock) {
    InitializeEra era =
        new InitializeEra(
            RawJson.EMPTY_OBJECT.with(
                "clientInfo", RawJson.of(new Implementation("test", "1").toJson())),
            null,
            new SessionPreferences(RawJson.EMPTY_OBJECT),
            null,
            ProtocolVersion.LATEST_INITIALIZE);
    return new Session(context, this, era, options, clock, null, null, this);
  }

  /** Opens the channel and shakes hands. */
  static Future<ServerDescription> open(Session session) {
    return session.connect().compose(connected -> session.era().open(session));
  }

  @Override
  public boolean onUnfinished(Session session, PendingRequest call, String type, RawJson result) {
    return false;
  }

  @Override
  public boolean onRefused(Session session, PendingRequest call, JsonRpcError error) {
    return false;
  }

  @Override
  public String type() {
    return "fake";
  }

  @Override
  public String target() {
    return "fake";
  }

  @Override
  public Future<Channel> open(Context owner, Receiver hears) {
    receiver = hears;
    return Future.succeededFuture(this);
  }

  @Override
  public void send(OutboundMessage message) {
    sent.add(new String(message.bytes(), StandardCharsets.UTF_8));
    if (message.kind() != Envelope.Kind.REQUEST) {
      return;
    }
    String method = String.valueOf(message.method());
    String answer =
        method.equals("initialize") ? "\"result\":" + INITIALIZED : answers.apply(method);
    if (answer != null) {
      say("{\"jsonrpc\":\"2.0\",\"id\":" + message.id() + "," + answer + "}");
    }
  }

  /** Sends the client a message soon, on the current context. */
  void say(String message) {
    byte[] bytes = message.getBytes(StandardCharsets.UTF_8);
    Receiver to = receiver;
    if (to == null) {
      throw new IllegalStateException("nobody has opened it");
    }
    vertx.runOnContext(
        now -> {
          try {
            to.onMessage(Envelope.parse(bytes, 0, bytes.length, ParseLimits.DEFAULT));
          } catch (ProtocolException e) {
            throw new IllegalArgumentException(e);
          }
        });
  }

  @Override
  public void forget(long id) {}

  @Override
  public void negotiated(String protocolVersion) {}

  @Override
  public Future<Void> close() {
    return Future.succeededFuture();
  }

  @Override
  public JsonObject diagnostics() {
    return new JsonObject();
  }

  @Override
  public void onRequest(
      Session session, RawJson id, String method, RawJson params, MessageOwner owner) {}

  @Override
  public void onNotification(Session session, String method, RawJson params, MessageOwner owner) {
    notifications.add(method);
  }

  @Override
  public void onListChanged(Session session, String method, RawJson params, boolean passes) {
    notifications.add(method);
  }

  @Override
  public void onReached(String address, String callId) {}

  @Override
  public void onCallNotification(
      String address, @Nullable String callId, String method, RawJson params) {}

  @Override
  public void onEnded(Session session, McpFailure reason) {
    endings.add(reason);
  }
}
