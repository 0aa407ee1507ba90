package dev.mcpbus.server;

import dev.mcpbus.protocol.PublicApi;

/** The state of a server, or of one of its sessions. */
@PublicApi
public enum ServerState {
  /** Handlers are registered; no client can reach it. */
  CONSTRUCTED,
  /** Clients can reach it; none has finished its handshake. */
  CONNECTED,
  /** At least one client is being served. */
  RUNNING,
  /** Closed for good; every client has been notified. */
  CLOSED
}
