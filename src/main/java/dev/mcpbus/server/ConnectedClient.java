package dev.mcpbus.server;

import dev.mcpbus.protocol.Implementation;
import io.vertx.core.json.JsonObject;
import org.jspecify.annotations.Nullable;

/** One connected client. Safe to use from any thread. */
public interface ConnectedClient {

  /** Unique within the process. */
  String id();

  /** As it introduced itself last; empty names before that. Its own word, not checked. */
  Implementation client();

  /**
   * Whom the door that it came through vouches for; null where that door knows nobody.
   *
   * @see RawServer#acceptor(String)
   */
  @Nullable String principal();

  /** CONNECTED until its handshake is done. */
  ServerState state();

  /** Sends a notification to this client; dropped where it has gone. */
  void notify(String method, JsonObject params);
}
