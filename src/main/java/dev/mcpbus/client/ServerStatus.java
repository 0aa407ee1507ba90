package dev.mcpbus.client;

import dev.mcpbus.bus.ConnectionId;
import dev.mcpbus.bus.ConnectionState;
import dev.mcpbus.protocol.PublicApi;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * The status of a connection, a view of its JSON: {@link #json} also has the members without a
 * method here.
 */
@PublicApi
public record ServerStatus(JsonObject json) {

  public ConnectionId id() {
    return new ConnectionId(json.getString("id"));
  }

  public ConnectionState state() {
    return ConnectionState.valueOf(json.getString("state").toUpperCase(Locale.ROOT));
  }

  /** {@code connected}, {@code connecting}, {@code disconnected}, {@code failed}... */
  public String status() {
    return json.getString("status", state().status());
  }

  /** {@code INITIALIZE} or {@code DISCOVER}; null before the first handshake. */
  public @Nullable String era() {
    return json.getString("era");
  }

  public @Nullable String protocolVersion() {
    return json.getString("protocolVersion");
  }

  /** {@code name} and {@code version} as the server sent them; empty before the handshake. */
  public JsonObject server() {
    return json.getJsonObject("server", new JsonObject());
  }

  public JsonObject capabilities() {
    return json.getJsonObject("capabilities", new JsonObject());
  }

  public @Nullable String instructions() {
    return json.getString("instructions");
  }

  /** The session id of Streamable HTTP; null if the transport has none. */
  public @Nullable String sessionId() {
    return json.getString("sessionId");
  }

  public long epoch() {
    return json.getLong("epoch", 0L);
  }

  public int restarts() {
    return json.getInteger("restarts", 0);
  }

  /** Pinned tools that have changed and wait for approval. */
  public List<String> quarantined() {
    return json.getJsonArray("quarantined", new JsonArray()).stream().map(String::valueOf).toList();
  }

  /** The number of tools in the last list of the server; -1 before the first list. */
  public int tools() {
    return json.getInteger("tools", -1);
  }
}
