package dev.mcpbus.testing;

import dev.mcpbus.protocol.Envelope;
import dev.mcpbus.protocol.MessageWriter;
import dev.mcpbus.protocol.RawJson;
import dev.mcpbus.transport.Channel;
import dev.mcpbus.transport.OutboundMessage;
import dev.mcpbus.transport.Transport;
import dev.mcpbus.transport.TransportException;
import dev.mcpbus.transport.memory.InMemoryTransport;
import io.vertx.core.Context;
import io.vertx.core.Vertx;
import io.vertx.core.json.JsonObject;
import io.vertx.core.shareddata.LocalMap;
import io.vertx.core.shareddata.Shareable;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.UUID;
import java.util.concurrent.CopyOnWriteArrayList;
import org.jspecify.annotations.Nullable;

/**
 * A server in the process that answers as a script says and remembers all that it was sent, over
 * every connection. Where the script gives null it is silent.
 */
public final class ScriptedPeer implements Shareable {

  /** Gives a whole {@code result} or {@code error} member, or null for silence. */
  @FunctionalInterface
  public interface Script {
    @Nullable String answer(String method, JsonObject params, int connection);
  }

  /** What a server of the {@code discover} era says of itself. */
  public static final String DISCOVERED =
      "\"result\":{\"resultType\":\"complete\",\"supportedVersions\":[\"2026-07-28\"],"
          + "\"capabilities\":{\"tools\":{\"listChanged\":true},\"resources\":{},\"prompts\":{},"
          + "\"logging\":{}},\"ttlMs\":0,\"cacheScope\":\"private\",\"_meta\":{"
          + "\"io.modelcontextprotocol/serverInfo\":{\"name\":\"peer\",\"version\":\"1\"}}}";

  public static final String INITIALIZED =
      "\"result\":{\"protocolVersion\":\"2025-11-25\",\"capabilities\":{\"tools\":{}},"
          + "\"serverInfo\":{\"name\":\"peer\",\"version\":\"1\"}}";

  private static final Map<String, String> EMPTY_LISTS =
      Map.of(
          "resources/list", "\"result\":{\"resources\":[],\"ttlMs\":0}",
          "resources/templates/list", "\"result\":{\"resourceTemplates\":[],\"ttlMs\":0}",
          "prompts/list", "\"result\":{\"prompts\":[],\"ttlMs\":0}");

  private final Context context;
  private final Script script;
  private final List<JsonObject> received = new CopyOnWriteArrayList<>();
  private final List<String> texts = new CopyOnWriteArrayList<>();
  private final List<Channel> channels = new CopyOnWriteArrayList<>();

  public ScriptedPeer(Vertx vertx, Script script) {
    this.context = vertx.getOrCreateContext();
    this.script = script;
    all(vertx).put(UUID.randomUUID().toString(), this);
  }

  /**
   * One that speaks the {@code discover} era; {@code script} answers the rest. A list of resources
   * or prompts that the script does not give is empty: silence there would hold up every list of
   * the gateway, and the end of the connection.
   */
  public static ScriptedPeer discover(Vertx vertx, Script script) {
    return new ScriptedPeer(
        vertx,
        (method, params, connection) -> {
          if (method.equals("server/discover")) {
            return DISCOVERED;
          }
          String answer = script.answer(method, params, connection);
          return answer == null ? EMPTY_LISTS.get(method) : answer;
        });
  }

  public static String error(int code, String message) {
    return "\"error\":{\"code\":" + code + ",\"message\":\"" + message + "\"}";
  }

  public Transport transport() {
    return new InMemoryTransport("scripted", context, this::accept);
  }

  /** For who listens himself. */
  public Channel.Receiver accept(Channel channel) {
    channels.add(channel);
    int number = channels.size();
    return new Channel.Receiver() {
      @Override
      public void onMessage(Envelope message) {
        JsonObject json = message.text().toJsonObject();
        received.add(json);
        texts.add(message.text().toString());
        RawJson id = message.id();
        if (message.kind() != Envelope.Kind.REQUEST || id == null) {
          return;
        }
        String answer =
            script.answer(message.method(), json.getJsonObject("params", new JsonObject()), number);
        if (answer != null) {
          put(channel, "{\"jsonrpc\":\"2.0\",\"id\":" + id + "," + answer + "}");
        }
      }

      @Override
      public void onRequestFailed(long id, TransportException reason) {}

      @Override
      public void onClosed(TransportException reason) {}
    };
  }

