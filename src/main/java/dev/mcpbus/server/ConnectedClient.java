package dev.mcpbus.server;

import dev.mcpbus.protocol.Implementation;
import dev.mcpbus.protocol.PublicApi;
import io.vertx.core.Future;
import io.vertx.core.json.JsonObject;
import org.jspecify.annotations.Nullable;

/** One connected client. Safe to use from any thread. */
@PublicApi
public interface ConnectedClient {

  /** Unique within the process. */
  String id();

  /**
   * The name and version that the client sent last; empty before that. The client's own statement,
   * not checked.
   */
  Implementation client();

  /**
   * The principal of the acceptor through which the client came; null if that acceptor has none.
   *
   * @see RawServer#acceptor(String)
   */
  @Nullable String principal();

  /** CONNECTED until the client's handshake is done. */
  ServerState state();

  /**
   * Sends a notification to this client.
   *
   * @return completes when the channel of the client has taken it, so that a sender who waits is no
   *     faster than the client; fails if the client has disconnected, or does not read while others
   *     wait
   */
  Future<Void> notify(String method, JsonObject params);
}
