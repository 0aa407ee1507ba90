package dev.mcpbus.gateway.session;

import dev.mcpbus.gateway.request.GatewayCall;
import dev.mcpbus.gateway.request.GatewayRequest;
import dev.mcpbus.gateway.request.UnknownMethods;
import dev.mcpbus.protocol.RawJson;
import io.vertx.core.Future;

/**
 * A notification of a session on its way to a server: over the connection that answers the client's
 * calls. The client hears nothing of it. Confined to the session's host.
 */
final class SessionNotification extends GatewayCall {

  private final GatewaySession session;

  SessionNotification(HostParts host, GatewaySession session, GatewayRequest notification) {
    super(host.vertx(), host.sender(), notification);
    this.session = session;
  }

  @Override
  protected Future<RawJson> send(String server, String suffix, RawJson params) {
    return session
        .servers
        .connection(server)
        .compose(
            at ->
                sendTo(
                    at,
                    suffix,
                    UnknownMethods.adapted(
                        suffix, params, own -> session.requests.toServer(at, own))));
  }
}