  private static void put(Channel channel, String text) {
    RawJson raw = RawJson.of(text);
    try {
      channel.send(OutboundMessage.response(Envelope.Kind.RESULT, raw.array()));
    } catch (TransportException e) {
      throw new AssertionError(e);
    }
  }

  /** Tells the newest connection. */
  public void notify(String method, JsonObject params) {
    Channel channel = channels.get(channels.size() - 1);
    byte[] bytes = MessageWriter.notification(method, RawJson.of(params));
    context.runOnContext(
        now -> {
          try {
            channel.send(OutboundMessage.notification(method, bytes));
          } catch (TransportException e) {
            throw new AssertionError(e);
          }
        });
  }

  /**
   * Sends one whole message.
   *
   * @param connection from 1, in the order in which they were opened
   */
  public void say(int connection, String message) {
    Channel channel = channels.get(connection - 1);
    context.runOnContext(now -> put(channel, message));
  }

  /** Sends one whole message over the newest connection. */
  public void say(String message) {
    Channel channel = channels.get(channels.size() - 1);
    context.runOnContext(now -> put(channel, message));
  }

  /**
   * Sends those messages over the newest connection, in this order: each when the connection has
   * room for it.
   */
  public void sayAll(List<String> messages) {
    Channel channel = channels.get(channels.size() - 1);
    Queue<String> rest = new ArrayDeque<>(messages);
    context.runOnContext(now -> sayWhatFits(channel, rest));
  }

  private void sayWhatFits(Channel channel, Queue<String> rest) {
    try {
      while (!rest.isEmpty()) {
        byte[] next = RawJson.of(rest.element()).array();
        channel.send(OutboundMessage.response(Envelope.Kind.RESULT, next));
        rest.remove();
      }
    } catch (TransportException e) {
      if (e.reason() != TransportException.Reason.OVERLOADED) {
        throw new AssertionError(e);
      }
      context.runOnContext(later -> sayWhatFits(channel, rest));
    }
  }

  private static LocalMap<String, ScriptedPeer> all(Vertx vertx) {
    return vertx.sharedData().getLocalMap("scripted-peers");
  }

  /** Ends all connections of all peers, so that a bus that closes does not wait for the silent. */
  static void hangUpAll(Vertx vertx) {
    for (ScriptedPeer peer : all(vertx).values()) {
      peer.context.runOnContext(now -> peer.channels.forEach(Channel::close));
    }
  }

  /** Ends the newest connection, as a process that exits. */
  public void hangUp() {
    Channel channel = channels.get(channels.size() - 1);
    context.runOnContext(now -> channel.close());
  }

  /** Ends all connections. */
  public void hangUpAll() {
    context.runOnContext(now -> List.copyOf(channels).forEach(Channel::close));
  }

  /** Responses to a request that was said. */
  public List<JsonObject> answers(int id) {
    return received.stream()
        .filter(message -> !message.containsKey("method") && message.getValue("id").equals(id))
        .toList();
  }

  /** All that came, as it was written. */
  public List<String> texts() {
    return List.copyOf(texts);
  }

  /** Sends a notification over the newest connection, its params as they are written. */
  public void tell(String method, String params) {
    say("{\"jsonrpc\":\"2.0\",\"method\":\"" + method + "\",\"params\":" + params + "}");
  }

  public int connections() {
    return channels.size();
  }

  /** The methods in the order in which they came. */
  public List<String> methods() {
    return received.stream().map(message -> message.getString("method", "")).toList();
  }

  /** All that came, also answers. */
  public List<JsonObject> messages() {
    return List.copyOf(received);
  }

  public List<JsonObject> received(String method) {
    List<JsonObject> all = new ArrayList<>(received);
    all.removeIf(message -> !method.equals(message.getString("method")));
    return all;
  }
}
