package dev.mcpbus.gateway.session;

import dev.mcpbus.gateway.request.GatewayCall;
import dev.mcpbus.gateway.request.GatewayRequest;
import dev.mcpbus.protocol.RawJson;
import io.vertx.core.Future;

/**
 * A notification of a session on its way to a server: over the connection that answers the client's
 * calls. The client hears nothing of it. Confined to the session's host.
 */
final class SessionNotification extends GatewayCall {

  private final SessionServers servers;

  SessionNotification(HostParts host, SessionServers servers, GatewayRequest notification) {
    super(host.vertx(), host.sender(), notification);
    this.servers = servers;
  }

  @Override
  protected Future<RawJson> send(String server, String suffix, RawJson params) {
    return servers.connection(server).compose(at -> sendTo(at, suffix, params));
  }
}
